"""Pasted texts: the expected identifier comes first, and none is redirected to another."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.builders.samples import BASE_URL, ROOT
from tests.support.fixtures.system import System

PASTES: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/pastes.json").read_text(encoding="utf-8"))["pastes"]
MIN_SHARE = 0.99
"""The least share of texts whose expected identifier comes first."""


def parse(world: System, text: str) -> dict[str, Any]:
    answer = world.get("/api/v1/parse", query=f"id={quote(text, safe='')}")
    assert answer.status == 200
    return dict(answer.json())


def key(identifier: str | None) -> str:
    """Return an identifier in lower case without hyphens, spaces and the slash after `ark:`."""
    return re.sub("[- ]", "", identifier or "").casefold().replace("ark:/", "ark:")


def first(parsed: dict[str, Any]) -> str | None:
    """Return the identifier that an answer gives first, if it is certain."""
    if parsed["canonical"] is not None and parsed["location"] is not None:
        return str(parsed["canonical"])
    sure = [each for each in parsed["candidates"] if each["valid"] and not each.get("guess")]
    return next((f"{each['scheme']}:{each['canonical']}" for each in sure if each["scheme"] != "curie"), None)


def outcome(world: System, paste: dict[str, Any]) -> object:
    """Return what an answer gives for a text, comparable to what is expected."""
    parsed, expected = parse(world, paste["text"]), paste["expected"]
    match paste["kind"]:
        case "guess":
            best = parsed["candidates"][0] if parsed["candidates"] else {}
            is_guess = best.get("guess") and parsed["location"] is None
            return key(best["canonical"]) if is_guess else None
        case "near":
            suggestions = {key(each) for each in parsed["suggestions"]}
            return key(expected) if key(expected) in suggestions and parsed["location"] is None else None
    if isinstance(expected, list):
        return [key(first(parse(world, each))) for each in parsed["found"]]
    if len(parsed["found"]) > 1:
        return [key(each) for each in parsed["found"]]
    returned = first(parsed)
    return key(returned) if returned else None


def expectation(paste: dict[str, Any]) -> object:
    expected = paste["expected"]
    return [key(each) for each in expected] if isinstance(expected, list) else key(expected) or None


@pytest.fixture(scope="session")
def outcomes(world: System) -> list[tuple[dict[str, Any], object]]:
    """Each paste with what the service makes of it."""
    return [(paste, outcome(world, paste)) for paste in PASTES]


def test_the_expected_identifier_comes_first(outcomes: list[tuple[dict[str, Any], object]]) -> None:
    others = [(paste["text"], returned) for paste, returned in outcomes if returned != expectation(paste)]
    assert len(others) <= (1 - MIN_SHARE) * len(PASTES), others


def test_the_search_box_redirects_no_text_to_another_identifier(world: System) -> None:
    wrong: list[tuple[str | None, ...]] = []
    for paste in PASTES:
        answer = world.get("/", query=f"q={quote(paste['text'], safe='')}")
        assert answer.status in (200, 303)
        target = answer.headers.get("location")
        if target is None:
            continue
        expected = paste["expected"] if isinstance(paste["expected"], str) else None
        if expected is None or paste["kind"] in ("guess", "near"):
            wrong.append((paste["text"], target))
            continue
        ours = world.get(target.removeprefix(BASE_URL)).headers.get("location")
        plain = world.get("/" + quote(expected, safe=":/()<>;")).headers.get("location")
        if ours is None or key(ours) != key(plain):
            wrong.append((paste["text"], target, ours, plain))
    assert wrong == []


def test_an_identifier_with_wrong_check_digits_is_no_guess(world: System) -> None:
    candidates = parse(world, "0000-0002-1825-0098")["candidates"]
    assert "orcid:0000-0002-1825-0098" not in [each["canonical"] for each in candidates]
