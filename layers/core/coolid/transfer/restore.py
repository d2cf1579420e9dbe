"""A restorer, which writes the rows of an export that are missing in the store, byte for byte.

Identical rows that exist already are skipped, so that an interrupted run can be repeated. Lines that differ from an
existing row are refused, and nothing is overwritten. A record is restored with all its versions or not at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, groupby, islice, pairwise
from typing import Any, Final

import orjson
from msgspec.structs import replace

from coolid.errors import Conflict, InvalidIdentifier, UnstorableValue
from coolid.identifiers.schemes import linkid
from coolid.model.conditions import UNKNOWN
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.proofs.statements import public_jwk
from coolid.store.bulk import BulkWriter, RecordRow, WriteGroup
from coolid.store.rows import pid_of, prefix_of, record_body, repository_of, side_attributes_of, stored_record
from coolid.store.store import Store
from coolid.transfer import export_format as kinds
from coolid.transfer.progress import TransferProgress

_BATCH_SIZE: Final = 100
_MAX_ROWS: Final = 800
_MAX_BYTES: Final = 28_000_000
"""The rows that are written together, and their bytes: as many as DynamoDB accepts in eight transactions."""

Document = Mapping[str, Any]
NumberedDocument = tuple[int, Document]
"""The number of a line of an export, and its document."""


class _RefusedLine(Exception):
    """The line cannot be restored; the message is the reason."""


class Restorer:
    """Writes into `store`, records through `writer`, and counts the results in `progress`."""

    def __init__(self, store: Store, writer: BulkWriter, progress: TransferProgress) -> None:
        self._store = store
        self._writer = writer
        self._progress = progress
        self._repository: Repository | None = None
        self._last = ("", "")

    def restore(self, lines: Iterable[NumberedDocument]) -> None:
        """Restore the lines of an export, in order. Raises `StoreUnavailable`; a later run can then repeat them all."""
        by_kind = {kinds.KEYS: self._add_keys, kinds.REPOSITORY: self._add_repository, kinds.COUNTER: self._add_counter}
        for kind, of_kind in groupby(lines, key=lambda line: line[1]["kind"]):
            match kind:
                case kinds.RECORD:
                    self._restore_records(of_kind)
                case kinds.PREFIX:
                    self._restore_prefixes(of_kind)
                case _:
                    for number, document in of_kind:
                        with self._refusals(number):
                            self._count(1, is_new=by_kind[kind](document))

    @contextmanager
    def _refusals(self, number: int) -> Iterator[None]:
        """Count the line, or the record that begins there, as refused if it is invalid or conflicts with a row."""
        try:
            yield
        except (_RefusedLine, Conflict, InvalidIdentifier) as error:
            self._progress.refuse(number, ("", str(error)))
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            self._progress.refuse(number, ("", f"it is not what an export has: {error!r}"))
        except UnstorableValue as error:
            self._progress.refuse(number, ("", f"the store does not accept it: {error}"))

    def _count(self, lines: int, *, is_new: bool) -> None:
        if is_new:
            self._progress.written += lines
        else:
            self._progress.present += lines

    def _add_keys(self, document: Document) -> bool:
        stored = {key["kid"]: key for key in self._store.public_keys.public_keys()}
        for key in document["keys"]:
            if public_jwk(key) != key or stored.get(key["kid"], key) != key:
                raise _RefusedLine(f"the key {key['kid']} is not the public key that its name stands for")
        new = [key for key in document["keys"] if key["kid"] not in stored]
        for key in new:
            self._store.public_keys.add_public_key(key)
        return bool(new)

    def _add_repository(self, document: Document) -> bool:
        body = orjson.dumps(document["body"]).decode()
        repository = repository_of(body, document["canonical"], side_attributes_of(document))
        _require_integer(repository.revision, "the revision")
        if repository.id != document["id"]:
            raise _RefusedLine("the line is of another repository than it says")
        present = self._store.repositories.repository(repository.id)
        if present is None:
            self._store.repositories.create_repository(repository)
        elif present != repository:
            raise _RefusedLine(f"the repository {repository.id} exists already and differs")
        return present is None

    def _add_counter(self, document: Document) -> bool:
        if self._store.repositories.repository(document["id"]) is None:
            raise _RefusedLine(f"there is no repository {document['id']} here")
        _require_integer(document["next"], "the next number")
        self._store.counters.reserve(document["id"], document["next"], 0)  # sets the counter to at least this number
        return True

    def _restore_prefixes(self, lines: Iterable[NumberedDocument]) -> None:
        lines = iter(lines)
        while batch := list(islice(lines, _BATCH_SIZE)):
            names = [name for _, document in batch if isinstance(name := document.get("name"), str)]
            present = self._store.prefixes.prefixes(names, consistent=True)
            for number, document in batch:
                with self._refusals(number):
                    self._count(1, is_new=self._add_prefix(document, present.get(document["name"])))

    def _add_prefix(self, document: Document, stored: Prefix | None) -> bool:
        _require_integer(document["revision"], "the revision")
        row = {name: document[name] for name in ("name", "revision")}
        row |= {"kind": document["type"], "body": orjson.dumps(document["body"]), **side_attributes_of(document)}
        prefix = prefix_of(row)
        if not isinstance(prefix, Namespace | ProviderPrefix):
            raise _RefusedLine("the line is of no prefix")
        if isinstance(prefix, Namespace):
            _require_integer(prefix.repository.revision, "the revision")
            if prefix.repository.canonical is None:
                raise _RefusedLine(f"the repository of the prefix {prefix.name} has no canonical one")
        if stored is None or isinstance(stored, Stem):
            self._store.prefixes.put_prefix(prefix, None)
            return True
        if _exported_form(stored) != prefix:
            raise _RefusedLine(f"the prefix {prefix.name} exists already and differs")
        return False

    def _restore_records(self, lines: Iterable[NumberedDocument]) -> None:
        """Restore records in batches. The versions of a record are consecutive lines, oldest first."""
        batch: list[tuple[int, WriteGroup]] = []
        rows = size = 0
        for _, versions in groupby(lines, key=lambda line: (line[1].get("repository"), line[1].get("key"))):
            first = next(versions)
            with self._refusals(first[0]):
                group = WriteGroup()
                for row in self._record_rows(first[1], (document for _, document in versions)):
                    group.add(row)
                batch.append((first[0], group))
                rows += group.row_count
                size += group.size_bytes
            if rows >= _MAX_ROWS or size >= _MAX_BYTES:
                self._put(batch)
                batch, rows, size = [], 0, 0
        self._put(batch)

    def _put(self, batch: Sequence[tuple[int, WriteGroup]]) -> None:
        self._writer.put([group for _, group in batch])
        for number, group in batch:
            if group.conflicts:
                stored = group.conflicts[0]
                name = pid_of(stored.repository, stored.key)
                reason = f"the record {name} exists already, and version {stored.version} differs"
                self._progress.refuse(number, ("", reason))
            else:
                self._count(group.row_count, is_new=group.written > 0)

    def _record_rows(self, first: Document, others: Iterable[Document]) -> Iterator[RecordRow]:
        """Yield the rows of a record's versions. Raises `_RefusedLine`, or another error for a malformed line."""
        repository_id, key = first["repository"], first["key"]
        if self._repository is None or self._repository.id != repository_id:
            self._repository = self._store.repositories.repository(repository_id)
        if self._repository is None:
            raise _RefusedLine(f"there is no repository {repository_id} here")
        pid = pid_of(repository_id, key)
        if (repository_id, key) <= self._last:
            raise _RefusedLine(f"the record {pid} is not in its place in the order of an export")
        self._last = repository_id, key
        versions = chain([first], others, [None])
        for number, (document, following) in enumerate(pairwise(versions), _first_number(first, repository_id)):
            assert document is not None
            body, author = orjson.dumps(document["record"]).decode(), document["author"]
            record = stored_record(body)  # as strict as reads, so that every restored record is readable
            if record_body(record) != body or not isinstance(author, str | None):
                raise _RefusedLine(f"version {number} of the record {pid} is not written as records are")
            if (record.version, document["version"]) != (number, number) or not _may_be_in(record, repository_id):
                raise _RefusedLine(f"the record {pid} has no version {number}, or another's in its place")
            if self._repository.rules.validate(key if record.repository != repository_id else record.id) != key:
                raise _RefusedLine(f"the record {pid} would not be found under the rules that its repository has here")
            yield RecordRow(repository_id, key, number, record.status, body, author, following is None)


def _first_number(first: Document, repository_id: str) -> int:
    """Return the number of a record's first version: 1, unless it is the copy of a record that was reserved before."""
    record, number = first["record"], first["version"]
    is_copy = isinstance(record, Mapping) and record.get("repository") != repository_id
    return number if is_copy and type(number) is int and number > 0 else 1


def _may_be_in(record: Record, repository_id: str) -> bool:
    """Return whether a version is of its repository, or a copy of another service's, which has a LinkID."""
    return record.repository == repository_id or linkid.is_valid(linkid.format(record.id))


def _require_integer(value: Any, name: str) -> None:
    """Raise `_RefusedLine` unless the value is an integer. `True` and 1.5 are not."""
    if type(value) is not int:
        raise _RefusedLine(f"{name} is not an integer")


def _exported_form(prefix: Prefix) -> Prefix:
    """Return the prefix without members that each system determines itself: longer prefixes and health."""
    if isinstance(prefix, ProviderPrefix):
        return replace(prefix, longer=frozenset(), health=UNKNOWN)
    return replace(prefix, longer=frozenset())
