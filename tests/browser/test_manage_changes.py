"""The page of changes: the changes, their times and authors, and which of them a key may see."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_manage_records import mint, register
from tests.browser.test_management import asked, issue, sign_in

CHANGES = "/pages/manage/changes"


def rows(page: Page) -> Any:
    """The rows of the table."""
    return page.locator("#changes-list tbody tr")


@pytest.fixture(scope="module")
def names() -> Any:
    """Names of namespaces that no other test uses."""
    return (f"log{number}" for number in range(100))


def test_a_change_is_listed_with_its_differences_and_author(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    (pid,) = mint(visit, prefix, "A draft")
    naughty = "<script>alert(1)</script> \u202ex"
    path = "/api/v1/records/" + pid.partition("://")[2].partition("/")[2]
    asked(visit, "PATCH", path, {"metadata": {"what": naughty}}, **{"If-Match": "*"})
    page = sign_in(visit, f"{CHANGES}#prefix={prefix}")
    expect(rows(page)).to_have_count(4)
    expect(rows(page).first).to_contain_text("version 2")
    expect(rows(page).first.locator("del")).to_have_text("A draft")
    expect(rows(page).first.locator("ins")).to_have_text(naughty)
    expect(rows(page).first).to_contain_text(visit.server.key[5:13])
    assert visit.violations() == []
    visit.require_telephone_fit()


def test_older_changes_follow_on_request(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    mint(visit, prefix, *(f"Thing {number}" for number in range(55)))
    page = sign_in(visit, f"{CHANGES}#prefix={prefix}")
    expect(rows(page)).to_have_count(50)
    page.get_by_role("button", name="Show older ones").press("Enter")
    expect(rows(page)).to_have_count(57)
    expect(rows(page).last).to_contain_text("Repository")
    expect(page.get_by_role("button", name="Show older ones")).to_be_hidden()


def test_filters_narrow_the_list_and_stay_in_the_address(visit: Visit, names: Any) -> None:
    prefix = next(names)
    register(visit, prefix)
    mint(visit, prefix, "One")
    page = sign_in(visit, CHANGES)
    page.get_by_label("Prefix", exact=True).select_option(prefix)
    page.get_by_label("Key", exact=True).fill("nobody22")
    page.keyboard.press("Enter")
    expect(page.get_by_text("There are no changes in this selection.")).to_be_visible()
    assert visit.violations() == []
    page.reload()
    expect(page.get_by_label("Key", exact=True)).to_have_value("nobody22")
    page.get_by_label("Key", exact=True).fill("")
    page.get_by_label("Until", exact=True).fill("2000-01-01")
    page.keyboard.press("Enter")
    expect(page.get_by_text("There are no changes in this selection.")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(rows(page).first).to_be_visible()


def test_a_key_sees_no_changes_of_others(visit: Visit, names: Any) -> None:
    mine, others = next(names), next(names)
    for prefix in (mine, others):
        register(visit, prefix)
        mint(visit, prefix, f"Of {prefix}")
    key = issue(visit, f"update:{mine}")["key"]
    page = sign_in(visit, CHANGES, key)
    expect(rows(page)).to_have_count(4)  # its own creation, that of the repository and of the prefix, and a record
    expect(page.locator("#changes-list")).not_to_contain_text(others)
    page.evaluate(f"location.hash = '#prefix={others}'")
    expect(page.locator("#changes-message .bad")).to_contain_text("does not permit this")
    expect(rows(page)).to_have_count(0)
    assert visit.violations() == []
    assert key[14:] not in page.content()
