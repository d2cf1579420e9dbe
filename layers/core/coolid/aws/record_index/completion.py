"""The completion of the index: postings of records that were written while no function read the stream.

These are records of earlier releases, and those that a release without the index wrote after a rollback. Such a
rollback deletes the table of postings with its states, so that nothing else has to be recorded.

The stream's consumer may write postings of the same records at the same time. So each batch is read again after its
postings are written, until no record has changed in the meantime. Later changes are still to come in the stream.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from coolid.aws.dynamodb.postings import CompletionState, postings_of, read_state
from coolid.aws.dynamodb.reader import BY_KIND, BY_REPOSITORY, LIST_BATCH_SIZE, record_of_item, row_key
from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.record_index.index_writer import IndexWriter, Postings
from coolid.aws.settings import Settings
from coolid.errors import StoreUnavailable
from coolid.metric_names import INDEX_UNREADABLE, INDEXED
from coolid.ports import Count, Log
from coolid.store.rows import CURRENT, key_of, pid_of, repository_of

_MAX_READS: Final = 20


class IndexCompletion:
    """Writes missing postings of the tables that `settings` name."""

    def __init__(self, reader: TableReader, writer: IndexWriter, settings: Settings, log: Log, count: Count) -> None:
        self._reader = reader
        self._writer = writer
        self._settings = settings
        self._log = log
        self._count = count

    def complete(self, has_time: Callable[[], bool]) -> bool:
        """Go on with each repository whose index is incomplete, while there is time; return whether all are complete.

        Raises `StoreUnavailable`.
        """
        for repository in self._repositories():
            state = read_state(self._reader, self._settings.index_table, repository)
            while not state.is_complete:
                if not has_time():
                    return False
                state = self._extend(repository, state)
                self._writer.put_state(repository, state)
        return True

    def _extend(self, repository: str, state: CompletionState) -> CompletionState:
        """Write the postings of the next records. Return the new state."""
        keys = list(islice(self._keys(repository, state.after), LIST_BATCH_SIZE))
        written: dict[str, Postings] = {}
        for _ in range(_MAX_READS):
            current = self._postings(repository, keys)
            changed = {pid: postings for pid, postings in current.items() if written.get(pid) != postings}
            if not changed:
                self._count(INDEXED, len(written))
                is_complete = len(keys) < LIST_BATCH_SIZE
                return CompletionState(after=keys[-1] if keys else state.after, is_complete=is_complete)
            former = [key for pid in changed for key in written.get(pid, ())]
            self._writer.replace({key: item for each in changed.values() for key, item in each.items()}, former)
            written |= changed
        raise StoreUnavailable("records change faster than their postings are written")

    def _postings(self, repository: str, keys: Sequence[str]) -> dict[str, Postings]:
        """Return the postings of current records by PID. An unreadable record has none."""
        rows = [row_key(repository, key, CURRENT) for key in keys]
        found: dict[str, Postings] = {}
        for item in self._reader.items(self._settings.lui_table, rows, consistent=True):
            found[item["pid"]["S"]] = self._postings_of(item)
        return found

    def _postings_of(self, item: Mapping[str, Any]) -> Postings:
        try:
            return postings_of(record_of_item(item))
        except (StoreUnavailable, KeyError, TypeError, ValueError, AttributeError) as error:
            self._log.error("a record cannot be read", extra={"reason": type(error).__name__})
            self._count(INDEX_UNREADABLE)
            return {}

    def _keys(self, repository: str, after: str) -> Iterator[str]:
        rows = self._reader.rows(
            self._settings.lui_table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository AND pid > :after",
            ExpressionAttributeValues={":repository": {"S": repository}, ":after": {"S": pid_of(repository, after)}},
            Limit=LIST_BATCH_SIZE,
        )
        return (key_of(row["pid"]) for row in rows)

    def _repositories(self) -> Iterator[str]:
        rows = self._reader.rows(
            self._settings.prefix_table,
            IndexName=BY_KIND,
            KeyConditionExpression="kind = :kind",
            ExpressionAttributeValues={":kind": {"S": "repository"}},
        )
        return (repository_of(row["body"], row.get("canonical"), row).id for row in rows)
