"""The contract of `PrefixStore`: lists of prefixes."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.store.store import Store
from tests.support.builders.samples import namespace, provider_prefix, repository


def pages(ask: Any, *arguments: Any, limit: int) -> Iterator[list[Any]]:
    """The pages of a list, each going on where the one before said."""
    after = None
    while True:
        page, after = ask(*arguments, limit, after)
        yield list(page)
        if after is None:
            return


class TestLists:
    NAMESPACES = ("2021/06/mp", "ark:99999/fk4", "mp")
    PROVIDERS = ("!odd", "a/b", "go", "é", *(f"p{at:02}" for at in range(6)))

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
        for limit in (1, 2, 3, 4, 12, 13, 14, 1_000):
            found = list(pages(store.prefixes.list_prefixes, limit=limit))
            assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
            listed = [each for page in found for each in page]
            assert [each.name for each in listed] == [*self.NAMESPACES, *sorted(self.PROVIDERS)]
        rows = store.prefixes.prefixes([each.name for each in listed], consistent=True)
        assert listed == [rows[each.name] for each in listed]

    def test_all_are_returned_in_the_same_order(self, store: Store) -> None:
        listed, after = store.prefixes.list_prefixes(1_000, None)
        assert after is None
        assert list(store.prefixes.all_prefixes()) == list(listed)

    def test_all_are_returned_even_if_one_response_of_the_store_cannot_hold_them(self, store: Store) -> None:
        for at in range(8):
            store.prefixes.put_prefix(provider_prefix(f"large{at}", description="x" * 300_000), None)
        returned = [each.name for each in store.prefixes.all_prefixes()]
        assert returned == [*self.NAMESPACES, *sorted([*self.PROVIDERS, *(f"large{at}" for at in range(8))])]

    def test_behind_what_is_no_place_there_is_nothing(self, store: Store) -> None:
        for after in ("x", "x y", "synonym a", "provider \U0010ffff", "zz"):
            assert store.prefixes.list_prefixes(10, after) == ([], None)

    def test_one_may_continue_behind_one_that_is_gone(self, store: Store) -> None:
        listed, _ = store.prefixes.list_prefixes(2, "namespace mo")
        assert [each.name for each in listed] == ["mp", "!odd"]
