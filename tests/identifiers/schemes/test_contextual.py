"""Contextual identifiers: five modules, each validated by the model or by the namespace's declaration."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import contextual, lui, orcid, ror
from coolid.identifiers.schemes.contextual import Contextual, Declaration
from tests.support.builders.samples import SCHEME_VECTORS
from tests.support.fixtures.ports import SeededEntropy

vectors = SCHEME_VECTORS["contextual"]
IGSN = Declaration(object_id=vectors["its_rule"])

words = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="."), min_size=1, max_size=12)
orcids = st.integers(0, 10**15 - 1).map(lambda number: f"{number:015}").map(
    lambda digits: orcid.format(digits + orcid.calc_check_digit(digits))
)  # fmt: skip
rors = st.integers(0, ror.CAPACITY - 1).map(ror.encode)
registrants = orcids | rors
identifiers = st.builds(
    Contextual,
    words,
    words,
    st.text(contextual.ALPHABET, min_size=10, max_size=10),
    st.dates(),
    st.none() | registrants,
) | st.builds(Contextual, words, words, st.text(contextual.ALPHABET, min_size=10, max_size=10))


@pytest.mark.parametrize("text", vectors["valid"])
def test_known_identifiers_are_valid(text: str) -> None:
    assert contextual.validate(text) == contextual.format(text) == text


@pytest.mark.parametrize("text", vectors["valid_where_the_namespace_declares_its_own_object_id_rule"])
def test_others_are_valid_where_the_namespace_declares_its_own_rule(text: str) -> None:
    assert contextual.validate(text, IGSN) == text
    assert not contextual.is_valid(text)


@pytest.mark.parametrize("text", vectors["invalid"])
def test_known_mistakes_are_refused(text: str) -> None:
    assert not contextual.is_valid(text)
    assert not contextual.is_valid(text, IGSN)


def test_the_parts_of_the_papers_own_identifier_are_parsed() -> None:
    parts = contextual.parse(vectors["valid"][0])
    assert parts == Contextual("fabio", "PositionPaper", "pp1255qv43", date(2018, 11, 12), "0000-0001-5699-994X")


@given(identifiers)
def test_modules_and_identifiers_become_each_other(parts: Contextual) -> None:
    assert contextual.parse(str(parts)) == parts
    assert contextual.validate(str(parts)) == contextual.compact(str(parts)) == str(parts)


@given(st.integers(0, 2**32), words, words, st.dates(), registrants)
def test_generated_identifiers_are_valid(
    seed: int, namespace: str, object_type: str, issued: date, registrant: str
) -> None:
    entropy = SeededEntropy(seed)
    for last in ((issued, registrant), (issued,), ()):
        text = contextual.generate(entropy, namespace, object_type, *last)
        parts = contextual.parse(text)
        assert (parts.namespace, parts.object_type) == (namespace, object_type)
        assert len(parts.object_id) == 10


def test_the_alphabet_is_that_of_the_seed() -> None:
    assert "".join(sorted(set("abcdefghijkmnpqrstuvwxyz0123456789"))) == contextual.ALPHABET
    assert len(contextual.ALPHABET) == 34


class TestDeclarations:
    text = "fabio.PositionPaper.pp1255qv43.2018-11-12.0000-0001-5699-994X"

    def test_object_types_must_belong_to_the_namespace_that_declares_them(self) -> None:
        assert contextual.is_valid(self.text, Declaration(object_types=frozenset({"PositionPaper", "Book"})))
        with pytest.raises(InvalidIdentifier, match="object type is not one of those"):
            contextual.validate(self.text, Declaration(object_types=frozenset({"Position", "Paper"})))

    def test_the_namespace_prefix_must_be_the_namespaces_own(self) -> None:
        assert contextual.is_valid(self.text, Declaration(prefix="fabio"))
        with pytest.raises(InvalidIdentifier, match="namespace prefix is not fab"):
            contextual.validate(self.text, Declaration(prefix="fab"))

    def test_an_object_id_rule_replaces_that_of_the_model_and_covers_the_whole_module(self) -> None:
        assert contextual.is_valid("IGSN.NOT.IECUR0002", IGSN)
        for wrong in ("IGSN.NOT.IECUR00022", "IGSN.NOT.pp1255qv43", "IGSN.NOT.aIECUR0002"):
            with pytest.raises(InvalidIdentifier, match="object id does not match"):
                contextual.validate(wrong, IGSN)

    def test_a_registrant_rule_decides_over_words_but_not_over_check_digits(self) -> None:
        declaration = Declaration(registrant="[a-z]+-library")
        front = "fabio.PositionPaper.pp1255qv43.2018-11-12."
        assert contextual.is_valid(f"{front}gswa-library", declaration)
        assert contextual.is_valid(f"{front}05h2dda38", declaration)
        for wrong in ("gswa", "05h2dda39", "0000-0001-5699-9949"):
            assert not contextual.is_valid(front + wrong, declaration)

    def test_a_mistyped_orcid_or_ror_is_refused_whatever_the_namespace_declares(self) -> None:
        for wrong in ("0000-0001-5699-9949", "05h2dda39", "05H2DDA39"):
            with pytest.raises(InvalidIdentifier, match="is mistyped: its check digits are"):
                contextual.validate(f"IGSN.NOT.IECUR0002.2005-03-31.{wrong}", IGSN)

    def test_hostile_patterns_answer_at_once(self) -> None:
        declaration = Declaration(object_id="(a+)+", registrant="(a+)+")
        assert not contextual.is_valid(f"x.y.{'a' * 50_000}!", declaration)
        assert contextual.is_valid(f"x.y.{'a' * 50_000}", declaration)


@pytest.mark.parametrize(
    ("registrant", "canonical"),
    [("0000-0001-5699-994x", "0000-0001-5699-994X"), ("05H2DDA38", "05h2dda38"), ("05hZdda38", None)],
)
def test_the_case_of_a_registrant_does_not_matter(registrant: str, canonical: str | None) -> None:
    front = "fabio.PositionPaper.pp1255qv43.2018-11-12."
    if canonical is None:
        assert not contextual.is_valid(front + registrant)
    else:
        assert contextual.validate(front + registrant) == contextual.compact(front + registrant) == front + canonical


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fabio.PositionPaper", "three to five modules"),
        ("fabio..pp1255qv43", "its object type is empty"),
        ("fabio.PositionPaper.pp1255qv4", "its object id has 9 symbols, not 10"),
        ("fabio.PositionPaper.pp1255qv43.2018-02-30", "2018-02-30, is not a day"),
        ("fabio.PositionPaper.pp1255qv43.2018-11-12.gswa-library", "neither an ORCID iD nor a ROR id"),
    ],
)
def test_reasons_say_which_module_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(InvalidIdentifier, match=reason):
        contextual.validate(text)


def test_a_foreign_symbol_of_the_object_id_is_named_with_its_place() -> None:
    with pytest.raises(InvalidCharacter) as raised:
        contextual.validate("fabio.PositionPaper.pp1255qvl3")
    assert (raised.value.position, raised.value.symbol) == (28, "l")


def test_a_lui_is_no_contextual_identifier() -> None:
    assert not contextual.is_valid(lui.format(lui.encode(1)))
