"""The pages about the API, gone through by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, Visiting


def tab_to(visit: Visit, address: str) -> None:
    """Go from link to link until this one has the focus, and follow it."""
    for _ in range(400):
        visit.page.keyboard.press("Tab")
        if visit.page.evaluate("document.activeElement.getAttribute('href')") == address:
            visit.page.keyboard.press("Enter")
            return
    pytest.fail(f"{address} cannot be reached")


@pytest.mark.parametrize("with_scripts", [True, False])
def test_an_operation_and_its_schema_are_found_from_the_first_page_by_keyboard(
    visiting: Visiting, with_scripts: bool
) -> None:
    visit = visiting(java_script_enabled=with_scripts)
    visit.go("/pages/api")
    tab_to(visit, "api/records#mint")
    visit.page.wait_for_url("**/pages/api/records#mint")
    heading = visit.page.get_by_role("heading", name="Mint an identifier")
    expect(heading).to_be_visible()
    expect(visit.page.locator("[aria-labelledby=mint] .address")).to_contain_text("POST /api/v1/records")
    tab_to(visit, "schemas#Mint")
    visit.page.wait_for_url("**/pages/api/schemas#Mint")
    expect(visit.page.get_by_role("heading", name="Mint", exact=True)).to_be_visible()


def test_examples_are_opened_by_keyboard(visit: Visit) -> None:
    visit.go("/pages/api/clients")
    example = visit.page.locator("details").first
    expect(example.locator("pre")).to_be_hidden()
    example.locator("summary").focus()
    visit.page.keyboard.press("Enter")
    expect(example.locator("pre")).to_be_visible()
    assert visit.violations() == []
