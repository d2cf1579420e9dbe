"""A stack's tables with the index function, which consumes the stream of records on request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from coolid.aws.dynamodb.changes import DynamoChanges
from coolid.aws.dynamodb.client import DynamoClient
from coolid.aws.dynamodb.postings import CompletionState
from coolid.aws.dynamodb.record_search import DynamoRecordSearch
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.record_index.completion import IndexCompletion
from coolid.aws.record_index.index_function import IndexFunction
from coolid.aws.record_index.index_writer import IndexWriter
from coolid.aws.record_index.stream_consumer import StreamConsumer
from coolid.aws.settings import INDEX_TABLE, PULSE_TABLE, Settings
from coolid.model.records import Record
from coolid.store.record_search import RecordQuery
from coolid.wiring.boto_clients import WRITES, dynamodb
from tests.support.fixtures.system import environment_for
from tests.support.stores.moto_store import MotoStore
from tests.support.stores.table_streams import Notes, Streams

REMAINING: Final = 100.0


class RecordIndex:
    """The index of some tables. `seconds` is the function's clock, which stands still unless a test sets it."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self.table = tables["IndexTable"]
        self.journal = Notes()
        settings = Settings.read(environment_for(tables), writes=True, also=[PULSE_TABLE, INDEX_TABLE])
        client = dynamodb(WRITES)
        self.client = DynamoClient(BotoTransport(client), bind(settings, client))
        self.search = DynamoRecordSearch(self.client, DynamoChanges(self.client))
        self.writer = IndexWriter(client, self.table)
        self.seconds: Iterator[float] = iter(lambda: 0.0, 1.0)
        self._function = IndexFunction(
            StreamConsumer(self.writer, self.journal, self.journal.count),
            IndexCompletion(self.client.reader, self.writer, settings, self.journal, self.journal.count),
            seconds=lambda: next(self.seconds),
        )
        self._streams = Streams(tables)

    def events(self) -> list[dict[str, Any]]:
        """Return the changes since the last call."""
        return self._streams.read("LuiTable")

    def consume(self, *events: Mapping[str, Any]) -> None:
        """Pass these events to the function, or the changes since the last call."""
        self._function({"Records": [*events] or self.events()}, REMAINING)

    def complete(self) -> bool:
        """Let the function complete the index; return whether it is."""
        found: bool = self._function({"source": "aws.events"}, REMAINING)["is_complete"]
        return found

    def postings(self) -> set[tuple[str, str]]:
        """Return the keys of all postings."""
        rows = MotoStore().items(self.table)
        return {(row["term"]["S"], row["changed"]["S"]) for row in rows if "terms" in row}


class CurrentSearch:
    """Implements `RecordSearch` by an index that is complete from the beginning, and contains every change at once."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._index = RecordIndex(tables)
        self._repositories: set[str] = set()

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `RecordSearch`."""
        for repository in {*query.repositories} - self._repositories:
            self._index.writer.put_state(repository, CompletionState(is_complete=True))
            self._repositories.add(repository)
        self._index.consume()
        return self._index.search.search(query, limit, after)
