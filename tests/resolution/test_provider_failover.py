"""Provider failover: the preferred provider, the conditions of a prefix, and their size in the cache."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import BadReference, NoProvider
from coolid.model.conditions import (
    ALL_DOWN,
    DOWN,
    FAILOVER,
    FIRST,
    REQUESTED,
    STATES,
    UNKNOWN,
    UP,
    Condition,
    Health,
    are_all_up,
    last_change,
    preferred,
    state_of,
)
from coolid.model.prefixes import Provider, ProviderPrefix, fold
from coolid.registry.references import Reference
from coolid.resolution.provider_failover import choose_provider, ranked_providers, unavailable_providers
from coolid.resolution.resolver import ProviderRedirect, resolve
from coolid.store.memory_size import size_in_memory
from coolid.store.rows import health_body, health_of, prefix_body, prefix_of, record_body, stored_record
from tests.support.builders.samples import LATER, MOMENT, moments, provider_prefix, record, text
from tests.support.effort import examples
from tests.support.stores.memory_store import MemoryStore

few = examples(25)
CODES = ("Default", "ols", "BIO.portal", "x")
conditions = st.builds(
    Condition, st.sampled_from(STATES), moments, text, st.none() | moments, st.none() | st.just("https://a.example/")
)
healths = st.dictionaries(st.sampled_from([fold(code) for code in CODES]), conditions)


def model(names: Sequence[str], health: Health) -> int:
    """The rule in other words: the best state, and in it the first."""
    return min(range(len(names)), key=lambda at: (STATES.index(state_of(health, names[at])), at))


def prefix(health: Health = UNKNOWN, codes: Sequence[str] = CODES, **members: Any) -> ProviderPrefix:
    providers = tuple(Provider(code, f"https://{code.lower()}.example/{{$id}}") for code in codes)
    return replace(provider_prefix("go", **members), providers=providers, health=health)


def decision(there: ProviderPrefix, provider: str | None = None, identifier: str = "1") -> ProviderRedirect:
    store = MemoryStore()
    store.rows[there.name] = there
    decided = resolve(Reference.of(f"go:{identifier}"), store, provider=provider)
    assert isinstance(decided, ProviderRedirect)
    return decided


class TestPreferred:
    @few
    @given(
        st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6),
        st.dictionaries(st.sampled_from("abcdef"), conditions),
    )
    def test_it_is_the_first_of_those_in_the_best_state(self, names: list[str], health: Health) -> None:
        assert preferred(names, health) == model(names, health)

    @few
    @given(healths)
    def test_requests_get_it(self, health: Health) -> None:
        decided = decision(prefix(health))
        at = model([fold(code) for code in CODES], health)
        assert decided.provider == CODES[at]
        assert decided.location == f"https://{CODES[at].lower()}.example/1"
        first = state_of(health, "default")
        assert decided.choice == (FAILOVER if at else ALL_DOWN if first == DOWN else FIRST)
        assert decided.all_up == are_all_up(health)

    @few
    @given(healths, st.sampled_from(CODES))
    def test_a_named_provider_is_chosen(self, health: Health, code: str) -> None:
        for spelling in (code, code.upper()):
            decided = decision(prefix(health), spelling)
            assert (decided.provider, decided.choice) == (code, REQUESTED)

    @few
    @given(healths)
    def test_all_are_taken_in_an_order_that_begins_with_it(self, health: Health) -> None:
        there = prefix(health)
        order = ranked_providers(there, "1")
        assert order[0] == choose_provider(there)[0]
        assert sorted(order, key=place_of) == list(there.providers)
        ranks = [STATES.index(state_of(health, fold(each.code))) for each in order]
        assert ranks == sorted(ranks)

    def test_where_there_is_none_there_is_none(self) -> None:
        with pytest.raises(NoProvider):
            choose_provider(prefix(codes=()))
        assert ranked_providers(prefix(codes=()), "1") == ()

    def test_failing_providers_are_listed_in_order(self) -> None:
        health = {"x": Condition(DOWN, MOMENT), "ols": Condition("degraded", MOMENT), "default": Condition(UP, LATER)}
        assert [(each.code, condition.state) for each, condition in unavailable_providers(prefix(health))] == [
            ("ols", "degraded"),
            ("x", DOWN),
        ]
        assert last_change(health) == LATER


def place_of(provider: Provider) -> int:
    return CODES.index(provider.code)


class TestClimbing:
    """A provider whose pattern an identifier leads out of never stands in, and health decides no refusal."""

    def there(self, *urls: str, down: Sequence[str]) -> ProviderPrefix:
        health = {code: Condition(DOWN, MOMENT) for code in down}
        return replace(provider_prefix("go", *urls), health=health)

    def test_the_next_that_it_does_not_lead_out_of_stands_in(self) -> None:
        urls = ("https://a.example/?q={$id}", "https://b.example/items/{$id}", "https://c.example/?q={$id}")
        decided = decision(self.there(*urls, down=["p0"]), identifier="../admin")
        assert (decided.provider, decided.choice) == ("p2", FAILOVER)
        assert decision(self.there(*urls, down=["p0"]), identifier="1").provider == "p1"

    def test_where_there_is_none_the_first_stays(self) -> None:
        urls = ("https://a.example/?q={$id}", "https://b.example/items/{$id}")
        decided = decision(self.there(*urls, down=["p0"]), identifier="../admin")
        assert (decided.provider, decided.choice) == ("p0", ALL_DOWN)

    @pytest.mark.parametrize("down", [[], ["p0"], ["p0", "p1"]])
    def test_what_the_first_refuses_is_refused_whatever_its_health(self, down: list[str]) -> None:
        there = self.there("https://a.example/items/{$id}", "https://b.example/?q={$id}", down=down)
        with pytest.raises(BadReference):
            decision(there, identifier="../admin")
        assert decision(there, "p1", "../admin").provider == "p1"


class TestRows:
    @few
    @given(healths)
    def test_what_is_written_is_read_again(self, health: Health) -> None:
        assert health_of(health_body(health)) == health

    @few
    @given(healths)
    def test_a_prefix_is_read_with_it_and_written_without(self, health: Health) -> None:
        there = prefix(health)
        row: dict[str, Any] = {"name": "go", "kind": "provider", "revision": 1, "body": prefix_body(there)}
        assert "health" not in row["body"]
        assert prefix_of(row) == replace(there, health=UNKNOWN)
        assert prefix_of({**row, "health": health_body(health)}) == there

    @few
    @given(healths)
    def test_it_is_weighed_with_its_row(self, health: Health) -> None:
        bare, returned = prefix(), prefix(health)
        assert size_in_memory(returned) >= size_in_memory(bare) + (
            size_in_memory(dict(health)) if health else 0
        ) - size_in_memory({})
        body = record_body(record())
        assert stored_record(body).weight < stored_record(body, None, health_body(health)).weight
        assert stored_record(body, None, health_body(health)).weight >= size_in_memory(
            stored_record(body, None, health_body(health))
        )
