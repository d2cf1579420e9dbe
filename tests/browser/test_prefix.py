"""The pages of prefixes, of repositories here and of others."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit, Visiting
from tests.support.builders.page_catalog import Catalogue


def test_an_identifier_of_it_is_looked_up(visit: Visit) -> None:
    visit.go("/2021/06/demo")
    box = visit.page.get_by_label("Look up an identifier of 2021/06/demo")
    expect(box).to_have_value("2021/06/demo/")
    box.fill("2021/06/demo/tw0t-ywdj-95")
    box.press("Enter")
    visit.page.wait_for_url("**/tw0t-ywdj-95")
    expect(visit.page.locator("h1")).not_to_be_empty()


def test_from_a_prefix_people_come_to_mint_under_it(visiting: Visiting) -> None:
    visit = visiting()
    visit.go("/2021/06/demo")
    visit.page.get_by_text("Mint an identifier under this prefix").click()
    expect(visit.page.locator("#prefix")).to_have_value("2021/06/demo")


def test_without_scripts_all_of_it_is_there(visiting: Visiting) -> None:
    visit = visiting(java_script_enabled=False)
    visit.go("/go")
    expect(visit.page.get_by_role("table")).to_contain_text("https://ols.example/{$id}")
    visit.page.get_by_text("QR code of this page").click()
    expect(visit.page.get_by_alt_text("QR code of", exact=False)).to_be_visible()


def test_the_latest_records_of_a_listed_repository_are_there(visiting: Visiting, catalogue: Catalogue) -> None:
    visit = visiting()
    visit.go(catalogue.kinds["namespace"].path)
    latest = visit.page.get_by_role("region", name="Latest records")
    titles = latest.get_by_role("listitem").get_by_role("link")
    expect(titles.first).to_be_visible()
    expect(titles.filter(has_text="Observations of a <calculating> engine")).not_to_have_count(0)
    titles.first.click()
    expect(visit.page.get_by_role("heading", level=1)).to_be_visible()
