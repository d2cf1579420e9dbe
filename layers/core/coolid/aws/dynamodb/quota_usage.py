"""The usage of quotas in the store: a counter row for each client, read and then updated on condition.

The row's windows change only when a group begins, every few seconds at most. Until then mints that come at the same
time do not conflict: each adds to `spent`, up to a ceiling that is the same for all of them.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import MsgspecError, json
from pynamodb.expressions.update import Action

from coolid.aws.dynamodb.writer import DynamoWriter, translate_errors
from coolid.errors import StoreUnavailable
from coolid.model.quota_usage import Usage, WindowUsage

_WINDOWS: Final = json.Decoder(dict[str, WindowUsage])


class DynamoUsage(DynamoWriter):
    """The part of `coolid.store.store.Store` for the usage of quotas."""

    def usage(self, counter_id: str) -> Usage:
        """See `Store`. Takes one GetItem."""
        row = self._usage_row(counter_id)
        if row is None:
            return Usage()
        try:
            return Usage(row["revision"], row["spent"], row["latest"], _WINDOWS.decode(row["windows"]))
        except (KeyError, MsgspecError) as error:
            raise StoreUnavailable("the store returned a usage that cannot be read") from error

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """See `Store`. Takes one conditional update; two if the row has a later `latest` by then, or nothing fits.

        The second update leaves `latest` as it is. An update that boto3 repeats, because its answer was lost, finds its
        token in the row and spends nothing more, unless another mint came between.
        """
        row, token = self._tables.counter, self._new_token()
        unchanged = (
            (row.revision == before.revision) & (row.spent <= ceiling) & (row.write_token != token)
            if before.revision
            else row.revision.does_not_exist()
        )
        actions: list[Action] = [
            row.spent.add(after.spent - before.spent),
            row.revision.set(after.revision),
            row.windows.set(json.encode(after.windows).decode()),
            row.write_token.set(token),
        ]
        earlier = row.latest.does_not_exist() | (row.latest <= after.latest)
        counter = row(counter_id)
        with suppress(_Changed), translate_errors(_Changed()):
            counter.update(actions=[*actions, row.latest.set(after.latest)], condition=unchanged & earlier)
            return int(counter.spent)
        with suppress(_Changed), translate_errors(_Changed()):
            counter.update(actions=actions, condition=unchanged & (row.latest > after.latest))
            return int(counter.spent)
        stored = self._usage_row(counter_id)
        return stored["spent"] if stored is not None and stored.get("write_token") == token else None

    def _usage_row(self, counter_id: str) -> Mapping[str, Any] | None:
        return self.item(self._tables.counter.Meta.table_name, {"id": {"S": counter_id}}, consistent=True)


class _Changed(Exception):
    """A group began since the row was read, or no more mints fit."""
