"""Copies of other services' records in all stores: whole or invisible, completed by a repetition, and exported."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb import bulk_writer
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb.records import DynamoRecords
from coolid.errors import IdentifierTaken, Outdated
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import linkid
from coolid.model.records import Content, Location, Record
from coolid.records.amendment import RecordAmender
from coolid.records.custody.adoption import RecordAdoption
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.sqlite.records import SqliteRecords
from coolid.wiring import transfer
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import record
from tests.support.fixtures.installations import Cut, Installation, cutting
from tests.support.fixtures.ports import FixedClock, prover
from tests.support.stores.memory_store import MemoryStore

KEY = "919108f752d143209bacf847db4148a8"
LENGTH = 7
WRITES = [
    (SqliteBulkWriter, "put"),
    (SqliteRecords, "replace_record"),
    (DynamoBulkWriter, "_transact"),
    (DynamoRecords, "replace_record"),
]


@pytest.fixture
def repository(other: Installation) -> str:
    """The id of a repository of LinkIDs."""
    return other.add(linkid.NAME, UuidRules(version=4))


@pytest.fixture
def adoption(other: Installation) -> Iterator[RecordAdoption]:
    """The adoption into a store."""
    with transfer.open_access(other.settings) as access:
        yield RecordAdoption(access.store.records, access.writer)


@pytest.fixture
def versions(repository: str) -> list[Record]:
    """Versions of another service, the oldest first; the first one there was reserved."""
    store = MemoryStore()
    issuer = "https://a.example"
    amender = RecordAmender(store, FixedClock(), prover(store))
    current = prover(store).prove(
        replace(record(KEY, "aaaa-aaaa-00"), id=KEY, pid=f"{issuer}/{linkid.format(KEY)}", issuer=issuer)
    )
    store.create_record(current)
    found = []
    for number in range(LENGTH):
        current = amender.update(current, Content(records=(Location(f"https://content.example.org/{number}"),)))
        found.append(current.stored_in(repository))
    return found


def documents(versions: Sequence[Record]) -> list[object]:
    """The documents of versions."""
    return [each.to_document() for each in versions]


def stored(other: Installation, repository: str) -> list[object]:
    """The documents of all stored versions, the oldest first; none if there is no current one."""
    current = other.store.records.record(repository, KEY, consistent=True)
    if current is None:
        return []
    history = [*reversed(stored_versions(other.store.records, repository, KEY))]
    assert history[-1] == current
    assert {(each.repository, each.stated_repository) for each in history} == {(repository, "aaaa-aaaa-00")}
    return documents(history)


def test_a_copy_has_the_documents_of_the_other_service(
    other: Installation, repository: str, adoption: RecordAdoption, versions: list[Record]
) -> None:
    assert adoption.adopt(versions, None) == versions[-1]
    assert stored(other, repository) == documents(versions)
    records, changes = other.store.records, other.store.changes
    assert [records.superseded(repository, KEY, number) for number in (1, 2, 3)] == [None, *versions[:2]]
    assert records.records(repository, [KEY]) == {KEY: versions[-1]}
    assert records.list_records(repository, 9, None)[0] == [versions[-1]]
    assert changes.list_changed(repository, None, None, 9, None)[0] == [versions[-1]]
    assert changes.list_versions(repository, None, None, 9, None)[0] == [*reversed(versions)]
    assert adoption.adopt(versions, versions[-1]) == versions[-1]
    assert stored(other, repository) == documents(versions)


def test_another_record_is_not_replaced(
    other: Installation, repository: str, adoption: RecordAdoption, versions: list[Record]
) -> None:
    minted = other.mint(linkid.NAME, KEY)
    with pytest.raises(IdentifierTaken):
        adoption.adopt(versions, minted)
    with pytest.raises(Outdated):
        adoption.adopt(versions, None)
    assert stored_versions(other.store.records, repository, KEY) == [minted]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("earlier", [0, 3])
@pytest.mark.parametrize("call", [0, 1, 2, 3])
def test_an_adoption_that_ends_at_any_write_leaves_a_whole_copy_or_none_and_is_repeated(
    other: Installation,
    repository: str,
    adoption: RecordAdoption,
    versions: list[Record],
    monkeypatch: pytest.MonkeyPatch,
    *,
    call: int,
    earlier: int,
    after: bool,
) -> None:
    monkeypatch.setattr(bulk_writer, "MOST_PUTS", 2)
    if earlier:
        adoption.adopt(versions[:earlier], None)
    with monkeypatch.context() as cut, suppress(Cut):
        for kind, name in WRITES:
            cut.setattr(kind, name, cutting(getattr(kind, name), call, after=after))
        adoption.adopt(versions, versions[earlier - 1] if earlier else None)
    assert stored(other, repository) in (documents(versions[:earlier]), documents(versions))
    assert earlier or stored(other, repository) or stored_versions(other.store.records, repository, KEY) == []
    adoption.adopt(versions, other.store.records.record(repository, KEY, consistent=True))
    assert stored(other, repository) == documents(versions)


def test_copies_are_exported_and_restored(
    other: Installation,
    repository: str,
    adoption: RecordAdoption,
    versions: list[Record],
    installation: Installation,
    tmp_path: Path,
) -> None:
    adoption.adopt(versions, None)
    export = other.export()
    progress, refusals = installation.restore(export, tmp_path)
    assert (progress.refused, refusals) == (0, [])
    assert installation.export() == export
    assert stored(installation, repository) == documents(versions)
