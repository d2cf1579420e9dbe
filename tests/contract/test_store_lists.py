"""The duties of a store that lists things and changes repositories, held against every implementation."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.items import record_body
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.errors import Contended, InvalidInput
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, WITHDRAWN, Record, Withdrawal
from coolid.store.store import Store
from tests.support.builders.samples import LATER, namespace, provider_prefix, record, repository
from tests.support.stores.memory_store import MemoryStore

OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"
KEYS = [lui.encode(number * 7_919 % 1_000) for number in range(90)]


def pages(ask: Any, *arguments: Any, limit: int) -> Iterator[list[Any]]:
    """The pages of a list, each going on where the one before said."""
    after = None
    while True:
        page, after = ask(*arguments, limit, after)
        yield list(page)
        if after is None:
            return


class TestRecords:
    def test_all_of_a_repository_are_listed_once_in_the_order_of_their_keys(self, store: Store) -> None:
        for at, key in enumerate(KEYS):
            store.records.create_record(record(key, metadata={"n": at}), key)
        store.records.create_record(record(KEYS[0], OTHER), KEYS[0])
        for limit in (7, 45, 89, 90, 91, 1_000):
            found = list(pages(store.records.list_records, OWNER, limit=limit))
            assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
            assert [lui.validate(each.id) for page in found for each in page] == sorted(KEYS)
        assert all(each == store.records.record(OWNER, lui.validate(each.id)) for each in found[0])

    def test_they_are_those_of_now_whatever_their_status(self, store: Store) -> None:
        reserved, changed, gone = (record(key) for key in KEYS[:3])
        tombstone = replace(gone, version=2, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "why"))
        store.records.create_record(replace(reserved, status=RESERVED), KEYS[0])
        store.records.create_record(changed, KEYS[1])
        store.records.replace_record(replace(changed, version=2), KEYS[1], changed)
        store.records.create_record(gone, KEYS[2])
        store.records.replace_record(tombstone, KEYS[2], gone)
        listed, after = store.records.list_records(OWNER, 10, None)
        assert after is None
        assert {each.id: (each.version, each.status) for each in listed} == {
            reserved.id: (1, RESERVED), changed.id: (2, "active"), gone.id: (2, WITHDRAWN),
        }  # fmt: skip

    def test_one_may_go_on_behind_anything(self, store: Store) -> None:
        keys = sorted(KEYS[:20])
        for key in keys:
            store.records.create_record(record(key), key)
        for after, expected in [
            (keys[4], keys[5:]), (keys[4] + "x", keys[5:]), ("zzzz", []), ("!", keys), ("é\x00", []), (keys[-1], []),
        ]:  # fmt: skip
            listed, last = store.records.list_records(OWNER, 100, after)
            assert [lui.validate(each.id) for each in listed] == expected
            assert last is None

    def test_none_is_an_answer(self, store: Store) -> None:
        assert store.records.list_records(OWNER, 10, None) == ([], None)
        store.public_keys.add_public_key({"kid": "a"})
        assert (
            store.records.list_records("", 10, None) == ([], None) if isinstance(store.records, MemoryStore) else True
        )

    def test_large_ones_are_listed_too(self, store: Store) -> None:
        for key in KEYS[:50]:
            store.records.create_record(record(key, metadata={"what": "x" * 370_000}), key)
        assert [len(page) for page in pages(store.records.list_records, OWNER, limit=48)] == [48, 2]


class TestHistory:
    def test_all_versions_are_told_newest_first_with_who_wrote_them(self, store: Store) -> None:
        key = KEYS[0]
        versions = [
            record(key, version=number, metadata={"n": number}, author=f"author{number}") for number in range(1, 13)
        ]
        store.records.create_record(versions[0], key)
        for before, after in pairwise(versions):
            store.records.replace_record(after, key, before)
        told = store.records.history(OWNER, key)
        assert list(told) == versions[::-1]
        assert [each.author for each in told] == [f"author{number}" for number in range(12, 0, -1)]
        for each in (store.records.record(OWNER, key), store.records.superseded(OWNER, key, 3)):
            assert each is not None
            assert each.author == f"author{each.version}"

    def test_nobody_need_be_named(self, store: Store) -> None:
        store.records.create_record(record(KEYS[0]), KEYS[0])
        assert [each.author for each in store.records.history(OWNER, KEYS[0])] == [None]

    def test_none_is_an_answer_and_others_histories_are_not_in_it(self, store: Store) -> None:
        store.records.create_record(record(KEYS[0]), KEYS[0])
        store.records.create_record(record(KEYS[0], OTHER), KEYS[0])
        assert store.records.history(OWNER, KEYS[1]) == []
        assert [each.repository for each in store.records.history(OTHER, KEYS[0])] == [OTHER]

    def test_one_longer_than_an_answer_of_the_store_is_told_whole(self, store: Store) -> None:
        versions = [record(KEYS[0], version=number, metadata={"what": "x" * 300_000}) for number in range(1, 9)]
        store.records.create_record(versions[0], KEYS[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, KEYS[0], before)
        assert [each.version for each in store.records.history(OWNER, KEYS[0])] == list(range(8, 0, -1))

    @pytest.mark.parametrize("count", [1, 2, 5, 6, 12])
    def test_the_newest_are_as_many_as_are_asked_for(self, store: Store, count: int) -> None:
        versions = [record(KEYS[0], version=number, metadata={"n": number}) for number in range(1, count + 1)]
        store.records.create_record(versions[0], KEYS[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, KEYS[0], before)
        for newest in (1, 2, 4, 5, 6, 100):
            assert list(store.records.history(OWNER, KEYS[0], newest)) == versions[::-1][:newest]
        assert store.records.history(OWNER, KEYS[1], 5) == []

    def test_of_the_newest_there_are_fewer_where_they_are_large_but_none_is_left_out_between(
        self, store: Store
    ) -> None:
        versions = [record(KEYS[0], version=number, metadata={"what": "x" * 300_000}) for number in range(1, 9)]
        store.records.create_record(versions[0], KEYS[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, KEYS[0], before)
        told = store.records.history(OWNER, KEYS[0], 8)
        assert list(told) == versions[: -len(told) - 1 : -1]
        assert len(told) == 8 if isinstance(store.records, MemoryStore) else 2 <= len(told) <= 5

    @pytest.mark.parametrize("count", [3, 8])
    def test_a_change_that_is_written_while_the_newest_are_read_leaves_no_gap(self, count: int) -> None:
        """As DynamoDB may do it: the Query has passed the place of the version that it moves aside."""
        versions = [record(KEYS[0], version=number) for number in range(1, count + 3)]

        def row(number: int, version: Record) -> dict[str, Any]:
            pid = f"{OWNER}/{KEYS[0]}"
            return {"pid": {"S": pid}, "version": {"N": str(number)}, "body": {"S": record_body(version)}}

        rows = {each.version: row(each.version, each) for each in versions[: count - 1]}
        changes = iter(versions[count:])

        def ask(operation: str, asked: Mapping[str, Any]) -> dict[str, Any]:
            present = [rows[number] for number in sorted(rows, reverse=True)]
            if change := next(changes, None):
                rows[change.version - 1] = row(change.version - 1, versions[change.version - 2])
                rows[0] = row(0, change)
            if operation == "GetItem":
                return {"Item": rows[0]}
            return {"Items": [*(each for each in present if each is not rows.get(0)), rows[0]][: asked["Limit"]]}

        asker: Any = SimpleNamespace(call=ask)
        told = [each.version for each in DynamoReader(asker, "prefixes", "luis").history(OWNER, KEYS[0], 5)]
        assert told[0] > count
        assert told == list(range(told[0], max(0, told[0] - 5), -1))[: len(told)]
        assert len(told) >= min(3, count)


class TestPrefixes:
    NAMESPACES = ("2021/06/mp", "ark:99999/fk4", "mp")
    PROVIDERS = ("!odd", "a/b", "go", "é", *(f"p{at:02}" for at in range(20)))

    @pytest.fixture(autouse=True)
    def _some(self, store: Store) -> None:
        owner = repository(canonical=self.NAMESPACES[0])
        store.repositories.create_repository(repository())
        for name in reversed(self.NAMESPACES):
            owner = replace(owner, canonical=self.NAMESPACES[-1])
            store.prefixes.put_prefix(namespace(name, owner), None)
        for name in reversed(self.PROVIDERS):
            store.prefixes.put_prefix(
                provider_prefix(name, synonyms=("gene_ontology", "zzz") if name == "go" else ()), None
            )

    def test_all_are_listed_once_namespaces_first_by_their_names(self, store: Store) -> None:
        for limit in (1, 2, 3, 4, 26, 27, 28, 1_000):
            found = list(pages(store.prefixes.list_prefixes, limit=limit))
            assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
            listed = [each for page in found for each in page]
            assert [each.name for each in listed] == [*self.NAMESPACES, *sorted(self.PROVIDERS)]
        rows = store.prefixes.prefixes([each.name for each in listed], consistent=True)
        assert listed == [rows[each.name] for each in listed]

    def test_all_are_told_at_once_in_the_same_order(self, store: Store) -> None:
        listed, after = store.prefixes.list_prefixes(1_000, None)
        assert after is None
        assert list(store.prefixes.all_prefixes()) == list(listed)

    def test_all_are_told_when_they_do_not_fit_in_one_answer_of_the_store(self, store: Store) -> None:
        for at in range(8):
            store.prefixes.put_prefix(provider_prefix(f"large{at}", description="x" * 300_000), None)
        told = [each.name for each in store.prefixes.all_prefixes()]
        assert told == [*self.NAMESPACES, *sorted([*self.PROVIDERS, *(f"large{at}" for at in range(8))])]

    def test_behind_what_is_no_place_there_is_nothing(self, store: Store) -> None:
        for after in ("x", "x y", "synonym a", "provider \U0010ffff", "zz"):
            assert store.prefixes.list_prefixes(10, after) == ([], None)

    def test_one_may_go_on_behind_one_that_is_gone(self, store: Store) -> None:
        listed, _ = store.prefixes.list_prefixes(2, "namespace mo")
        assert [each.name for each in listed] == ["mp", "!odd"]


class TestChangingARepository:
    ALIASES = ("2021/06/mp", "mp", "ark:99999/fk4")

    @pytest.fixture
    def known(self, store: Store) -> Any:
        """A repository with three aliases, as it is stored."""
        store.repositories.create_repository(repository())
        for name in self.ALIASES:
            store.prefixes.put_prefix(namespace(name, repository(canonical=self.ALIASES[0])), None)
        return store.repositories.repository(OWNER)

    def copies(self, store: Store) -> list[Any]:
        rows = store.prefixes.prefixes(self.ALIASES, consistent=True)
        return [row.repository for name in self.ALIASES if isinstance(row := rows[name], Namespace)]

    def test_it_and_all_its_aliases_say_the_same_afterwards(self, store: Store, known: Any) -> None:
        changed = replace(known, title="é", ttl=0, redirect=308, domains=("a.example",), target="https://a.example/{$id}",
                          passthrough=True, choices=True, updated=LATER, revision=2)  # fmt: skip
        store.repositories.change_repository(changed, known)
        assert store.repositories.repository(OWNER) == changed
        assert self.copies(store) == [changed] * 3
        for row in store.prefixes.prefixes(self.ALIASES, consistent=True).values():
            assert isinstance(row, Namespace)
            assert (row.updated, row.revision) == (LATER, 2)

    def test_what_is_longer_than_an_alias_stays(self, store: Store, known: Any) -> None:
        store.prefixes.put_prefix(provider_prefix("mp/x"), None)
        store.repositories.change_repository(replace(known, ttl=1, revision=2), known)
        assert store.prefixes.prefixes(["mp"], consistent=True)["mp"].longer == {"mp/x"}

    def test_one_that_changed_in_between_is_not_and_nothing_is_written(self, store: Store, known: Any) -> None:
        changed = replace(known, ttl=1, revision=2)
        store.repositories.change_repository(changed, known)
        with pytest.raises(Contended):
            store.repositories.change_repository(replace(known, ttl=2, revision=2), known)
        assert store.repositories.repository(OWNER) == changed
        assert self.copies(store) == [changed] * 3

    def test_one_that_is_not_there_is_not_made(self, store: Store) -> None:
        with pytest.raises(Contended):
            store.repositories.change_repository(repository(revision=2), repository())
        assert store.repositories.repository(OWNER) is None

    def test_others_are_left_alone(self, store: Store, known: Any) -> None:
        other = repository(OTHER, rules=LuiRules(4))
        store.repositories.create_repository(other)
        store.prefixes.put_prefix(namespace("other", other), None)
        store.repositories.change_repository(replace(known, ttl=1, revision=2), known)
        row = store.prefixes.prefixes(["other"], consistent=True)["other"]
        assert isinstance(row, Namespace)
        assert row.repository == replace(other, canonical="other")

    def test_whoever_did_not_know_of_its_first_alias_takes_no_canonical_prefix_away(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        store.prefixes.put_prefix(namespace("mp"), None)
        store.repositories.change_repository(repository(ttl=1, revision=2), repository())
        assert store.repositories.repository(OWNER) == repository(ttl=1, revision=2, canonical="mp")
        row = store.prefixes.prefixes(["mp"], consistent=True)["mp"]
        assert isinstance(row, Namespace)
        assert row.repository == repository(ttl=1, revision=2, canonical="mp")

    def test_an_alias_that_knew_what_it_was_before_is_refused(self, store: Store, known: Any) -> None:
        store.repositories.change_repository(replace(known, ttl=1, revision=2), known)
        with pytest.raises(Contended):
            store.prefixes.put_prefix(namespace("late", known), None)
        assert "late" not in store.prefixes.prefixes(["late"], consistent=True)

    def test_as_many_aliases_as_a_transaction_has_room_for_follow(self, store: Store) -> None:
        owner = repository(canonical="a00")
        store.repositories.create_repository(repository())
        for at in range(99):
            store.prefixes.put_prefix(namespace(f"a{at:02}", owner), None)
        store.repositories.change_repository(replace(owner, ttl=1, revision=2), owner)
        rows = store.prefixes.prefixes([f"a{at:02}" for at in range(99)], consistent=True).values()
        assert {row.repository.ttl for row in rows if isinstance(row, Namespace)} == {1}
        if not isinstance(store.records, MemoryStore):  # which has no limit
            present = replace(owner, ttl=1, revision=2)
            with pytest.raises(InvalidInput):  # or it could never be changed, or moved to another home, again
                store.prefixes.put_prefix(namespace("a99", present), None)
            store.repositories.change_repository(replace(present, ttl=2, revision=3), present)


def test_a_record_is_the_same_whoever_wrote_it() -> None:
    """The author stands beside the document: equality, digests and proofs know nothing of it."""
    one, other = record(author="abcdefgh"), record(author=None)
    assert one == other
    assert one.to_document() == other.to_document()
    assert Record.from_document(one.to_document(), "abcdefgh").author == "abcdefgh"
