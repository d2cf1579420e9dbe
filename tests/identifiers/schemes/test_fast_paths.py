"""Fast paths have the same results as the plain ones, refusals and evidence included."""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import ark, crockford, doi, isbn, ror, spelling
from tests.identifiers.schemes.test_every_scheme import edited
from tests.support.builders.samples import SCHEME_VECTORS

NEVER = re.compile("(?!)")
OPENING = spelling.compile_opening("isbn:", "isbn", "https?://x/")
ARKS = (
    *(spelling for spelling, _ in SCHEME_VECTORS["ark"]["pairs"]),
    "ark:/12148/bpt6k97497t",
    "ark:12.34/x",
    "ark:b5/x%7D.y",
)
DOIS = (*SCHEME_VECTORS["doi"]["valid"], *SCHEME_VECTORS["doi"]["same_as_10.1002/asi.23256"], "10.1000.10/a//b")
RORS = (*SCHEME_VECTORS["ror"]["valid"], *SCHEME_VECTORS["ror"]["also_valid"], "https://ror.org/03yrm5c27", "03yrm5c2z")
NUMBERS = ("9780140291612", "0-14-029161-X", "isbn:014029161x", "0378-5955", "https://x/0000-0001-5699-994X", "X", "-")

any_text = st.text(st.characters(codec=None), max_size=30)


def spellings(valid: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Valid ones, such with slips of the pen, and whatever else."""
    return st.sampled_from(valid) | edited(valid) | any_text


def outcome(read: Callable[[str], object], text: str) -> tuple[object, ...]:
    """What it makes of a text: the answer, or the kind of the refusal, its words and its evidence."""
    try:
        return ("read", read(text))
    except InvalidIdentifier as refusal:
        return (type(refusal), str(refusal), vars(refusal))


def number_of(text: str) -> str:
    """The meaning of `spelling.number_of`: opening, foreign symbols, hyphens and `X`, one after the other."""
    start = spelling.opening_end(OPENING, text)
    for at, symbol in enumerate(text[start:], start):
        if symbol not in "0123456789Xx-":
            raise InvalidCharacter(text, at, "0-9, X at the end, or a hyphen")
    key = text[start:].replace("-", "").upper()
    if "X" in key[:-1]:
        raise InvalidCharacter(text, text.upper().index("X", start), "0-9, X at the end, or a hyphen")
    return key


class TestCheckCharacters:
    @given(st.text("0123456789", min_size=9, max_size=9))
    def test_the_isbn_of_ten_has_weights_that_fall_to_two(self, digits: str) -> None:
        total = sum(weight * int(digit) for weight, digit in enumerate(reversed(digits), 2))
        assert isbn.calc_check_digit(digits) == "0123456789X"[-total % 11]


class TestReading:
    @given(spellings(NUMBERS) | st.text("0123456789Xx-", max_size=20))
    @example("١٢٣")
    @example("1ⅹ")
    def test_a_number_without_opening_is_read_as_with_all_steps(self, text: str) -> None:
        assert outcome(lambda text: spelling.number_of(text, OPENING), text) == outcome(number_of, text)

    @given(any_text | st.text(crockford.ALPHABET + "OIL-U", max_size=20))
    @example("\ud800-O")
    def test_base32_is_compacted_symbol_by_symbol(self, text: str) -> None:
        canonical = {**{symbol.upper(): symbol for symbol in crockford.ALPHABET}, **dict.fromkeys("oO", "0")}
        canonical |= {**dict.fromkeys("iIlL", "1"), "-": ""}
        assert crockford.compact(text) == "".join(canonical.get(symbol, symbol) for symbol in text)

    @pytest.mark.parametrize(
        ("scheme", "usual", "valid"), [(ark, "_USUAL", ARKS), (doi, "_BARE", DOIS), (ror, "_USUAL", RORS)]
    )
    @given(data=st.data())
    def test_a_usual_spelling_is_read_as_if_it_were_an_unusual_one(
        self, scheme: ModuleType, usual: str, valid: tuple[str, ...], data: Any
    ) -> None:
        text = data.draw(spellings(valid))
        for read in (scheme.validate, scheme.compact, scheme.is_valid):
            with patch.object(scheme, usual, NEVER):
                plain = outcome(read, text)
            assert outcome(read, text) == plain
