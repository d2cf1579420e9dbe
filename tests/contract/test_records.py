"""The contract of `RecordStore`: records and their versions."""

from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import IdentifierTaken, Outdated
from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import LATER, record

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
OTHER = "zzzz-zzzz-90"
KEYS = [lui.encode(number) for number in range(100)]


def version(number: int, **members: Any) -> Record:
    """A version of one record, told from the others by where it leads."""
    made = record(version=number, records=(Location(f"https://content.example.org/v{number}"),))
    return replace(made, **members)


def versions(store: Store, most: int = 6) -> list[Record | None]:
    """All that is kept of the record: the current version, then the others from 1 on."""
    return [
        store.records.record(OWNER, KEY, consistent=True),
        *(store.records.superseded(OWNER, KEY, n) for n in range(1, most)),
    ]


class TestRecords:
    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        everything = record(
            records=(
                Location("https://a.example/%2F?x#y", "inactive", "text/html; a=b", "de", 0.5, "a", "b", "3",
                         {"algorithm": "sha256", "value": "00"}, 2**53 - 1, "c"),
                Location("https://b.example/"),
            ),
            metadata={"what": "é€𝄞\u0000", "n": [1, 1.5, -0.0, 1e300, None, True, {"": []}]},
            alternates=({"scheme": "doi", "identifier": "10.1000/182"},),
            updated=LATER,
        )  # fmt: skip
        store.records.create_record(everything)
        assert store.records.record(OWNER, "tw0tywdj94") == everything

    @pytest.mark.parametrize("status", [RESERVED, WITHDRAWN])
    def test_whatever_its_status(self, store: Store, status: str) -> None:
        other = record(status=status, withdrawn=Withdrawal(LATER, "why", None) if status == WITHDRAWN else None)
        store.records.create_record(other)
        assert store.records.record(OWNER, "tw0tywdj94") == other

    def test_a_missing_row_is_none(self, store: Store) -> None:
        store.records.create_record(record())
        assert store.records.record(OWNER, "0000000195") is None
        assert store.records.record("zzzz-zzzz-90", "tw0tywdj94") is None

    def test_a_key_is_written_once_and_the_first_stays(self, store: Store) -> None:
        store.records.create_record(record())
        with pytest.raises(IdentifierTaken) as raised:
            store.records.create_record(record(metadata={"what": "another"}))
        assert raised.value.identifier == "tw0t-ywdj-94"
        assert store.records.record(OWNER, "tw0tywdj94") == record()

    def test_the_same_key_of_another_repository_is_another_record(self, store: Store) -> None:
        other = record(owner="zzzz-zzzz-90")
        store.records.create_record(record())
        store.records.create_record(other)
        assert store.records.record(OWNER, "tw0tywdj94") == record()
        assert store.records.record("zzzz-zzzz-90", "tw0tywdj94") == other

    def test_of_sixteen_who_write_one_key_at_once_exactly_one_succeeds(self, store: Store) -> None:
        versions = [record(metadata={"writer": number}) for number in range(16)]
        outcomes = at_once([lambda each=each: store.records.create_record(each) for each in versions])
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, IdentifierTaken) for outcome in outcomes) == 15
        assert store.records.record(OWNER, "tw0tywdj94") == versions[winner]

    def test_a_batch_contains_those_that_exist(self, store: Store) -> None:
        keys = [lui.encode(number) for number in range(100)]
        written = {key: record(key) for key in keys[::3]}
        for each in written.values():
            store.records.create_record(each)
        assert store.records.records(OWNER, keys) == written
        assert store.records.records(OWNER, []) == {}
        assert store.records.records("zzzz-zzzz-90", keys) == {}

    def test_one_just_small_enough_is_stored_whole(self, store: Store) -> None:
        large = record(metadata={"what": "x" * 370_000})
        store.records.create_record(large)
        assert store.records.record(OWNER, "tw0tywdj94") == large


class TestVersions:
    def test_a_new_one_becomes_the_current_one_and_those_before_stay_as_they_were(self, store: Store) -> None:
        store.records.create_record(version(1))
        for number in range(2, 6):
            store.records.replace_record(version(number), version(number - 1))
        assert versions(store) == [version(5), *(version(number) for number in range(1, 5)), None]
        assert store.records.records(OWNER, [KEY]) == {KEY: version(5)}

    def test_what_was_replaced_is_read_back_with_all_its_members(self, store: Store) -> None:
        doi = {"scheme": "doi", "identifier": "10.1000/182"}
        first = version(1, metadata={"n": [1, 1.5, {"é": None}]}, ttl=0, proof="a.b.c", alternates=(doi,))
        second = version(
            2, previous="sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", updated=LATER, proof="d.e.f"
        )
        store.records.create_record(first)
        store.records.replace_record(second, first)
        assert versions(store, 3) == [second, first, None]

    def test_the_number_of_the_current_one_and_numbers_that_nobody_gave_find_nothing(self, store: Store) -> None:
        store.records.create_record(version(1))
        store.records.replace_record(version(2), version(1))
        assert [store.records.superseded(OWNER, KEY, number) for number in (-1, 0, 2, 3, 999_999_999)] == [None] * 5
        assert store.records.superseded(OWNER, "0000000195", 1) is None
        assert store.records.superseded("zzzz-zzzz-90", KEY, 1) is None

    def test_one_made_from_an_older_version_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(version(1))
        store.records.replace_record(version(2), version(1))
        with pytest.raises(Outdated) as raised:
            store.records.replace_record(version(2, metadata={"what": "late"}), version(1))
        assert raised.value.identifier == "tw0t-ywdj-94"
        assert versions(store, 4) == [version(2), version(1), None, None]

    def test_one_made_from_a_version_to_come_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(version(1))
        with pytest.raises(Outdated):
            store.records.replace_record(version(3), version(2))
        assert versions(store, 4) == [version(1), None, None, None]

    def test_one_of_a_record_that_does_not_exist_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(record("0000000195"))
        with pytest.raises(Outdated):
            store.records.replace_record(version(2), version(1))
        assert versions(store, 3) == [None, None, None]
        assert store.records.record(OWNER, "0000000195") == record("0000000195")

    def test_a_tombstone_is_a_version_like_any(self, store: Store) -> None:
        tombstone = version(2, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "why", None))
        store.records.create_record(version(1))
        store.records.replace_record(tombstone, version(1))
        assert versions(store, 3) == [tombstone, version(1), None]
        with pytest.raises(IdentifierTaken):
            store.records.create_record(version(1))

    def test_versions_between_are_archived_together_with_the_replaced_one(self, store: Store) -> None:
        made = [version(number) for number in (1, 2, 3, 4)]
        store.records.create_record(made[0])
        store.records.replace_record(made[3], made[0], between=made[1:3])
        assert versions(store) == [made[3], *made[:3], None, None]
        assert stored_versions(store.records, OWNER, KEY) == [*reversed(made)]
        with pytest.raises(Outdated):
            store.records.replace_record(version(7), made[0], between=[version(5), version(6)])
        assert versions(store, 7) == [made[3], *made[:3], None, None, None]

    def test_a_record_of_another_service_is_read_back_with_its_origin(self, store: Store) -> None:
        copy = record(owner="aaaa-aaaa-00", version=3, previous="x").stored_in(OWNER)
        own = replace(version(4), repository=OWNER)
        store.records.create_record(copy)
        assert store.records.record(OWNER, KEY) == copy
        assert (copy.repository, copy.to_document()["repository"]) == (OWNER, "aaaa-aaaa-00")
        store.records.replace_record(own, copy)
        assert stored_versions(store.records, OWNER, KEY) == [own, copy]
        assert stored_versions(store.records, "aaaa-aaaa-00", KEY) == []

    def test_of_sixteen_who_replace_one_version_at_once_exactly_one_succeeds(self, store: Store) -> None:
        store.records.create_record(version(1))
        wanted = [version(2, metadata={"writer": number}) for number in range(16)]
        outcomes = at_once([lambda each=each: store.records.replace_record(each, version(1)) for each in wanted])
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, Outdated) for outcome in outcomes) == 15
        assert versions(store, 4) == [wanted[winner], version(1), None, None]

    def test_a_consistent_read_returns_the_last_write(self, store: Store) -> None:
        assert store.records.record(OWNER, KEY, consistent=True) is None
        store.records.create_record(version(1))
        for number in range(2, 10):
            assert store.records.record(OWNER, KEY, consistent=True) == version(number - 1)
            store.records.replace_record(version(number), version(number - 1))


class TestBatches:
    @pytest.fixture(autouse=True)
    def _some(self, store: Store) -> None:
        """Every third of the keys has a record, and one of another repository."""
        for key in KEYS[::3]:
            if store.records.record(OWNER, key) is None:
                store.records.create_record(record(key, status=RESERVED if key == KEYS[3] else "active"))
        if store.records.record(OTHER, KEYS[1]) is None:
            store.records.create_record(record(KEYS[1], OTHER))

    def test_those_that_exist_of_a_hundred_come_back_by_their_keys(self, store: Store) -> None:
        found = store.records.records(OWNER, KEYS)
        assert set(found) == set(KEYS[::3])
        assert all(found[key] == store.records.record(OWNER, key) for key in found)

    def test_whatever_their_status(self, store: Store) -> None:
        assert store.records.records(OWNER, [KEYS[3]])[KEYS[3]].status == RESERVED

    def test_those_of_another_repository_do_not(self, store: Store) -> None:
        assert store.records.records(OWNER, [KEYS[1]]) == {}
        assert set(store.records.records(OTHER, KEYS)) == {KEYS[1]}

    def test_no_keys_give_no_rows(self, store: Store) -> None:
        assert store.records.records(OWNER, []) == {}

    def test_a_repeated_key_is_found_once(self, store: Store) -> None:
        assert set(store.records.records(OWNER, [KEYS[0], KEYS[0], KEYS[1]])) == {KEYS[0]}

    def test_strange_keys_are_only_absent(self, store: Store) -> None:
        assert store.records.records(OWNER, ["é", "#", "x" * 512, "a b", "\x00", KEYS[0]]).keys() == {KEYS[0]}


def test_a_record_is_the_same_whatever_client_wrote_it() -> None:
    """The author stands beside the document: equality, digests and proofs know nothing of it."""
    one, other = record(author="abcdefgh"), record(author=None)
    assert one == other
    assert one.to_document() == other.to_document()
    assert Record.from_document(one.to_document(), "abcdefgh").author == "abcdefgh"
