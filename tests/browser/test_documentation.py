"""The documentation site in a browser, which `make docs` built: search works, and its policy refuses nothing."""

from coolid.local.service_files import SITE
from tests.browser.conftest import Visit

PAGES = ("", "tutorial/", "reference/api/records/", "explanation/proofs/")


def test_pages_have_no_violations(visit: Visit) -> None:
    assert (SITE / "index.html").exists(), "make docs builds the site"
    for page in PAGES:
        assert visit.go(f"/docs/{page}") == 200
        # Navigation of the theme, such as the group of each copy button, has landmarks without names of their own.
        assert [each for each in visit.violations() if not each.startswith("landmark-unique: ")] == []


def test_search_finds_a_page(visit: Visit) -> None:
    visit.go("/docs/")
    visit.page.get_by_role("textbox", name="Search").press_sequentially("tombstone")
    found = visit.page.locator(".md-search-result__link").first
    found.wait_for()
    found.click()
    visit.page.wait_for_url("**/docs/*/**")


def test_dark_colours_stay_chosen(visit: Visit) -> None:
    visit.go("/docs/")
    visit.page.get_by_title("Use dark colours").click()
    visit.go("/docs/tutorial/")
    assert visit.page.evaluate("document.body.dataset.mdColorScheme") == "slate"
