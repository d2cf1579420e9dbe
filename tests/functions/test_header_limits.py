"""Headers through the functions: API Gateway passes on all responses, however long requests or records are."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from coolid.http.message import MAX_HEADER_BYTES, MAX_LINK_BYTES
from tests.support.builders.samples import BASE_URL
from tests.support.effort import examples
from tests.support.fixtures.system import Answer, System

GATEWAY = 10_240
"""Bytes of all headers that API Gateway passes, with those that it adds."""
GATEWAY_ADDS = 500
"""More bytes than API Gateway adds."""

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPTS = [
    None,
    "*/*",
    BROWSER,
    "application/json",
    "application/linkid+json",
    "application/linkset+json",
    "text/plain",
]
ACCEPTS += ["text/turtle", "application/x-bibtex", "text/x-bibliography; style=ris", "image/png", "application/yaml"]
QUERIES = ["", "info", "?", "json", "noredirect", "type=URL", "strict=1", "provider=none", "provider=p1", "memento=1"]
QUERIES += ["version=1", "version=7", "lang=en", "style=ris", "urlappend=/" + "x" * 900, "index=1", "locatt=id:1"]
QUERIES += [f"format={name}" for name in ("linkid", "linkset", "links", "jsonld", "ttl", "erc", "jws", "csl", "bibtex")]
QUERIES += [f"format={name}" for name in ("ris", "datacite", "citation", "html", "qr", "json", "yaml", "x" * 250)]
DIALECTS = ["/", "/resolve/", f"/{BASE_URL}/", "/timegate/", "/timemap/", "/.info/", "/api/reference/"]
DIALECTS += ["/api/identifiers.org/", "/api/handles/", "/api/v1/schemas/", "/?q=", "/api/v1/parse?id="]
SIGNS = ["x", "é", "€", "%", '"', "'", "/", "~", "\U0001f701", "a/.."]
PLACE = "https://content.example.org/"

identifiers = st.builds(
    lambda sign, size: (sign * (size // len(sign.encode()))).strip("/."), st.sampled_from(SIGNS), st.integers(1, 2_100)
)


@dataclass(frozen=True)
class Asked:
    """A request for an identifier in the manner of a dialect, for an `Accept` and an `Accept-Datetime`."""

    dialect: str = "/"
    query: str = ""
    accept: str | None = None
    moment: str | None = None

    def of(self, system: System, path: str) -> Answer:
        """Return the answer of a system about a path, which is decoded."""
        target, mark, first = f"{self.dialect}{quote(path)}".partition("?")
        query = f"{first}&{self.query}" if mark else self.query
        headers = {"Accept_Datetime": self.moment} if self.moment else {}
        return system.get(target, query=query, accept=self.accept, **headers)


@dataclass(frozen=True)
class Long:
    """A system with records and prefixes that make for long headers, and the paths of its records, decoded."""

    system: System
    paths: list[str]


def rich(identifier: str) -> dict[str, Any]:
    """Return the members of a record with more links than a header can have."""
    people = [{"name": f"N. {at}", "uri": f"https://orcid.example/{at:0>100}"} for at in range(60)]
    return {
        "records": [{"uri": f"{PLACE}{at}/".ljust(2_048, "y"), "mediaType": "text/html"} for at in range(20)],
        "metadata": {"what": "W" * 500, "who": [each["uri"] for each in people], "license": f"{PLACE}{'l' * 900}"},
        "alternates": [{"scheme": "url", "identifier": f"{PLACE}{at}".ljust(900, "z")} for at in range(20)],
        "id": identifier,
    }


@pytest.fixture(scope="session")
def long(untouched: System) -> Long:
    running = untouched.copied()
    paths = []
    for name, passthrough in {"long": False, "10.5072": False, "longer": True}.items():
        rules = {"scheme": "chosen", "rules": {"pattern": "(?s).+", "folds_case": True}, "passthrough": passthrough}
        owner = running.admin("POST", "/api/v1/repositories", {"title": "Long"} | rules).json()["id"]
        alias = {"kind": "namespace", "repository": owner}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", alias).status == 201
        for sign in ("x", "é", "%", "\U0001f701", '"'):
            for size in (4, 60, 200, 350, 505):
                identifier = f"{size}{sign * (size // len(sign.encode()))}"
                made = running.mint({"prefix": name, **rich(identifier)})
                assert made.status == 201, made.body
                assert_passes(made)
                paths.append(f"{name}/{identifier}" if name == "10.5072" else f"{name}:{identifier}")
    for path in paths[::4]:
        withdraw(running, path)
    urls = ["https://a.example/{$id}", "https://b.example/{$id}/{$id}"]
    urls += [f"https://{name}.example/{{$id}}" for name in "cdefgh"]
    for name, order in {"far": urls, "twice": urls[1:], "doi": urls}.items():
        providers = [{"code": f"p{at}", "title": "T" * 80, "url": url} for at, url in enumerate(order)]
        document = {"kind": "provider", "title": "Far", "deprecated": True, "providers": providers}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", document).status in (200, 201)
    return Long(running, paths)


def withdraw(system: System, path: str) -> None:
    at = f"/api/v1/records/{quote(path)}"
    tag = system.request("GET", at, key=system.admin_key).headers["etag"]
    reason = {"reason": "R" * 500, "successor": PLACE.ljust(2_000, "s")}
    gone = system.request("DELETE", at, document=reason, key=system.admin_key, headers=[("If-Match", tag)])
    assert gone.status == 200, gone.body
    assert_passes(gone)


def assert_passes(answer: Answer) -> None:
    size = sum(len(f"{name}: {value}\r\n".encode()) for name, value in answer.headers.items())
    assert size <= GATEWAY - GATEWAY_ADDS, {name: len(value) for name, value in answer.headers.items()}
    assert len(answer.headers.get("link", "")) <= MAX_LINK_BYTES
    assert answer.status != 500


requested = st.builds(
    Asked,
    st.sampled_from(DIALECTS),
    st.sampled_from(QUERIES),
    st.sampled_from(ACCEPTS),
    st.sampled_from([None, "Thu, 10 Jul 2025 14:22:30 GMT", "nonsense"]),
)
many = examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])


class TestForeignIdentifiers:
    @many
    @given(requested, st.sampled_from(["far", "twice", "doi", "p1/far"]), identifiers)
    @example(Asked(query="info", accept="text/plain"), "far", "é" * 1_000)
    @example(Asked(), "twice", "x" * 2_000)
    def test_all_responses_pass(self, long: Long, request_of: Asked, prefix: str, identifier: str) -> None:
        assert_passes(request_of.of(long.system, f"{prefix}:{identifier}"))

    def test_what_is_needed_most_stays(self, long: Long) -> None:
        answer = Asked(query="info", accept="text/plain").of(long.system, f"far:{'é' * 1_000}")
        assert answer.status == 200
        assert answer.canonical == f"{BASE_URL}/far:{'%C3%A9' * 1_000}"
        assert 'rel="describes"' not in answer.headers["link"]

    def test_a_redirect_that_no_header_has_room_for_is_refused(self, long: Long) -> None:
        assert Asked().of(long.system, "twice:" + "é" * 1_000).is_problem(400, "bad-reference")


class TestOurIdentifiers:
    @many
    @given(requested, st.sampled_from(["", "/" + "b" * 300, "/é.pdf"]), st.data())
    def test_all_responses_pass(self, long: Long, request_of: Asked, beyond: str, data: Any) -> None:
        assert_passes(request_of.of(long.system, data.draw(st.sampled_from(long.paths)) + beyond))

    def test_warnings_beside_a_long_location_pass(self, long: Long) -> None:
        hosts = [f"https://xn--pple-43d.{'a' * 60}.{'b' * 60}.{'c' * 60}.example/{at}" for at in range(20)]
        made = long.system.mint({"prefix": "long", "id": "w" + "é" * 250, "records": [{"uri": uri} for uri in hosts]})
        assert "target-warning" in made.headers
        assert_passes(made)


@many
@given(st.sampled_from(["/pages/mint/", "/api/", "/health/", "/problems/x", "/"]), identifiers, identifiers)
@example("/pages/mint/", "a", "é" * 1_050)
def test_all_responses_of_the_services_own_addresses_pass(long: Long, address: str, name: str, value: str) -> None:
    assert_passes(long.system.get(address, query=f"{quote(name, safe='')}={quote(value, safe='') * 3}"))


def test_the_limits_leave_room_for_what_the_gateway_adds() -> None:
    etag = 'ETag: "' + 22 * "x" + '"\r\n'
    assert MAX_HEADER_BYTES + len(etag) <= GATEWAY - GATEWAY_ADDS
