"""My identifiers: the table of records, its filters, pages, selection and export."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.test_management import asked, issue, sign_in

RECORDS = "/pages/manage/records"


def register(visit: Visit, prefix: str) -> None:
    """Register an empty namespace."""
    repository = asked(visit, "POST", "/api/v1/repositories", {"title": f"Things of {prefix}"})["id"]
    asked(visit, "PUT", f"/api/v1/prefixes/{prefix}", {"kind": "namespace", "repository": repository})


def mint(visit: Visit, prefix: str, *titles: str) -> list[str]:
    """Mint a record for each title; their PIDs."""
    rows = [{"prefix": prefix, "uri": f"https://www.example.org/{at}", "metadata": {"what": title, "who": "Ann Lee"}}
            for at, title in enumerate(titles)]  # fmt: skip
    answers: Any = asked(visit, "POST", "/api/v1/records/batch", rows)
    return [each["record"]["pid"] for each in answers]


def rows(page: Page) -> Any:
    """The rows of the table."""
    return page.locator("#records-list tbody tr")


@pytest.fixture(scope="module")
def names() -> Any:
    """Names of namespaces that no other test uses."""
    return (f"shelf{number}" for number in range(100))


def test_it_lists_the_records_of_a_prefix_and_turns_its_pages(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    mint(visit, prefix, *(f"Thing {number}" for number in range(60)))
    page = sign_in(visit, f"{RECORDS}#prefix={prefix}")
    expect(rows(page)).to_have_count(50)
    expect(rows(page).first).to_contain_text("www.example.org")
    assert visit.violations() == []
    page.get_by_role("button", name="Next page").click()
    expect(rows(page)).to_have_count(10)
    page.reload()
    expect(rows(page)).to_have_count(10)
    page.get_by_role("button", name="Previous page").click()
    expect(rows(page)).to_have_count(50)
    visit.require_telephone_fit()


def test_an_empty_prefix_and_an_error_are_explained(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    page = sign_in(visit, f"{RECORDS}#prefix={prefix}")
    expect(page.get_by_text("There are no identifiers yet")).to_be_visible()
    assert visit.violations() == []
    page.evaluate("location.hash = '#prefix=nobodys'")
    expect(page.locator("#records-message .bad")).to_be_visible()
    assert visit.violations() == []


def test_a_key_lists_only_its_own(visit: Visit, names: Any) -> None:
    mine, others = next(names), next(names)
    for prefix in (mine, others):
        register(visit, prefix)
        mint(visit, prefix, f"Of {prefix}")
    key = issue(visit, f"update:{mine}")["key"]
    page = sign_in(visit, f"{RECORDS}#prefix={mine}", key)
    expect(rows(page)).to_have_count(1)
    options = page.get_by_label("Prefix", exact=True).locator("option")
    expect(options).to_have_count(2)
    expect(options.nth(1)).to_have_text(re.compile(f"^{re.escape(mine)}"))
    page.evaluate(f"location.hash = '#prefix={others}'")
    expect(page.locator("#records-message .bad")).to_contain_text("does not permit this")
    expect(rows(page)).to_have_count(0)


def test_a_selection_is_exported_as_csv(visit: Visit, names: Any, tmp_path: Path) -> None:
    prefix = next(names)
    register(visit, prefix)
    pids = mint(visit, prefix, 'A "quoted", title', "=1+1", "Plain")
    page = sign_in(visit, f"{RECORDS}#prefix={prefix}")
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_text("3 are selected.")).to_be_visible()
    page.get_by_label("Select Plain").uncheck()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV", exact=True).click()
    target = tmp_path / "x.csv"
    download.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as file:
        found = {row["pid"]: row for row in csv.DictReader(file)}
    assert found.keys() == set(pids[:2])
    assert [found[pid]["what"] for pid in pids[:2]] == ['A "quoted", title', "'=1+1"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Export all that match as CSV").click()
    download.value.save_as(target)
    assert len(target.read_text(encoding="utf-8").splitlines()) == 4
    assert visit.violations() == []


def test_words_status_host_and_day_narrow_the_list(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    tea, _, _ = mint(visit, prefix, "Tea leaves", "Coffee beans", "Tea <b>cups</b>")
    path = "/api/v1/records" + tea.removeprefix(visit.server.url)
    asked(visit, "PATCH", path, {"uri": "https://data.example.net/"}, **{"If-Match": "*"})
    page = sign_in(visit, f"{RECORDS}#prefix={prefix}")
    expect(rows(page)).to_have_count(3)
    expect(page.get_by_role("columnheader", name="Last change")).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Words in").focus()
    page.keyboard.type("TEA")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(2)
    page.get_by_label("Host of an address").fill("example.net")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("Status", exact=True).select_option("withdrawn")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("No identifier matches")).to_be_visible()
    assert visit.violations() == []
    page.go_back()
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_label("Status", exact=True)).to_have_value("")
    page.get_by_label("Changed since").fill("2999-01-01")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("No identifier matches")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_label("Words in")).to_have_value("")
    page.evaluate(f"location.hash = '#prefix={prefix}'")
    page.get_by_role("button", name="Last change").click()
    expect(page.get_by_role("columnheader", name="Last change")).to_have_attribute("aria-sort", "ascending")
    expect(rows(page)).to_have_count(3)


@pytest.mark.parametrize(
    ("status", "headers", "why"),
    [
        (429, {"Retry-After": "7"}, "Try again in 7 seconds"),
        (503, {}, "not available at the moment"),
        (502, {}, "did not come from the service"),
        (0, {}, "did not answer"),
    ],
)
def test_it_says_why_there_is_no_list_and_keeps_the_filters(
    visit: Visit, status: int, headers: dict[str, str], why: str
) -> None:
    def unable(route: Route) -> None:
        if status:
            body = "<p>proxy" if status == 502 else json.dumps({"type": "about:blank", "title": "No", "status": status})
            route.fulfill(status=status, headers=headers, content_type="application/problem+json", body=body)
        else:
            route.abort()

    visit.requests_fail = True
    visit.context.route(lambda url: "/api/v1/records?" in url, unable)
    page = sign_in(visit, f"{RECORDS}#q=tea")
    expect(page.locator("#records-message .bad")).to_contain_text(why)
    expect(page.get_by_label("Words in")).to_have_value("tea")
    assert visit.violations() == []
