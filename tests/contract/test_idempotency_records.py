"""The contract of `RecordStore`: idempotency records."""

from datetime import timedelta
from typing import Any
from zlib import crc32

import pytest
from msgspec.structs import replace

from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, Outdated
from coolid.identifiers.schemes import lui
from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.records.idempotency import LIFETIME
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import MOMENT, record, repository

OWNER = "r4k2-9m3x-62"


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """What no other test calls anything."""
    return str(request.node.name)


@pytest.fixture
def keys(name: str) -> list[str]:
    """Keys of records that no other test uses."""
    start = crc32(name.encode())
    return [lui.encode(start + at) for at in range(20)]


def receipt(name: str, key: str, **members: Any) -> IdempotencyRecord:
    return replace(IdempotencyRecord(name, "sha-256=:x:", f"{OWNER}/{key}", MOMENT + LIFETIME), **members)


class TestIdempotencyRecords:
    def test_one_is_written_with_its_record_and_read_back_equal(self, store: Store, name: str, keys: list[str]) -> None:
        wanted = receipt(f"abcdefgh#3/é {name}", keys[0], digest="sha-256=:é:")
        assert store.records.idempotency_record(wanted.id) is None
        store.records.create_record(record(keys[0]), wanted)
        assert store.records.idempotency_record(wanted.id) == wanted
        assert store.records.record(OWNER, keys[0], consistent=True) == record(keys[0])

    def test_while_it_is_good_there_is_no_other_and_no_other_record(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        store.records.create_record(record(keys[0]), receipt(name, keys[0]))
        for moment in (MOMENT, MOMENT + LIFETIME - timedelta(seconds=1)):
            with pytest.raises(IdempotencyRecordTaken):
                store.records.create_record(record(keys[1], created=moment), receipt(name, keys[1], digest="other"))
        assert store.records.idempotency_record(name) == receipt(name, keys[0])
        assert store.records.record(OWNER, keys[1], consistent=True) is None

    def test_when_it_has_expired_another_takes_its_place(self, store: Store, name: str, keys: list[str]) -> None:
        store.records.create_record(record(keys[0]), receipt(name, keys[0]))
        again = receipt(name, keys[1], digest="other", expires=MOMENT + 2 * LIFETIME)
        store.records.create_record(record(keys[1], created=MOMENT + LIFETIME), again)
        assert store.records.idempotency_record(name) == again
        assert store.records.record(OWNER, keys[1], consistent=True) is not None

    def test_where_the_identifier_is_taken_no_idempotency_record_is_left(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        store.records.create_record(record(keys[0]))
        with pytest.raises(IdentifierTaken) as raised:
            store.records.create_record(record(keys[0], metadata={"what": "another"}), receipt(name, keys[0]))
        assert raised.value.identifier == lui.format(keys[0])
        assert store.records.idempotency_record(name) is None
        assert store.records.record(OWNER, keys[0], consistent=True) == record(keys[0])

    def test_if_both_are_taken_the_idempotency_record_is_reported(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        store.records.create_record(record(keys[0]), receipt(name, keys[0]))
        with pytest.raises(IdempotencyRecordTaken):
            store.records.create_record(record(keys[0]), receipt(name, keys[0]))

    def test_of_many_requests_with_one_key_at_once_one_is_performed(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        outcomes = at_once([
            lambda key=key: store.records.create_record(record(key), receipt(name, key)) for key in keys[:16]
        ])  # fmt: skip
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, IdempotencyRecordTaken) for outcome in outcomes) == 15
        assert store.records.idempotency_record(name) == receipt(name, keys[winner])
        written = [key for key in keys if store.records.record(OWNER, key, consistent=True)]
        assert written == [keys[winner]]

    def test_of_many_requests_for_one_identifier_at_once_one_is_performed(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        outcomes = at_once([
            lambda at=at: store.records.create_record(record(keys[0]), receipt(f"{name}{at}", keys[0]))
            for at in range(16)
        ])  # fmt: skip
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, IdentifierTaken) for outcome in outcomes) == 15
        assert [at for at in range(16) if store.records.idempotency_record(f"{name}{at}")] == [winner]


class TestChanges:
    """An idempotency record of a change, in the same transaction as the version."""

    def test_one_is_written_with_its_version(self, store: Store, name: str, keys: list[str]) -> None:
        first, second = record(keys[0]), changed(keys[0], 2)
        store.records.create_record(first)
        store.records.replace_record(second, first, receipt(name, keys[0]))
        assert store.records.idempotency_record(name) == receipt(name, keys[0])
        assert stored_versions(store.records, OWNER, keys[0]) == [second, first]

    def test_while_it_is_good_no_other_change_is_written(self, store: Store, name: str, keys: list[str]) -> None:
        versions = [record(keys[0]), changed(keys[0], 2), changed(keys[0], 3)]
        store.records.create_record(versions[0])
        store.records.replace_record(versions[1], versions[0], receipt(name, keys[0]))
        for outdated in versions[:2]:  # also if the version is outdated
            with pytest.raises(IdempotencyRecordTaken):
                store.records.replace_record(versions[2], outdated, receipt(name, keys[0], digest="other"))
        assert stored_versions(store.records, OWNER, keys[0]) == [versions[1], versions[0]]
        later = changed(keys[0], 3, updated=MOMENT + LIFETIME)
        again = receipt(name, keys[0], expires=MOMENT + 2 * LIFETIME)
        store.records.replace_record(later, versions[1], again)
        assert store.records.idempotency_record(name) == again

    def test_where_the_version_is_outdated_none_is_left(self, store: Store, name: str, keys: list[str]) -> None:
        versions = [record(keys[0]), changed(keys[0], 2), changed(keys[0], 3)]
        store.records.create_record(versions[0])
        store.records.replace_record(versions[1], versions[0])
        with pytest.raises(Outdated):
            store.records.replace_record(versions[2], versions[0], receipt(name, keys[0]))
        assert store.records.idempotency_record(name) is None
        assert stored_versions(store.records, OWNER, keys[0]) == [versions[1], versions[0]]

    def test_of_many_at_once_one_is_performed(self, store: Store, name: str, keys: list[str]) -> None:
        first = record(keys[0])
        store.records.create_record(first)
        outcomes = at_once([
            lambda at=at: store.records.replace_record(
                changed(keys[0], 2, ttl=at), first, receipt(name, keys[0], digest=str(at))
            )
            for at in range(8)
        ])  # fmt: skip
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert all(isinstance(each, IdempotencyRecordTaken | Outdated) for each in outcomes if each is not None)
        assert store.records.idempotency_record(name) == receipt(name, keys[0], digest=str(winner))
        current = store.records.record(OWNER, keys[0], consistent=True)
        assert current is not None
        assert (current.version, current.ttl) == (2, winner)


def changed(key: str, version: int, **members: Any) -> Record:
    """Return a later version of a record."""
    return record(key, **{"version": version, "metadata": {"what": str(version)}, **members})


def found_repository(store: Store, number: int, new: IdempotencyRecord) -> None:
    identifier = lui.format(lui.encode(number))
    store.repositories.create_repository(repository(identifier, created=new.expires - LIFETIME), new)


def issue_client(store: Store, number: int, new: IdempotencyRecord) -> None:
    store.clients.put_client(Client(f"abcdefg{number}", "00", ("admin",), new.expires - LIFETIME), new)


def repositories_of(store: Store) -> list[int]:
    return [at for at in range(10) if store.repositories.repository(lui.format(lui.encode(at)))]


def clients_of(store: Store) -> list[int]:
    return [at for at in range(10) if store.clients.client(f"abcdefg{at}")]


CREATIONS = {"repository": (found_repository, repositories_of), "client": (issue_client, clients_of)}


@pytest.mark.parametrize("kind", CREATIONS)
class TestOtherCreations:
    def test_one_is_written_with_what_it_is_for_until_it_expires(self, store: Store, name: str, kind: str) -> None:
        create, created = CREATIONS[kind]
        first = receipt(name, "", outcome='{"a": "é"}')
        create(store, 1, first)
        assert (store.records.idempotency_record(name), created(store)) == (first, [1])
        with pytest.raises(IdempotencyRecordTaken):
            create(store, 2, receipt(name, "", expires=MOMENT + 2 * LIFETIME - timedelta(seconds=1)))
        assert (store.records.idempotency_record(name), created(store)) == (first, [1])
        later = receipt(name, "", expires=MOMENT + 2 * LIFETIME)
        create(store, 2, later)
        assert (store.records.idempotency_record(name), created(store)) == (later, [1, 2])

    def test_of_many_at_once_one_is_performed(self, store: Store, name: str, kind: str) -> None:
        create, created = CREATIONS[kind]
        receipts = [receipt(name, "", outcome=str(at)) for at in range(10)]
        outcomes = at_once([lambda at=at: create(store, at, receipts[at]) for at in range(10)])
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, IdempotencyRecordTaken) for outcome in outcomes) == 9
        assert (store.records.idempotency_record(name), created(store)) == (receipts[winner], [winner])


def test_where_a_repository_exists_no_idempotency_record_is_left(store: Store, name: str) -> None:
    found_repository(store, 1, receipt(f"{name}/first", ""))
    with pytest.raises(IdentifierTaken):
        found_repository(store, 1, receipt(name, ""))
    assert store.records.idempotency_record(name) is None
