"""Typography: invisible characters are recognised, and dashes are replaced by hyphens."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.typography import is_visible, spellings

UNSEEN = (
    " \t\n\r\x00\x7f\x85\xa0\xad\u034f\u061c\u115f\u17b5\u180e\u2003\u200b\u200e\u2028\u2060"
    "\u202e\u2800\u3164\ufe0f\ufeff\uffa0"
)
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\ufe58\ufe63\uff0d"


@given(st.text(UNSEEN))
def test_of_what_cannot_be_seen_nothing_is(text: str) -> None:
    assert not is_visible(text)


@pytest.mark.parametrize("text", ["a", " . ", "-", "\u200ba\u200b", "茶", "\u0301", "\u0600", "😀", "\ue000"])
def test_of_all_else_something_is(text: str) -> None:
    assert is_visible(text)


@given(st.characters(categories=["L", "N", "P", "S"], exclude_characters=UNSEEN))
def test_letters_digits_and_signs_are_visible(symbol: str) -> None:
    assert is_visible(symbol) or symbol in "\u1160\u17b4"
    if not symbol.isascii() and category(symbol) != "Pd":
        assert spellings(f"a{symbol}") == () or symbol in f"{DASHES}\u2043\u1160\u17b4"


@pytest.mark.parametrize("dash", DASHES)
def test_a_dash_was_a_hyphen_or_came_in_besides(dash: str) -> None:
    assert spellings(f"ab{dash}12") == ("ab-12", "ab12")


@pytest.mark.parametrize("unseen", UNSEEN)
def test_what_is_unseen_came_in_besides_or_was_a_hyphen(unseen: str) -> None:
    assert spellings(f"ab{unseen}12") == ("ab12", "ab-12")


@given(st.text())
def test_what_is_made_of_a_text_has_nothing_of_it_any_more(text: str) -> None:
    for each in spellings(text):
        assert each != text
        assert spellings(each) == ()
