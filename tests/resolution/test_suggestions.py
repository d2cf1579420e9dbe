"""Suggestions: an existing identifier one typo away is found, and nothing else is suggested."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, UnregisteredIdentifier
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN
from coolid.model.repositories import Repository
from coolid.registry.references import Reference
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS, Budget
from coolid.resolution.resolver import resolve
from coolid.resolution.suggestions import MAX_SUGGESTIONS, MAX_SYMBOLS, MAX_VALIDATED, near_keys, suggest
from tests.support.builders.rule_examples import PLAIN, RULE_EXAMPLES
from tests.support.builders.samples import namespace, record, repository
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock, FixedProcessorClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

LUI = LuiRules()
NOID = NoidRules("f5.reedeedk", "13030", "00" * 16)
CHECKED: list[tuple[Rules, str]] = [
    (LUI, "tw0tywdj94"),
    (LuiRules(6), "079jxh42"),
    (LuiRules(12), lui.encode(923446243762, 12)),
    (NOID, NOID.key(1234567)),
    (NoidRules(".zeek"), NoidRules(".zeek").key(300)),
]


class AskedStore(MemoryStore):
    """Remembers the keys of each batch that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[tuple[str, ...]] = []

    def records(self, repository: str, keys: Sequence[str]) -> Any:
        self.batches.append(tuple(keys))
        return super().records(repository, keys)


def holding(rules: Rules, *keys: str, **members: Any) -> tuple[AskedStore, Repository]:
    """A store with records of these keys, and their repository, under `mp`."""
    store, owner = AskedStore(), repository(rules=rules)
    for key in keys:
        store.records_by_key[owner.id, key] = replace(record(), id=rules.display(key), **members)
    store.repositories[owner.id] = owner
    store.put_prefix(namespace("mp", owner), None)
    return store, owner


def substituted(key: str, alphabet: str) -> Iterator[str]:
    for at, symbol in enumerate(key):
        yield from (key[:at] + other + key[at + 1 :] for other in alphabet if other != symbol)


def transposed(key: str, _alphabet: str) -> Iterator[str]:
    for at in range(len(key) - 1):
        if key[at] != key[at + 1]:
            yield key[:at] + key[at + 1] + key[at] + key[at + 2 :]


def dropped(key: str, _alphabet: str) -> Iterator[str]:
    for at in range(len(key)):
        yield key[:at] + key[at + 1 :]


def doubled(key: str, _alphabet: str) -> Iterator[str]:
    for at, symbol in enumerate(key):
        yield key[:at] + symbol + key[at:]


def inserted(key: str, alphabet: str) -> Iterator[str]:
    for at in range(len(key) + 1):
        yield from (key[:at] + symbol + key[at:] for symbol in alphabet)


SLIPS = [substituted, transposed, dropped, doubled, inserted]


class TestFinding:
    @pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.__name__)
    @pytest.mark.parametrize(("rules", "key"), CHECKED, ids=[f"{rules.scheme}-{key}" for rules, key in CHECKED])
    def test_a_slip_at_any_place_leads_back_to_the_original(self, rules: Rules, key: str, slip: Any) -> None:
        store, owner = holding(rules, key)
        for wrong in slip(key, rules.describe().alphabet):
            if wrong != key:
                assert suggest(wrong, owner, store) == (rules.display(key),), wrong
        assert store.calls["records"] == len(store.batches)

    @pytest.mark.parametrize("foreign", list("uU?é９ \U0001d7d8"))
    def test_a_symbol_that_is_none_at_any_place_leads_back_too(self, foreign: str) -> None:
        store, owner = holding(LUI, "tw0tywdj94")
        for at in range(10):
            wrong = "tw0tywdj94"[:at] + foreign + "tw0tywdj94"[at + 1 :]
            assert suggest(wrong, owner, store) == ("tw0t-ywdj-94",)

    @given(st.integers(0, 32**8 - 1), st.data())
    @examples(60)
    def test_any_slip_in_any_lui_however_it_is_written(self, number: int, data: st.DataObject) -> None:
        key = lui.encode(number)
        slip = data.draw(st.sampled_from(SLIPS))
        slips = [wrong for wrong in slip(key, LUI.describe().alphabet) if wrong != key]
        if slips:
            wrong = data.draw(st.sampled_from(slips))
            store, owner = holding(LUI, key)
            rng = data.draw(st.randoms(use_true_random=False))
            assert suggest(RULE_EXAMPLES["lui"].respell(LUI, wrong, rng), owner, store) == (lui.format(key),)

    def test_look_alikes_and_transpositions_come_before_other_slips(self) -> None:
        # Both are one slip away from what is written, and both satisfy the check.
        for written in ("tw0tywjd94", "tw0tywdj95", "zw0tywdj94", "0000000194"):
            keys = near_keys(written, LUI)
            assert keys
            store, owner = holding(LUI, *keys)
            found = suggest(written, owner, store)
            assert found == tuple(LUI.display(key) for key in keys)[:MAX_SUGGESTIONS]
        assert near_keys("tw0t-ywjd-94", LUI)[0] == "tw0tywdj94"
        assert near_keys("tw0t-vwdj-94", LUI)[0] == "tw0tywdj94"

    @pytest.mark.parametrize("between", list(" \xa0\xad\u2009\u200b\u2011\u2013\u2014\u2212\ufe58\ufeff"))
    def test_what_word_processors_make_of_hyphens_leads_back(self, between: str) -> None:
        store, owner = holding(LUI, "tw0tywdj94")
        for written in ("tw0t-ywdj-94", "-tw0t-ywdj-94-", "tw0t-ywdj-95", "tw0t-ywjd-94"):
            assert suggest(written.replace("-", between), owner, store) == ("tw0t-ywdj-94",)

    @pytest.mark.parametrize("between", ["\u2013", " ", "\xad", " \u2013 "])
    @pytest.mark.parametrize("there", ["abc-2021", "abc2021"])
    def test_a_chosen_one_is_found_as_it_exists(self, between: str, there: str) -> None:
        rules = ChosenRules("[a-z]+-?[0-9]{4}")
        store, owner = holding(rules, there)
        assert suggest(f"abc{between}2021", owner, store) == (there,)

    def test_of_chosen_ones_what_looks_or_sounds_alike_is_found(self) -> None:
        store, owner = holding(ChosenRules("[a-z0-9]+"), "tea", "fa1", "cases")
        assert suggest("tee", owner, store) == ("tea",)
        assert suggest("fa7", owner, store) == ("fa1",)
        assert suggest("cakes", owner, store) == ()

    def test_what_is_written_is_not_its_own_suggestion(self) -> None:
        store, owner = holding(LUI, "tw0tywdj94")
        assert suggest("TWOT-YWDJ-94", owner, store) == ()
        assert "tw0tywdj94" not in near_keys("tw0t-ywdj-94", LUI)


def validations(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the rules validate from now on."""
    tried: list[str] = []
    validate = type(rules).validate

    def noted(self: Rules, text: str) -> str:
        tried.append(text)
        return validate(self, text)

    monkeypatch.setattr(type(rules), "validate", noted)
    return tried


class TestRestraint:
    def test_reserved_records_are_never_suggested(self) -> None:
        store, owner = holding(LUI, "tw0tywdj94", status=RESERVED)
        assert suggest("tw0tywdj95", owner, store) == ()
        assert suggest("tw0tywjd94", owner, store) == ()

    def test_withdrawn_ones_are_for_their_tombstone_is_public(self) -> None:
        store, owner = holding(LUI, "tw0tywdj94", status=WITHDRAWN)
        assert suggest("tw0tywdj95", owner, store) == ("tw0t-ywdj-94",)

    def test_reserved_ones_take_no_place_of_others(self) -> None:
        keys = near_keys("tw0tywdj95", LUI)
        store, owner = holding(LUI, *keys[:-1], status=RESERVED)
        store.records_by_key[owner.id, keys[-1]] = replace(record(), id=LUI.display(keys[-1]))
        assert suggest("tw0tywdj95", owner, store) == (LUI.display(keys[-1]),)

    @pytest.mark.parametrize("scheme", ["cooldoi", "pilin"])
    def test_without_a_check_every_transposition_is_among_the_few(self, scheme: str) -> None:
        rules = PLAIN[scheme]
        key = rules.validate(rules.describe().example)
        for wrong in {*transposed(key, "")}:
            assert key in near_keys(wrong, rules)

    def test_records_of_another_repository_are_not_suggested(self) -> None:
        store, _ = holding(LUI, "tw0tywdj94")
        assert suggest("tw0tywdj95", repository("0000-0001-95"), store) == ()

    @pytest.mark.parametrize("scheme", PLAIN)
    @pytest.mark.parametrize("written", ["example", "x", "", "-", "0" * 64, "0" * 10_000, "é" * 40, "\x00", "a.b.c"])
    def test_one_batch_of_few_keys_is_read(self, scheme: str, written: str) -> None:
        rules = PLAIN[scheme]
        text = rules.describe().example if written == "example" else written
        store, owner = holding(rules)
        assert suggest(text, owner, store) == ()
        assert len(store.batches) <= 1
        for batch in store.batches:
            assert 0 < len(batch) <= MAX_SUGGESTION_KEYS
            assert len(set(batch)) == len(batch)
            assert all(rules.validate(key) == key for key in batch)

    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
    @examples(40)
    def test_whatever_is_written_gives_few_keys_that_are_valid(self, text: str) -> None:
        for rules in PLAIN.values():
            keys = near_keys(text, rules)
            assert len(keys) <= MAX_SUGGESTION_KEYS
            assert rules.compact(text) not in keys
            assert all(rules.validate(key) == key for key in keys)

    @pytest.mark.parametrize("scheme", PLAIN)
    def test_a_length_that_no_slip_explains_costs_no_validation(
        self, scheme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rules = PLAIN[scheme]
        least, most = rules.describe().length
        tried = validations(rules, monkeypatch)
        symbol = (rules.describe().alphabet or "a")[-1]
        for size in (0, least - 2, most + 2, MAX_SYMBOLS + 1, 2_000):
            if size <= 0 or size > MAX_SYMBOLS or not least - 1 <= size <= most + 1:
                assert near_keys(symbol * size, rules) == ()
        assert not tried

    @pytest.mark.parametrize("text", ["0" * 63, "x7" * 30, "a\u2013b " * 12, "uu" + "0" * 60], ids=ascii)
    def test_no_more_texts_are_validated_than_there_is_time_for(
        self, text: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for rules in (*PLAIN.values(), NoidRules(".zeek"), NoidRules(".zd", "13030"), ChosenRules("(a+)+b")):
            with monkeypatch.context() as patching:
                tried = validations(rules, patching)
                near_keys(text, rules)
                assert len(tried) <= MAX_VALIDATED

    def test_a_limit_on_the_keys_is_enforced_and_a_budget_that_is_used_up_leaves_none(self) -> None:
        rules = PLAIN["cooldoi"]
        store, owner = holding(rules, *near_keys("tw0tywdj", rules))
        assert suggest("tw0tywdj", owner, store, 3) == tuple(map(rules.display, near_keys("tw0tywdj", rules)[:3]))
        assert len(store.batches[-1]) == 3
        budget = Budget(FixedClock(), FixedProcessorClock(), keys=2)
        watch = CachingReader(store, lambda: 0.0).for_request(budget=budget)
        assert suggest("tw0tywdj", owner, watch, 3) == ()
        assert (budget.keys, len(store.batches)) == (2, 1)

    def test_a_long_text_is_no_slip(self) -> None:
        assert near_keys("a" * (MAX_SYMBOLS + 1), ChosenRules("a+")) == ()
        assert near_keys("a" * 10**6, LUI) == ()

    def test_at_most_a_few_are_suggested(self) -> None:
        rules = PLAIN["cooldoi"]
        store, owner = holding(rules, *near_keys("tw0tywdj", rules))
        assert len(suggest("tw0tywdj", owner, store)) == MAX_SUGGESTIONS


class TestResolving:
    @pytest.mark.parametrize("written", ["mp:tw0t-ywdj-95", "MP:TWOT-YWJD-94", "mp:mp:tw0t-ywd-94", "mp:tw0u-ywdj-94"])
    def test_an_invalid_identifier_is_refused_with_those_that_exist(self, written: str) -> None:
        store, _ = holding(LUI, "tw0tywdj94")
        with pytest.raises(InvalidIdentifier) as raised:
            resolve(Reference.of(written), store)
        assert raised.value.suggestions == ("tw0t-ywdj-94",)
        assert len(store.batches) == 1

    def test_an_unregistered_one_is_too_where_no_check_digits_catch_the_slip(self) -> None:
        store, _ = holding(PLAIN["cooldoi"], "tw0tywdj")
        with pytest.raises(UnregisteredIdentifier) as raised:
            resolve(Reference.of("mp:tw0t-ywjd"), store)
        assert raised.value.suggestions == ("tw0t-ywdj",)
        assert near_keys("tw0tywdj94", LUI) == ()  # MOD 97-10 catches all: no valid LUI is one slip away from another

    def test_a_reserved_one_looks_like_one_that_is_not_there(self) -> None:
        store, _ = holding(LUI, "tw0tywdj94", status=RESERVED)
        with pytest.raises(UnregisteredIdentifier) as raised:
            resolve(Reference.of("mp:tw0t-ywdj-94"), store)
        assert raised.value.suggestions == ()

    @pytest.mark.parametrize("written", ["mp:tw0t-ywdj-95", "mp:0000-0001-95"])
    def test_a_store_that_fails_for_suggestions_only_leaves_the_refusal_as_it_is(self, written: str) -> None:
        store, _ = holding(LUI, "tw0tywdj94")
        failing: Any = FailingStore(store, "before", "records")
        with pytest.raises((InvalidIdentifier, UnregisteredIdentifier)) as raised:
            resolve(Reference.of(written), failing)
        assert getattr(raised.value, "suggestions", None) == ()

    def test_an_identifier_that_resolves_reads_no_others(self) -> None:
        store, _ = holding(LUI, "tw0tywdj94")
        resolve(Reference.of("mp:tw0t-ywdj-94"), store)
        assert store.batches == []
