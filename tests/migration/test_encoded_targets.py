"""Encoded targets: what a browser encodes, and nothing else."""

import can_ada
import pytest

from coolid.identifiers.target_policy import objection
from coolid.migration.encoded_targets import encoded_target
from tests.identifiers.test_target_policy import HOSTILE

CHARACTERS = [*map(chr, range(256)), "€", "\u202e", "\U0001f600"]


@pytest.mark.parametrize("pattern", ["/é{}x", "/?é{}x", "/#é{}x"])
def test_characters_are_encoded_as_the_parser_does_it(pattern: str) -> None:
    for character in CHARACTERS:
        uri = "https://x.example" + pattern.format(character)
        # Browsers remove line breaks and tabs, and the policy refuses backslashes.
        assert encoded_target(uri) == (None if character in "\t\n\r\\" else can_ada.parse(uri).href)


@pytest.mark.parametrize(
    "uri",
    [
        "https://x.example/a",
        'https://x.example/a"b',
        "https://x.example/%zz",
        "https://é.example/",
        "https://é.example/a b",
        "https://x.example /a",
        "https://u@x.example/a b",
        "https://X.example:8443@y.example/é",
        "https://x.example/a b ",
        " https://x.example/a b",
        "https://x.example/a\\b c",
        "https://x.example/\ud800",
        "javascript:alert( 1)",
        "ftp://x.example/a b",
        "https://x.example/" + "é" * 1000,
        "",
    ],
)
def test_other_targets_stay(uri: str) -> None:
    assert encoded_target(uri) is None


@pytest.mark.parametrize("uri", HOSTILE)
def test_a_hostile_target_is_encoded_only_into_the_same_url(uri: str) -> None:
    encoded = encoded_target(uri)
    assert encoded is None or (objection(encoded) is None and can_ada.parse(encoded).href == can_ada.parse(uri).href)


def test_only_characters_are_encoded() -> None:
    assert encoded_target("HTTPS://X.example:8443/../b c") == "HTTPS://X.example:8443/../b%20c"
    assert encoded_target("https://x.example?q=a b'#c'd`") == "https://x.example?q=a%20b%27#c'd%60"
