"""Resolution results: every result survives the way through JSON, and nothing else is taken for one."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.schemes import linkid
from coolid.linkid import states
from coolid.linkid.results import (
    GONE,
    MAX_BYTES,
    STATUS_CODES,
    InvalidResult,
    RefusedClaim,
    ResolutionResult,
    ResultTarget,
    ResultTransfer,
    from_document,
    from_response,
)
from coolid.strict_json import dump

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
ACTIVE: dict[str, Any] = {"id": LINKID, "status": "active", "target_url": "https://a.example/"}
STATES = sorted(states.WITH_RECORD | states.WITHOUT_RECORD)
JSON = "application/json"

lines = st.text(max_size=30)
urls = lines.map("https://a.example/".__add__)
records = st.dictionaries(lines, st.none() | st.booleans() | lines | st.lists(lines, max_size=2), max_size=3)
targets = st.builds(
    ResultTarget,
    urls,
    media_type=st.none() | lines,
    language=st.none() | lines,
    quality=st.none() | st.floats(0, 1),
    fallback=st.booleans(),
)
results = st.builds(
    ResolutionResult,
    id=st.uuids().map(lambda value: linkid.format(value.hex)),
    status=st.sampled_from(STATES),
    target_url=st.none() | urls,
    error=st.sampled_from(list(STATUS_CODES)),
    detail=st.none() | lines,
    version=st.none() | st.integers(1, 2**53 - 1),
    authoritative=st.booleans(),
    authority=st.none() | urls,
    reason=st.none() | lines,
    targets=st.lists(targets, max_size=3).map(tuple),
    record=st.none() | records,
    custody=st.lists(st.builds(ResultTransfer, urls, urls, lines, records), max_size=2).map(tuple),
    conflicts=st.lists(st.builds(RefusedClaim, urls, lines, st.none() | records), max_size=2).map(tuple),
)


@given(results)
def test_results_survive_json_and_have_the_members_of_the_draft(result: ResolutionResult) -> None:
    document = result.to_document()
    assert from_document(document) == result
    assert from_response(result.status_code, JSON, dump(document).encode()) == result
    assert {"id", "status", "target_url", "scheme", "uuid"} <= document.keys()
    assert result.error not in (None, GONE) or {"version", "last_verified_at", "authoritative"} <= document.keys()
    assert (result.usable_target is not None) <= (result.status == states.ACTIVE and result.error is None)


@given(results, st.dictionaries(lines.map("x-".__add__), records, max_size=3))
def test_unknown_members_are_ignored(result: ResolutionResult, unknown: dict[str, Any]) -> None:
    assert from_document(result.to_document() | unknown) == result


def test_an_id_of_either_case_has_its_canonical_form() -> None:
    assert from_document(ACTIVE | {"id": LINKID.upper()}).id == LINKID


def test_an_error_needs_no_id() -> None:
    result = from_document({"error": "invalid_identifier", "status": None, "target_url": None})
    assert (result.id, result.status_code, result.usable_target) == (None, 400, None)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ([], "it is not a JSON object"),
        ({"status": "active", "target_url": None}, "neither an id nor an error"),
        ({"id": LINKID, "target_url": None}, "it has no status"),
        ({"id": LINKID, "status": "active"}, "it has no target_url"),
        (ACTIVE | {"id": 4711}, "Expected `str | null`, got `int` - at `$.id`"),
        (ACTIVE | {"id": "linkid:4711"}, "its id is not a LinkID"),
        (ACTIVE | {"id": LINKID.removeprefix("linkid:")}, "its id is not a LinkID"),
        (ACTIVE | {"target_url": ["https://a.example/"]}, "at `$.target_url`"),
        (ACTIVE | {"target_url": "https://a.example/" + "x" * 4_000}, "at `$.target_url`"),
        (ACTIVE | {"status": "a" * 101}, "at `$.status`"),
        (ACTIVE | {"version": "3"}, "at `$.version`"),
        (ACTIVE | {"authoritative": "yes"}, "at `$.authoritative`"),
        (ACTIVE | {"targets": [{"url": "https://a.example/", "quality": 2}]}, "at `$.targets[0].quality`"),
        (ACTIVE | {"targets": [{}]}, "at `$.targets[0]`"),
        (ACTIVE | {"custody": [{"from": "https://a.example"}]}, "at `$.custody[0]`"),
        (ACTIVE | {"custody": [{}] * 101}, "at `$.custody`"),
        (ACTIVE | {"record": "eyJ"}, "at `$.record`"),
    ],
)
def test_other_documents_are_refused_with_the_reason(document: Any, reason: str) -> None:
    with pytest.raises(InvalidResult, match=re.escape(reason)):
        from_document(document)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html>", "is not JSON"),
        (b'{"id": 1, "id": 2}', "occurs twice"),
        (b" " * (MAX_BYTES + 1), "is larger than"),
    ],
)
def test_other_texts_are_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(InvalidResult, match=reason):
        from_response(200, JSON, body)
