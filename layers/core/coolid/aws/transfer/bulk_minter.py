"""Minting many: rows of a file become records, by the same rules and the same minter as one by one, written together.

The minter writes into a store that only gathers. What was gathered is put into the table a hundred at a time; each put
decides whether its identifier is still free. One that was drawn and is taken is drawn again; one that was chosen
counts as done if the record that has it says the same, so that a file may be imported again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import orjson
from msgspec import Struct

from coolid.aws.dynamodb.items import pid_of, record_body, record_of
from coolid.aws.dynamodb.records import require_row_size
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.transfer.bulk_writer import BulkWriter, Item, WriteGroup, row
from coolid.aws.transfer.journal import Journal
from coolid.aws.transfer.progress import TransferProgress
from coolid.aws.transfer.row_reader import Stop, UnreadableRow
from coolid.errors import CounterAhead, DrawsExhausted, Exhausted, HomeElsewhere, IdentifierTaken, InvalidInput
from coolid.http.api_documents import MintBody, judged, parse
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace
from coolid.model.records import Record
from coolid.records.minter import Minter, MintRequest

AUTHOR: Final = "import"
"""Who minted it. No client has such an id."""

_BLOCK: Final = 1_000
_BLOCK_BYTES: Final = 8_000_000
_MOST_NAMESPACES: Final = 1_000
_SAID: Final = ("status", "metadata", "records", "alternates", "ttl")


class BufferingStore(DynamoStore):
    """A store whose new records go nowhere yet: `gathered` has them by their rows' names (`REPOSITORY/KEY`).

    `taken` are rows that are known to be there; `last` is what was tried last.
    """

    def __init__(self, client: Any, tables: Any) -> None:
        super().__init__(client, tables)
        self.gathered: dict[str, tuple[Record, Item]] = {}
        self.taken: dict[str, Item] = {}
        self.last: tuple[str, Record] | None = None

    def create_record(self, record: Record, key: str, receipt: IdempotencyRecord | None = None) -> None:
        """As of `Store`, as far as can be known; the rest is known when it is put."""
        assert receipt is None
        name = pid_of(record.repository, key)
        self.last = name, record
        if name in self.gathered or name in self.taken:
            raise IdentifierTaken(record.id)
        body = record_body(record)
        require_row_size(record, body)
        self.gathered[name] = record, row(record, key, body, author=record.author)


class _Wanted(Struct):
    """A row to mint: its document, and the row's name that an earlier run meant to give it."""

    line: int
    document: Any
    intended: str | None = None


class BulkMinter:
    """Mints rows by `minter`, which writes into `store`; puts by `putter`, notes in `journal`, counts in `tally`."""

    def __init__(
        self, minter: Minter, store: BufferingStore, putter: BulkWriter, journal: Journal, tally: TransferProgress
    ) -> None:
        self._minter = minter
        self._store = store
        self._putter = putter
        self._journal = journal
        self._tally = tally
        self._namespaces: dict[str, Namespace] = {}

    def mint(self, rows: Iterable[tuple[int, Any]]) -> None:
        """Mint all that is not done yet. Raises `StoreUnavailable`, `SignerUnavailable`; one can then go on with it."""
        wanted = self._wanted(rows)
        while block := self._block(wanted):
            self._store.taken.clear()
            while block:
                block = self._round(block)

    def _block(self, wanted: Iterator[_Wanted]) -> list[_Wanted]:
        """The next rows, so many that they are worth a note in the journal, and no more than memory should hold."""
        block: list[_Wanted] = []
        until = self._tally.read + _BLOCK_BYTES
        for each in islice(wanted, _BLOCK):
            block.append(each)
            if self._tally.read > until:
                break
        return block

    def _wanted(self, rows: Iterable[tuple[int, Any]]) -> Iterator[_Wanted]:
        for line, document in rows:
            if isinstance(document, Stop):
                self._tally.stop(line, document.reason)
                return
            if self._journal.is_done(line):
                self._tally.present += 1
            else:
                yield _Wanted(line, document, self._journal.intended.get(line))

    def _round(self, block: Sequence[_Wanted]) -> list[_Wanted]:
        """Try these rows; those that must be tried again, since what they were to be called is taken."""
        self._store.gathered.clear()
        again: list[_Wanted] = []
        tried: dict[str, _Wanted] = {}
        for wanted in block:
            name = self._gather(wanted, again)
            if name is not None:
                tried[name] = wanted
        self._journal.intend({each.line: name for name, each in tried.items() if _may_get_any(each)})
        groups = {name: WriteGroup([item]) for name, (_, item) in self._store.gathered.items()}
        self._putter.put(list(groups.values()))
        for name, group in groups.items():
            if group.in_way:
                self._store.taken[name] = group.in_way[0]
                again.append(tried[name])
            else:
                self._tally.written += 1
        minted = ((tried[name], self._store.gathered[name][0]) for name, group in groups.items() if not group.in_way)
        self._journal.note((wanted.line, record.pid) for wanted, record in minted)
        return again

    def _gather(self, wanted: _Wanted, again: list[_Wanted]) -> str | None:
        """Have a row minted into the gathering store; its row's name, if it was."""
        self._store.last = None
        try:
            if isinstance(wanted.document, UnreadableRow):
                raise InvalidInput.at(wanted.document.pointer, wanted.document.reason)
            self._mint(wanted)
        except InvalidInput as error:
            self._tally.refuse(wanted.line, *((each.pointer, each.reason) for each in error.violations))
        except (Exhausted, DrawsExhausted, HomeElsewhere) as error:
            self._tally.refuse(wanted.line, ("", str(error)))
        except IdentifierTaken as error:
            self._settle_taken(wanted, again, error)
        else:
            assert self._store.last is not None
            return self._store.last[0]
        return None

    def _settle_taken(self, wanted: _Wanted, again: list[_Wanted], error: IdentifierTaken) -> None:
        """A row wants an identifier that is taken: by another row of this round, by the same, or by something else."""
        assert self._store.last is not None
        name, record = self._store.last
        if name in self._store.gathered:
            again.append(wanted)
        elif self._says_the_same(record, name):
            self._tally.present += 1
            self._journal.note([(wanted.line, record.pid)])
        elif wanted.intended is not None:
            wanted.intended = None
            again.append(wanted)
        else:
            self._tally.refuse(wanted.line, ("/id", str(error)))

    def _mint(self, wanted: _Wanted) -> None:
        body = parse(MintBody, wanted.document)
        namespace = self._namespace(body.prefix)
        chosen = body.id
        if wanted.intended is not None:
            repository_id, _, key = wanted.intended.partition("/")
            chosen = key if repository_id == namespace.repository.id and chosen is None else chosen
        request = MintRequest(body.prefix, judged(body, namespace.repository), chosen, body.parts, AUTHOR)
        while True:
            try:
                self._minter.mint(request, namespace)
                return
            except CounterAhead as error:
                self._minter.clock.pause(1000 * error.retry_after)

    def _namespace(self, prefix: str) -> Namespace:
        found = self._namespaces.get(prefix)
        if found is None:
            if len(self._namespaces) == _MOST_NAMESPACES:
                self._namespaces.clear()
            found = self._namespaces[prefix] = self._minter.namespace(prefix)
        return found

    def _says_the_same(self, record: Record, name: str) -> bool:
        """Whether the record that has this name says now, or said at first, what the row says."""
        there = record_of(self._store.taken[name]["body"]["S"])
        repository_id, _, key = name.partition("/")
        versions = [there, self._store.superseded(repository_id, key, 1)]
        return any(_said(each) == _said(record) for each in versions if each is not None)


def _may_get_any(wanted: _Wanted) -> bool:
    """Whether the row does not choose its identifier."""
    return isinstance(wanted.document, Mapping) and wanted.document.get("id") is None


def _said(record: Record) -> bytes:
    document = record.to_document()
    return orjson.dumps({member: document.get(member) for member in _SAID}, option=orjson.OPT_SORT_KEYS)
