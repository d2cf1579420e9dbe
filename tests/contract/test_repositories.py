"""The contract of `RepositoryStore`."""

from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import Contended, IdentifierTaken, InvalidInput
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.contract.stores import MANY_WRITES
from tests.support.builders.samples import LATER, namespace, provider_prefix, repository
from tests.support.stores.memory_store import MemoryStore

OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"


class TestRepositories:
    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        other = repository("zzzz-zzzz-90", title="é", rules=LuiRules(12), ttl=0, redirect=308, domains=("a.example",))
        for each in (repository(), other):
            store.repositories.create_repository(each)
            assert store.repositories.repository(each.id) == each

    def test_a_missing_row_is_none(self, store: Store) -> None:
        assert store.repositories.repository(OWNER) is None

    def test_all_are_listed_in_the_order_of_their_ids(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        store.prefixes.put_prefix(namespace("mp"), None)
        others = [repository(each, title=each) for each in ("zzzz-zzzz-90", "0000-0000-01")]
        for each in others:
            store.repositories.create_repository(each)
        expected = [others[1], repository(canonical="mp"), others[0]]
        for limit in (1, 2, 3, 10):
            found: list[Repository] = []
            after = None
            while True:
                page, after = store.repositories.list_repositories(limit, after)
                found += page
                if after is None:
                    break
            assert found == expected

    def test_an_id_is_minted_once_and_the_first_stays(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        with pytest.raises(IdentifierTaken):
            store.repositories.create_repository(repository(title="Another"))
        assert store.repositories.repository(OWNER) == repository()

    def test_of_sixteen_who_want_one_id_at_once_exactly_one_gets_it(self, store: Store) -> None:
        wanted = [repository(title=f"of {number}") for number in range(16)]
        outcomes = at_once([lambda each=each: store.repositories.create_repository(each) for each in wanted])
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert store.repositories.repository(OWNER) == wanted[winner]

    def test_no_prefix_can_read_or_write_a_repository(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        assert store.prefixes.prefixes([f"/repositories/{OWNER}", OWNER, "repositories", "repositories/" + OWNER]) == {}


class TestChanges:
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
                          passthrough=True, choices=True, landing="page", updated=LATER, revision=2)  # fmt: skip
        changed = replace(changed, rules=UuidRules(version=4, accepts=(7,)))
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

    def test_a_change_without_the_first_alias_keeps_the_canonical_prefix(self, store: Store) -> None:
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

    @MANY_WRITES
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
