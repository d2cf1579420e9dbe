"""The page of keys: their list, the creation of one, which is shown once, and revocation."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_management import asked, issue, sign_in

KEYS = "/pages/manage/keys"
NAUGHTY = "<img src=x onerror=alert(1)> \u202e ﷽ ' OR 1=1 --"


def row(page: Page, key: str) -> Any:
    """The row of a key."""
    return page.locator("#keys-list tbody tr").filter(has_text=key[5:13])


def test_a_key_is_created_shown_once_and_works_as_far_as_its_scopes(visit: Visit) -> None:
    page = sign_in(visit, f"{KEYS}#prefix=demo")
    page.get_by_label("For whom or what").fill(NAUGHTY)
    expect(page.get_by_label("Prefix", exact=True)).to_have_value("demo")
    page.get_by_label("Per day").fill("100")
    page.get_by_role("button", name="Create the key").press("Enter")
    expect(page.get_by_role("heading", name="The new key")).to_be_visible()
    key = page.locator("#new-key-text").inner_text()
    assert visit.violations() == []
    made = asked(visit, "GET", f"/api/v1/clients/{key[5:13]}")
    assert made["scopes"] == ["mint:demo", "update:demo"]
    assert made["quota"] == {"minute": None, "day": 100}
    assert made["note"] == NAUGHTY
    expect(row(page, key)).to_contain_text(NAUGHTY)
    assert key not in page.url
    page.get_by_role("button", name="I have copied it").press("Enter")
    assert key[14:] not in page.content()
    page.reload()
    expect(row(page, key)).to_be_visible()
    assert key[14:] not in page.content()
    visit.require_telephone_fit()


def test_incomplete_and_impossible_scopes_are_explained_at_their_field(visit: Visit) -> None:
    page = sign_in(visit, KEYS)
    page.get_by_role("button", name="Create the key").press("Enter")
    expect(page.get_by_text("Enter a prefix, or remove this part.")).to_be_visible()
    expect(page.get_by_label("Prefix", exact=True)).to_be_focused()
    assert visit.violations() == []
    page.get_by_label("Prefix", exact=True).fill("no prefix <b>")
    page.get_by_role("button", name="Create the key").press("Enter")
    expect(page.locator("#scopes .bad").first).to_contain_text("a scope is admin")
    page.get_by_role("button", name="Add another prefix").press("Enter")
    expect(page.get_by_label("Prefix", exact=True).nth(1)).to_be_focused()
    assert visit.violations() == []
    page.get_by_role("button", name="Remove this prefix").press("Enter")
    expect(page.get_by_label("Prefix", exact=True)).to_have_count(1)


def test_a_key_is_revoked_after_a_question(visit: Visit) -> None:
    key = issue(visit, "mint:demo")["key"]
    page = sign_in(visit, KEYS)
    row(page, key).get_by_role("button").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("It stops working at once")
    assert visit.violations() == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(row(page, key)).to_be_visible()
    row(page, key).get_by_role("button").press("Enter")
    dialog.get_by_role("button", name="Revoke").press("Enter")
    expect(page.get_by_text(f"The key {key[5:13]} was revoked.")).to_be_visible()
    expect(row(page, key)).to_have_count(0)
    page.get_by_label("Show revoked keys").check()
    expect(row(page, key)).to_contain_text("Revoked")
    assert visit.violations() == []


def test_the_own_key_is_not_revoked_by_mistake(visit: Visit) -> None:
    key = issue(visit, "admin")["key"]
    page = sign_in(visit, KEYS, key)
    expect(row(page, key)).to_contain_text("(yours)")
    row(page, key).get_by_role("button").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Revoke").press("Enter")
    expect(dialog).to_contain_text("in the field")
    assert visit.violations() == []
    dialog.get_by_role("button", name="Cancel").press("Enter")
    assert asked(visit, "GET", f"/api/v1/clients/{key[5:13]}")["revoked"] is None


def test_other_keys_see_only_their_own_and_can_create_none(visit: Visit) -> None:
    other, key = issue(visit, "mint:demo")["key"], issue(visit, "mint:demo")["key"]
    page = sign_in(visit, KEYS, key)
    expect(row(page, key)).to_contain_text("Mint identifiers under demo")
    expect(row(page, other)).to_have_count(0)
    expect(page.get_by_role("button", name="Create the key")).to_be_hidden()
    expect(row(page, key).get_by_role("button")).to_have_count(0)
    assert visit.violations() == []
