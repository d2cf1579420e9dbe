"""Memento (RFC 7089) from mint to tombstone, through the functions."""

import re

import pytest

from tests.functions.managed_records import BROWSER, HERE, alias, amend, gone, mint
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

FIRST = "Thu, 01 Jan 1970 00:00:00 GMT"
LAST = "Fri, 31 Dec 2999 23:59:59 GMT"
DATE = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")


@pytest.fixture(scope="session")
def stored(light: System) -> str:
    """A prefix of a repository that names a web archive."""
    return alias(light, archive="https://web.archive.org/web/")


@pytest.fixture(scope="session")
def moved(light: System, stored: str) -> str:
    """A record of two versions."""
    path = mint(light, stored)
    amend(light, "PATCH", path, {"records": [{"uri": f"{HERE}/moved"}]})
    return path


@pytest.mark.parametrize("through", ["", "/timegate", "/timegate/" + BASE_URL, "/resolve"])
def test_a_moment_leads_to_the_version_of_then_and_that_to_where_it_was(
    light: System, moved: str, through: str
) -> None:
    for moment, number, place in ((FIRST, 1, HERE), (LAST, 2, f"{HERE}/moved")):
        led = light.get(through + moved, Accept_Datetime=moment)
        assert (led.status, led.headers["location"]) == (302, f"{BASE_URL}{moved}?memento={number}")
        then = light.get(moved, query=f"memento={number}")
        assert (then.status, then.headers["location"]) == (302, place)
        assert DATE.fullmatch(then.headers["memento-datetime"])


def test_a_request_without_accept_datetime_is_unchanged(light: System, moved: str) -> None:
    for _ in range(3):
        assert light.get(moved, Accept_Datetime=FIRST).headers["location"].endswith("?memento=1")
        assert light.get(moved).headers["location"] == f"{HERE}/moved"


def test_the_timemap_lists_all_versions_since_when_each_was_current(light: System, moved: str) -> None:
    returned = light.get(f"/timemap{moved}", query="format=json").json()["mementos"]["list"]
    assert [each["uri"] for each in returned] == [f"{BASE_URL}{moved}?memento={number}" for number in (1, 2)]
    for each in returned:
        number = each["uri"].partition("=")[2]
        document = light.get(moved, query=f"format=linkid&version={number}").json()
        assert each["datetime"] == document["updated"]
    assert light.get(f"/timemap{moved}").headers["content-type"] == "application/link-format"


def test_a_version_stays_byte_for_byte_what_it_was(light: System, stored: str) -> None:
    path = mint(light, stored, metadata={"what": "A thing"})
    now = light.get(path, query="format=linkid")
    amend(light, "PATCH", path, {"metadata": {"what": "Another"}})
    then = light.get(path, query="memento=1&format=linkid")
    assert then.body == now.body
    assert light.get(path, query="memento=1&format=jws").body == now.json()["proof"]


def test_a_withdrawn_record_has_its_versions_but_no_target(light: System, stored: str) -> None:
    path = gone(light, stored)
    for query, moment in (("memento=1", None), ("", FIRST)):
        headers = {"Accept_Datetime": moment} if moment else {}
        then = light.get(path, query=query, **headers)
        assert (then.status, then.json()["status"]) == (200, "active")
        assert "location" not in then.headers
        assert DATE.fullmatch(then.headers["memento-datetime"])
    assert light.get(path, query="memento=2").status == light.get(path, Accept_Datetime=LAST).status == 410
    page = light.get(path, accept=BROWSER).body
    assert re.search(rf'<a href="https://web\.archive\.org/web/\d{{14}}/{HERE}" rel="noreferrer">', page)


def test_what_is_reserved_has_none(light: System, stored: str) -> None:
    path = mint(light, stored, status="reserved")
    for through in ("", "/timegate", "/timemap"):
        assert light.get(through + path, Accept_Datetime=FIRST).is_problem(404, "unregistered-identifier")
    amend(light, "PATCH", path, {"status": "active"})
    assert light.get(path, query="memento=1").is_problem(404, "unknown-version")
    assert light.get(f"/timegate{path}", Accept_Datetime=FIRST).headers["location"].endswith("?memento=2")


def test_where_nothing_is_left_copies_may_be_in_the_web_archive(light: System, stored: str) -> None:
    path = mint(light, stored, records=[{"uri": HERE, "validUntil": "2001-02-03T04:05:06Z"}])
    answer = light.get(path)
    assert answer.is_problem(404, "no-location")
    assert answer.json()["archives"] == [f"https://web.archive.org/web/20010203040506/{HERE}"]


@pytest.mark.parametrize("name", ["timegate", "timemap", "timegate/mp"])
def test_no_prefix_can_be_called_like_their_addresses(light: System, stored: str, name: str) -> None:
    owner = light.admin("GET", f"/api/v1/prefixes/{stored}").json()["repository"]
    identifier = owner["id"] if isinstance(owner, dict) else owner
    answer = light.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "namespace", "repository": identifier})
    assert answer.is_problem(422)


def test_bad_moments_are_refused_and_only_where_one_has_a_meaning(light: System, moved: str) -> None:
    for through in ("", "/timegate"):
        assert light.get(through + moved, Accept_Datetime="yesterday").is_problem(400, "bad-datetime")
    assert light.get(f"/timemap{moved}", Accept_Datetime="yesterday").status == 200
