"""Lists of records by time of change, and the completion of their index.

The index `ByChange` contains the rows with the attribute `changed`. Earlier releases write rows without it. So each
region stores, for each repository whose home it is, up to which key all rows have it (`IndexState`). Until all
rows have it, and in other regions, lists by time of change read all records and leave out those of other times.

Earlier releases may write again after a rollback. Each deployment of other code publishes a layer with the next number
(`CORE_LAYER`). Each release with this module stores its number, so a gap in the numbers shows that another release may
have written meanwhile. Then all rows are examined again.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any, Final

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from coolid.aws.dynamodb.client import DynamoClient, translate_errors, try_write
from coolid.aws.dynamodb.reader import BY_REPOSITORY, LIST_BATCH_SIZE, DynamoRecordReader, row_key
from coolid.aws.dynamodb_client.transport import InvalidRequest
from coolid.errors import StoreUnavailable
from coolid.model.check_state import repository_owner
from coolid.model.records import Record, format_time
from coolid.store.change_positions import (
    HISTORY,
    body_position,
    change_range,
    newest_positions,
    place_of,
    version_range,
)
from coolid.store.check_rows import INDEX, json_text
from coolid.store.rows import CURRENT, key_of

BY_CHANGE: Final = "ByChange"
"""The index of the LUI table for lists by time of change."""
_BY_KEY: Final = "/"
"""The first character of positions in the order of the keys. Times begin with a digit."""
_THREADS: Final = 8


class IndexState(Struct, frozen=True):
    """The rows that have the attribute `changed`: those up to the key `after`, or all if the index `is_complete`.

    `deployment` is the number of the last deployment that read this state.
    """

    deployment: int
    after: str = ""
    is_complete: bool = False


_STATES: Final = json.Decoder(IndexState)


class DynamoChanges:
    """Implements `ChangeIndex`. `deployment` is the number of the deployed code, 0 outside of AWS."""

    def __init__(self, client: DynamoClient, deployment: int = 0) -> None:
        self._client = client
        self._reader = client.reader
        self._model = client.tables.lui
        self._table = self._model.Meta.table_name
        self._records = DynamoRecordReader(client.reader, self._table)
        self._deployment = deployment

    def list_changed(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """See `ChangeIndex`. Takes a GetItem, a Query of the index, and BatchGetItems."""
        if after is None or not after.startswith(_BY_KEY):
            if self._is_complete(repository):
                return self._listed(repository, since, until, limit, after)
            after = _BY_KEY
        page, last = self._records.list_records(repository, limit, after.removeprefix(_BY_KEY) or None)
        return _between(page, since, until), None if last is None else f"{_BY_KEY}{last}"

    def change_times(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[str], str | None]:
        """See `ChangeIndex`. Takes a GetItem for the first page, and a Query of the index."""
        if after is None and self._is_complete(repository):
            after = " "
        if after is None or after.startswith(_BY_KEY):
            page, position = self.list_changed(repository, None, None, limit, after or _BY_KEY)
            return [format_time(record.updated) for record in page], position
        positions = self.positions(repository, after, ":", limit + 1)
        times = [position.partition(" ")[0] for position in positions[:limit]]
        return times, positions[limit - 1] if len(positions) > limit else None

    def list_versions(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, before: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """See `ChangeIndex`. Takes two Queries of the index, and BatchGetItems."""
        first, last = version_range(since, until, before)
        enough = limit + 2  # one more than the page, and one that is not before the position
        current, superseded = (
            self.positions(owner, first, last, enough, is_descending=True)
            for owner in (repository, f"{repository}{HISTORY}")
        )
        positions = newest_positions(current, superseded, before)
        page = [place_of(position) for position in positions[:limit]]
        records: dict[tuple[str, int], Record] = {}
        for start in range(0, len(page), LIST_BATCH_SIZE):
            places = [(key, version) for _, key, version in page[start : start + LIST_BATCH_SIZE]]
            records |= self._records.versions(repository, places)
        found = [(updated, records.get((key, version))) for updated, key, version in page]
        # A record that has just changed is at another place.
        listed = [record for updated, record in found if record is not None and format_time(record.updated) == updated]
        return listed, positions[limit - 1] if len(positions) > limit else None

    def complete(self, repository: str, limit: int) -> int:
        """See `ChangeIndex`. Takes a BatchGetItem for 40 rows, and an UpdateItem for each that lacks the attribute.

        After a gap in the deployments the first call only notes it, because functions of the former release may still
        be answering. A table that was created outside of a stack may have no such index, and then stays without it.
        """
        state = self._state(repository)
        if state is None or not (self._continues(state) if state.is_complete else self._is_current(state)):
            with suppress(InvalidRequest, StoreUnavailable):  # the code of a missing index depends on the backend
                self.positions(repository, " ", ":", 1)
                self._put_state(repository, IndexState(self._deployment))
            return 0
        if not self._is_current(state):
            self._put_state(repository, replace(state, deployment=self._deployment))
        examined = 0
        while not state.is_complete and examined < limit:
            state = self._extend(repository, state)
            self._put_state(repository, state)
            examined += LIST_BATCH_SIZE
        return examined

    def _listed(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        first, last = change_range(since, until, after)
        positions = self.positions(repository, first, last, limit + 1)
        keys = [position.partition(" ")[2] for position in positions[:limit]]
        records: dict[str, Record] = {}
        for start in range(0, len(keys), LIST_BATCH_SIZE):
            records |= self._records.records(repository, keys[start : start + LIST_BATCH_SIZE])
        found = [records[key] for key in keys if key in records]
        return _between(found, since, until), positions[limit - 1] if len(positions) > limit else None

    def positions(
        self, repository: str, first: str, last: str, limit: int, *, is_descending: bool = False
    ) -> list[str]:
        """Return at most `limit` positions between two, both excluded, of the rows that have the attribute."""
        if first >= last:
            return []
        rows = self._reader.rows(
            self._table,
            IndexName=BY_CHANGE,
            KeyConditionExpression="repository = :repository AND changed BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":repository": {"S": repository}, ":first": {"S": first}, ":last": {"S": last}
            },
            ScanIndexForward=not is_descending,
            Limit=limit + 1,
        )  # fmt: skip
        return list(islice((row["changed"] for row in rows if first < row["changed"] < last), limit))

    def _extend(self, repository: str, state: IndexState) -> IndexState:
        """Add the attribute to the next rows. Return the new state."""
        keys = list(islice(self._keys(repository, state.after), LIST_BATCH_SIZE))
        rows = [row_key(repository, key, CURRENT) for key in keys]
        items = self._reader.items(self._table, rows, consistent=True)
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(self._add, [item for item in items if "changed" not in item]))
        return replace(state, after=keys[-1] if keys else state.after, is_complete=len(keys) < LIST_BATCH_SIZE)

    def _keys(self, repository: str, after: str) -> Iterator[str]:
        rows = self._reader.rows(
            self._table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository AND pid > :after",
            ExpressionAttributeValues={":repository": {"S": repository}, ":after": {"S": f"{repository}/{after}"}},
            Limit=LIST_BATCH_SIZE,
        )
        return (key_of(row["pid"]) for row in rows)

    def _add(self, item: Any) -> None:
        """Add the attribute to a row. If its version has changed, the change has added it."""
        pid, revision = item["pid"]["S"], int(item["revision"]["N"])
        position = body_position(item["body"]["S"], key_of(pid))
        if position:
            row, model = self._model(pid, CURRENT), self._model
            try_write(lambda: row.update(actions=[model.changed.set(position)], condition=model.revision == revision))

    def _is_complete(self, repository: str) -> bool:
        state = self._state(repository)
        return state is not None and state.is_complete and self._continues(state)

    def _continues(self, state: IndexState) -> bool:
        """Return whether no other deployment was between this one and that of the state."""
        return state.deployment in (self._deployment, self._deployment - 1)

    def _is_current(self, state: IndexState) -> bool:
        return state.deployment == self._deployment

    def _state(self, repository: str) -> IndexState | None:
        key = {"owner": {"S": repository_owner(repository)}, "name": {"S": INDEX}}
        row = self._reader.row(self._client.tables.pulse.Meta.table_name, key)
        try:
            return None if row is None else _STATES.decode(row["body"])
        except MsgspecError:  # of a later release
            return None

    def _put_state(self, repository: str, state: IndexState) -> None:
        owner = repository_owner(repository)
        with translate_errors(None):
            self._client.tables.pulse(owner=owner, name=INDEX, body=json_text(state)).save()


def _between(records: Sequence[Record], since: datetime | None, until: datetime | None) -> list[Record]:
    """Return the records of the period. A record that changed after it was listed may be outside."""
    first = since and since.replace(microsecond=0)
    return [
        record
        for record in records
        if (first is None or record.updated >= first) and (until is None or record.updated <= until)
    ]
