"""Following redirects: every hop is recorded, and circles, long chains and forbidden targets end it."""

from collections.abc import Iterator

import pytest

from coolid.client.redirects import MAX_HOPS, REDIRECTS, Hop, follow
from coolid.client.single_request import run_alone
from coolid.client.url_policy import MAX_URL_BYTES
from tests.support.servers.http_server import Host, host, page, raw, to
from tests.support.servers.loopback import nobody


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


@pytest.mark.parametrize("status", sorted(REDIRECTS))
def test_each_redirect_is_a_hop_until_a_response_is_none(site: Host, status: int) -> None:
    site.answers |= {"/a": to("b?c", status), "/b?c": to(f"{site.url}/d#part", status), "/d": page(b"here")}
    walk = run_alone(follow(f"{site.url}/a"))
    assert walk.hops == (
        Hop(f"{site.url}/a", status, "b?c"),
        Hop(f"{site.url}/b?c", status, f"{site.url}/d#part"),
        Hop(f"{site.url}/d#part", 200, None),
    )
    assert walk.final is not None
    assert walk.final.body == b"here"
    assert site.targets == ["/a", "/b?c", "/d"]


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306, 404])
def test_a_location_of_another_status_is_not_followed(site: Host, status: int) -> None:
    site.answers["/a"] = (status, {"Location": "/b"}, b"")
    walk = run_alone(follow(f"{site.url}/a"))
    assert [(hop.status, hop.location) for hop in walk.hops] == [(status, None)]


def test_a_redirect_without_a_location_is_the_end(site: Host) -> None:
    site.answers["/a"] = (302, {}, b"")
    assert [hop.status for hop in run_alone(follow(f"{site.url}/a")).hops] == [302]


def test_it_stops_after_the_first_response_if_requested(site: Host) -> None:
    site.answers["/a"] = to("http://example.org/")
    walk = run_alone(follow(f"{site.url}/a", follow_redirects=False))
    assert [hop.location for hop in walk.hops] == ["http://example.org/"]
    assert walk.stopped is None


@pytest.mark.parametrize("location", ["/a", "", "#part", "/b"])
def test_a_circle_is_noticed(site: Host, location: str) -> None:
    site.answers |= {"/a": to(location), "/b": to("/a#part")}
    walk = run_alone(follow(f"{site.url}/a"))
    assert walk.final is None
    assert "circle" in (walk.stopped or "")
    assert len(site.requests) <= 2


def test_ten_redirects_are_the_most(site: Host) -> None:
    site.answers |= {f"/{number}": to(f"/{number + 1}") for number in range(20)}
    walk = run_alone(follow(f"{site.url}/0"))
    assert len(walk.hops) == len(site.requests) == MAX_HOPS == 10
    assert (walk.final, walk.is_unreachable) == (None, False)
    assert walk.stopped == "gave up after 10 redirects"


@pytest.mark.parametrize(
    "location",
    [
        "http://example.org/",
        "ftp://127.0.0.1/",
        "javascript:alert(1)",
        "https://me:secret@example.org/",
        "https://[",
        "/" + "x" * MAX_URL_BYTES,
    ],
    ids=lambda text: text[:20],
)
def test_a_forbidden_hop_is_reported_with_the_location(site: Host, location: str) -> None:
    site.answers["/a"] = to(location)
    walk = run_alone(follow(f"{site.url}/a"))
    assert [hop.location for hop in walk.hops] == [location]
    assert walk.stopped
    assert not walk.is_unreachable


def test_a_host_that_is_not_reached_on_the_way_is_reported(site: Host) -> None:
    with nobody() as gone:
        site.answers["/a"] = to(f"{gone}/b")
        walk = run_alone(follow(f"{site.url}/a"))
    assert walk.is_unreachable
    assert f"{gone}/b" in (walk.stopped or "")


def test_of_redirects_no_body_is_read(site: Host) -> None:
    site.answers |= {"/a": raw(b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 99999999\r\n\r\n"), "/b": page()}
    assert [hop.status for hop in run_alone(follow(f"{site.url}/a")).hops] == [302, 200]
