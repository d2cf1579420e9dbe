"""Confusable hosts: labels with letters of scripts that are not used together."""

import unicodedata

import can_ada
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coolid.identifiers.confusable_hosts import label_warning

RANGES = ((0x61, 0x7B), (0xDF, 0x180), (0x3AC, 0x3CF), (0x430, 0x482))
LETTERS = [chr(code) for first, end in RANGES for code in range(first, end) if chr(code).islower()]


def label_of(text: str) -> str:
    """The label as a browser writes it."""
    return can_ada.parse(f"http://{text}.example/").hostname.removesuffix(".example")


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("аpple", "Cyrillic, Latin"),
        ("раypal", "Cyrillic, Latin"),
        ("gοοgle", "Greek, Latin"),
        ("аbc-1", "Cyrillic, Latin"),
        ("αа", "Cyrillic, Greek"),
        ("armեnia", "Armenian, Latin"),
        ("ひらがな한글", "Hangul, Hiragana"),
        ("漢ㄅ한", "Bopomofo, Han, Hangul"),
        ("漢я", "Cyrillic, Han"),
        ("latinไทย", "Latin, Thai"),
    ],
)
def test_mixed_scripts_are_reported(text: str, scripts: str) -> None:
    label = label_of(text)
    assert label_warning(label) == f"{label} mixes scripts: {scripts}"


@pytest.mark.parametrize(
    "text",
    [
        "bücher",
        "łódź-2",
        "пример",
        "ελλάδα-1",
        "日本語",
        "日本語ひらがなカタカナー",
        "toyotaトヨタ自動車",
        "中文ㄅabc",
        "한국漢字abc",
        "עברית",
        "العربية",
        "ไทย",
        "हिन्दी",
        "col·lecció",
        "نامه‌ای",
        "ქართული",
    ],
)
def test_what_one_language_writes_is_not_suspicious(text: str) -> None:
    assert label_of(text).startswith("xn--")
    assert label_warning(label_of(text)) is None


def test_symbols_and_scripts_out_of_use_are_reported() -> None:
    assert label_warning("xn--ls8h") == "xn--ls8h has symbols in it"
    slash = "xn--" + "example.org⁄a".replace(".", "-").encode("punycode").decode()
    assert label_warning(slash) == f"{slash} has symbols in it"
    gothic = label_of("𐌰𐌱")
    assert label_warning(gothic) == f"{gothic} has letters of a script that is not in common use"


@pytest.mark.parametrize("label", ["apple", "xn-apple", "a-b", "", "1"])
def test_a_label_without_punycode_has_nothing_to_hide(label: str) -> None:
    assert label_warning(label) is None


@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=4))
def test_the_suspicion_agrees_with_the_names_of_the_letters(text: str) -> None:
    """The Unicode names of Latin, Cyrillic and Greek letters begin with their scripts: a second source."""
    assume(not text.isascii())
    scripts = {unicodedata.name(letter).split()[0] for letter in text}
    assert (label_warning("xn--" + text.encode("punycode").decode()) is not None) is (len(scripts) > 1)
