"""Pulses in the store: what probes saw, in a table of its own, and conditions beside prefixes and records.

What stands beside a row is put there on the condition that the row is still what was looked at: else nothing is
written, and the next look will tell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from msgspec import MsgspecError, json
from pynamodb.expressions.condition import Condition

from coolid.aws.dynamodb.items import CURRENT, PROVIDER, health_body, pid_of
from coolid.aws.dynamodb.tables import LuiRow, PrefixRow
from coolid.aws.dynamodb.writer import DynamoWriter, translated
from coolid.model.check_state import CheckState, CheckSubject
from coolid.model.conditions import STATES, Health, fitting

BY_AILING: Final = "ByAiling"
KEPT: Final = 180 * 86_400
"""Seconds after which a pulse goes that nobody took any more."""
_PULSES: Final = json.Decoder(CheckState)


class DynamoCheckStates(DynamoWriter):
    """Implements `coolid.model.check_state.CheckStateStore`."""

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """As of `CheckStateStore`: one BatchGetItem."""
        keys = [{"owner": {"S": each.owner}, "name": {"S": each.name}} for each in dict.fromkeys(subjects)]
        rows = self._batch(self._tables.pulse.Meta.table_name, keys, consistent=True)
        return dict(_pulses_of({name: row[name]["S"] for name in ("owner", "name", "body")} for row in rows))

    def put_check_state(self, subject: CheckSubject, pulse: CheckState) -> None:
        """As of `CheckStateStore`."""
        row = self._tables.pulse
        with translated(None):
            row(
                owner=subject.owner,
                name=subject.name,
                ailing=subject.owner if pulse.is_ailing() else None,
                expires=round(pulse.checked.timestamp()) + KEPT,
                body=json.encode(pulse).decode(),
            ).save()

    def delete_check_state(self, subject: CheckSubject) -> None:
        """As of `CheckStateStore`."""
        with translated(None):
            self._tables.pulse(subject.owner, subject.name).delete()

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """As of `CheckStateStore`: a Query of the index, which lags behind the table a little."""
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
        return [*_pulses_of(listed)], listed[-1]["name"] if len(found) > limit else None

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """As of `CheckStateStore`."""
        row = self._tables.prefix
        return _told(row(name), health, (row.kind == PROVIDER) & (row.revision == revision))

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """As of `CheckStateStore`."""
        row = self._tables.lui
        return _told(row(pid_of(repository, key), CURRENT), health, row.revision == version)


class _Changed(Exception):
    """It is not what was looked at any more."""


def _told(row: PrefixRow | LuiRow, health: Health, unchanged: Condition) -> bool:
    """Put conditions beside a row that is as it was; whether it was."""
    told = type(row).health
    with suppress(_Changed), translated(_Changed()):
        row.update(actions=[told.set(health_body(fitting(health))) if health else told.remove()], condition=unchanged)
        return True
    return False


def _pulses_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[CheckSubject, CheckState]]:
    """What a later release wrote that this one does not know is as if nobody had looked."""
    for row in rows:
        with suppress(MsgspecError):
            pulse = _PULSES.decode(row["body"])
            if pulse.state in STATES:
                yield CheckSubject(row["owner"], row["name"]), pulse
