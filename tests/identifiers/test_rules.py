"""Rules of every scheme: one key for all spellings, JSON both ways, and a public description that is true."""

import json
import random
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import Exhausted, InvalidIdentifier, InvalidInput
from coolid.http.management.repositories import rules_from
from coolid.identifiers.rules.base import Rules, SequentialRules, is_valid
from coolid.identifiers.rules.catalog import SCHEMES, rules_class, rules_of
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.rules.digest import DigestRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import pilin, uuid
from tests.support.builders.rule_examples import ORCID, PLAIN, RULE_EXAMPLES, capacity_of, key_of
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock, SeededEntropy

EVERY = pytest.mark.parametrize("scheme", SCHEMES)
NASTY = "0OIl1xX-/.:?#%[ \n\x00é９ſ\u212aı\u2010\U0001d7d8"
FEW = examples(60)


@st.composite
def pids(draw: Any, scheme: str) -> tuple[Rules, str, str]:
    """Rules, a key that they give, and a spelling of it."""
    example_rules = RULE_EXAMPLES[scheme]
    rules = draw(example_rules.rules)
    rng = random.Random(draw(st.integers(0, 2**32)))
    key = key_of(rules, rng)
    return rules, key, example_rules.respell(rules, key, rng)


def edited(draw: Any, text: str) -> str:
    """The text after a few slips of the pen."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", *NASTY])) + text[at + draw(st.integers(0, 2)) :]
    return text


def in_public(rules: Rules, text: str) -> bool:
    """Whether the published pattern matches the whole of a text."""
    return re2.fullmatch(rules.describe().pattern, text) is not None


class TestSpellings:
    def test_there_are_samples_of_every_scheme(self) -> None:
        assert set(RULE_EXAMPLES) == set(PLAIN) == set(SCHEMES)
        for scheme, rules in PLAIN.items():
            assert rules.scheme == scheme
            assert type(rules) is rules_class(scheme)

    @EVERY
    @given(st.data())
    @FEW
    def test_what_is_shown_of_a_key_is_that_key(self, scheme: str, data: st.DataObject) -> None:
        rules, key, _ = data.draw(pids(scheme))
        assert rules.validate(key) == key
        assert rules.validate(rules.display(key)) == key
        assert rules.compact(rules.display(key)) == key

    @EVERY
    @given(st.data())
    @FEW
    def test_every_spelling_has_the_same_key_and_is_shown_alike(self, scheme: str, data: st.DataObject) -> None:
        rules, key, spelling = data.draw(pids(scheme))
        assert rules.validate(spelling) == rules.compact(spelling) == key
        assert rules.display(rules.validate(spelling)) == rules.display(key)
        assert is_valid(rules, spelling)

    @EVERY
    @given(st.data())
    @FEW
    def test_whatever_is_written_is_judged_and_what_is_accepted_has_one_key(
        self, scheme: str, data: st.DataObject
    ) -> None:
        rules, _, spelling = data.draw(pids(scheme))
        text = edited(data.draw, spelling)
        try:
            key = rules.validate(text)
        except InvalidIdentifier as error:
            refusal = error
        else:
            assert rules.validate(key) == key
            assert in_public(rules, text)
            return
        assert refusal.identifier == text
        assert str(refusal)
        assert not is_valid(rules, text)

    @EVERY
    @pytest.mark.parametrize("text", ["", "\ud800", "\x00", "é", "０", "\U0001d7d8", " ", "\n"], ids=ascii)
    def test_what_no_identifier_can_hold_is_refused_like_any_other(self, scheme: str, text: str) -> None:
        example = PLAIN[scheme].describe().example
        for spelling in (text, example + text, text + example) if text else ("",):
            with pytest.raises(InvalidIdentifier):
                PLAIN[scheme].validate(spelling)


class TestDescriptions:
    @EVERY
    @given(st.data())
    @FEW
    def test_the_published_pattern_matches_every_spelling(self, scheme: str, data: st.DataObject) -> None:
        rules, key, spelling = data.draw(pids(scheme))
        assert in_public(rules, spelling)
        assert in_public(rules, key)
        assert in_public(rules, rules.display(key))

    @EVERY
    @given(st.data())
    @FEW
    def test_the_published_length_holds_the_compact_form(self, scheme: str, data: st.DataObject) -> None:
        rules, key, _ = data.draw(pids(scheme))
        least, most = rules.describe().length
        assert least <= len(key) <= most

    @EVERY
    @given(st.data())
    @FEW
    def test_the_published_example_is_valid(self, scheme: str, data: st.DataObject) -> None:
        rules = data.draw(RULE_EXAMPLES[scheme].rules)
        example = rules.describe().example
        assert is_valid(rules, example) or (scheme == "chosen" and not example)

    @EVERY
    @given(st.data())
    @FEW
    def test_case_folds_where_it_is_said_to(self, scheme: str, data: st.DataObject) -> None:
        rules, key, spelling = data.draw(pids(scheme))
        described = rules.describe()
        if described.folds_case:
            assert rules.validate(spelling.swapcase()) == key
        elif key.swapcase() != key and scheme != "contextual":
            assert not is_valid(rules, key.swapcase()) or rules.validate(key.swapcase()) != key

    @EVERY
    @given(st.data())
    @FEW
    def test_the_published_normalisation_gives_the_compact_form(self, scheme: str, data: st.DataObject) -> None:
        rules, key, spelling = data.draw(pids(scheme))
        described = rules.describe()
        read, as_ = described.reads
        table = str.maketrans(read[: len(as_)], as_, read[len(as_) :])
        if scheme not in ("contextual", "chosen"):
            assert spelling.translate(table) == key
        prefix = rules.template.partition(".")[0] if isinstance(rules, NoidRules) else ""
        assert not described.alphabet or set(key.removeprefix(prefix)) <= set(described.alphabet)

    @pytest.mark.parametrize(
        ("scheme", "document", "check"),
        [
            ("lui", {}, "ISO 7064 MOD 97-10"),
            ("cooldoi", {}, None),
            ("pilin", {}, None),
            ("noid", {"template": ".zeek"}, "Noid Check Digit Algorithm"),
            ("noid", {"template": ".zee"}, None),
            ("uuid", {}, None),
            ("sha256", {}, None),
        ],
    )
    def test_a_check_and_its_zone_are_named_where_there_is_one(
        self, scheme: str, document: dict[str, Any], check: str | None
    ) -> None:
        described = rules_of(scheme, document).describe()
        assert described.check == check
        assert (described.zone is None) == (check is None)

    def test_the_zone_of_a_noid_says_whether_the_naan_takes_part(self) -> None:
        assert "NAAN" in str(NoidRules(".zeek", "13030").describe().zone)
        assert "NAAN" not in str(NoidRules(".zeek").describe().zone)

    @pytest.mark.parametrize("label", ["urn:uuid:", "uuid:", "URN:UUID:"])
    def test_the_pattern_of_uuids_matches_the_labels_that_are_accepted(self, label: str) -> None:
        rules = UuidRules()
        spelling = label + rules.describe().example
        assert in_public(rules, spelling) == is_valid(rules, spelling)

    @pytest.mark.parametrize("label", ["sha256:", "sha-256:", "SHA256:"])
    def test_the_pattern_of_digests_matches_the_labels_that_are_accepted(self, label: str) -> None:
        rules = DigestRules()
        assert is_valid(rules, label + rules.describe().example)
        assert in_public(rules, label + rules.describe().example)


class TestChanges:
    @given(st.sampled_from([4, 7]), st.sets(st.integers(1, 8)), st.sampled_from([4, 7]), st.sets(st.integers(1, 8)))
    def test_uuids_that_were_valid_stay_valid_and_the_version_of_new_ones_changes(
        self, version: Any, accepts: Any, new_version: Any, new_accepts: Any
    ) -> None:
        old = UuidRules(version, tuple(accepts) or None)
        new = old.changed_to(UuidRules(new_version, tuple(new_accepts) or None))
        assert isinstance(new, UuidRules)
        assert new.version == new_version
        accepted = {each for each in range(1, 9) if is_valid(new, f"{'0' * 12}{each}{'0' * 3}8{'0' * 15}")}
        assert accepted == {version, new_version} | accepts | new_accepts
        assert uuid.parse(new.draw(SeededEntropy(), FixedClock())).version == new_version

    @EVERY
    def test_other_rules_never_change(self, scheme: str) -> None:
        if scheme != "uuid":
            with pytest.raises(ValueError, match=f"the rules of scheme {scheme} never change"):
                PLAIN[scheme].changed_to(PLAIN[scheme])

    @EVERY
    @given(st.data())
    @FEW
    def test_the_rules_for_the_previous_release_accept_the_same_keys(self, scheme: str, data: st.DataObject) -> None:
        rules, key, _ = data.draw(pids(scheme))
        fallback = rules.fallback()
        assert fallback is None or fallback.validate(rules.display(key)) == fallback.validate(key.upper()) == key
        assert fallback is None or fallback.display(key) == rules.display(key)


class TestNamespacesOfTheirOwn:
    """Contextual namespaces that take in an older scheme."""

    ODD = "[A-Z]{3}|[0-9]{4}"

    @pytest.mark.parametrize("object_id", ["ABC", "1234"])
    @pytest.mark.parametrize("rest", ["", ".2005-03-31", ".2005-03-31.gswa-library", f".2005-03-31.{ORCID}"])
    def test_the_published_pattern_matches_with_alternatives_in_the_object_id(self, object_id: str, rest: str) -> None:
        rules = ContextualRules("IGSN", ("NOT",), self.ODD)
        text = f"IGSN.NOT.{object_id}{rest}"
        assert is_valid(rules, text)
        assert in_public(rules, text)

    @pytest.mark.parametrize("text", ["1234", "IGSN.NOT.ABCD", "x1234.2005-03-31"])
    def test_the_published_pattern_matches_nothing_but_the_whole(self, text: str) -> None:
        rules = ContextualRules("IGSN", ("NOT",), self.ODD)
        assert not is_valid(rules, text)
        assert not in_public(rules, text)

    def test_the_published_example_keeps_the_object_ids_own_pattern_or_there_is_none(self) -> None:
        rules = ContextualRules("IGSN", ("NOT",), "[A-Z0-9]{9}")
        example = rules.describe().example
        assert not example or is_valid(rules, example)

    def test_the_published_length_holds_for_a_long_object_type(self) -> None:
        rules = ContextualRules("fabio")
        long = f"fabio.{'x' * 600}.pp1255qv43"
        assert not is_valid(rules, long) or len(long) <= rules.describe().length[1]

    def test_registrants_pattern_decides_on_what_is_no_orcid_and_no_ror(self) -> None:
        rules = ContextualRules("IGSN", None, "[A-Z0-9]{9}", "gswa-[a-z]+|x")
        assert is_valid(rules, "IGSN.NOT.IECUR0002.2005-03-31.gswa-library")
        assert is_valid(rules, "IGSN.NOT.IECUR0002.2005-03-31.x")
        assert is_valid(rules, f"IGSN.NOT.IECUR0002.2005-03-31.{ORCID}")
        assert not is_valid(rules, f"IGSN.NOT.IECUR0002.2005-03-31.{ORCID[:-1]}0")
        assert not is_valid(rules, "IGSN.NOT.IECUR0002.2005-03-31.gswa")
        for text in ("gswa-library", "x", ORCID):
            assert in_public(rules, f"IGSN.NOT.IECUR0002.2005-03-31.{text}")


class TestChosenPatterns:
    @pytest.mark.parametrize(
        ("pattern", "text", "accepted"),
        [
            ("a|b", "b", True),
            ("a|b", "ab", False),
            ("^a$", "a", True),
            ("[a-z]+", "abc\n", False),
            ("[a-z]+", "\nabc", False),
            ("[!-~]+", "", False),
            (".*", "", False),
            ("[!-~]+", "é", False),
            (".+", "x" * 512, True),
            (".+", "x" * 513, False),
            (".+", "é" * 256, True),
            (".+", "é" * 257, False),
        ],
    )
    def test_the_whole_identifier_must_match_and_be_neither_empty_nor_too_long(
        self, pattern: str, text: str, accepted: bool
    ) -> None:
        rules = ChosenRules(pattern)
        assert is_valid(rules, text) is accepted
        assert in_public(rules, text) or not accepted

    @pytest.mark.parametrize("text", ["ABC", "abc", "aBc"])
    def test_a_pattern_in_upper_case_that_folds_accepts_either_case(self, text: str) -> None:
        assert ChosenRules("[A-Z]{3}", folds_case=True).validate(text) == "abc"

    @given(st.text("ab-‐—", min_size=1, max_size=20))
    def test_hyphens_mean_nothing_where_the_rules_ignore_them(self, text: str) -> None:
        rules = ChosenRules("[ab]+", ignores_hyphens=True)
        bare = text.translate(str.maketrans("", "", "-‐—"))
        assert is_valid(rules, text) == bool(bare)
        assert not bare or rules.validate(text) == rules.validate(bare) == bare

    def test_what_is_said_only_if_it_is_wanted_is_not_stored_else(self) -> None:
        assert "ignores_hyphens" not in ChosenRules().document()
        assert rules_of("chosen", ChosenRules(ignores_hyphens=True).document()) == ChosenRules(ignores_hyphens=True)

    @pytest.mark.parametrize("text", ["stra\u00dfe", "\ufb01", "\u212a", "\u017f"])
    def test_folding_lets_in_no_symbol_that_the_published_pattern_keeps_out(self, text: str) -> None:
        rules = ChosenRules("[a-z]+", folds_case=True)
        assert in_public(rules, text) or not is_valid(rules, text)

    @pytest.mark.parametrize(("pattern", "text"), [(".{6}", "stra\u00dfe"), ("\u00df", "\u00df"), (".", "\ufb01")])
    def test_a_key_that_folding_makes_longer_is_itself_valid_or_the_text_is_refused(
        self, pattern: str, text: str
    ) -> None:
        rules = ChosenRules(pattern, folds_case=True)
        assert not is_valid(rules, text) or rules.validate(rules.validate(text)) == rules.validate(text)


class TestDocuments:
    @EVERY
    @given(st.data())
    @FEW
    def test_rules_come_back_from_their_json(self, scheme: str, data: st.DataObject) -> None:
        rules = data.draw(RULE_EXAMPLES[scheme].rules)
        assert rules_of(scheme, json.loads(json.dumps(rules.document()))) == rules

    @EVERY
    @given(st.data())
    @FEW
    def test_the_published_rules_can_be_registered_again(self, scheme: str, data: st.DataObject) -> None:
        rules = data.draw(RULE_EXAMPLES[scheme].rules)
        published = json.loads(json.dumps(rules.public_document()))
        again = rules_from(scheme, published)
        assert again.public_document() == rules.public_document()
        assert again.describe() == rules.describe()

    @EVERY
    def test_the_order_is_never_published_and_never_taken(self, scheme: str) -> None:
        rules = PLAIN[scheme].seeded(SeededEntropy())
        assert "order" not in rules.public_document()
        assert "order" not in type(rules).members()
        with pytest.raises(InvalidInput):
            rules_from(scheme, {**rules.public_document(), "order": "00" * 16})

    def test_rules_of_noids_from_before_there_were_shoulders_are_as_they_were(self) -> None:
        document = {"template": ".reedeedk", "naan": "13030", "order": "00" * 16}
        rules = rules_of("noid", document)
        assert rules.document() == document
        assert rules.describe().zone == "the NAAN, a slash and the name"
        behind = rules_of("noid", document | {"shoulder": "f5"})
        assert behind.document() == document | {"shoulder": "f5"}
        assert behind.describe().zone == "the NAAN, a slash, the shoulder and the name"

    def test_every_repository_of_noids_has_an_order_of_its_own(self) -> None:
        entropy = SeededEntropy()
        seeded = [NoidRules(".reedeedk").seeded(entropy) for _ in range(2)]
        assert len({each.order for each in seeded}) == 2
        assert [each.key(number) for number in range(9) for each in seeded[:1]] != [
            each.key(number) for number in range(9) for each in seeded[1:]
        ]

    @EVERY
    def test_seeding_changes_nothing_that_is_published(self, scheme: str) -> None:
        seeded = PLAIN[scheme].seeded(SeededEntropy())
        assert seeded.public_document() == PLAIN[scheme].public_document()
        assert seeded.describe() == PLAIN[scheme].describe()


class TestNumbers:
    @pytest.mark.parametrize("scheme", ["pilin", "noid"])
    @given(st.data())
    @FEW
    def test_different_numbers_have_different_keys(self, scheme: str, data: st.DataObject) -> None:
        rules = data.draw(RULE_EXAMPLES[scheme].rules)
        assert isinstance(rules, SequentialRules)
        numbers = data.draw(st.sets(st.integers(0, capacity_of(rules) - 1), max_size=20))
        assert len({rules.key(number) for number in numbers}) == len(numbers)

    @pytest.mark.parametrize("template", [".sd", ".rd", ".rdek", "f5.sek"])
    def test_behind_the_last_number_there_is_no_more(self, template: str) -> None:
        rules = NoidRules(template).seeded(SeededEntropy())
        assert isinstance(rules, SequentialRules)
        capacity = capacity_of(rules)
        assert len({rules.key(number) for number in range(capacity)}) == capacity
        for number in (capacity, capacity + 1, 10**30):
            with pytest.raises(Exhausted) as raised:
                rules.key(number)
            assert raised.value.capacity == capacity

    def test_pilin_counts_from_the_year_1582_and_ends_in_2420(self) -> None:
        rules = PilinRules()
        assert rules.key(rules.floor(1_180_064_992_865)) == "Y35XYS0QH"
        assert rules.key(pilin.CAPACITY - 1) == "ZZZZZZZZZ"
        with pytest.raises(Exhausted):
            rules.key(pilin.CAPACITY)


class TestBadRules:
    @pytest.mark.parametrize(
        ("scheme", "document", "pointer"),
        [
            ("lui", {"symbols": 0}, "/rules"),
            ("lui", {"symbols": 13}, "/rules"),
            ("lui", {"symbols": -1}, "/rules"),
            ("lui", {"symbols": "8"}, "/rules/symbols"),
            ("lui", {"symbols": 8.0}, "/rules/symbols"),
            ("lui", {"symbols": True}, "/rules/symbols"),
            ("lui", {"symbols": None}, "/rules/symbols"),
            ("lui", {"symbol": 8}, "/rules/symbol"),
            ("lui", {"a/b": 8}, "/rules/a~1b"),
            ("cooldoi", {"symbols": 8}, "/rules/symbols"),
            ("pilin", {"run": 8}, "/rules/run"),
            ("noid", {"template": "reedeedk"}, "/rules"),
            ("noid", {"template": ".xeedeedk"}, "/rules"),
            ("noid", {"template": "a-b.zeek"}, "/rules"),
            ("noid", {"template": ".zeek", "naan": "AEIOU"}, "/rules"),
            ("noid", {"template": ".zeek", "naan": "13030/"}, "/rules"),
            ("noid", {"template": ".zeek", "shoulder": "fk4"}, "/rules"),
            ("noid", {"template": ".zeek", "naan": "13030", "shoulder": "fk"}, "/rules"),
            ("noid", {"template": ".zeek", "naan": "13030", "shoulder": "fk4/"}, "/rules"),
            ("noid", {"template": ".reedeek", "naan": "1" * 20, "shoulder": "fk4"}, "/rules"),
            ("noid", {"template": 5}, "/rules/template"),
            ("noid", {"template": ".zeek", "order": "00"}, "/rules/order"),
            ("uuid", {"version": 1}, "/rules/version"),
            ("uuid", {"version": "7"}, "/rules/version"),
            ("sha256", {"length": 64}, "/rules/length"),
            ("contextual", {}, "/rules"),
            ("contextual", {"prefix": ""}, "/rules"),
            ("contextual", {"prefix": "a.b"}, "/rules"),
            ("contextual", {"prefix": "fabio", "object_types": ["a.b"]}, "/rules"),
            ("contextual", {"prefix": "fabio", "object_types": [""]}, "/rules"),
            ("contextual", {"prefix": "fabio", "object_types": "Image"}, "/rules/object_types"),
            ("contextual", {"prefix": "fabio", "object_id": "(a)\\1"}, "/rules"),
            ("contextual", {"prefix": "fabio", "registrant": "(?=a)"}, "/rules"),
            ("chosen", {"pattern": "(a)\\1"}, "/rules"),
            ("chosen", {"pattern": "("}, "/rules"),
            ("chosen", {"pattern": "a)|(b"}, "/rules"),
            ("chosen", {"pattern": "[a-z]+", "example": "A1"}, "/rules"),
            ("chosen", {"folds_case": 1}, "/rules/folds_case"),
            ("nothing", {}, "/scheme"),
            ("", {}, "/scheme"),
            ("LUI", {}, "/scheme"),
        ],
    )
    def test_rules_that_make_no_sense_are_refused_with_their_place(
        self, scheme: str, document: dict[str, Any], pointer: str
    ) -> None:
        with pytest.raises(InvalidInput) as raised:
            rules_from(scheme, document)
        assert [violation.pointer for violation in raised.value.violations] == [pointer]

    def test_all_unknown_rules_are_reported_at_once(self) -> None:
        with pytest.raises(InvalidInput) as raised:
            rules_from("lui", {"b": 1, "a": 2, "symbols": 8})
        assert [violation.pointer for violation in raised.value.violations] == ["/rules/a", "/rules/b"]

    def test_a_namespace_without_any_object_type_is_refused_for_nothing_could_be_named(self) -> None:
        with pytest.raises(InvalidInput):
            rules_from("contextual", {"prefix": "fabio", "object_types": []})
