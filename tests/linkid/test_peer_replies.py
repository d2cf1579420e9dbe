"""Replies of peers: what counts as a resolution result, and how long it is fresh."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.linkid.freshness import max_age_of
from coolid.linkid.peer_replies import PeerResponse, read_reply

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
RESULT = {"id": LINKID, "status": "active", "target_url": "https://example.org/"}
GONE = {"id": LINKID, "status": "tombstoned", "target_url": None, "error": "gone"}


def response(status: int, document: Any, media_type: str = "application/json", **headers: str) -> PeerResponse:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return PeerResponse(status, {"content-type": media_type, **named}, body)


@pytest.mark.parametrize(
    ("reply", "kind", "works"),
    [
        (response(200, RESULT), "found", True),
        (response(200, RESULT, "application/json; charset=utf-8"), "found", True),
        (response(410, GONE), "found", True),
        (response(404, {"error": "not_found", "status": "unknown", "target_url": None}), "unknown", True),
        (response(404, {"error": "not_found", "version": "of another implementation"}), "unknown", True),
        (response(403, {"error": "policy_denied"}), "denied", True),
        (response(500, {"error": "integrity_failure"}), "unavailable", True),
        (response(404, {"error": "nothing here"}), "unavailable", False),
        (response(404, b"<p>Not found", "text/html"), "unavailable", False),
        (response(200, RESULT, "text/html"), "unavailable", False),
        (response(200, RESULT, "application/problem+json"), "unavailable", False),
        (response(302, RESULT), "unavailable", False),
        (response(200, GONE), "unavailable", False),
        (response(410, RESULT), "unavailable", False),
        (response(200, {"error": "not_found"}), "unavailable", False),
        (response(200, [RESULT]), "unavailable", False),
        (response(200, RESULT | {"target_url": 1}), "unavailable", False),
        (response(200, b'{"id": "linkid:x", "status": "active", "target_url": null}'), "unavailable", False),
        (response(200, b'{"a": 1, "a": 2}'), "unavailable", False),
        (response(503, {"error": "temporarily_unavailable"}), "unavailable", False),
        (response(502, b"", "text/html"), "unavailable", False),
    ],
)
def test_only_json_with_the_members_of_the_binding_is_a_result(reply: PeerResponse, kind: str, works: bool) -> None:
    read = read_reply(reply)
    assert (read.kind, read.works, read.result is not None) == (kind, works, kind == "found")
    assert bool(read.detail) is (kind != "found")


def test_a_busy_peer_names_its_pause() -> None:
    assert read_reply(response(503, {}, retry_after="120")).retry_after == 120
    assert read_reply(response(503, {}, retry_after="Fri, 31 Dec 1999 23:59:59 GMT")).retry_after == 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"cache-control": "public, max-age=300"}, 300),
        ({"cache-control": 'MAX-AGE="300"'}, 300),
        ({"cache-control": "max-age=300, s-maxage=0"}, 0),
        ({"cache-control": "max-age=300", "age": "290"}, 10),
        ({"cache-control": "max-age=300", "age": "400"}, 0),
        ({"cache-control": "max-age=-1"}, 0),
        ({"cache-control": "no-cache, max-age=300"}, 0),
        ({"cache-control": "max-age=300, no-store"}, None),
        ({"cache-control": "private, max-age=300"}, None),
    ],
)
def test_the_lifetime_is_that_of_shared_caches(headers: dict[str, str], seconds: int | None) -> None:
    assert max_age_of(headers) == seconds


@given(status=st.integers(100, 599), body=st.binary(max_size=60), cache=st.text(max_size=30), age=st.text(max_size=9))
def test_every_response_has_a_meaning(status: int, body: bytes, cache: str, age: str) -> None:
    headers = {"content-type": "application/json", "cache-control": cache, "age": age, "retry-after": age}
    read = read_reply(PeerResponse(status, headers, body))
    assert read.result is None
    assert max_age_of(headers) is None or max_age_of(headers) >= 0  # type: ignore[operator]
