"""The page of health: dead and moved addresses, checks on request, and new addresses."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import TELEPHONE, Visit
from tests.browser.test_manage_records import mint, register
from tests.browser.test_management import asked, sign_in

LINKS = "/pages/manage/links"
NEW = "https://www.example.org/new?<b>=1"
NOW = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture(scope="module")
def names() -> Iterator[str]:
    """Names of namespaces that no other test uses."""
    return (f"health{number}" for number in range(100))


def report(visit: Visit, prefix: str, pids: list[str], **members: Any) -> None:
    """Answer the report of a prefix with moved links, as `coolid serve` without checks has none."""
    state = {
        "state": "down",
        "since": NOW,
        "reason": "it answered 404",
        "status": 404,
        "lastGood": NOW,
        "lastChecked": NOW,
    }
    links = [
        {"pid": pid, "uri": f"https://www.example.org/{at}", "moved": NEW, **state, **members}
        for at, pid in enumerate(pids)
    ]
    document = {"prefix": prefix, "repository": "x", "totals": None, "links": links, "next": None}
    visit.context.route(
        f"**/api/v1/links/{prefix}*",
        lambda route: route.fulfill(status=200, content_type="application/json", body=json.dumps(document)),
    )


def rows(page: Page) -> Any:
    """The rows of the table."""
    return page.locator("#links-list tbody tr")


def test_without_problems_the_page_says_so_and_without_checks_too(visit: Visit, names: Iterator[str]) -> None:
    prefix = next(names)
    register(visit, prefix)
    (pid,) = mint(visit, prefix, "One")
    page = sign_in(visit, f"{LINKS}#prefix={prefix}")
    expect(page.get_by_text("All is well")).to_be_visible()
    assert visit.violations() == []
    page.get_by_label("Identifier", exact=True).fill(pid)
    page.keyboard.press("Enter")
    expect(page.locator("#check-wrong")).to_contain_text("does not check where its records lead")
    assert visit.violations() == []


def test_the_new_address_of_a_moved_link_is_used_after_one_confirmation(visit: Visit, names: Iterator[str]) -> None:
    prefix = next(names)
    register(visit, prefix)
    (pid,) = mint(visit, prefix, "One")
    report(visit, prefix, [pid])
    page = sign_in(visit, f"{LINKS}#prefix={prefix}")
    expect(rows(page)).to_contain_text(["it answered 404"])
    assert visit.violations() == []
    page.get_by_role("button", name="Use the new address").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("ins")).to_have_text(NEW)
    assert visit.violations() == []
    dialog.get_by_role("button", name="Cancel").press("Enter")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Use the new address").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Use the new address").press("Enter")
    expect(page.get_by_text("has the new address.")).to_be_visible()
    path = "/api/v1/records/" + pid.partition("://")[2].partition("/")[2]
    assert [each["uri"] for each in asked(visit, "GET", path)["records"]] == [NEW]
    expect(rows(page)).to_have_count(0)
    page.set_viewport_size(TELEPHONE)
    page.emulate_media(color_scheme="dark")
    assert visit.violations() == []


def test_several_new_addresses_become_a_job(visit: Visit, names: Iterator[str]) -> None:
    prefix = next(names)
    register(visit, prefix)
    pids = mint(visit, prefix, "One", "Two", "Three")
    report(visit, prefix, pids)
    sent: list[str] = []

    def take(route: Route) -> None:
        sent.append(route.request.post_data or "")
        route.fulfill(status=202, content_type="application/json", body=json.dumps({"id": "k3x9"}))

    visit.context.route("**/api/v1/jobs", take)
    page = sign_in(visit, f"{LINKS}#prefix={prefix}")
    for pid in pids[:2]:
        page.get_by_label(f"Select {pid}").check()
    expect(page.get_by_text("2 are selected.")).to_be_visible()
    assert visit.violations() == []
    page.set_viewport_size(TELEPHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Accept the new addresses").click()
    page.wait_for_url("**/pages/manage/job#k3x9")
    assert json.dumps({"pid": pids[0], "uri": NEW}, separators=(",", ":")) in sent[0]
    assert '"dry_run":true' in sent[0]
    assert pids[2] not in sent[0]
    visit.requests_fail = True


def test_a_check_replaces_the_state_of_its_row(visit: Visit, names: Iterator[str]) -> None:
    prefix = next(names)
    register(visit, prefix)
    (pid,) = mint(visit, prefix, "One")
    report(visit, prefix, [pid], moved=None)
    check = {"uri": "https://www.example.org/0", "state": "up", "since": NOW, "reason": None, "status": 200}
    check |= {"lastGood": NOW, "lastChecked": None, "moved": None, "pausedUntil": None}
    visit.context.route(
        "**/api/v1/checks",
        lambda route: route.fulfill(
            status=202,
            content_type="application/json",
            body=json.dumps({"pid": pid, "checks": [check], "requested": NOW}),
        ),
    )
    visit.context.route(
        "**/api/v1/checks/*",
        lambda route: route.fulfill(
            status=200,
            content_type="application/json",
            body=json.dumps({"pid": pid, "checks": [{**check, "lastChecked": NOW}]}),
        ),
    )
    page = sign_in(visit, f"{LINKS}#prefix={prefix}")
    rows(page).get_by_role("button", name="Check now").press("Enter")
    expect(rows(page).first).to_contain_text("Works")
    expect(page.locator("#links-message .good")).to_contain_text(pid)
    assert visit.violations() == []
