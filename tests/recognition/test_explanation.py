"""Explanation: every step in order, no exception, and the same target as resolving."""

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import CoolidError, StoreUnavailable
from coolid.identifiers.rules.base import Rules
from coolid.model.locations import is_valid_at
from coolid.model.prefixes import ProviderPrefix
from coolid.model.records import RESERVED, WITHDRAWN, Withdrawal
from coolid.recognition.detection import SchemeMatch
from coolid.recognition.explanation import MAX_CHARACTERS, explain
from coolid.recognition.explanation_steps import Explanation
from coolid.recognition.unwrap import unwrap_reference
from coolid.registry.references import parse_reference
from coolid.resolution.resolver import FoundRecord, ProviderRedirect, resolve
from tests.support.builders.rule_examples import PLAIN
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, provider_prefix, record, repository
from tests.support.effort import examples
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

GO = provider_prefix("go", "https://go.example/{$id}", "https://other.example/{$id}", pattern=r"^\d{7}$")


@pytest.fixture
def store() -> MemoryStore:
    return furnished()


def furnished() -> MemoryStore:
    """`2021/06/mp` and `mp` name a repository of LUIs, `of-SCHEME` one of each scheme; the world has a few prefixes."""
    store = MemoryStore()
    owner = repository(canonical="2021/06/mp")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "mp"):
        store.put_prefix(namespace(name, owner), None)
    for key, members in {
        "tw0tywdj94": {},
        "0000000195": {"status": RESERVED},
        "0000000292": {"records": ()},
        "0000000389": {"status": WITHDRAWN, "withdrawn": Withdrawal(MOMENT, "why")},
    }.items():
        store.records_by_key[owner.id, key] = replace(record(key), **members)  # type: ignore[arg-type]
    for at, (scheme, rules) in enumerate(PLAIN.items()):
        _furnish(store, f"of-{scheme}", f"owner-{at}", rules)
    strict = provider_prefix("strict", "https://strict.example/{$id}", pattern=r"^[a-z]+$", strict=True)
    for prefix in (GO, strict, provider_prefix("nobody"), provider_prefix("doi", "https://doi.example/{$id}"),
                   provider_prefix("ark", "https://ark.example/ark:{$id}")):  # fmt: skip
        store.put_prefix(prefix, None)
    store.calls.clear()
    return store


def _furnish(store: MemoryStore, name: str, owner_id: str, rules: Rules) -> None:
    owner = repository(owner_id, rules=rules)
    store.repositories[owner_id] = owner
    store.put_prefix(namespace(name, owner), None)
    example = rules.describe().example
    key = rules.validate(example)
    store.records_by_key[owner_id, key] = replace(record(), id=rules.display(key), repository=owner_id)


def steps(parsed: Explanation) -> list[str]:
    return [step.name for step in parsed.steps]


def detail(parsed: Explanation, name: str) -> str:
    (found,) = [step.detail for step in parsed.steps if step.name == name]
    return found


class TestOurs:
    def test_an_identifier_is_explained_from_prefix_to_redirect(self, store: MemoryStore) -> None:
        parsed = explain("mp:TWOT-YWDJ-94", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "normalised", "rule", "record", "redirect"]
        assert parsed.candidates[0] == SchemeMatch("lui", True, "tw0t-ywdj-94", None)
        assert (parsed.prefix, parsed.canonical) == ("mp", "2021/06/mp/tw0t-ywdj-94")
        assert parsed.location == "https://content.example.org/v1"
        assert "tw0tywdj94" in detail(parsed, "normalised")
        assert "MOD 97-10" in detail(parsed, "rule")

    def test_surrounding_text_and_the_unwrapped_url_come_first(self, store: MemoryStore) -> None:
        parsed = explain(f" <{BASE_URL}/2021/06/mp/tw0t-ywdj-94> ", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["unwrapped", "unwrapped", "prefix", "normalised", "rule", "record", "redirect"]
        assert parsed.location == "https://content.example.org/v1"

    @pytest.mark.parametrize("scheme", PLAIN)
    def test_each_scheme_is_judged_by_its_own_rules_before_all_others(self, store: MemoryStore, scheme: str) -> None:
        example = PLAIN[scheme].describe().example
        parsed = explain(f"of-{scheme}:{example}", store, BASE_URL, MOMENT)
        assert parsed.candidates[0] == SchemeMatch(scheme, True, PLAIN[scheme].display(PLAIN[scheme].validate(example)))
        assert [each.scheme for each in parsed.candidates].count(scheme) == 1
        assert parsed.location == "https://content.example.org/v1"

    def test_a_mistyped_one_is_refused_with_reason_and_suggestions(self, store: MemoryStore) -> None:
        parsed = explain("mp:tw0t-ywdj-95", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "normalised", "refused"]
        reason = "its check digits are 95, but the other symbols call for 94"
        assert parsed.candidates[0] == SchemeMatch("lui", False, None, reason)
        assert detail(parsed, "refused") == reason
        assert parsed.suggestions == ("tw0t-ywdj-94",)
        assert (parsed.location, parsed.canonical, parsed.prefix) == (None, None, "mp")

    @pytest.mark.parametrize("text", ["mp:0000-0001-95", "mp:zzzz-zzzz-90"])
    def test_one_that_is_reserved_is_as_one_that_is_not_there(self, store: MemoryStore, text: str) -> None:
        parsed = explain(text, store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "normalised", "rule", "refused"]
        assert parsed.candidates[0].valid
        assert parsed.location is None
        assert parsed.suggestions == ()

    def test_one_without_a_location_says_so(self, store: MemoryStore) -> None:
        parsed = explain("mp:0000-0002-92", store, BASE_URL, MOMENT)
        assert steps(parsed)[-1] == "record"
        assert parsed.location is None

    def test_one_that_is_gone_says_so(self, store: MemoryStore) -> None:
        parsed = explain("mp:0000-0003-89", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "normalised", "rule", "record"]
        assert "withdrawn" in detail(parsed, "record")
        assert parsed.location is None

    def test_a_repeated_prefix_takes_no_part_in_what_is_compared(self, store: MemoryStore) -> None:
        parsed = explain("mp:mp:TWOT-YWDJ-94", store, BASE_URL, MOMENT)
        assert parsed.location == "https://content.example.org/v1"
        assert [step.detail for step in parsed.steps if step.name == "normalised"] == [
            "mp:TWOT-YWDJ-94 repeats the prefix; the identifier is TWOT-YWDJ-94",
            "TWOT-YWDJ-94 is compared as tw0tywdj94",
        ]

    def test_a_prefix_alone_describes_itself(self, store: MemoryStore) -> None:
        for text in ("mp", "MP:", "go", "2021/06/mp/"):
            assert steps(explain(text, store, BASE_URL, MOMENT)) == ["prefix", "describe"]


class TestForeign:
    def test_a_foreign_identifier_is_explained_with_pattern_and_provider(self, store: MemoryStore) -> None:
        parsed = explain("GO:0006915", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "pattern", "provider", "redirect"]
        assert (parsed.prefix, parsed.canonical) == ("go", "go:0006915")
        assert parsed.location == "https://go.example/0006915"
        assert "does not fit" not in detail(parsed, "pattern")

    def test_a_pattern_that_does_not_fit_only_warns(self, store: MemoryStore) -> None:
        parsed = explain("go:69", store, BASE_URL, MOMENT)
        assert "does not fit" in detail(parsed, "pattern")
        assert parsed.location == "https://go.example/69"

    def test_unless_the_prefix_is_strict(self, store: MemoryStore) -> None:
        parsed = explain("strict:69", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "pattern", "refused"]
        assert parsed.location is None

    def test_a_repetition_that_is_left_out_is_left_out_of_what_the_pattern_judges(self, store: MemoryStore) -> None:
        parsed = explain("go:GO:0006915", store, BASE_URL, MOMENT)
        assert parsed.location == "https://go.example/0006915"
        assert "does not fit" not in detail(parsed, "pattern")

    def test_a_named_provider_is_taken(self, store: MemoryStore) -> None:
        assert explain("p1/go:0006915", store, BASE_URL, MOMENT).location == "https://other.example/0006915"

    def test_a_prefix_that_nobody_resolves_says_so(self, store: MemoryStore) -> None:
        parsed = explain("nobody:1", store, BASE_URL, MOMENT)
        assert steps(parsed) == ["prefix", "refused"]

    @pytest.mark.parametrize(
        "text", ["https://doi.org/10.1002/asi.23256", "10.1002/asi.23256", "doi:10.1002/asi.23256"]
    )
    def test_a_doi_is_led_to_its_provider_in_each_form(self, store: MemoryStore, text: str) -> None:
        parsed = explain(text, store, BASE_URL, MOMENT)
        assert parsed.candidates[0].scheme == "doi"
        assert parsed.location == "https://doi.example/10.1002/asi.23256"


class TestRefusals:
    @pytest.mark.parametrize("text", ["tw0t-ywdj-94", "nothing:1", "", " ", "é", ":", "//", "a" * 500])
    def test_what_has_no_prefix_here_is_refused_but_still_detected(self, store: MemoryStore, text: str) -> None:
        parsed = explain(text, store, BASE_URL, MOMENT)
        assert steps(parsed)[-1] == "refused"
        assert (parsed.prefix, parsed.location) == (None, None)

    def test_a_bare_lui_is_still_judged(self, store: MemoryStore) -> None:
        assert explain("tw0t-ywdj-94", store, BASE_URL, MOMENT).candidates == (
            SchemeMatch("lui", True, "tw0t-ywdj-94"),
        )

    @pytest.mark.parametrize(
        "text",
        ["a" * (MAX_CHARACTERS + 1), "mp:" + "a" * 2_100, "mp:" + "é" * 1_500, "-" * 10_000, "𝟘" * 10**6,
         "a:" * 500_000,
         "https://doi.org/10.1/%zz", "https://doi.org/%00"],
        ids=lambda text: f"{text[:6]!a}x{len(text)}",
    )  # fmt: skip
    def test_what_is_too_long_or_cannot_be_read_is_refused(self, store: MemoryStore, text: str) -> None:
        parsed = explain(text, store, BASE_URL, MOMENT)
        assert steps(parsed)[-1] == "refused"
        assert parsed.location is None
        assert store.calls == {}
        assert sum(len(step.detail) for step in parsed.steps) < 3 * MAX_CHARACTERS

    @pytest.mark.parametrize("call", ["prefixes", "record"])
    def test_a_store_that_cannot_answer_is_no_verdict(self, store: MemoryStore, call: str) -> None:
        failing: Any = FailingStore(store, "before", call)
        with pytest.raises(StoreUnavailable):
            explain("mp:tw0t-ywdj-94", failing, BASE_URL, MOMENT)


SAMPLES = [
    "mp:tw0t-ywdj-94", "2021/06/mp/TWOTYWDJ94", "MP/mp:tw0t-ywdj-94", "mp:0000-0001-95", "mp:0000-0002-92",
    "mp:0000-0003-89", "mp:tw0t-ywdj-95", "mp", "2021/06", "go:0006915", "GO/GO:0006915", "p1/go:1", "p9/go:1",
    "strict:abc", "strict:1", "nobody:1", "doi:10.1002/asi.23256", "10.1002/asi.23256", "hdl:10.1002/x",
    "ark:/12345/x5-4xz", "ark:12345/x54xz?info", "go:\x07", "go:a\x7f", "go:\u0085", "go:é", "go:a b", "go:%41", "go:#",
    "\ud800", "go:\ud800", "https://doi.org/10.1002/asi.23256", "https://host.example/ark:/12345/x5",
    f"{BASE_URL}/mp:tw0t-ywdj-94", "https://identifiers.org/go:0006915",
    *(f"of-{scheme}:{rules.describe().example}" for scheme, rules in PLAIN.items()),
]  # fmt: skip


def location_by_resolving(text: str, store: MemoryStore) -> str | None:
    """Where the text would lead in the path of a request; None where it is refused."""
    path = text if text.startswith("http") else quote(text, safe="/:", errors="surrogatepass")
    try:
        decision = resolve(unwrap_reference(parse_reference(path), BASE_URL), store)
    except CoolidError:
        return None
    if isinstance(decision, FoundRecord):
        return next((each.uri for each in decision.locations if is_valid_at(each, MOMENT)), None)
    return decision.location if isinstance(decision, ProviderRedirect) else None


class TestAgreement:
    @pytest.mark.parametrize("text", SAMPLES, ids=ascii)
    def test_it_leads_where_resolving_leads(self, store: MemoryStore, text: str) -> None:
        assert explain(text, store, BASE_URL, MOMENT).location == location_by_resolving(text, store)

    @given(st.lists(st.sampled_from(SAMPLES) | st.sampled_from(list("/:.-? \x00é%")), max_size=4).map("".join))
    @examples(300)
    @example("mp:mp:mp:tw0t-ywdj-94")
    @example("\ud800")
    def test_whatever_is_pasted_together_it_answers_and_agrees(self, text: str) -> None:
        store = furnished()
        parsed = explain(text, store, BASE_URL, MOMENT)
        assert parsed.text == text
        assert parsed.steps
        if "http" not in text and text == text.strip():
            meant = parsed.found[0] if len(parsed.found) == 1 else text
            assert len(parsed.found) > 1 or parsed.location == location_by_resolving(meant, store)

    @given(st.text(st.characters(), max_size=60))
    @examples(200)
    def test_nothing_is_raised(self, text: str) -> None:
        assert explain(text, furnished(), BASE_URL, MOMENT).steps


class TestPastedUrls:
    def test_escapes_of_a_url_are_decoded_once_with_a_step(self, store: MemoryStore) -> None:
        parsed = explain("https://identifiers.org/go%3A0006915", store, BASE_URL, MOMENT)
        assert parsed.location == explain("go:0006915", store, BASE_URL, MOMENT).location
        assert steps(parsed)[:2] == ["unwrapped", "decoded"]

    def test_the_provider_that_was_chosen_is_named(self, store: MemoryStore) -> None:
        (returned,) = [
            step.detail for step in explain("go:0006915", store, BASE_URL, MOMENT).steps if step.name == "provider"
        ]
        row = store.rows["go"]
        assert isinstance(row, ProviderPrefix)
        assert returned.startswith(f"{row.providers[0].code}, ")
