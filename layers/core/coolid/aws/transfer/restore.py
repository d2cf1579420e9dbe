"""Restoring: what an export holds, written byte for byte, where it is not there yet.

What is there already and says the same is passed over, so that a run that was cut short is simply run again. What says
something else is refused and stays: nothing is overwritten. A record comes with all its versions or not at all.
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
    apart_attributes,
    own_record,
    pid_of,
    prefix_of,
    record_body,
    repository_of,
)
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.transfer import export_format as kinds
from coolid.aws.transfer.bulk_writer import BulkWriter, WriteGroup, row
from coolid.aws.transfer.progress import TransferProgress
from coolid.errors import Conflict, InvalidIdentifier
from coolid.model.conditions import UNKNOWN
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem
from coolid.model.repositories import Repository
from coolid.proofs.public_keys import public_jwk

_TOGETHER: Final = 100
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError)

Line = tuple[int, Mapping[str, Any]]


class _Unfit(Exception):
    """The line cannot be taken; says why."""


class Restorer:
    """Writes into `store`, records by `putter`, and notes in `tally` what became of each line."""

    def __init__(self, store: DynamoStore, putter: BulkWriter, tally: TransferProgress) -> None:
        self._store = store
        self._putter = putter
        self._tally = tally
        self._repository: Repository | None = None
        self._last = ("", "")

    def restore(self, lines: Iterable[Line]) -> None:
        """Take the lines of an export, in their order. Raises `StoreUnavailable`; all can then be tried again."""
        takers = {kinds.KEYS: self._keys, kinds.REPOSITORY: self._settle, kinds.COUNTER: self._count}
        for kind, of_kind in groupby(lines, key=lambda line: line[1]["kind"]):
            match kind:
                case kinds.RECORD:
                    self._records(of_kind)
                case kinds.PREFIX:
                    self._prefixes(of_kind)
                case _:
                    for number, document in of_kind:
                        self._one(number, takers[kind], document)

    def _one(self, number: int, take: Any, document: Mapping[str, Any]) -> None:
        """Have a line taken, which gives back whether anything was written."""
        try:
            wrote = take(document)
        except (_Unfit, Conflict) as error:
            self._tally.refuse(number, ("", str(error)))
        except _MALFORMED as error:
            self._tally.refuse(number, ("", f"the line is not what an export has: {error!r}"))
        except (
            PynamoDBException
        ) as error:  # of our own making (`coolid.aws.dynamodb.writer`): a value that no row can have
            self._tally.refuse(number, ("", f"the store does not take what the line has: {error.msg}"))
        else:
            self._tally.written += wrote
            self._tally.present += not wrote

    def _keys(self, document: Mapping[str, Any]) -> bool:
        known = {key["kid"]: key for key in self._store.public_keys()}
        for key in document["keys"]:
            if public_jwk(key) != key or known.get(key["kid"], key) != key:
                raise _Unfit(f"the key {key['kid']} is not the public key that its name stands for")
        new = [key for key in document["keys"] if key["kid"] not in known]
        for key in new:
            self._store.add_public_key(key)
        return bool(new)

    def _settle(self, document: Mapping[str, Any]) -> bool:
        body = orjson.dumps(document["body"]).decode()
        repository = repository_of(body, document["canonical"], apart_attributes(document))
        _demand_number(repository.revision)
        if repository.id != document["id"]:
            raise _Unfit("the line is of another repository than it says")
        present = self._store.repository(repository.id)
        if present is None:
            self._store.create_repository(repository)
        elif present != repository:
            raise _Unfit(f"the repository {repository.id} is here already, and says something else")
        return present is None

    def _count(self, document: Mapping[str, Any]) -> bool:
        if self._store.repository(document["id"]) is None:
            raise _Unfit(f"there is no repository {document['id']} here")
        if type(document["next"]) is not int:
            raise _Unfit("the next number is none")
        self._store.reserve(document["id"], document["next"], 0)  # the counter is at least there then
        return True

    def _prefixes(self, lines: Iterable[Line]) -> None:
        lines = iter(lines)
        while batch := list(islice(lines, _TOGETHER)):
            names = [name for _, document in batch if isinstance(name := document.get("name"), str)]
            register = partial(self._register, self._store.prefixes(names, consistent=True))
            for number, document in batch:
                self._one(number, register, document)

    def _register(self, present: Mapping[str, Prefix], document: Mapping[str, Any]) -> bool:
        there = present.get(document["name"])
        _demand_number(document["revision"])
        row = {name: document[name] for name in ("name", "revision")}
        row |= {"kind": document["type"], "body": orjson.dumps(document["body"]), **apart_attributes(document)}
        prefix = prefix_of(row)
        if not isinstance(prefix, Namespace | ProviderPrefix):
            raise _Unfit("the line is of no prefix")
        if isinstance(prefix, Namespace):
            _demand_number(prefix.repository.revision)
            if prefix.repository.canonical is None:
                raise _Unfit(f"the repository of the prefix {prefix.name} has no canonical one")
        if there is None or isinstance(there, Stem):
            self._store.put_prefix(prefix, None)
            return True
        if _as_exported(there) != prefix:
            raise _Unfit(f"the prefix {prefix.name} is here already, and says something else")
        return False

    def _records(self, lines: Iterable[Line]) -> None:
        """Records in batches; a record's versions stand together, oldest first."""
        histories = groupby(lines, key=lambda line: (line[1].get("repository"), line[1].get("key")))
        batch: list[tuple[int, int, WriteGroup]] = []
        rows = 0
        for _, history in histories:
            versions = list(history)
            group = self._group(versions)
            if group is None:
                continue
            batch.append((versions[0][0], len(versions), group))
            rows += len(versions)
            if rows >= _TOGETHER:
                self._put(batch)
                batch, rows = [], 0
        self._put(batch)

    def _put(self, batch: Sequence[tuple[int, int, WriteGroup]]) -> None:
        self._putter.put([group for _, _, group in batch])
        for number, versions, group in batch:
            if group.in_way:
                there = group.in_way[0]
                name = there.get("pid", {}).get("S", group.items[-1]["pid"]["S"])
                revision = there.get("revision", {}).get("N", "?")
                said = f"the record {name} is here already, and version {revision} of it is not the same"
                self._tally.refuse(number, ("", said))
            elif group.written:
                self._tally.written += versions
            else:
                self._tally.present += versions

    def _group(self, versions: Sequence[Line]) -> WriteGroup | None:
        """The rows of a record; None, and the reason is told, if they are none that could be here."""
        try:
            return WriteGroup(list(self._rows([document for _, document in versions])))
        except (_Unfit, InvalidIdentifier) as error:
            self._tally.refuse(versions[0][0], ("", str(error)))
        except _MALFORMED as error:
            self._tally.refuse(versions[0][0], ("", f"the record is not what an export has: {error!r}"))
        return None

    def _rows(self, versions: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        repository_id, key = versions[0]["repository"], versions[0]["key"]
        if self._repository is None or self._repository.id != repository_id:
            self._repository = self._store.repository(repository_id)
        if self._repository is None:
            raise _Unfit(f"there is no repository {repository_id} here")
        pid = pid_of(repository_id, key)
        if (repository_id, key) <= self._last:
            raise _Unfit(f"the record {pid} is not in its place in the order of an export")
        self._last = repository_id, key
        for number, document in enumerate(versions, 1):
            body, author = orjson.dumps(document["record"]).decode(), document["author"]
            record = own_record(body)  # as strictly as it will be read: what nobody could read must not come in
            if record_body(record) != body or not isinstance(author, str | None):
                raise _Unfit(f"version {number} of the record {pid} is not written as records are")
            if (record.repository, record.version, document["version"]) != (repository_id, number, number):
                raise _Unfit(f"the record {pid} has no version {number}, or another's in its place")
            if self._repository.rules.validate(record.id) != key:
                raise _Unfit(f"the record {pid} would not be found under the rules that its repository has here")
            yield row(record, key, body, version=CURRENT if number == len(versions) else number, author=author)


def _demand_number(revision: Any) -> None:
    """`_Unfit` for a revision that is none: true and 1.5 are numbers to many, but not to those who read the row."""
    if type(revision) is not int:
        raise _Unfit("the revision is no whole number")


def _as_exported(prefix: Prefix) -> Prefix:
    """Without what is found out anew wherever it stands: longer names, and what is known of its providers."""
    if isinstance(prefix, ProviderPrefix):
        return replace(prefix, longer=frozenset(), health=UNKNOWN)
    return replace(prefix, longer=frozenset())
