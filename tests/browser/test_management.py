"""The gate of the management pages: signing in with a key, signing out, and keys that end."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from coolid.model.clients import split_key
from tests.browser.conftest import Visit

OVERVIEW = "/pages/manage"


def issue(visit: Visit, *scopes: str) -> dict[str, Any]:
    """Issue a key; its document, with the key."""
    return asked(visit, "POST", "/api/v1/clients", {"scopes": list(scopes)})


def asked(visit: Visit, method: str, path: str, document: object = None, **headers: str) -> dict[str, Any]:
    """Send a request to the API as the administrator; the answer, which must be one of success."""
    sent = {"Authorization": f"Bearer {visit.server.key}", "Content-Type": "application/json", **headers}
    body = json.dumps(document).encode() if document is not None else None
    reply = visit.server.request(method, path, body, sent)
    assert reply.status in {200, 201, 202}, reply
    answer: dict[str, Any] = reply.json()
    return answer


def sign_in(visit: Visit, path: str = OVERVIEW, key: str | None = None) -> Page:
    """Open a management page, and sign in as the administrator or with another key."""
    assert visit.go(path) == 200
    visit.page.get_by_label("API key").fill(key or visit.server.key)
    visit.page.get_by_role("button", name="Sign in").click()
    expect(visit.page.get_by_role("button", name="Sign out")).to_be_visible()
    return visit.page


def test_the_overview_says_what_the_key_may_do(visit: Visit) -> None:
    client = issue(visit, "mint:demo", "update:demo")
    page = sign_in(visit, key=client["key"])
    expect(page.get_by_text(f"Signed in with the key {client['id']}")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Mint identifiers under demo")).to_be_visible()
    expect(page.get_by_text("Nothing: no job waits for you")).to_be_visible()
    expect(page.get_by_role("link", name="Give a colleague access")).to_be_hidden()
    assert visit.violations() == []
    page.emulate_media(color_scheme="dark")
    assert visit.violations() == []


def test_the_overview_lists_what_needs_attention_and_leads_to_tasks(visit: Visit) -> None:
    page = sign_in(visit, key=issue(visit, "mint:unregistered")["key"])
    expect(page.get_by_role("listitem").filter(has_text="not work with any prefix yet")).to_be_visible()
    key = issue(visit, "update:demo")["key"]
    asked(visit, "POST", "/api/v1/records", {"prefix": "demo", "uri": "https://attention.example/a/1"})
    rule = {"from": "https://attention.example/a/", "to": "https://attention.example/b/"}
    document = {"operation": "retarget", "prefix": "demo", "rule": rule, "dry_run": True}
    asked(visit, "POST", "/api/v1/jobs", document, Authorization=f"Bearer {key}")
    page.get_by_role("button", name="Sign out").click()
    page = sign_in(visit, key=key)
    attention = page.get_by_role("region", name="What needs attention")
    expect(attention.get_by_role("link", name="Move to a new address")).to_be_visible()
    assert visit.violations() == []
    page.get_by_role("list").get_by_role("link", name="Move to a new address").last.click()
    expect(page.get_by_label("Move to a new address")).to_be_checked()


def test_the_session_lasts_in_the_tab_and_ends_with_it(visit: Visit) -> None:
    page = sign_in(visit)
    page.reload()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    other = visit.context.new_page()
    other.goto(visit.server.url + OVERVIEW)
    expect(other.get_by_label("API key")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("cool_aaaaaaaa_" + "A" * 43, "The API key is invalid"),
        ("cool_nobody_secret", "This is not an API key"),
        ("schlüssel <b>", "This is not an API key"),
    ],
)
def test_a_wrong_key_is_refused_at_its_field(visit: Visit, key: str, why: str) -> None:
    visit.go(OVERVIEW)
    visit.page.get_by_label("API key").fill(key)
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("#gate-wrong")).to_contain_text(why)
    expect(visit.page.get_by_label("API key")).to_be_focused()
    assert visit.violations() == []
    assert visit.page.evaluate("sessionStorage.length") == 0


def test_a_revoked_key_leads_back_to_the_form_and_then_to_the_page(visit: Visit) -> None:
    client = issue(visit, "mint:demo")
    page = sign_in(visit, key=client["key"])
    expect(page.get_by_text("Nothing: no job waits for you")).to_be_visible()  # no request is under way
    asked(visit, "DELETE", f"/api/v1/clients/{client['id']}")
    page.reload()
    expect(page.get_by_text("may have been revoked")).to_be_visible()
    expect(page.get_by_label("API key")).to_be_focused()
    assert visit.violations() == []
    page.get_by_label("API key").fill(visit.server.key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Everything: it is an administrator's key.")).to_be_visible()


def test_the_key_is_in_no_address_and_no_page(visit: Visit) -> None:
    addresses: list[str] = []
    visit.context.on("request", lambda request: addresses.append(request.url))
    page = sign_in(visit)
    expect(page.get_by_text("Everything: it is an administrator's key.")).to_be_visible()
    secret = split_key(visit.server.key)[1]
    assert secret not in page.content()
    assert not [each for each in addresses if secret in each]
    assert secret not in page.evaluate("JSON.stringify([{...localStorage}, history.state, location.href])")
    assert page.evaluate("[...document.querySelectorAll('input')].map((each) => each.value).join('')") == ""


def test_under_another_name_it_links_to_its_address(visit: Visit) -> None:
    host = "localhost" if "127.0.0.1" in visit.server.url else "127.0.0.1"
    visit.page.goto(visit.server.url.replace("127.0.0.1", host).replace("localhost", host) + OVERVIEW)
    expect(visit.page.get_by_text("This page works only under its own address")).to_be_visible()
    expect(visit.page.get_by_label("API key")).to_be_hidden()
    visit.wrongs.clear()
