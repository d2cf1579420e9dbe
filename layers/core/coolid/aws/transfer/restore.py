"""A restorer, which writes the rows of an export that the tables do not have yet, byte for byte.

Identical rows that already exist are skipped, so that an interrupted run can be repeated. Lines that differ from an
existing row are refused: nothing is overwritten. A record is restored with all its versions or not at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Any, Final

import orjson
from msgspec.structs import replace
from pynamodb.exceptions import PynamoDBException

from coolid.aws.dynamodb.items import (
    CURRENT,
    pid_of,
    prefix_of,
    record_body,
    repository_of,
    side_attributes_of,
    stored_record,
)
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.transfer import export_format as kinds
from coolid.aws.transfer.bulk_writer import BulkWriter, WriteGroup, record_row
from coolid.aws.transfer.progress import TransferProgress
from coolid.errors import Conflict, InvalidIdentifier
from coolid.model.conditions import UNKNOWN
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem
from coolid.model.repositories import Repository
from coolid.proofs.statements import public_jwk

_BATCH_SIZE: Final = 100
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError)

Line = tuple[int, Mapping[str, Any]]


class _RejectedLine(Exception):
    """The line cannot be restored; the message is the reason."""


class Restorer:
    """Writes into `store`, records through `writer`, and counts the results in `progress`."""

    def __init__(self, store: DynamoStore, writer: BulkWriter, progress: TransferProgress) -> None:
        self._store = store
        self._writer = writer
        self._progress = progress
        self._repository: Repository | None = None
        self._last = ("", "")

    def restore(self, lines: Iterable[Line]) -> None:
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
                        self._restore_line(number, by_kind[kind], document)

    def _restore_line(self, number: int, restore: Any, document: Mapping[str, Any]) -> None:
        """Restore a line with the function `restore`, which returns whether it wrote anything."""
        try:
            wrote = restore(document)
        except (_RejectedLine, Conflict) as error:
            self._progress.refuse(number, ("", str(error)))
        except _MALFORMED as error:
            self._progress.refuse(number, ("", f"the line is not what an export has: {error!r}"))
        except PynamoDBException as error:  # raised by `coolid.aws.dynamodb.writer` for a value that no row can have
            self._progress.refuse(number, ("", f"the store does not take what the line has: {error.msg}"))
        else:
            self._progress.written += wrote
            self._progress.present += not wrote

    def _add_keys(self, document: Mapping[str, Any]) -> bool:
        stored = {key["kid"]: key for key in self._store.public_keys()}
        for key in document["keys"]:
            if public_jwk(key) != key or stored.get(key["kid"], key) != key:
                raise _RejectedLine(f"the key {key['kid']} is not the public key that its name stands for")
        new = [key for key in document["keys"] if key["kid"] not in stored]
        for key in new:
            self._store.add_public_key(key)
        return bool(new)

    def _add_repository(self, document: Mapping[str, Any]) -> bool:
        body = orjson.dumps(document["body"]).decode()
        repository = repository_of(body, document["canonical"], side_attributes_of(document))
        _require_integer(repository.revision)
        if repository.id != document["id"]:
            raise _RejectedLine("the line is of another repository than it says")
        present = self._store.repository(repository.id)
        if present is None:
            self._store.create_repository(repository)
        elif present != repository:
            raise _RejectedLine(f"the repository {repository.id} is here already, and says something else")
        return present is None

    def _add_counter(self, document: Mapping[str, Any]) -> bool:
        if self._store.repository(document["id"]) is None:
            raise _RejectedLine(f"there is no repository {document['id']} here")
        if type(document["next"]) is not int:
            raise _RejectedLine("the next number is none")
        self._store.reserve(document["id"], document["next"], 0)  # sets the counter to at least this number
        return True

    def _restore_prefixes(self, lines: Iterable[Line]) -> None:
        lines = iter(lines)
        while batch := list(islice(lines, _BATCH_SIZE)):
            names = [name for _, document in batch if isinstance(name := document.get("name"), str)]
            register = partial(self._restore_prefix, self._store.prefixes(names, consistent=True))
            for number, document in batch:
                self._restore_line(number, register, document)

    def _restore_prefix(self, present: Mapping[str, Prefix], document: Mapping[str, Any]) -> bool:
        stored = present.get(document["name"])
        _require_integer(document["revision"])
        row = {name: document[name] for name in ("name", "revision")}
        row |= {"kind": document["type"], "body": orjson.dumps(document["body"]), **side_attributes_of(document)}
        prefix = prefix_of(row)
        if not isinstance(prefix, Namespace | ProviderPrefix):
            raise _RejectedLine("the line is of no prefix")
        if isinstance(prefix, Namespace):
            _require_integer(prefix.repository.revision)
            if prefix.repository.canonical is None:
                raise _RejectedLine(f"the repository of the prefix {prefix.name} has no canonical one")
        if stored is None or isinstance(stored, Stem):
            self._store.put_prefix(prefix, None)
            return True
        if _exported_form(stored) != prefix:
            raise _RejectedLine(f"the prefix {prefix.name} is here already, and says something else")
        return False

    def _restore_records(self, lines: Iterable[Line]) -> None:
        """Restore records in batches. The versions of a record are consecutive lines, oldest first."""
        histories = groupby(lines, key=lambda line: (line[1].get("repository"), line[1].get("key")))
        batch: list[tuple[int, int, WriteGroup]] = []
        rows = 0
        for _, history in histories:
            versions = list(history)
            group = self._write_group(versions)
            if group is None:
                continue
            batch.append((versions[0][0], len(versions), group))
            rows += len(versions)
            if rows >= _BATCH_SIZE:
                self._put(batch)
                batch, rows = [], 0
        self._put(batch)

    def _put(self, batch: Sequence[tuple[int, int, WriteGroup]]) -> None:
        self._writer.put([group for _, _, group in batch])
        for number, versions, group in batch:
            if group.conflicts:
                stored = group.conflicts[0]
                name = stored.get("pid", {}).get("S", group.items[-1]["pid"]["S"])
                revision = stored.get("revision", {}).get("N", "?")
                reason = f"the record {name} is here already, and version {revision} of it is not the same"
                self._progress.refuse(number, ("", reason))
            elif group.written:
                self._progress.written += versions
            else:
                self._progress.present += versions

    def _write_group(self, versions: Sequence[Line]) -> WriteGroup | None:
        """Return the rows of a record, or None, after counting it as refused, if they are invalid."""
        try:
            return WriteGroup(list(self._record_rows([document for _, document in versions])))
        except (_RejectedLine, InvalidIdentifier) as error:
            self._progress.refuse(versions[0][0], ("", str(error)))
        except _MALFORMED as error:
            self._progress.refuse(versions[0][0], ("", f"the record is not what an export has: {error!r}"))
        return None

    def _record_rows(self, versions: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        repository_id, key = versions[0]["repository"], versions[0]["key"]
        if self._repository is None or self._repository.id != repository_id:
            self._repository = self._store.repository(repository_id)
        if self._repository is None:
            raise _RejectedLine(f"there is no repository {repository_id} here")
        pid = pid_of(repository_id, key)
        if (repository_id, key) <= self._last:
            raise _RejectedLine(f"the record {pid} is not in its place in the order of an export")
        self._last = repository_id, key
        for number, document in enumerate(versions, 1):
            body, author = orjson.dumps(document["record"]).decode(), document["author"]
            record = stored_record(body)  # as strict as reading, so that each restored record is readable
            if record_body(record) != body or not isinstance(author, str | None):
                raise _RejectedLine(f"version {number} of the record {pid} is not written as records are")
            if (record.repository, record.version, document["version"]) != (repository_id, number, number):
                raise _RejectedLine(f"the record {pid} has no version {number}, or another's in its place")
            if self._repository.rules.validate(record.id) != key:
                raise _RejectedLine(f"the record {pid} would not be found under the rules that its repository has here")
            yield record_row(record, key, body, version=CURRENT if number == len(versions) else number, author=author)


def _require_integer(revision: Any) -> None:
    """Raise `_RejectedLine` unless the revision is an integer. `True` and 1.5 are not."""
    if type(revision) is not int:
        raise _RejectedLine("the revision is no whole number")


def _exported_form(prefix: Prefix) -> Prefix:
    """Return the prefix without what each system determines itself: longer prefixes and its providers' health."""
    if isinstance(prefix, ProviderPrefix):
        return replace(prefix, longer=frozenset(), health=UNKNOWN)
    return replace(prefix, longer=frozenset())
