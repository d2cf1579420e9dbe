"""Check states in DynamoDB, in a table of their own, and conditions in the rows of prefixes and records.

A condition is written only if its row has not changed since the check. Otherwise the next check writes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from msgspec import MsgspecError, json
from pynamodb.expressions.condition import Condition

from coolid.aws.dynamodb.items import CURRENT, PROVIDER, health_body, pid_of
from coolid.aws.dynamodb.tables import LuiRow, PrefixRow
from coolid.aws.dynamodb.writer import DynamoWriter, translate_errors
from coolid.model.check_state import CheckState, CheckSubject
from coolid.model.conditions import STATES, Health, truncated

BY_AILING: Final = "ByAiling"
RETENTION_SECONDS: Final = 180 * 86_400
"""The time after its last check for which a check state is stored."""
_DECODER: Final = json.Decoder(CheckState)


class DynamoCheckStates(DynamoWriter):
    """Implements `coolid.store.checks.CheckStateStore`."""

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """See `CheckStateStore`. Takes one BatchGetItem."""
        keys = [{"owner": {"S": each.owner}, "name": {"S": each.name}} for each in dict.fromkeys(subjects)]
        rows = self._batch(self._tables.pulse.Meta.table_name, keys, consistent=True)
        return dict(_check_states_of({name: row[name]["S"] for name in ("owner", "name", "body")} for row in rows))

    def put_check_state(self, subject: CheckSubject, check_state: CheckState) -> None:
        """See `CheckStateStore`."""
        row = self._tables.pulse
        with translate_errors(None):
            row(
                owner=subject.owner,
                name=subject.name,
                ailing=subject.owner if check_state.is_ailing() else None,
                expires=round(check_state.checked.timestamp()) + RETENTION_SECONDS,
                body=json.encode(check_state).decode(),
            ).save()

    def delete_check_state(self, subject: CheckSubject) -> None:
        """See `CheckStateStore`."""
        with translate_errors(None):
            self._tables.pulse(subject.owner, subject.name).delete()

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """See `CheckStateStore`. Takes a Query of the index, which is eventually consistent."""
        rows = self._query(
            self._tables.pulse.Meta.table_name,
            IndexName=BY_AILING,
            KeyConditionExpression="ailing = :owner AND #name > :after",
            ExpressionAttributeNames={"#name": "name"},
            ExpressionAttributeValues={":owner": {"S": owner}, ":after": {"S": after or " "}},
            Limit=limit + 1,
        )
        found = [*islice(rows, limit + 1)]
        listed = found[:limit]
        return [*_check_states_of(listed)], listed[-1]["name"] if len(found) > limit else None

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """See `CheckStateStore`."""
        row = self._tables.prefix
        return _set_condition(row(name), health, (row.kind == PROVIDER) & (row.revision == revision))

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """See `CheckStateStore`."""
        row = self._tables.lui
        return _set_condition(row(pid_of(repository, key), CURRENT), health, row.revision == version)


class _Changed(Exception):
    """The row has changed since the check."""


def _set_condition(row: PrefixRow | LuiRow, health: Health, unchanged: Condition) -> bool:
    """Store conditions in a row if it is unchanged. Return whether it was."""
    attribute = type(row).health
    with suppress(_Changed), translate_errors(_Changed()):
        row.update(
            actions=[attribute.set(health_body(truncated(health))) if health else attribute.remove()],
            condition=unchanged,
        )
        return True
    return False


def _check_states_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[CheckSubject, CheckState]]:
    """Decode check states. Skip those that a later release wrote and this one cannot read."""
    for row in rows:
        with suppress(MsgspecError):
            check_state = _DECODER.decode(row["body"])
            if check_state.state in STATES:
                yield CheckSubject(row["owner"], row["name"]), check_state
