"""A bulk minter, which turns the rows of a file into records by the same rules as single mints.

The minter writes into a buffer, which is written to the store in batches. Each conditional write decides whether its
identifier is still free. A taken random identifier is replaced by another. A row with a taken
chosen identifier counts as done if its record has the same content, so that a file may be imported again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from coolid.errors import CounterAhead, DrawsExhausted, Exhausted, HomeElsewhere, IdentifierTaken, InvalidInput
from coolid.http.api_documents import MintBody, parse, validated_content
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.records.minter import Minter, MintRequest
from coolid.store.bulk import BulkWriter, RecordRow, WriteGroup
from coolid.store.limits import require_record_size
from coolid.store.records import RecordStore
from coolid.store.rows import pid_of, record_body, stored_record
from coolid.transfer.csv_rows import MalformedCsv
from coolid.transfer.journal import Journal
from coolid.transfer.progress import Refusal, TransferProgress
from coolid.transfer.record_content import content_of

AUTHOR: Final = "import"
"""The author of imported records. No client has this id."""

_BLOCK: Final = 1_000
_BLOCK_BYTES: Final = 8_000_000
_MAX_NAMESPACES: Final = 1_000


class BufferingRecords:
    """A `RecordStore` that collects new records instead of writing them.

    `buffered` contains them by their names (`REPOSITORY/KEY`), `taken` rows of these names that the store contains.
    `refused` is the last record whose identifier was taken.
    """

    def __init__(self, records: RecordStore) -> None:
        self.record, self.records, self.list_records = records.record, records.records, records.list_records
        self.superseded, self.history = records.superseded, records.history
        self.superseded_between = records.superseded_between
        self.replace_record, self.idempotency_record = records.replace_record, records.idempotency_record
        self.buffered: dict[str, tuple[Record, WriteGroup]] = {}
        self.taken: dict[str, RecordRow] = {}
        self.refused: Record | None = None

    def create_record(self, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `RecordStore`. A conflict with a row that is not in `taken` shows only when the record is written."""
        assert idempotency_record is None
        name = _name_of(record)
        if name in self.buffered or name in self.taken:
            self.refused = record
            raise IdentifierTaken(record.id)
        body = record_body(record)
        require_record_size(record, body)
        row = RecordRow(record.repository, record.key, record.version, record.status, body, record.author)
        self.buffered[name] = record, WriteGroup(row)


class _PendingRow(Struct):
    """A row to mint: its document, and the name that an interrupted run intended for its record."""

    line: int
    document: Any
    intended: str | None = None


class BulkMinter:
    """Mints rows with `minter` into `buffer`, from where `writer` puts them; `journal` and `progress` record them."""

    def __init__(
        self, minter: Minter, buffer: BufferingRecords, writer: BulkWriter, journal: Journal, progress: TransferProgress
    ) -> None:
        self._minter = minter
        self._buffer = buffer
        self._writer = writer
        self._journal = journal
        self._progress = progress
        self._namespace = lru_cache(_MAX_NAMESPACES)(minter.namespace)

    def mint(self, rows: Iterable[tuple[int, Any]]) -> None:
        """Mint all rows that are not done yet. Raises `StoreUnavailable`, `SignerUnavailable`; a new run continues."""
        pending_rows = self._pending_rows(rows)
        while block := self._next_block(pending_rows):
            self._buffer.taken.clear()
            while block:
                block = self._mint_block(block)

    def _next_block(self, pending_rows: Iterator[_PendingRow]) -> list[_PendingRow]:
        """Return the next rows, at most `_BLOCK` and little more than `_BLOCK_BYTES`."""
        block: list[_PendingRow] = []
        until = self._progress.read_bytes + _BLOCK_BYTES
        for each in islice(pending_rows, _BLOCK):
            block.append(each)
            if self._progress.read_bytes > until:
                break
        return block

    def _pending_rows(self, rows: Iterable[tuple[int, Any]]) -> Iterator[_PendingRow]:
        try:
            for line, document in rows:
                if self._journal.is_done(line):
                    self._progress.present += 1
                else:
                    yield _PendingRow(line, document, self._journal.intended.get(line))
        except MalformedCsv as error:
            self._progress.stopped = Refusal(error.line, "", error.reason)

    def _mint_block(self, block: Sequence[_PendingRow]) -> list[_PendingRow]:
        """Mint these rows. Return those to try again because their identifiers are taken."""
        buffered = self._buffer.buffered
        buffered.clear()
        again: list[_PendingRow] = []
        tried: dict[str, _PendingRow] = {}
        for pending in block:
            name = self._try_mint(pending, again)
            if name is not None:
                tried[name] = pending
        self._journal.intend({each.line: name for name, each in tried.items() if _accepts_any_identifier(each)})
        self._writer.put([group for _, group in buffered.values()])
        minted: list[tuple[int, str]] = []
        for name, (record, group) in buffered.items():
            if group.conflicts:
                self._buffer.taken[name] = group.conflicts[0]
                again.append(tried[name])
            else:
                minted.append((tried[name].line, record.pid))
        self._progress.written += len(minted)
        self._journal.add_minted(minted)
        return again

    def _try_mint(self, pending: _PendingRow, again: list[_PendingRow]) -> str | None:
        """Mint a row into the buffer. Return its name, or None if it was not minted."""
        try:
            if isinstance(pending.document, InvalidInput):
                raise pending.document
            return _name_of(self._mint(pending))
        except InvalidInput as error:
            self._progress.refuse(pending.line, *((each.pointer, each.reason) for each in error.violations))
        except (Exhausted, DrawsExhausted, HomeElsewhere) as error:
            self._progress.refuse(pending.line, ("", str(error)))
        except IdentifierTaken as error:
            self._handle_taken(pending, again, error)
        return None

    def _handle_taken(self, pending: _PendingRow, again: list[_PendingRow], error: IdentifierTaken) -> None:
        """Handle an identifier taken by a row of this block, a record with the same content, or another record."""
        record = self._buffer.refused
        assert record is not None
        if _name_of(record) in self._buffer.buffered:
            again.append(pending)
        elif self._has_same_content(record):
            self._progress.present += 1
            self._journal.add_minted([(pending.line, record.pid)])
        elif pending.intended is not None:
            pending.intended = None
            again.append(pending)
        else:
            self._progress.refuse(pending.line, ("/id", str(error)))

    def _mint(self, pending: _PendingRow) -> Record:
        body = parse(MintBody, pending.document)
        namespace = self._namespace(body.prefix)
        chosen = body.id
        if pending.intended is not None:
            repository_id, _, key = pending.intended.partition("/")
            chosen = key if repository_id == namespace.repository.id and chosen is None else chosen
        request = MintRequest(validated_content(body, namespace.repository), chosen, body.parts, AUTHOR)
        self._minter.require_home(namespace.repository.id)
        while True:
            try:
                return self._minter.mint(request, namespace)
            except CounterAhead as error:
                self._minter.clock.pause(1000 * error.retry_after)

    def _has_same_content(self, record: Record) -> bool:
        """Return whether the stored record of this name has the same content, now or in its first version."""
        current = stored_record(self._buffer.taken[_name_of(record)].body)
        versions = [current, self._buffer.superseded(record.repository, record.key, 1)]
        return any(content_of(each) == content_of(record) for each in versions if each is not None)


def _name_of(record: Record) -> str:
    return pid_of(record.repository, record.key)


def _accepts_any_identifier(pending: _PendingRow) -> bool:
    """Return whether the row has no chosen identifier."""
    return isinstance(pending.document, Mapping) and pending.document.get("id") is None
