"""Names near a text: the same as by comparing all of them."""

from hypothesis import given
from hypothesis import strategies as st

from coolid.resolution.near_names import NearNames

SYMBOLS = "ab/é\U0010ffff"
words = st.text(SYMBOLS, max_size=5)


def typos(text: str) -> set[str]:
    """Return all texts of these symbols that are one typo away."""
    splits = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    removed = {before + rest[1:] for before, rest in splits}
    swapped = {before + rest[1:2] + rest[:1] + rest[2:] for before, rest in splits}
    other = {before + symbol + kept for before, rest in splits for symbol in SYMBOLS for kept in (rest, rest[1:])}
    return (removed | swapped | other) - {text}


@given(st.lists(words, max_size=40), words)
def test_they_are_the_names_that_one_typo_changes_into_the_text(names: list[str], text: str) -> None:
    assert NearNames(names).near(text) == sorted(typos(text).intersection(names))


@given(words)
def test_all_typos_are_found(text: str) -> None:
    assert NearNames([*typos(text), text]).near(text) == sorted(typos(text))
