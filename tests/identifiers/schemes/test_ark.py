"""ARKs: every spelling is normalised by the draft's steps, and no other text is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import ark
from tests.support.builders.samples import SCHEME_VECTORS

vectors = SCHEME_VECTORS["ark"]
BETANUMERIC = "0123456789bcdfghjkmnpqrstvwxz"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=~*+@_$"

symbols = st.sampled_from([*LETTERS, "%20", "%7D", "%2F"])
segments = st.lists(symbols, min_size=1, max_size=8).map("".join)
qualifiers = st.lists(st.tuples(st.sampled_from("/."), segments), max_size=4).map(
    lambda pairs: "".join(separator + segment for separator, segment in pairs)
)
arks = st.builds(ark.Ark, st.text(BETANUMERIC, min_size=1, max_size=40), segments, qualifiers)


@st.composite
def spelled(draw: Any, key: str) -> str:
    """A way in which people may write a normalised ARK."""
    address = draw(st.sampled_from(["", "https://n2t.net/", "http://localhost:8080/a/b/", "example.org/"]))
    written = [address, draw(st.sampled_from(["ark:", "ark:/", "ARK:", "Ark:/"]))]
    naan, _, rest = key.removeprefix("ark:").partition("/")
    written.append(draw(st.sampled_from([naan, naan.upper()])))
    escape = 0
    for symbol in "/" + rest:
        escape = 2 if symbol == "%" else max(escape - 1, -1)
        written.append(symbol.lower() if escape in (0, 1) and draw(st.booleans()) else symbol)
        if symbol in "/.":
            written.append(draw(st.sampled_from(["", "/", "./", "-"])))
        written.append(draw(st.sampled_from(["", "", "", "-", "--", "\u2010", "\u2014"])))
    return "".join([*written, draw(st.sampled_from(["", "/", ".", "/.", "?info", "/?a=b/c"]))])


@pytest.mark.parametrize(("spelling", "key"), vectors["pairs"])
def test_known_spellings_are_normalised(spelling: str, key: str) -> None:
    assert ark.validate(spelling) == ark.compact(spelling) == ark.format(spelling) == key
    assert ark.validate(key) == key


@pytest.mark.parametrize(("spelling", "naan", "shoulder", "blade", "qualifier"), vectors["parts"])
def test_known_parts_are_parsed(spelling: str, naan: str, shoulder: str, blade: str, qualifier: str) -> None:
    parts = ark.parse(spelling)
    assert (parts.naan, parts.shoulder, parts.qualifier) == (naan, shoulder, qualifier)
    assert parts.name == shoulder + blade


@pytest.mark.parametrize("spelling", vectors["invalid"])
def test_known_mistakes_are_refused(spelling: str) -> None:
    assert not ark.is_valid(spelling)


@given(arks)
def test_parts_and_normalised_arks_become_each_other(parts: ark.Ark) -> None:
    assert ark.validate(str(parts)) == str(parts)
    assert ark.parse(str(parts)) == parts


@given(arks, st.data())
def test_every_spelling_reaches_the_same_ark(parts: ark.Ark, data: st.DataObject) -> None:
    assert ark.validate(data.draw(spelled(str(parts)))) == str(parts)


@given(arks, st.data())
def test_wherever_a_spelling_is_divided_its_pieces_are_those_of_the_normalised_ark(
    parts: ark.Ark, data: st.DataObject
) -> None:
    key = str(parts)
    written = data.draw(spelled(key).filter(lambda text: text[:4].lower() == "ark:"))
    divided = [(before, ark.compact_part(rest)) for before, rest in ark.divisions(written)]
    ends = [at for at, symbol in enumerate(key) if symbol == "/"]
    assert divided == [*((key[:at], key[at + 1 :]) for at in ends), (key, "")]
    behind = ark.behind_shoulder(written)
    assert (behind is None) == (parts.shoulder in ("", parts.name) or parts.shoulder != parts.shoulder.lower())
    if behind is not None:
        at = len(f"ark:{parts.naan}/{parts.shoulder}")
        assert (behind[0], ark.compact_part(behind[1])) == (key[:at], key[at:])


@given(arks, arks)
def test_different_arks_stay_different(one: ark.Ark, other: ark.Ark) -> None:
    assert (ark.validate(str(one)) == ark.validate(str(other))) == (one == other)


def test_long_naans_and_names_are_taken() -> None:
    key = f"ark:{'b5060d8x' * 4}/{'x' * 255}/{'y' * 255}"
    assert ark.validate(key) == key


def test_the_order_of_suffixes_is_stored() -> None:
    assert ark.validate("ark:12345/x54.v18.fr") != ark.validate("ark:12345/x54.fr.v18")


@pytest.mark.parametrize(
    ("spelling", "position"),
    [("ark:/123a5/x5", 8), ("https://n2t.net/ark:12345/x5 4", 28), ("ark:1-2-3-4-5/x-é", 16), ("ark:12345/x5#4", 12)],
)
def test_a_foreign_symbol_is_named_with_its_place_in_the_text_as_given(spelling: str, position: int) -> None:
    with pytest.raises(InvalidCharacter) as raised:
        ark.validate(spelling)
    assert (raised.value.position, raised.value.symbol) == (position, spelling[position])


@pytest.mark.parametrize(
    ("spelling", "reason"),
    [
        ("12345/x54", "no label"),
        ("ark:/", "no NAAN"),
        ("ark:12345", "no name"),
        ("ark:12345/x%4", "the escape '%4' is not"),
        ("ark:12345/%zz", "the escape '%zz' is not"),
    ],
)
def test_reasons_say_what_is_missing(spelling: str, reason: str) -> None:
    with pytest.raises(InvalidIdentifier, match=reason):
        ark.validate(spelling)
