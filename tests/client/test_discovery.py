"""Discovery: the well-known document, then SRV, then the default resolver, each only if it is needed."""

from pathlib import Path
from typing import Any

import pytest

from coolid.client.discovery import (
    DEFAULT_RESOLVER,
    WELL_KNOWN_PATH,
    DiscoveryAttempt,
    endpoints,
    resolvers,
    well_known_url,
)
from coolid.client.errors import BadAnswer, RefusedByClient
from tests.support.servers.certificates import Authority
from tests.support.servers.http_server import host, json, page, to
from tests.support.servers.loopback import nobody
from tests.support.servers.name_server import name_server

TEMPLATE = "https://id.example.org/resolve/{id}"
ADDRESS = "https://example.org" + WELL_KNOWN_PATH


def templates(found: list[str | DiscoveryAttempt]) -> list[str]:
    return [each for each in found if isinstance(each, str)]


def test_the_order_is_chosen_then_well_known_then_srv_then_default() -> None:
    with (
        host() as site,
        name_server({"_linkid._https.localhost": ["2 0 8443 localhost.", "1 0 8444 localhost."]}) as dns,
    ):
        site.answers[WELL_KNOWN_PATH] = json({"issuer": site.url, "resolution_endpoint": f"{site.url}/resolve/{{id}}"})
        found = list(resolvers(["https://a.example"], f"localhost:{site.port}", nameserver=dns))
    assert templates(found) == [
        "https://a.example/resolve/{id}",
        f"{site.url}/resolve/{{id}}",
        "https://localhost:8444/resolve/{id}",
        "https://localhost:8443/resolve/{id}",
        f"{DEFAULT_RESOLVER}resolve/{{id}}",
    ]
    assert site.requests[0].headers["accept"] == "application/json"


def test_nobody_is_searched_before_it_is_needed() -> None:
    with host() as site:
        found = resolvers([site.url], f"localhost:{site.port}", default=None)
        assert next(found) == f"{site.url}/resolve/{{id}}"
        assert site.requests == []


def test_nobody_is_minted_twice() -> None:
    with host() as site:
        site.answers[WELL_KNOWN_PATH] = json({"resolution_endpoint": [site.url, f"{site.url}/resolve"]})
        found = list(resolvers([site.url, f"{site.url}/"], f"127.0.0.1:{site.port}", default=site.url))
    assert templates(found) == [f"{site.url}/resolve/{{id}}"]


def test_a_domain_without_a_document_is_reported_and_the_next_method_is_used(tmp_path: Path) -> None:
    with host() as site:
        assert list(resolvers(domain=f"127.0.0.1:{site.port}")) == [
            DiscoveryAttempt(f"{site.url}{WELL_KNOWN_PATH}", "the domain has no discovery document (status 404)"),
            f"{DEFAULT_RESOLVER}resolve/{{id}}",
        ]


def test_a_domain_that_is_not_reached_is_reported() -> None:
    with nobody() as url:
        (missing,) = resolvers(domain=url.removeprefix("http://"), default=None)
    assert isinstance(missing, DiscoveryAttempt)
    assert "could not be reached" in missing.problem


def test_a_document_may_be_elsewhere() -> None:
    with host() as site:
        site.answers |= {
            WELL_KNOWN_PATH: to("/linkid.json"),
            "/linkid.json": json({"endpoint": f"{site.url}/lid/{{id}}"}),
        }
        assert templates(list(resolvers(domain=f"127.0.0.1:{site.port}", default=None))) == [f"{site.url}/lid/{{id}}"]


@pytest.mark.parametrize("member", ["resolution_endpoint", "endpoint", "resolver"])
def test_an_endpoint_is_found_under_the_names_that_servers_use(member: str) -> None:
    assert endpoints({member: "https://id.example.org/"}, ADDRESS) == (TEMPLATE,)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        5,
        {},
        {"issuer": "https://example.org"},
        {"resolution_endpoint": 5},
        {"resolution_endpoint": None},
        {"resolver": []},
        {"resolver": {"a": 1}},
    ],
    ids=repr,
)
def test_a_document_without_an_endpoint_is_a_bad_answer(document: Any) -> None:
    with pytest.raises(BadAnswer):
        endpoints(document, ADDRESS)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://id.example.org/resolve/{id}",
        "http://127.0.0.1/resolve/{id}",
        "https://localhost/{id}",
        "ftp://x/{id}",
        "/resolve/{id}",
        "{id}",
    ],
)
def test_an_endpoint_is_https_and_no_domain_points_at_this_machine(endpoint: str) -> None:
    with pytest.raises(RefusedByClient):
        endpoints({"resolution_endpoint": endpoint}, ADDRESS)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"resolution_endpoint": "http://example.org/"}', b"[]"])
def test_a_document_that_cannot_be_used_is_reported(body: bytes) -> None:
    with host({WELL_KNOWN_PATH: page(body)}) as site:
        (missing,) = resolvers(domain=f"127.0.0.1:{site.port}", default=None)
    assert isinstance(missing, DiscoveryAttempt)


def test_a_name_server_that_fails_is_reported() -> None:
    with host() as site, name_server({}, "SERVFAIL") as dns:
        *_, missing = resolvers(domain=f"localhost:{site.port}", default=None, nameserver=dns)
    assert isinstance(missing, DiscoveryAttempt)
    assert missing.resolver == "_linkid._https.localhost"


@pytest.mark.parametrize(
    ("domain", "address"),
    [
        ("example.org", "https://example.org" + WELL_KNOWN_PATH),
        ("example.org:8443", "https://example.org:8443" + WELL_KNOWN_PATH),
        ("münchen.example", "https://xn--mnchen-3ya.example" + WELL_KNOWN_PATH),
        ("localhost:8080", "http://localhost:8080" + WELL_KNOWN_PATH),
        ("[::1]:8080", "http://[::1]:8080" + WELL_KNOWN_PATH),
    ],
)
def test_the_well_known_address_is_at_the_domain(domain: str, address: str) -> None:
    assert well_known_url(domain) == address


@pytest.mark.parametrize(
    "domain", ["https://example.org", "a/b", "me@example.org", "", "exa mple", "a?b", "a#b", "a:b"]
)
def test_another_text_than_a_domain_is_refused_before_any_request(domain: str) -> None:
    with pytest.raises(RefusedByClient):
        well_known_url(domain)


def test_a_chosen_resolver_with_a_forbidden_url_is_refused_before_any_request() -> None:
    with host() as site, pytest.raises(RefusedByClient):
        resolvers([site.url, "http://example.org/"])
    assert site.requests == []


def test_a_certificate_is_checked_of_the_host_that_srv_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    from coolid.client import resolve

    with host() as site, host({"/resolve/x": page()}, authority.vouches("localhost", "127.0.0.1")) as safe:
        known = {"_linkid._https.localhost": [f"0 0 {safe.port} localhost."]}
        with name_server(known) as dns:
            resolution = resolve("x", domain=f"localhost:{site.port}", default=None, nameserver=dns)
    assert resolution.outcome.value == "found"
    assert [hop.url for hop in resolution.hops] == [f"https://localhost:{safe.port}/resolve/x"]
