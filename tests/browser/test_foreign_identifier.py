"""The page of an identifier of another service: valid, and linked from the page of the service's health."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, Visiting

PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize("wishes", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}], ids=str)
def test_it_is_sound(visiting: Visiting, wishes: dict[str, Any]) -> None:
    visit = visiting(**wishes)
    for path in ("/go:0006915?info", "/go:" + "x" * 500 + "?info", "/doi:10.5281/zenodo.31780?format=html", "/orphan"):
        assert visit.go(path) == 200
        assert visit.violations() == []
        assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("java_script_enabled", [True, False])
def test_from_the_health_page_one_can_describe_an_identifier(visiting: Visiting, java_script_enabled: bool) -> None:
    visit: Visit = visiting(java_script_enabled=java_script_enabled)
    visit.go("/health")
    visit.page.get_by_role("searchbox").fill("GO: 0006915")
    visit.page.get_by_role("searchbox").press("Enter")
    visit.page.wait_for_url(f"{visit.server.url}/GO:0006915?info")
    expect(visit.page.get_by_role("heading", level=1)).to_have_text("go:0006915")
