"""The browser of prefixes: pages, search and ways out, with scripts and without."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PREFIXES, Visit, Visiting


@pytest.mark.parametrize("java_script_enabled", [True, False])
class TestBrowsing:
    def test_one_goes_from_page_to_page(self, visiting: Visiting, java_script_enabled: bool) -> None:
        visit = visiting(java_script_enabled=java_script_enabled)
        page = visit.page
        visit.go("/")
        page.get_by_role("link", name="Prefixes", exact=True).click()
        expect(page).to_have_title("Prefixes (page 1 of 6)")
        expect(page.get_by_role("row")).to_have_count(51)
        expect(page.get_by_role("link", name="Previous")).to_have_count(0)
        page.get_by_role("link", name="Next").click()
        expect(page).to_have_title("Prefixes (page 2 of 6)")
        page.get_by_role("link", name="Previous").click()
        expect(page).to_have_title("Prefixes (page 1 of 6)")
        page.get_by_role("link", name="2021/06/demo", exact=True).click()
        page.wait_for_url(f"{visit.server.url}/2021/06/demo")

    def test_one_looks_for_a_name(self, visiting: Visiting, java_script_enabled: bool) -> None:
        visit = visiting(java_script_enabled=java_script_enabled)
        page = visit.page
        visit.go("/pages/prefixes")
        page.get_by_role("searchbox").fill("SAMPLE")
        page.get_by_role("searchbox").press("Enter")
        expect(page.get_by_text(f"{PREFIXES} prefixes contain “SAMPLE”")).to_be_visible()
        expect(page.get_by_role("searchbox")).to_have_value("SAMPLE")
        page.get_by_role("link", name="Next").click()
        expect(page).to_have_title("Prefixes: SAMPLE (page 2 of 5)")
        expect(page.get_by_role("searchbox")).to_have_value("SAMPLE")
        page.get_by_role("link", name="Show all").click()
        expect(page.get_by_role("searchbox")).to_have_value("")

    def test_a_page_that_is_not_there_leads_back(self, visiting: Visiting, java_script_enabled: bool) -> None:
        visit = visiting(java_script_enabled=java_script_enabled)
        assert visit.go("/pages/prefixes?page=99&q=sample") == 404
        visit.page.get_by_role("link", name="Last page").click()
        expect(visit.page).to_have_title("Prefixes: sample (page 5 of 5)")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    visit.go("/pages/prefixes")
    page = visit.page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("name", "q")
    page.keyboard.type("gene")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Prefixes: gene")
    expect(page.get_by_role("link", name="go", exact=True)).to_be_visible()
