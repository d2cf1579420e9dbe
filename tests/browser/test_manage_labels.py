"""Sheets of labels: QR codes, titles and PIDs of the selected records, in the sizes of common sheets."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_manage_record import mint
from tests.browser.test_management import sign_in

LABELS = "/pages/manage/labels"
MILLIMETRE = 96 / 25.4
SHEETS = {"a4-21": (63.5, 38.1, 210), "a4-14": (99.1, 38.1, 210), "a4-24": (70, 37, 210), "a4-65": (38.1, 21.2, 210),
          "letter-30": (66.7, 25.4, 215.9), "letter-10": (101.6, 50.8, 215.9)}  # fmt: skip


def labels(page: Page) -> Any:
    """The labels with an identifier."""
    return page.locator(".label:has(img)")


def fill(page: Page, *pids: str) -> None:
    """Enter identifiers, and draw their labels."""
    page.get_by_label("Identifiers, one per line").fill("\n".join(pids))
    page.get_by_role("button", name="Update").click()


def test_each_sheet_fits_its_paper_and_each_code_loads(visit: Visit) -> None:
    pids = [mint(visit, uri="https://a.example.org/", metadata={"what": title}) for title in ("Tea", "<b>" * 80)]
    page = sign_in(visit, LABELS)
    fill(page, *pids)
    expect(labels(page)).to_have_count(2)
    expect(page.get_by_text("2 labels.")).to_be_visible()
    loaded = "Promise.all([...document.images].map((each) => each.decode().then(() => each.naturalWidth)))"
    assert min(page.evaluate(loaded)) > 20
    for sheet, (width, height, paper) in SHEETS.items():
        page.get_by_label("Sheet", exact=True).select_option(sheet)
        expect(page.locator(f".sheet.{sheet} .label")).to_have_count(2)
        box = page.locator(".label").first.bounding_box()
        assert box is not None
        assert (box["width"] / MILLIMETRE, box["height"] / MILLIMETRE) == pytest.approx((width, height), abs=0.1)
        sizes = "(each) => [each.offsetWidth, each.scrollWidth, each.clientHeight, each.scrollHeight]"
        outer, inner, high, filled = page.locator(".sheet").evaluate(sizes)
        assert outer / MILLIMETRE == pytest.approx(paper, abs=0.5)
        assert inner <= outer
        assert filled <= high + 1
    assert visit.violations() == []
    visit.require_telephone_fit()


def test_copies_and_used_labels_count_and_each_sheet_is_one_page(visit: Visit) -> None:
    page = sign_in(visit, LABELS)
    fill(page, mint(visit))
    page.get_by_label("Copies of each").fill("20")
    page.get_by_label("already used").fill("3")
    page.get_by_role("button", name="Update").click()
    expect(labels(page)).to_have_count(20)
    expect(page.locator(".sheet")).to_have_count(2)
    expect(page.locator(".sheet").first.locator(".label").nth(2).locator("img")).to_have_count(0)
    assert page.pdf(format="A4", prefer_css_page_size=True).count(b"/Type /Page\n") == 2


def test_what_has_no_label_is_named(visit: Visit) -> None:
    reserved = mint(visit, uri="https://a.example.org/", status="reserved")
    page = sign_in(visit, LABELS)
    fill(page, reserved, "unheard-of:1")
    expect(page.get_by_text("One identifier is reserved and gets no label")).to_be_visible()
    expect(page.locator("#label-wrong")).to_contain_text("unheard-of:1: The service does not find it")
    expect(page.get_by_role("button", name="Print", exact=True)).to_be_disabled()
    assert visit.violations() == []
