"""Link rot from end to end: a check detects it; report, feed, page and webhook show it."""

import json
from typing import Any

from coolid.aws.settings import Settings
from coolid.health.schedule import CheckSchedule
from coolid.model.check_state import BAD, GOOD, CheckResult
from coolid.wiring.read_access import caching_reader
from tests.docs.receiver import receive
from tests.support.builders.page_catalog import BROWSER
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.health_checks import CheckFunctionFixture
from tests.support.fixtures.system import Answer, System

URI = "https://content.example.org/report.pdf"
HOOK = "https://hooks.example.org/links"
GONE = CheckResult(BAD, "it answered 404", 404)
LONG = 8 * 86_400_000
"""Milliseconds after which even what is well is looked at again."""
MOVED = CheckResult(GOOD, status=200, moved="https://new.example.org/report.pdf")


def report(system: System, query: str = "") -> Answer:
    return system.request("GET", "/api/v1/links/demo", query=query, key=system.admin_key)


def page(system: System, pid: str) -> str:
    caching_reader(Settings.read(system.environment, writes=True)).clear()
    answer = system.get(pid.removeprefix(BASE_URL), query="format=html", accept=BROWSER)
    assert answer.status == 200
    return answer.body


def changes_received(fixture: CheckFunctionFixture, secret: str) -> list[Any]:
    """Return the changes that the webhook, and no other address, received; their signatures are verified."""
    events = [
        receive(
            body, {each.lower(): value for each, value in headers.items()}, secret, int(headers["webhook-timestamp"])
        )
        for url, body, headers in fixture.hosts.posted
        if url == HOOK
    ]
    assert len(events) == len(fixture.hosts.posted)
    return [each for one in events for each in one["data"]["changes"]]


def test_a_dead_link_is_reported_until_it_recovers(fresh: System) -> None:
    pid = fresh.mint({"prefix": "demo", "uri": URI}).json()["pid"]
    repository = fresh.admin("GET", "/api/v1/prefixes/demo").json()["repository"]
    secret = fresh.admin("PUT", f"/api/v1/webhooks/{repository}", {"url": HOOK}).json()["secret"]
    fixture = CheckFunctionFixture(fresh.store(), CheckSchedule(targets=9_600))

    def listed() -> list[tuple[str, str]]:
        return [(each["pid"], each["state"]) for each in report(fresh).json()["links"]]

    fixture.tick(2)
    assert (listed(), fixture.hosts.posted) == ([], [])
    fixture.hosts.sights[URI] = GONE
    fixture.clock.pause(LONG)
    for _ in range(8):
        fixture.tick()
        if listed() == [(pid, "down")]:
            break
    assert listed() == [(pid, "down")]
    (returned,) = report(fresh).json()["links"]
    assert (returned["uri"], returned["reason"], returned["status"]) == (URI, GONE.reason, 404)
    assert returned["lastGood"] < returned["since"] <= returned["lastChecked"]
    assert "<id>urn:uuid:" in report(fresh, "format=atom").body
    assert "https://web.archive.org/web/" in page(fresh, pid)
    assert fresh.get(pid.removeprefix(BASE_URL)).headers["location"] == URI

    fixture.hosts.sights[URI] = MOVED
    fixture.tick(12)
    assert listed() == [(pid, "up")]
    assert report(fresh).json()["links"][0]["moved"] == MOVED.moved
    del fixture.hosts.sights[URI]
    fixture.clock.pause(LONG)
    fixture.tick(2)
    assert listed() == []
    assert URI not in page(fresh, pid).partition('<section aria-labelledby="where">')[0].partition("<main")[2]

    changes = changes_received(fixture, secret)
    assert {each["pid"] for each in changes} == {pid}
    states = [(each["was"], each["state"]) for each in changes if each["was"] != each["state"]]
    assert states == [("up", "degraded"), ("degraded", "down"), ("down", "degraded"), ("degraded", "up")]
    assert "whsec_" not in json.dumps(fixture.log.entries)
