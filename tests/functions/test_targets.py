"""Targets over HTTP: hostile ones are refused without a trace everywhere; honest ones are returned unchanged."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.target_policy import objection
from tests.functions.managed_records import LINKID, alias, amend, mint
from tests.support.effort import examples
from tests.support.fixtures.system import Answer, System

RECORDS = "/api/v1/records"
HONEST = "https://content.example.org/honest"

HOSTILE = [
    "https://example.org\\@evil.com",
    "https:evil.com",
    "https:/evil.com",
    "https:///evil.com",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://017700000001/",
    "http://127.1/",
    "http://0177.0.0.1/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:7f00:1]/",
    "http://0.0.0.0/",
    "http://169.254.169.254/latest/meta-data/",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "javascript\t:alert(1)",
    "\tjavascript:alert(1)",
    "https://example.org/\r\nSet-Cookie: a=b",
    "https://example.org/\n",
    "https://exa\tmple.org/",
    " https://example.org/",
    "https://example.org/\x00",
    "https://user@example.org/",
    "https://user:secret@example.org/",
    "https://@example.org/",
    "https://example.org:99999/",
    "https://example.org:0443/",
    "https://example.org:6667/",
    "https://ex%61mple.org/",
    "https://example%2eorg/",
    "https://example.org%2fevil.com/",
    "https://example.org,evil.com/",
    "https://éxample.org/",
    "https://ｅxample.org/",
    "https://example。org/",
    "https://ex\u00adample.org/",
    "https://ex\u200dample.org/",
    "https://a..example.org/",
    "https://xn--a/",
    "https://example.org/é",
    "https://example.org/" + "a" * 3_000,
    "//example.org/",
    "ftp://example.org/",
    "data:text/html,x",
    "",
]

EXACT = [
    "https://example.org",
    "HTTPS://EXAMPLE.org:443/Path",
    "http://example.org:80/a%2Fb/%2e%2e/%2E/../.",
    "https://example.org/a+b%20c?q=1+2&r=%26&s=a/b?c&t=#part?x/y#z".replace("#z", "%23z"),
    "https://example.org/%00%0d%0aSet-Cookie:a=b",
    "https://example.org/x;y=1,2'()*!$@:~_-.",
    "https://example.org/100%",
    'https://example.org/[a]{b}|c^d`e"<f>',
    "https://example.org?q",
    "https://example.org#f",
    "https://xn--bcher-kva.example/",
    "https://[2001:db8::1]:8443/x",
    "https://example.org/" + "a" * 2_028,
]

Way = Callable[[System, str, str], Answer]


def _amended(method: str, document: Callable[[str], Any]) -> Way:
    def send(system: System, path: str, uri: str) -> Answer:
        tag = system.request("GET", RECORDS + path, key=system.admin_key).headers["etag"]
        headers = [("If-Match", tag)]
        return system.request(method, RECORDS + path, document=document(uri), key=system.admin_key, headers=headers)

    return send


def _listed(uri: str) -> list[dict[str, Any]]:
    return [{"uri": HONEST}, {"uri": uri, "status": "inactive"}]


WAYS: dict[str, tuple[Way, str]] = {
    "mint": (lambda system, path, uri: system.mint({"prefix": _prefix(path), "uri": uri}), "/uri"),
    "mint a list": (
        lambda system, path, uri: system.mint({"prefix": _prefix(path), "records": _listed(uri)}),
        "/records/1/uri",
    ),
    "mint a reserved one": (
        lambda system, path, uri: system.mint({"prefix": _prefix(path), "uri": uri, "status": "reserved"}),
        "/uri",
    ),
    "put": (_amended("PUT", lambda uri: {"uri": uri}), "/uri"),
    "put a list": (_amended("PUT", lambda uri: {"records": _listed(uri)}), "/records/1/uri"),
    "patch": (_amended("PATCH", lambda uri: {"uri": uri}), "/uri"),
    "patch the list": (_amended("PATCH", lambda uri: {"records": _listed(uri)}), "/records/1/uri"),
    "a repository's default": (
        lambda system, _path, uri: system.admin(
            "POST", "/api/v1/repositories", {"title": "x", "target": uri + "{$id}" if uri else uri}
        ),
        "/target",
    ),
}


def _prefix(path: str) -> str:
    return path[1:].partition(":")[0]


def _shortly(uri: str) -> str:
    return ascii(uri[:50])


@pytest.fixture(scope="session")
def thing(light: System) -> str:
    """The path of a record to be changed."""
    return mint(light, alias(light, "targeted"), uri=HONEST)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("uri", HOSTILE, ids=_shortly)
def test_a_hostile_target_is_refused_with_its_place_and_nothing_is_stored(
    light: System, thing: str, way: str, uri: str
) -> None:
    send, pointer = WAYS[way]
    before = light.contents()
    answer = send(light, thing, uri)
    assert answer.is_problem(422, "invalid-input"), answer.body
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert light.contents() == before
    assert light.get(thing).headers["location"] == HONEST


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff\\ud800"])
def test_half_of_a_surrogate_pair_is_refused(light: System, thing: str, escape: str) -> None:
    before = light.contents()
    body = f'{{"prefix": "{_prefix(thing)}", "uri": "https://example.org/{escape}"}}'.encode()
    kind = [("Content-Type", "application/json")]
    answer = light.request("POST", RECORDS, body=body, headers=kind, key=light.admin_key)
    assert answer.status in (400, 422)
    assert light.contents() == before


@pytest.mark.parametrize("uri", EXACT, ids=_shortly)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_an_honest_target_comes_back_byte_for_byte(light: System, thing: str, method: str, uri: str) -> None:
    if method == "POST":
        path = mint(light, _prefix(thing), uri=uri)
    else:
        path = mint(light, _prefix(thing))
        amend(light, method, path, {"uri": uri})
    answer = light.get(path)
    assert (answer.status, answer.headers["location"]) == (302, uri)
    for stored in (light.get(path, accept=LINKID), light.request("GET", RECORDS + path, key=light.admin_key)):
        assert [location["uri"] for location in stored.json()["records"]] == [uri]


@examples(25)
@given(st.text([chr(code) for code in range(0x21, 0x7F)], max_size=40), st.sampled_from(["", "/", "?", "#"]))
def test_whatever_passes_comes_back_byte_for_byte(light: System, thing: str, rest: str, separator: str) -> None:
    uri = f"https://example.org{separator}{rest}"
    if objection(uri):
        assert light.mint({"prefix": _prefix(thing), "uri": uri}).is_problem(422)
    else:
        assert light.get(mint(light, _prefix(thing), uri=uri)).headers["location"] == uri


def test_targets_outside_the_domains_are_refused_by_every_way(light: System) -> None:
    prefix = alias(light, domains=["example.org", "xn--bcher-kva.example"])
    path = mint(light, prefix, uri="https://www.example.org/")
    for uri in (
        "https://example.net/",
        "https://example.org.evil.com/",
        "https://badexample.org/",
        "https://evil.com/?example.org",
        "https://evil.com/#.example.org",
        "https://127.0.0.1/",
        "https://bcher-kva.example/",
    ):
        for way in ("mint", "put", "patch", "patch the list"):
            send, pointer = WAYS[way]
            before = light.contents()
            answer = send(light, path, uri)
            assert answer.is_problem(422, "invalid-input")
            assert answer.json()["errors"][0]["pointer"] == pointer
            assert light.contents() == before
    for uri in ("https://example.org/", "https://A.b.Example.org:8443/x", "https://xn--bcher-kva.example/"):
        amend(light, "PATCH", path, {"uri": uri})
        assert light.get(path).headers["location"] == uri


class TestDomains:
    @pytest.mark.parametrize("domain", ["co.uk", "github.io", "s3.amazonaws.com", "amazonaws.com", "0.0.1"])
    def test_a_repository_cannot_name_what_is_everybodys(self, light: System, domain: str) -> None:
        before = light.contents()
        document = {"title": "x", "domains": ["example.org", domain]}
        answer = light.admin("POST", "/api/v1/repositories", document)
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/domains/1"]
        assert light.contents() == before

    def test_nor_later_and_what_it_has_is_not_judged_again(self, light: System) -> None:
        made = light.admin("POST", "/api/v1/repositories", {"title": "x", "domains": ["example.org"]})
        place = f"/api/v1/repositories/{made.json()['id']}"
        headers = [("If-Match", made.headers["etag"])]

        def patch(document: Any) -> Answer:
            return light.request("PATCH", place, document=document, headers=headers, key=light.admin_key)

        answer = patch({"domains": ["example.org", "co.uk"]})
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/domains/1"]
        assert light.admin("GET", place).json() == made.json()
        with mock.patch("coolid.identifiers.public_suffixes.is_public", return_value=True):
            answer = patch({"domains": ["example.org", "example.net"]})
            assert [error["pointer"] for error in answer.json()["errors"]] == ["/domains/1"]
            assert patch({"title": "y"}).status == 200


class TestWarnings:
    def test_a_lookalike_host_is_accepted_with_a_warning(self, light: System, thing: str) -> None:
        uri = "https://xn--pple-43d.com/"
        minted = light.mint({"prefix": _prefix(thing), "records": [{"uri": HONEST}, {"uri": uri}]})
        assert minted.status == 201
        assert minted.headers["target-warning"] == (
            '"its host xn--pple-43d.com: xn--pple-43d mixes scripts: Cyrillic, Latin";at="/records/1/uri"'
        )
        path = f"/{_prefix(thing)}:{minted.json()['id']}"
        seen = light.request("GET", RECORDS + path, key=light.admin_key)
        assert seen.headers["target-warning"] == minted.headers["target-warning"]
        assert "target-warning" not in light.get(path).headers

    def test_it_goes_when_the_target_does(self, light: System, thing: str) -> None:
        path = mint(light, _prefix(thing), uri="https://xn--pple-43d.com/")
        assert "target-warning" in light.request("GET", RECORDS + path, key=light.admin_key).headers
        amend(light, "PUT", path, {"uri": HONEST})
        assert "target-warning" not in light.request("GET", RECORDS + path, key=light.admin_key).headers

    def test_a_batch_has_the_warning_on_its_line(self, light: System, thing: str) -> None:
        lines = [{"prefix": _prefix(thing), "uri": uri} for uri in (HONEST, "http://localhost/", "https:evil.com")]
        first, second, third = light.admin("POST", f"{RECORDS}/batch", lines).json()
        assert (first["status"], "warnings" in first) == (201, False)
        returned = {"pointer": "/records/0/uri", "detail": "its host localhost is not on the public Internet"}
        assert second["warnings"] == [returned]
        assert third["status"] == 422
