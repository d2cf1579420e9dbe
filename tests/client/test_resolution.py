"""The draft's resolution algorithm against real hosts: skipped resolvers, ends and results."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from coolid.client import Outcome, Resolution, resolve
from coolid.client.errors import RefusedByClient
from coolid.client.http_request import HttpRequest
from coolid.client.redirects import Hop
from coolid.client.resolution import first_request
from coolid.errors import BadReference
from tests.support.servers.certificates import Authority
from tests.support.servers.http_server import MISSING, Behaviour, Host, Reply, host, json, page, raw, to
from tests.support.servers.loopback import nobody

LID = "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"
LINKID = "application/linkid+json"
RECORD = {"id": LID, "status": "active", "records": [{"uri": "https://content.example.org/v3/document.pdf"}]}


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


@pytest.fixture
def other() -> Iterator[Host]:
    with host() as running:
        yield running


def requested(*resolvers: str, text: str = f"lid:{LID}", **wishes: Any) -> Resolution:
    return resolve(text, chosen=resolvers, default=None, **wishes)


def test_the_request_is_the_one_of_the_draft(site: Host) -> None:
    site.answers[f"/resolve/{LID}?format=pdf&lang=en"] = page()
    assert requested(site.url, text=f"lid:{LID}?format=pdf", lang="en").outcome is Outcome.FOUND
    headers = site.requests[0].headers
    assert len(site.requests) == 1
    assert headers["accept"] == "*/*"
    assert headers["host"] == f"127.0.0.1:{site.port}"


def test_what_is_accepted_is_sent(site: Host) -> None:
    draft = "application/linkid+json, text/html, */*"
    site.answers[f"/resolve/{LID}"] = json(RECORD, media_type=LINKID)
    resolution = requested(site.url, accept=draft)
    assert site.requests[0].headers["accept"] == draft
    assert resolution.record == RECORD


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_to_where_the_thing_is(site: Host, other: Host, status: int) -> None:
    site.answers[f"/resolve/{LID}"] = to(f"{other.url}/a.pdf", status)
    other.answers["/a.pdf"] = page(b"%PDF", "application/pdf")
    resolution = requested(site.url)
    assert resolution.outcome is Outcome.FOUND
    assert [hop.status for hop in resolution.hops] == [status, 200]
    assert resolution.final is not None
    assert resolution.final.body == b""
    assert not other.requests[0].headers.keys() & {"referer", "cookie", "authorization"}


def test_it_stops_at_the_resolvers_response_if_requested(site: Host, other: Host) -> None:
    site.answers[f"/resolve/{LID}"] = to(f"{other.url}/a.pdf")
    resolution = requested(site.url, follow_redirects=False)
    assert resolution.outcome is Outcome.FOUND
    assert resolution.hops == (Hop(f"{site.url}/resolve/{LID}", 302, f"{other.url}/a.pdf"),)
    assert other.requests == []


DOWN: dict[str, Reply | Behaviour] = {
    "429": (429, {"Retry-After": "5"}, b""),
    "500": json({"detail": "no"}, 500, "application/problem+json"),
    "502": (502, {}, b""),
    "503": (503, {}, b""),
    "nothing": raw(b""),
    "no HTTP": raw(b"nonsense\r\n\r\n"),
    "cut short": (200, {"Content-Length": "100", "Content-Type": LINKID}, b"{"),
    "no JSON": page(b"{", LINKID),
    "no object": page(b"[]", LINKID),
    "a number for two": page(b'{"a": 1, "a": 2}', LINKID),
    "too large": page(b"1" * 2_000_001, LINKID),
    "compressed": (200, {"Content-Type": LINKID, "Content-Encoding": "gzip"}, b""),
}


@pytest.mark.parametrize("name", DOWN)
def test_a_resolver_that_is_down_is_reported_and_the_next_one_is_used(site: Host, other: Host, name: str) -> None:
    site.answers[f"/resolve/{LID}"] = DOWN[name]
    other.answers[f"/resolve/{LID}"] = page()
    resolution = requested(site.url, other.url)
    assert resolution.outcome is Outcome.FOUND
    assert resolution.resolver == f"{other.url}/resolve/{{id}}"
    assert [tried.resolver for tried in resolution.attempts] == [f"{site.url}/resolve/{{id}}"]
    assert resolution.attempts[0].problem


def test_a_resolver_that_does_not_listen_or_respond_is_skipped(other: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    other.answers[f"/resolve/{LID}"] = page()

    ended = threading.Event()

    def impatient_request(template: str, *others: Any) -> HttpRequest:
        request = first_request(template, *others)
        return replace(request, seconds=0.1) if template.startswith(idle.url) else request

    monkeypatch.setattr("coolid.client.resolution.first_request", impatient_request)

    def silent(_handler: Any) -> None:
        ended.wait()

    with nobody() as gone, host({f"/resolve/{LID}": silent}) as idle:
        try:
            resolution = requested(gone, idle.url, other.url)
        finally:
            ended.set()
    assert resolution.outcome is Outcome.FOUND
    assert len(resolution.attempts) == 2


def test_a_resolver_whose_certificate_is_not_trusted_is_passed_over(other: Host, tmp_path: Path) -> None:
    other.answers[f"/resolve/{LID}"] = page()
    with host({f"/resolve/{LID}": page()}, Authority(tmp_path).vouches("127.0.0.1")) as false:
        resolution = requested(false.url, other.url)
    assert resolution.outcome is Outcome.FOUND
    assert "certificate" in resolution.attempts[0].problem
    assert false.requests == []


def test_where_nobody_answers_nobody_was_reached(site: Host) -> None:
    site.answers[f"/resolve/{LID}"] = (503, {}, b"")
    with nobody() as gone:
        resolution = requested(gone, site.url)
    assert (resolution.outcome, resolution.resolver, resolution.hops) == (Outcome.UNREACHABLE, None, ())
    assert len(resolution.attempts) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 406, 410, 414])
def test_a_refusal_is_a_result_and_no_other_resolver_is_used(site: Host, other: Host, status: int) -> None:
    problem = {"type": "about:blank", "detail": "Because.", "suggestions": ["x"]}
    site.answers[f"/resolve/{LID}"] = json(problem, status, "application/problem+json")
    resolution = requested(site.url, other.url)
    assert (resolution.outcome, resolution.document) == (Outcome.NO, problem)
    assert (resolution.attempts, other.requests) == ((), [])


@pytest.mark.parametrize("body", [b"", b"{", b"<html>"])
def test_a_no_is_a_no_whatever_its_body(site: Host, body: bytes) -> None:
    site.answers[f"/resolve/{LID}"] = (404, {"Content-Type": "application/problem+json"}, body)
    assert requested(site.url).outcome is Outcome.NO


def test_a_tombstone_is_a_record_and_a_no(site: Host) -> None:
    tombstone = RECORD | {"status": "withdrawn", "withdrawn": {"at": "2025-01-01T00:00:00Z", "reason": "Wrong."}}
    site.answers[f"/resolve/{LID}"] = json(tombstone, 410, LINKID)
    resolution = requested(site.url)
    assert (resolution.outcome, resolution.record) == (Outcome.NO, tombstone)


def test_several_choices_are_returned(site: Host) -> None:
    site.answers[f"/resolve/{LID}"] = json({"choices": RECORD["records"]}, 300)
    resolution = requested(site.url)
    assert (resolution.outcome, resolution.document) == (Outcome.FOUND, {"choices": RECORD["records"]})


@pytest.mark.parametrize("status", [204, 206, 302, 304, 305, 399])
def test_a_response_without_a_target_is_a_refusal(site: Host, other: Host, status: int) -> None:
    site.answers[f"/resolve/{LID}"] = (status, {}, b"")
    assert requested(site.url).outcome is Outcome.NO
    site.answers[f"/resolve/{LID}"] = to(f"{other.url}/x")
    other.answers["/x"] = (302, {}, b"")
    assert requested(site.url).outcome is Outcome.NO


def test_escapes_in_a_linkid_are_of_the_same_characters(site: Host) -> None:
    site.answers[f"/resolve/{LID}"] = json(RECORD, 200, LINKID)
    assert requested(site.url, text=f"lid:%{ord(LID[0]):02x}{LID[1:]}").record == RECORD


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Outcome.FOUND),
        (401, Outcome.FOUND),
        (403, Outcome.FOUND),
        (404, Outcome.NO),
        (410, Outcome.NO),
        (429, Outcome.UNREACHABLE),
        (500, Outcome.UNREACHABLE),
        (503, Outcome.UNREACHABLE),
    ],
)
def test_what_the_target_says_counts(site: Host, other: Host, status: int, outcome: Outcome) -> None:
    site.answers[f"/resolve/{LID}"] = to(f"{other.url}/x")
    other.answers["/x"] = (status, {}, b"")
    resolution = requested(site.url)
    assert (resolution.outcome, resolution.resolver) == (outcome, f"{site.url}/resolve/{{id}}")


def test_an_unreachable_target_is_reported_with_its_location(site: Host) -> None:
    with nobody() as gone:
        site.answers[f"/resolve/{LID}"] = to(f"{gone}/x")
        resolution = requested(site.url)
    assert resolution.outcome is Outcome.UNREACHABLE
    assert [hop.location for hop in resolution.hops] == [f"{gone}/x"]
    assert gone in (resolution.stopped or "")


def test_from_a_resolver_to_plain_http_is_refused(site: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with host({f"/resolve/{LID}": to("http://example.org/x")}, authority.vouches("localhost", "127.0.0.1")) as safe:
        resolution = requested(safe.url)
    assert (resolution.outcome, resolution.stopped) == (Outcome.NO, "refused to go from https to http")
    assert [hop.location for hop in resolution.hops] == ["http://example.org/x"]


def test_only_the_requested_txt_record_is_read(site: Host) -> None:
    site.answers[f"/resolve/{LID}?format=ttl"] = page(b"<a> <b> <c> .", "text/turtle")
    site.answers[f"/resolve/{LID}"] = page(b"<p>A page", "text/html")
    assert requested(site.url, format="ttl").text == "<a> <b> <c> ."
    assert requested(site.url).text is None


def test_the_well_known_resolver_of_a_domain_is_used(site: Host, other: Host) -> None:
    site.answers["/.well-known/linkid-resolver"] = json({"resolution_endpoint": f"{other.url}/lid/{{id}}"})
    other.answers[f"/lid/{LID}"] = page()
    resolution = requested(domain=f"127.0.0.1:{site.port}")
    assert resolution.outcome is Outcome.FOUND
    assert other.targets == [f"/lid/{LID}"]


def test_the_host_of_a_url_is_the_domain(site: Host) -> None:
    site.answers["/.well-known/linkid-resolver"] = json({"resolution_endpoint": f"{site.url}/resolve/{{id}}"})
    site.answers["/resolve/2021/06/mp/tw0t-ywdj-94"] = page()
    assert requested(text=f"{site.url}/resolve/2021/06/mp/tw0t-ywdj-94").outcome is Outcome.FOUND


def test_the_default_resolver_is_the_last(site: Host, other: Host) -> None:
    site.answers[f"/resolve/{LID}"] = (503, {}, b"")
    other.answers[f"/resolve/{LID}"] = page()
    resolution = resolve(LID, chosen=[site.url], default=other.url)
    assert resolution.resolver == f"{other.url}/resolve/{{id}}"


def test_a_forbidden_url_is_refused_before_any_request(site: Host) -> None:
    with pytest.raises(BadReference):
        requested(site.url, text="lid:")
    with pytest.raises(RefusedByClient):
        requested(site.url, "http://example.org/")
    with pytest.raises(RefusedByClient):
        requested(site.url, domain="a/b")
    assert site.requests == []


def test_an_identifier_that_makes_too_long_a_url_is_reported(site: Host) -> None:
    (tried,) = requested(site.url, text="ä" * 1000 + "?format=" + "ö" * 500).attempts
    assert "longer than" in tried.problem
    assert site.requests == []


def test_the_resolution_is_one_json_document(site: Host, other: Host) -> None:
    site.answers[f"/resolve/{LID}"] = MISSING
    other.answers[f"/resolve/{LID}"] = json(RECORD, media_type=LINKID)
    with nobody() as gone:
        document = orjson.loads(orjson.dumps(requested(gone, other.url).to_document()))
    assert document["id"] == LID
    assert document["resolver"] == f"{other.url}/resolve/{{id}}"
    assert document["hops"] == [{"url": f"{other.url}/resolve/{LID}", "status": 200, "location": None}]
    assert document["record"] == RECORD
    assert [tried["resolver"] for tried in document["tried"]] == [f"{gone}/resolve/{{id}}"]
    final = requested(site.url).to_document()["final"]
    assert final == {"url": f"{site.url}/resolve/{LID}", "status": 404, "mediaType": ""}
