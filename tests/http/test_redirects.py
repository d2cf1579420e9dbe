"""Redirects to providers: `Provider-Choice` and `Link` are valid and of bounded length."""

from typing import Any

import httplink
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import ExtraneousText
from coolid.http.message import MAX_LINK_BYTES
from coolid.http.redirects import MAX_CODE_LENGTH, MAX_LOCATION_BYTES, MAX_STATES_BYTES, PROVIDER_CHOICE, to_provider
from coolid.model.conditions import DEGRADED, DOWN, STATES, UNKNOWN, Condition
from coolid.model.prefixes import DATA, URI, Provider, ProviderPrefix, fold
from coolid.registry.references import Reference
from coolid.resolution.resolver import ProviderRedirect, resolve
from tests.support.builders.samples import BASE_URL, MOMENT, provider_prefix, text
from tests.support.builders.structured_fields import choice_of
from tests.support.effort import examples
from tests.support.stores.memory_store import MemoryStore

CANONICAL = f'<{BASE_URL}/go:1>; rel="canonical"'
few = examples(40)
anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)
urls = st.one_of(
    st.builds("https://{}.example/{{$id}}{}".format, st.text("abc", min_size=1), anything),
    st.sampled_from(["ftp://a.example/{$id}", "javascript:alert({$id})", "https://a.example/{$id}/{$id}", "http://b/"]),
)


def redirected(prefix: ProviderPrefix, identifier: str = "1", **how: Any) -> tuple[ProviderRedirect, dict[str, str]]:
    """The decision, and the headers of its redirect."""
    store = MemoryStore()
    store.rows[prefix.name] = prefix
    decision = resolve(Reference.of(f"go:{identifier}"), store, **how)
    assert isinstance(decision, ProviderRedirect)
    return decision, dict(to_provider(decision, decision.location, {"Link": CANONICAL}).headers)


def go(*providers: Provider, **members: Any) -> ProviderPrefix:
    return replace(provider_prefix("go"), providers=providers, **members)


def alternates(headers: dict[str, str]) -> list[tuple[str, str | None]]:
    """The alternates by the reading of another's parser, with their titles."""
    links = httplink.parse_link_header(headers["Link"]).links
    assert links[0].target == f"{BASE_URL}/go:1"
    return [(each.target, dict(each.attributes).get("title")) for each in links if "alternate" in each.rel]


class TestChoice:
    @few
    @given(st.lists(anything, min_size=1, max_size=50, unique_by=fold), st.data())
    def test_whatever_codes_hold_it_is_a_dictionary_and_bounded(self, codes: list[str], data: Any) -> None:
        states = {code: data.draw(st.sampled_from(STATES)) for code in codes}
        health = {fold(code): Condition(state, MOMENT) for code, state in states.items()}
        prefix = go(*(Provider(code, "https://a.example/{$id}") for code in codes), health=health)
        decision, headers = redirected(prefix)
        header = headers[PROVIDER_CHOICE]
        assert header.isascii()
        assert header.isprintable()
        assert len(header) <= MAX_STATES_BYTES + 12 * MAX_CODE_LENGTH + 60
        choice = choice_of(header)
        assert choice["reason"] == decision.choice
        assert choice.get("provider") == (decision.provider if len(decision.provider) <= MAX_CODE_LENGTH else None)
        for state in (DOWN, DEGRADED):
            listed = [code for code in codes if states[code] == state and len(code) <= MAX_CODE_LENGTH]
            returned = choice.get(state, [])
            assert returned == listed[: len(returned)]

    def test_usual_codes_are_all_reported(self) -> None:
        codes = ("default", "ols", "bioportal", "amigo", "quickgo")
        health = {code: Condition(DOWN, MOMENT) for code in codes}
        _, headers = redirected(
            go(*(Provider(code, f"https://{code}.example/{{$id}}") for code in codes), health=health)
        )
        returned = '"default" "ols" "bioportal" "amigo" "quickgo"'
        assert headers[PROVIDER_CHOICE] == f'provider="default", reason=all-down, down=({returned})'

    def test_where_those_that_are_down_take_all_the_room_the_degraded_are_left_out(self) -> None:
        codes = [f"{at:02}".rjust(56, "x") for at in range(5)]
        health = {code: Condition(DEGRADED if at == 4 else DOWN, MOMENT) for at, code in enumerate(codes)}
        prefix = go(*(Provider(code, f"https://{code}.example/{{$id}}") for code in codes), health=health)
        choice = choice_of(redirected(prefix)[1][PROVIDER_CHOICE])
        assert (choice["down"], "degraded" in choice) == (codes[:4], False)

    def test_of_fifty_providers_that_are_down_the_first_are_listed(self) -> None:
        codes = [f"{at:02}".rjust(64, "x") for at in range(50)]
        health = {code: Condition(DOWN, MOMENT) for code in codes}
        _, headers = redirected(
            go(*(Provider(code, f"https://{code}.example/{{$id}}") for code in codes), health=health)
        )
        choice = choice_of(headers[PROVIDER_CHOICE])
        assert choice["down"] == codes[:4]


class TestAlternates:
    @few
    @given(
        st.lists(st.tuples(urls, text), min_size=1, max_size=8),
        anything.map(lambda each: each.strip() or "1"),
        st.sampled_from([URI, DATA]),
    )
    def test_whatever_providers_and_identifiers_hold_links_can_be_read(
        self, listed: list[tuple[str, str]], identifier: str, encoding: str
    ) -> None:
        providers = [Provider(f"p{at}", url, title) for at, (url, title) in enumerate(listed)]
        prefix = go(Provider("first", "https://first.example/?q={$id}"), *providers, encoding=encoding)
        try:
            _, headers = redirected(prefix, identifier)
        except ExtraneousText:  # which no redirect has
            assume(False)
        assert headers["Link"].isascii()
        assert headers["Link"].isprintable()
        places = {each.location(identifier, encoding): each.title for each in providers}
        for target, title in alternates(headers):
            assert target.startswith(("https://", "http://"))
            assert target in places
            assert title is None or title in {each.title for each in providers}

    def test_the_others_that_are_not_down_are_linked_with_their_titles(self) -> None:
        providers = [
            Provider(code, f"https://{code}.example/{{$id}}", title)
            for code, title in (
                ("a", "The first"),
                ("b", 'A "quoted" \\ one'),
                ("c", "größe"),
                ("d", ""),
                ("e", "Down"),
            )
        ]
        _, headers = redirected(go(*providers, health={"e": Condition(DOWN, MOMENT), "d": Condition(DEGRADED, MOMENT)}))
        assert alternates(headers) == [
            ("https://b.example/1", 'A "quoted" \\ one'),
            ("https://c.example/1", None),
            ("https://d.example/1", None),
        ]
        _, headers = redirected(go(*providers), provider="c")
        assert [target for target, _ in alternates(headers)] == [f"https://{code}.example/1" for code in "abde"]

    def test_a_place_that_is_listed_twice_is_linked_once_and_not_where_it_leads_to_or_is_down(self) -> None:
        providers = [
            Provider(code, f"https://{place}.example/{{$id}}")
            for code, place in (("a", "x"), ("b", "y"), ("c", "x"), ("d", "z"), ("e", "y"))
        ]
        places = ["https://y.example/1", "https://z.example/1"]
        _, headers = redirected(go(*providers))
        assert [target for target, _ in alternates(headers)] == places
        _, headers = redirected(go(*providers, health={"d": Condition(DEGRADED, MOMENT)}))
        assert [target for target, _ in alternates(headers)] == places
        _, headers = redirected(go(*providers, health={"a": Condition(DOWN, MOMENT)}))
        assert headers["Location"] == places[0]
        assert [target for target, _ in alternates(headers)] == places[1:]

    def test_nobody_is_linked_to_where_dots_would_lead_out(self) -> None:
        providers = [
            Provider(code, url)
            for code, url in (
                ("a", "https://a.example/?q={$id}"),
                ("b", "https://b.example/items/{$id}"),
                ("c", "https://c.example/?q={$id}"),
            )
        ]
        _, headers = redirected(go(*providers), "../admin")
        assert [target for target, _ in alternates(headers)] == ["https://c.example/?q=../admin"]
        _, headers = redirected(go(*providers), "x/../y")
        assert len(alternates(headers)) == 2

    @few
    @given(st.integers(1, 2_000), st.integers(1, 50), st.sampled_from([UNKNOWN, {"p1": Condition(DOWN, MOMENT)}]))
    def test_they_are_left_out_from_the_end_where_there_is_no_room(self, length: int, number: int, health: Any) -> None:
        providers = [Provider(f"p{at}", f"https://p{at}.example/{{$id}}", "A title") for at in range(number)]
        _, headers = redirected(go(*providers, health=health), "x" * length)
        returned = [target for target, _ in alternates(headers)]
        assert len(headers["Location"]) + len(headers["Link"]) + len(headers[PROVIDER_CHOICE]) <= MAX_LOCATION_BYTES
        assert len(headers["Link"]) <= MAX_LINK_BYTES
        good = [each for each in providers[1:] if each.code not in health]
        assert returned == [each.location("x" * length, URI) for each in good][: len(returned)]
        if len(returned) < len(good):
            another = len(f', <{good[len(returned)].location("x" * length, URI)}>; rel="alternate"; title="A title"')
            longer = len(headers["Link"]) + another
            located = len(headers["Location"]) + len(headers[PROVIDER_CHOICE])
            assert longer > MAX_LINK_BYTES or located + longer > MAX_LOCATION_BYTES

    def test_a_location_that_leaves_no_room_has_no_links_at_all(self) -> None:
        decision, _ = redirected(go(Provider("a", "https://a.example/{$id}")))
        headers = to_provider(decision, "https://a.example/" + "x" * 8_960, {"Link": CANONICAL}).headers
        assert "Link" not in headers
        assert headers[PROVIDER_CHOICE] == 'provider="a", reason=first'
