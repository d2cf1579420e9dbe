"""The home page explains a text while it is typed, and resolves it when it is sent."""

from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit, Visiting, leaving

PHONE = {"width": 390, "height": 844}
THERE = "https://content.example.org/there"
MISTYPED = "0000-0002-1825-0098"
"""An ORCID iD with a wrong check character."""


def box(visit: Visit) -> Locator:
    return visit.page.get_by_role("searchbox")


def explanation(visit: Visit) -> Locator:
    """What is announced."""
    return visit.page.locator("#message")


def minted(visit: Visit) -> str:
    """A new identifier under `demo`."""
    return str(visit.server.mint(prefix="demo", uri=THERE).json()["id"])


def mistyped(identifier: str) -> str:
    """The identifier with one check digit wrong."""
    return identifier[:-1] + ("1" if identifier[-1] != "1" else "2")


@pytest.mark.parametrize("wishes", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}], ids=str)
def test_it_is_sound_whatever_it_says(visiting: Visiting, wishes: dict[str, Any]) -> None:
    visit = visiting(**wishes)
    assert visit.go("/") == 200
    assert visit.violations() == []
    for text, said in (("go:0006915", "It leads to"), (MISTYPED, "mistyped"), ("nonsense", "It does not begin")):
        box(visit).fill(text)
        expect(explanation(visit)).to_contain_text(said)
        visit.page.get_by_text("Step by step").click()
        assert visit.violations() == []
    assert visit.go(f"/?q={MISTYPED}") == 200
    assert visit.violations() == []
    assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


class TestWhileOneTypes:
    def test_it_says_where_an_identifier_leads(self, visit: Visit) -> None:
        visit.go("/")
        box(visit).press_sequentially("GO:GO:0006915")
        expect(explanation(visit)).to_contain_text("It leads to https://go.example/0006915")
        expect(explanation(visit).get_by_role("link", name="go:0006915")).to_have_attribute(
            "href", f"{visit.server.url}/go:0006915"
        )
        expect(explanation(visit).get_by_role("link", name="go", exact=True)).to_have_attribute(
            "href", f"{visit.server.url}/go"
        )
        for name, part in (("About this identifier", ""), ("How to cite it", "#cite"), ("QR code", "#qr")):
            link = explanation(visit).get_by_role("link", name=name)
            expect(link).to_have_attribute("href", f"{visit.server.url}/go:0006915?info{part}")
        explanation(visit).get_by_role("link", name="QR code").click()
        expect(visit.page.get_by_role("heading", name="QR code")).to_be_in_viewport()

    def test_it_says_that_the_check_holds_or_fails_and_the_suggestion_can_be_taken(self, visit: Visit) -> None:
        identifier = minted(visit)
        visit.go("/")
        box(visit).fill(f"demo:{identifier}")
        expect(explanation(visit)).to_contain_text("LUI. Its check character is correct.")
        box(visit).fill(f"demo:{mistyped(identifier)}")
        expect(explanation(visit)).to_contain_text("This looks like a mistyped identifier (LUI). Its check digits are")
        expect(explanation(visit)).to_contain_text("Did you mean one of these?")
        with leaving(visit, THERE):
            explanation(visit).get_by_role("link", name=f"demo:{identifier}").click()
            visit.page.wait_for_url(THERE)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("go", "The prefix alone leads to its description."),
            ("nonsense", "It does not begin with a prefix that is registered here."),
            ("DOI: 10.5281/zenodo.31780", "It leads to https://doi.org/10.5281/zenodo.31780"),
            (MISTYPED, "This looks like a mistyped identifier (ORCID iD)."),
            ("0000-0002-1825-0097", "ORCID iD. Its check character is correct."),
            ("https://go.example/0006915", "It leads to https://go.example/0006915"),
            ("<img src=x onerror=alert(1)>", "It does not begin with a prefix that is registered here."),
            ("doi:10.1234/50%#x", "doi:10.1234/50%#x"),
            ("GO: 0006915", "It leads to https://go.example/0006915"),
            ("isbn 978 3 16 148410 0", "ISBN. Its check character is correct."),
            ("orcid:0000-0002-1825–0097", "ORCID iD. Its check character is correct."),
            ("orcid:0000-0002-1825\u200b-0097", "ORCID iD. Its check character is correct."),
            ("demo:0000–0000–00", "“–” (U+2013), "),
            ("doi.org/10.5281/zenodo.31780", "It leads to https://doi.org/10.5281/zenodo.31780"),
            ("10.5281/zenodo.31780.", "It leads to https://doi.org/10.5281/zenodo.31780"),
            ("x" * 9000, "This is too long for an identifier: it has 9000 characters."),
        ],
    )
    def test_it_says_what_else_there_is(self, visit: Visit, text: str, said: str) -> None:
        visit.go("/")
        box(visit).fill(text)
        expect(explanation(visit)).to_contain_text(said)
        assert explanation(visit).locator("img").count() == 0

    @pytest.mark.parametrize(
        ("text", "meant"),
        [
            ("10.5281/zenodo.31780.", "10.5281/zenodo.31780"),
            ("Smith, J. (2020). A title. https://doi.org/10.5281/zenodo.31780.", "doi:10.5281/zenodo.31780"),
            ("see GO: 0006915, too", "GO:0006915"),
        ],
    )
    def test_what_stands_in_it_is_offered(self, visit: Visit, text: str, meant: str) -> None:
        visit.go("/")
        box(visit).fill(text)
        expect(explanation(visit)).to_contain_text("Did you mean one of these identifiers in your text?")
        offered = explanation(visit).get_by_role("link", name=meant, exact=True)
        expect(offered).to_have_attribute("href", f"{visit.server.url}/{meant}")
        assert "mistyped" not in explanation(visit).inner_text()
        assert visit.violations() == []

    @pytest.mark.parametrize(
        "text",
        ["GO: 0006915", "GO:\u00a0 0006915", "ISBN-13: 978 3 16 148410 0", "978 3 16 148410 0", "isbn 0 14 029161 X",
         "ISBN:0-14-029161-X", "DOI 10.1/x", "nobody: a b", "two words", "/go:1", "//go:1", "/ x",
         "0000 0001 2281 955X"],
    )  # fmt: skip
    def test_both_languages_take_the_same_spaces_out(self, visit: Visit, text: str) -> None:
        visit.go("/")
        with visit.page.expect_request("**/api/v1/parse?*") as requested:
            box(visit).fill(text)
        assert parse_qs(urlsplit(requested.value.url).query)["id"] == [text.strip()]

    def test_a_withdrawn_one_has_a_tombstone(self, visit: Visit) -> None:
        identifier = minted(visit)
        path = f"/api/v1/records/demo:{identifier}"
        key = {"Authorization": f"Bearer {visit.server.key}"}
        etag = visit.server.request("GET", path, None, key).headers["etag"]
        more = {"If-Match": etag, "Content-Type": "application/json"}
        assert visit.server.request("DELETE", path, b'{"reason": "a mistake"}', key | more).status == 200
        visit.go("/")
        box(visit).fill(f"demo:{identifier}")
        expect(explanation(visit)).to_contain_text(f"{identifier} was withdrawn; its tombstone remains.")
        box(visit).press("Enter")
        visit.page.wait_for_url(f"{visit.server.url}/demo:{identifier}")

    def test_an_empty_box_sends_no_request_and_a_full_one_few(self, visit: Visit) -> None:
        requested: list[str] = []
        visit.page.on("request", lambda request: requested.append(request.url) if "/api/" in request.url else None)
        visit.page.clock.install(time=0)
        visit.go("/")
        visit.page.clock.pause_at(60)  # however slow the machine is, no time passes while the box is filled
        box(visit).fill("  ")
        box(visit).fill("g")
        box(visit).fill("go")
        box(visit).fill("go:1")
        visit.page.clock.resume()
        expect(explanation(visit)).to_contain_text("It leads to https://go.example/1")
        box(visit).fill("")
        expect(explanation(visit)).to_be_empty()
        expect(visit.page.locator("#more")).to_be_empty()
        assert requested == [f"{visit.server.url}/api/v1/parse?id=go%3A1"]

    def test_requests_for_an_earlier_text_are_aborted(self, visit: Visit) -> None:
        visit.page.route("**/api/v1/parse?id=go", lambda _: None)
        visit.go("/")
        with visit.page.expect_request("**/api/v1/parse?id=go"):
            box(visit).fill("go")
        with visit.page.expect_event("requestfailed"):
            box(visit).fill("orphan")
        expect(explanation(visit)).to_contain_text("orphan")

    @pytest.mark.parametrize(
        ("status", "said"),
        [(503, "The service cannot look anything up"), (429, "too many requests"), (500, "could not identify")],
    )
    def test_a_refusal_of_the_service_is_reported_as_a_sentence(self, visit: Visit, status: int, said: str) -> None:
        visit.page.route("**/api/v1/parse*", lambda route: route.fulfill(status=status, body="{}"))
        visit.go("/")
        box(visit).fill("go:1")
        expect(explanation(visit)).to_contain_text(said)

    def test_without_a_connection_it_says_so(self, visit: Visit) -> None:
        visit.page.route("**/api/v1/parse*", lambda route: route.abort())
        visit.go("/")
        box(visit).fill("go:1")
        expect(explanation(visit)).to_contain_text("The service cannot be reached.")
        visit.requests_fail = True


class TestEnter:
    @pytest.mark.parametrize("java_script_enabled", [True, False])
    def test_it_leads_to_what_is_named(self, visiting: Visiting, java_script_enabled: bool) -> None:
        visit = visiting(java_script_enabled=java_script_enabled)
        visit.go("/")
        box(visit).fill(" go:0006915 ")
        with leaving(visit, "https://go.example/0006915"):
            box(visit).press("Enter")
            visit.page.wait_for_url("https://go.example/0006915")

    @pytest.mark.parametrize("java_script_enabled", [True, False])
    def test_a_text_that_does_not_resolve_stays_in_the_box_with_the_reason(
        self, visiting: Visiting, java_script_enabled: bool
    ) -> None:
        visit = visiting(java_script_enabled=java_script_enabled)
        visit.go("/")
        box(visit).fill(MISTYPED)
        box(visit).press("Enter")
        visit.page.wait_for_url(f"{visit.server.url}/?q={MISTYPED}")
        expect(box(visit)).to_have_value(MISTYPED)
        expect(explanation(visit)).to_contain_text("This does not resolve here")
        expect(explanation(visit)).to_contain_text(
            "It looks like a mistyped identifier (ORCID iD). Its check digits are 8"
        )

    def test_a_mistyped_one_gets_the_page_that_helps(self, visit: Visit) -> None:
        wrong = mistyped(minted(visit))
        visit.go("/")
        box(visit).fill(f"demo:{wrong}")
        box(visit).press("Enter")
        visit.page.wait_for_url(f"{visit.server.url}/demo:{wrong}")
        expect(visit.page.get_by_role("heading", level=1)).to_be_visible()

    @pytest.mark.parametrize(
        ("text", "identifier"),
        [
            ("doi:10.1/a/../b%2Fc?d#e\\f//gé+h&i=j", "10.1/a/../b%252Fc%3Fd%23e%5Cf//g%C3%A9%2Bh%26i=j"),
            ("doi:10.1/./x", "10.1/./x"),
            ("doi:10.1/..", "10.1/.."),
        ],
    )
    def test_browsers_leave_an_identifier_as_it_is(self, visit: Visit, text: str, identifier: str) -> None:
        address = visit.server.request("GET", f"/?q={quote(text, safe='')}").headers["location"]
        assert visit.page.evaluate("address => new URL(address).href", address) == address
        answer = visit.server.request("GET", address.removeprefix(visit.server.url))
        assert (answer.status, answer.headers["location"]) == (302, f"https://doi.org/{identifier}")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    visit.go("/")
    focused = visit.page.locator(":focus")
    visit.page.keyboard.press("Tab")
    expect(focused).to_have_text("To the content")
    visit.page.keyboard.press("Enter")
    visit.page.keyboard.press("Tab")
    expect(focused).to_have_attribute("name", "q")
    visit.page.keyboard.type("go:1")
    expect(explanation(visit)).to_contain_text("It leads to")
    visit.page.keyboard.press("Tab")
    expect(focused).to_have_text("Look up")
    visit.page.keyboard.press("Tab")
    expect(focused).to_have_text("https://go.example/1")
