"""Nowhere: an address that begins as the service's own do is no identifier with an unknown prefix."""

import pytest

from coolid.http.not_found import EZID_REASONS, NAMES, NotFoundEndpoint
from coolid.registry.registration import RESERVED_FOR_LATER, RESERVED_NAMES
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
NOTHING = (
    "/api",
    "/pages",
    "/pages/",
    "/pages//",
    "/pages/nope",
    "/pages/mint/x",
    "/pages/mint%2F",
    "/problems",
    "/problems/",
    "/problems/nope",
    "/problems/no-such-address/",
    "/static",
    "/static/",
    "/static/x/y",
    "/health/x",
    "/resolve",
    "/resolve/",
    "/timegate",
    "/timegate/",
    "/timemap",
    "/timemap/",
    "/sitemap.xml/x",
    "/sitemaps",
    "/sitemaps/x.xml",
)


def test_nobody_can_register_what_it_begins_with() -> None:
    assert {*NAMES, "resolve", "sitemap.xml"} <= RESERVED_NAMES
    assert {path.removeprefix("/") for path in EZID_REASONS} <= RESERVED_FOR_LATER


@pytest.mark.parametrize("path", NOTHING)
def test_nothing_is_there_and_no_prefix_is_talked_of(light: System, path: str) -> None:
    assert light.get(path).is_problem(404, "no-such-address")
    page = light.get(path, accept=BROWSER)
    assert page.status == 404
    assert "<h1>There is nothing at this address</h1>" in page.body
    assert "prefix" not in page.body.partition('<main id="main">')[2].partition("<form")[0]


@pytest.mark.parametrize(
    ("path", "query", "location"),
    [
        ("/pages/mint/", "", "/pages/mint"),
        ("/pages/mint//", "", "/pages/mint"),
        ("/pages/api/", "", "/pages/api"),
        ("/pages/prefixes/", "q=%26%3C&page=2", "/pages/prefixes?q=%26%3C&page=2"),
        ("/health/", "", "/health"),
    ],
)
def test_a_slash_too_many_is_forgiven(light: System, path: str, query: str, location: str) -> None:
    answer = light.get(path, query=query)
    assert (answer.status, answer.headers["location"]) == (308, f"{BASE_URL}{location}")
    there, _, requested = location.partition("?")
    assert light.get(there, query=requested).status in (200, 404)


def test_what_only_begins_so_is_an_identifier(light: System) -> None:
    for path in ("/pagesx", "/pages:x", "/static:1", "/healthy", "/apis/x", "/timemaps/x"):
        assert light.get(path).is_problem(404, "unknown-prefix"), path


def test_it_needs_nothing_to_say_so() -> None:
    routes = NotFoundEndpoint((), BASE_URL).routes()
    ezid = [route for route in routes if route.path.rstrip("/") in EZID_REASONS]
    assert len(ezid) == 2 * len(EZID_REASONS)
    assert all(set(route.endpoints) == {"GET", "POST", "PUT", "DELETE", "PATCH"} for route in ezid)
    assert all(set(route.endpoints) == {"GET"} for route in routes if route not in ezid)
