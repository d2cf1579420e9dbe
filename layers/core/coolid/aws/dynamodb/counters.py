"""Counters of repositories and the usage of quotas, each a row that is updated on condition."""

from collections.abc import Mapping
from typing import Any

from pynamodb.expressions.update import Action

from coolid.aws.dynamodb.client import DynamoClient, translate_errors, try_write
from coolid.model.quota_usage import Usage
from coolid.store.client_rows import usage_of, windows_text


class DynamoCounters:
    """Implements `CounterStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._model = client.tables.counter

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """See `CounterStore`. Takes one conditional update if the counter is at or below the floor, otherwise two."""
        row = self._model
        counter = row(counter_id)
        unreached = row.next_number.does_not_exist() | (row.next_number <= floor)
        if try_write(lambda: counter.update(actions=[row.next_number.set(floor + count)], condition=unreached)):
            return floor
        with translate_errors(None):
            counter.update(actions=[row.next_number.add(count)])
        return int(counter.next_number) - count


class DynamoQuotas:
    """Implements `QuotaStore` by a counter row for each client.

    The row's windows change only when a group begins, every few seconds at most. Until then mints that come at the same
    time do not conflict: each adds to `spent`, up to a ceiling that is the same for all of them.
    """

    def __init__(self, client: DynamoClient) -> None:
        self._client = client
        self._model = client.tables.counter

    def usage(self, counter_id: str) -> Usage:
        """See `QuotaStore`. Takes one GetItem."""
        row = self._row(counter_id)
        return usage_of(row) if row is not None else Usage()

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """See `QuotaStore`. Takes one conditional update; two if the row has a later `latest` by then, or nothing fits.

        The second update leaves `latest` as it is. An update that boto3 repeats, because its answer was lost, finds its
        token in the row and spends nothing more, unless another mint came between.
        """
        row, token = self._model, self._client.new_token()
        unchanged = (
            (row.revision == before.revision) & (row.spent <= ceiling) & (row.write_token != token)
            if before.revision
            else row.revision.does_not_exist()
        )
        actions: list[Action] = [
            row.spent.add(after.spent - before.spent),
            row.revision.set(after.revision),
            row.windows.set(windows_text(after)),
            row.write_token.set(token),
        ]
        with_latest = [*actions, row.latest.set(after.latest)]
        earlier = row.latest.does_not_exist() | (row.latest <= after.latest)
        later = row.latest > after.latest
        counter = row(counter_id)
        if try_write(lambda: counter.update(actions=with_latest, condition=unchanged & earlier)) or try_write(
            lambda: counter.update(actions=actions, condition=unchanged & later)
        ):
            return int(counter.spent)
        stored = self._row(counter_id)
        return stored["spent"] if stored is not None and stored.get("write_token") == token else None

    def _row(self, counter_id: str) -> Mapping[str, Any] | None:
        return self._client.reader.row(self._model.Meta.table_name, {"id": {"S": counter_id}})
