"""A resolver that lies, over HTTP: nothing that it answers leads to a target, and each lie has its state and reason."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import orjson
import pytest

from coolid.linkid import states
from tests.support.builders.linkid_operators import OTHER, TARGET, Operator, moment
from tests.support.servers.http_server import Reply, json, page, to
from tests.support.servers.linkid_resolver import KEYS, PATH, Resolver

UNAVAILABLE, INTEGRITY = states.TEMPORARILY_UNAVAILABLE, states.INTEGRITY_FAILURE


def test_an_honest_answer_is_used(honest: Resolver) -> None:
    found = honest.resolved()
    assert (found.status, found.target, found.authority) == ("active", TARGET, honest.operator.issuer)
    assert found.trust == f"first use: the keys that {honest.operator.issuer} publishes are trusted from now on"
    assert all(check.passed for check in found.checks)
    assert honest.host.requests[0].headers["accept"] == "application/json"
    assert honest.host.targets == [PATH, KEYS]
    again = honest.resolved()
    assert again.trust == f"this user trusts the keys of {honest.operator.issuer} since an earlier use"
    assert honest.host.targets == [PATH, KEYS, PATH]


Lie = Callable[[Operator], Reply]


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """Send one byte of a body every 50 milliseconds, without an end."""
    handler.send_response_only(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    try:
        for _ in range(200):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        return


def body(text: str | bytes, status: int = 200, **headers: str) -> Reply:
    fields = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return status, fields, text if isinstance(text, bytes) else text.encode()


def valid(operator: Operator, **members: Any) -> bytes:
    return orjson.dumps(operator.result(operator.record(), **members))


NO_RESULT: dict[str, tuple[Lie, str]] = {
    "html": (lambda _: page(), "it answered with text/html"),
    "html as 404": (lambda _: (404, {"Content-Type": "text/html"}, b"<p>404"), "it answered with text/html"),
    "redirect only": (lambda _: to(TARGET), "only with a redirect"),
    "redirect with a result": (
        lambda o: (302, {"Location": TARGET, "Content-Type": "application/json"}, valid(o)),
        "only with a redirect",
    ),
    "no media type": (lambda o: (200, {}, valid(o)), "it answered with no media type"),
    "problem": (lambda _: (404, {"Content-Type": "application/problem+json"}, b"{}"), r"application/problem\+json"),
    "wrong media type": (lambda o: (200, {"Content-Type": "text/json"}, valid(o)), "it answered with text/json"),
    "404 of an intermediary": (lambda _: body('{"message": "no such route"}', 404), "neither an id nor an error"),
    "404 with another error": (lambda _: body('{"error": "gone"}', 404), "does not fit the status 404"),
    "400 for a valid LinkID": (lambda _: body('{"error": "invalid_identifier"}', 400), "says nothing about the LinkID"),
    "error with 200": (lambda _: body('{"error": "not_found"}', 200), "does not fit the status 200"),
    "result with 500": (lambda o: body(valid(o), 500), "has the status 500, but no error"),
    "result with 404": (lambda o: body(valid(o), 404), "has the status 404, but no error"),
    "result with 201": (lambda o: body(valid(o), 201), "has the status 201, but no error"),
    "500 without a body": (lambda _: (500, {}, b""), "it answered with no media type"),
    "503": (lambda _: (503, {}, b""), "it cannot answer now"),
    "429": (lambda _: (429, {}, b""), "it cannot answer now"),
    "oversized": (lambda o: body(valid(o) + b" " * 2_000_001), "larger than 2000000 bytes"),
    "compressed": (lambda o: body(valid(o), Content_Encoding="gzip"), "is compressed"),
    "truncated": (lambda o: body(valid(o), Content_Length="9999"), "could not be reached|closed|incomplete"),
    "half of the JSON": (lambda o: body(valid(o)[:100]), "is not JSON"),
    "duplicate members": (
        lambda o: body(b'{"target_url": "https://evil.example/", ' + valid(o)[1:]),
        "the name .* occurs twice",
    ),
    "deep nesting": (lambda _: body("[" * 200 + "]" * 200), "nested more than 100 deep"),
    "very deep nesting": (lambda _: body("[" * 100_000), "is not JSON"),
    "no object": (lambda _: body("[]"), "not a JSON object"),
    "lone surrogate": (lambda _: body(b'{"id": "\\ud800"}'), "is not JSON"),
    "no id": (lambda o: body(valid(o, id=None)), "neither an id nor an error"),
    "an id that is none": (lambda o: body(valid(o, id="linkid:4711")), "its id is not a LinkID"),
    "a number as status": (lambda o: body(valid(o, status=1)), "a member is invalid"),
    "expired": (
        lambda o: body(valid(o), Cache_Control="public, max-age=300", Age="100000"),
        "expired 99640 seconds ago",
    ),
    "expired by Date": (
        lambda o: body(
            valid(o),
            Cache_Control="max-age=60",
            Date=format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True),
        ),
        "expired .* seconds ago",
    ),
    "expired by Expires": (
        lambda o: body(valid(o), Date="Mon, 01 Jan 2024 00:00:00 GMT", Expires="Mon, 01 Jan 2024 00:01:00 GMT"),
        "expired .* seconds ago",
    ),
}


@pytest.mark.parametrize("name", NO_RESULT)
def test_what_is_no_result_says_nothing(liar: Resolver, honest: Resolver, name: str) -> None:
    """It is never "unknown", and the next resolver is queried."""
    lie, reason = NO_RESULT[name]
    liar.serves(lie(liar.operator))
    alone = liar.resolved()
    assert (alone.status, alone.target, alone.result) == (UNAVAILABLE, None, None)
    assert [attempt.resolver for attempt in alone.attempts] == [f"{liar.host.url}/resolve/{{identifier}}"]
    assert re.search(reason, alone.attempts[0].problem), alone.attempts[0].problem
    assert liar.resolved(honest).target == TARGET


def test_a_slow_answer_is_none(liar: Resolver) -> None:
    liar.serves(trickle)
    found = liar.resolved(seconds=0.3)
    assert (found.status, found.target) == (UNAVAILABLE, None)
    assert "0.3 seconds" in found.attempts[0].problem


def _record(operator: Operator, **members: Any) -> Any:
    return operator.result(operator.record(**members))


def _altered(operator: Operator) -> Any:
    record = operator.record() | {"records": [{"uri": "https://evil.example/", "status": "active"}]}
    return operator.result(record)


FALSE: dict[str, tuple[Callable[[Operator], Any], str]] = {
    "another LinkID": (lambda o: o.result(o.record(), id=OTHER), "about another LinkID"),
    "the record of another LinkID": (lambda o: o.result(o.record(linkid=OTHER)), "is no name of linkid:00c5"),
    "a tombstone as active": (
        lambda o: o.result(o.tombstone(), target_url=TARGET, status="active"),
        "the status, active, is not that of the record|by the record",
    ),
    "a target that the record lacks": (
        lambda o: o.result(o.record(), target_url="https://evil.example/"),
        "https://evil.example/.* is no usable location",
    ),
    "a record that was altered": (_altered, "the document was altered"),
    "a record without a proof": (
        lambda o: o.result({k: v for k, v in o.record().items() if k != "proof"}),
        "the record has no proof",
    ),
    "no record": (lambda o: o.result(o.record()) | {"record": None}, "not signed, although .* signs its records"),
    "an unknown key": (
        lambda o: Operator(o.issuer, 7).result(Operator(o.issuer, 7).record()),
        "is not in the issuer's key set|THE KEYS",
    ),
    "another issuer": (
        lambda _: Operator("https://evil.example", 7).result(Operator("https://evil.example", 7).record()),
        "is not trusted",
    ),
    "custody that the record lacks": (
        lambda o: o.result(
            o.record(), custody=[{"from": "https://x.example", "to": o.issuer, "at": moment(1), "record": o.record()}]
        ),
        "the record states 0 transfers",
    ),
    "an authority that the record lacks": (
        lambda o: o.result(o.record(), authority="https://evil.example"),
        "authority.*evil.example",
    ),
    "an expired location": (
        lambda o: _record(o, records=[{"uri": TARGET, "status": "active", "validUntil": "2025-07-11T00:00:00Z"}]),
        "is no usable location",
    ),
    "another version": (lambda o: o.result(o.record(), version=7), "version"),
    "a target of an inactive LinkID": (lambda o: o.result(o.record(), status="inactive"), "names a target"),
    "a target of a state that does not exist": (lambda o: o.result(o.record(), status="redirected"), "it states"),
    "active without a target": (lambda o: o.result(o.record(), target_url=None), "names no target"),
    "inactive against the record": (
        lambda o: o.result(o.record(), status="inactive", target_url=None),
        "has a usable location",
    ),
    "unknown as a success": (lambda o: o.result(o.record(), status="unknown", target_url=None), "it states 'unknown'"),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_result_is_refused_with_its_reason(liar: Resolver, honest: Resolver, name: str) -> None:
    lie, reason = FALSE[name]
    liar.serves(json(lie(liar.operator)))
    alone = liar.resolved()
    assert (alone.status, alone.target, alone.result) == (INTEGRITY, None, None)
    assert re.search(reason, alone.reason), alone.reason
    assert alone.attempts[0].problem == f"refused: {alone.reason}"
    assert not alone.checks[-1].passed
    assert liar.resolved(honest).target == TARGET
