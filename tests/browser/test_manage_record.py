"""The editor of a record: changing, conflicts of two editors, withdrawing, publishing, history and restoring."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from coolid.model.clients import split_key
from tests.browser.conftest import TELEPHONE, Visit, Visiting
from tests.browser.test_every_page import LOADED, MARK, MISSED, MOST_BYTES, MOST_TABS, WIDE
from tests.browser.test_management import asked, issue, sign_in

EDITOR = "/pages/manage/record"
RICH: dict[str, Any] = {
    "records": [
        {"uri": "https://a.example.org/1.pdf", "mediaType": "application/pdf", "language": "en", "quality": 0.5,
         "validFrom": "2025-07-10T00:00:00Z", "checksum": {"algorithm": "sha256", "value": "ab"}, "size": 12},
        {"uri": "https://b.example.org/2", "status": "inactive"},
    ],
    "metadata": {
        "what": "Tea leaves", "who": ["Ann Lee", "Bo Marsh"], "count": 3, "flag": True, "nothing": None, "empty": "",
        "creators": [{"name": "Lee", "nameIdentifiers": [{"nameIdentifier": "0000-0001", "odd": {"a": [1, None]}}]}],
        "deep": {"a": {"b": {"c": {"d": {"e": {"f": "g"}}}}}}, "lines": "one\r\ntwo", "a/b~c": "x", "__proto__": "y",
    },
    "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}],
    "ttl": 60,
}  # fmt: skip
CONTENT = ("records", "metadata", "alternates", "status", "ttl")


def mint(visit: Visit, **content: Any) -> str:
    """Mint a record; its PID."""
    wanted = content or {"uri": "https://a.example.org/", "metadata": {"what": "Tea", "who": "Ann Lee"}}
    pid: str = asked(visit, "POST", "/api/v1/records", {"prefix": "demo", **wanted})["pid"]
    return pid


def path_of(visit: Visit, pid: str) -> str:
    """The path of a record in the API."""
    return "/api/v1/records" + pid.removeprefix(visit.server.url)


def record(visit: Visit, pid: str) -> dict[str, Any]:
    """The current record."""
    return asked(visit, "GET", path_of(visit, pid))


def change(visit: Visit, pid: str, patch: object) -> None:
    """Change the record as somebody else."""
    asked(visit, "PATCH", path_of(visit, pid), patch, **{"If-Match": "*"})


def edit(visit: Visit, pid: str) -> Page:
    """Open the editor."""
    page = sign_in(visit, f"{EDITOR}#{pid}")
    expect(page.get_by_role("heading", name="Cite and share").or_(page.locator("#history-open"))).not_to_have_count(0)
    expect(page.locator("#record-facts")).to_contain_text(pid)
    return page


def save(page: Page) -> None:
    """Review the changes, and save them."""
    page.get_by_role("button", name="Review and save…").click()
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()


def test_what_is_not_changed_stays_as_it_is(visit: Visit) -> None:
    pid = mint(visit, **RICH)
    before = record(visit, pid)
    page = edit(visit, pid)
    assert visit.violations() == []
    page.get_by_role("button", name="Review and save…").click()
    expect(page.locator("#save-message")).to_contain_text("there are no changes")
    page.get_by_label("Title", exact=True).fill("Tea leaves of Asia")
    page.get_by_role("button", name="Review and save…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("Tea leaves of Asia")
    expect(dialog.get_by_role("row")).to_have_count(2)
    assert visit.violations() == []
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#save-message")).to_contain_text("Saved as version 2")
    after = record(visit, pid)
    before["metadata"]["what"] = "Tea leaves of Asia"
    assert {name: after.get(name) for name in CONTENT} == {name: before.get(name) for name in CONTENT}


def test_addresses_and_fields_are_added_changed_and_removed(visit: Visit) -> None:
    pid = mint(visit)
    page = edit(visit, pid)
    page.get_by_role("button", name="Add: Address").click()
    page.get_by_role("group", name="Address 2").get_by_label("URL").fill("https://c.example.org/x y")
    expect(page.get_by_text("Character 24 must be percent-encoded")).to_be_visible()
    page.get_by_role("button", name="Review and save…").click()
    expect(page.locator("#save-message")).to_contain_text("correct the marked fields")
    assert visit.violations() == []
    page.get_by_role("group", name="Address 2").get_by_label("URL").fill("https://c.example.org/x")
    page.get_by_role("button", name="Remove Address 1").click()
    page.get_by_label("Creator").fill("")
    page.get_by_label("Add a field").fill("creators")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add: creators").click()
    page.get_by_role("group", name="creators 1").get_by_label("name", exact=True).fill("Lee, Ann")
    save(page)
    expect(page.locator("#save-message")).to_contain_text("Saved as version 2")
    after = record(visit, pid)
    assert after["records"] == [{"uri": "https://c.example.org/x", "status": "active"}]
    assert after["metadata"] == {"what": "Tea", "creators": [{"name": "Lee, Ann"}]}


def test_what_the_api_refuses_is_shown_at_its_field(visit: Visit) -> None:
    pid = mint(visit)
    page = edit(visit, pid)
    page.get_by_label("Cache lifetime in seconds").fill("60")
    page.get_by_label("URL").fill("https://xn--a.example.org/")
    save(page)
    expect(page.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("URL")).to_be_focused()
    assert visit.violations() == []
    assert record(visit, pid)["version"] == 1


def test_two_editors_lose_nothing(visit: Visit, visiting: Visiting) -> None:
    pid = mint(visit, uri="https://a.example.org/", metadata={"what": "Tea", "who": "Ann", "when": "2020"})
    page = edit(visit, pid)
    page.get_by_label("Title", exact=True).fill("Tea of mine")
    page.get_by_label("Date", exact=True).fill("2021")
    other = visiting()
    second = edit(other, pid)
    second.get_by_label("Title", exact=True).fill("Tea of others")
    second.get_by_label("Creator").fill("Bo")
    save(second)
    expect(second.locator("#save-message")).to_contain_text("Saved as version 2")
    save(page)
    dialog = page.get_by_role("dialog", name="Somebody else changed this identifier")
    expect(dialog.get_by_text("Tea of mine")).to_be_visible()
    expect(dialog.get_by_text("Tea of others")).to_be_visible()
    expect(dialog.get_by_role("radio")).to_have_count(2)
    expect(dialog.get_by_role("table", name="Changes of others that are kept")).to_contain_text("Bo")
    assert visit.violations() == []
    page.set_viewport_size(TELEPHONE)
    page.emulate_media(color_scheme="dark")
    assert visit.violations() == []
    dialog.get_by_role("button", name="Back to editing").click()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Tea of mine")
    assert record(visit, pid)["metadata"]["what"] == "Tea of others"
    save(page)
    expect(dialog).to_be_visible()
    change(visit, pid, {"metadata": {"how": "by hand"}})
    dialog.get_by_label("Use theirs: Title").check()
    dialog.get_by_role("button", name="Save the merged version").click()
    expect(dialog.get_by_text("in different fields")).to_be_visible()
    dialog.get_by_role("button", name="Save the merged version").click()
    expect(page.locator("#save-message")).to_contain_text("Saved as version 4")
    assert record(visit, pid)["metadata"] == {"what": "Tea of others", "who": "Bo", "when": "2021", "how": "by hand"}


def test_a_key_that_ends_meanwhile_loses_nothing_typed(visit: Visit) -> None:
    client = issue(visit, "update:demo")
    pid = mint(visit)
    page = sign_in(visit, f"{EDITOR}#{pid}", client["key"])
    page.get_by_label("Title", exact=True).fill("Typed")
    asked(visit, "DELETE", f"/api/v1/clients/{client['id']}")
    save(page)
    expect(page.get_by_text("may have been revoked")).to_be_visible()
    expect(page.get_by_label("API key")).to_be_focused()
    page.get_by_label("API key").fill(visit.server.key)
    page.keyboard.press("Enter")
    expect(page.locator("#save-message")).to_contain_text("Saved as version 2")
    assert record(visit, pid)["metadata"]["what"] == "Typed"


def test_it_is_withdrawn_with_a_reason_and_a_successor(visit: Visit) -> None:
    pid, successor = mint(visit), mint(visit)
    page = edit(visit, pid)
    page.get_by_role("button", name="Withdraw…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Withdraw it").click()
    expect(dialog.get_by_label("Reason (public)")).to_have_attribute("aria-invalid", "true")
    assert visit.violations() == []
    dialog.get_by_label("Reason (public)").fill("It was a duplicate")
    dialog.get_by_label("Replacement (optional)").fill("javascript:alert(1)")
    dialog.get_by_role("button", name="Withdraw it").click()
    expect(dialog.get_by_label("Replacement (optional)")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Replacement (optional)").fill(successor)
    dialog.get_by_role("button", name="Withdraw it").click()
    expect(page.locator("#record-message")).to_contain_text("The identifier is withdrawn")
    expect(page.locator("#edit-form")).to_be_hidden()
    withdrawn = record(visit, pid)["withdrawn"]
    assert (withdrawn["reason"], withdrawn["successor"]) == ("It was a duplicate", successor)
    page.get_by_role("button", name="Show all versions").click()
    expect(page.get_by_text("Withdrawn: It was a duplicate")).to_be_visible()
    expect(page.get_by_role("button", name="Restore version 1")).to_have_count(0)
    assert visit.violations() == []


def test_a_reserved_one_is_published(visit: Visit) -> None:
    pid = mint(visit, uri="https://a.example.org/", status="reserved")
    page = edit(visit, pid)
    expect(page.get_by_role("heading", name="Cite and share")).to_be_hidden()
    page.get_by_role("button", name="Publish…").click()
    page.get_by_role("button", name="Publish it").click()
    expect(page.locator("#record-message")).to_contain_text("public now")
    expect(page.get_by_role("img", name="QR code of")).to_be_visible()
    assert record(visit, pid)["status"] == "active"


def test_an_older_version_is_restored_as_a_new_one(visit: Visit) -> None:
    pid = mint(visit)
    change(visit, pid, {"metadata": {"what": "Coffee"}, "uri": "https://b.example.org/"})
    page = edit(visit, pid)
    page.get_by_role("button", name="Show all versions").click()
    expect(page.get_by_role("table", name="What version 2 changed")).to_contain_text("Coffee")
    assert visit.violations() == []
    page.get_by_role("button", name="Restore version 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#record-message")).to_contain_text("The content of version 1 is current again")
    after = record(visit, pid)
    assert (after["version"], after["metadata"]["what"]) == (3, "Tea")
    assert after["records"][0]["uri"] == "https://a.example.org/"


@pytest.mark.parametrize(
    ("reference", "why"),
    [("unheard-of:1", "does not find it"), ("../clients", "not an identifier"), ("demo/%2e%2E/x", "not an identifier")],
)
def test_what_is_no_identifier_of_ones_own_is_not_opened(visit: Visit, reference: str, why: str) -> None:
    page = sign_in(visit, f"{EDITOR}#{reference}")
    expect(page.locator("#record-message .bad")).to_contain_text(why)
    expect(page.get_by_label("Identifier", exact=True)).to_be_visible()
    assert visit.violations() == []


@pytest.mark.parametrize("name", ["records#prefix=demo", "record#{pid}", "labels"])
def test_a_page_is_used_by_keyboard_on_a_telephone_and_stays_small(visit: Visit, name: str) -> None:
    pid = mint(visit, **RICH)
    page = sign_in(visit, "/pages/manage/" + name.format(pid=pid))
    page.wait_for_load_state("networkidle")
    sizes = dict(page.evaluate(LOADED))
    # The form of the editor loads with the record, beyond what the page itself loads.
    assert sum(sizes.values()) < MOST_BYTES * (1.4 if name.startswith("record#") else 1), sizes
    for _ in range(min(page.evaluate(MARK), MOST_TABS)):
        page.keyboard.press("Tab")
    assert page.evaluate(MISSED) == {"unseen": [], "unreached": []}
    page.set_viewport_size(TELEPHONE)
    assert page.evaluate(WIDE) == []


def test_a_change_is_made_by_keyboard_alone(visit: Visit) -> None:
    pid = mint(visit)
    page = edit(visit, pid)
    page.get_by_label("Title", exact=True).focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("Typed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("heading")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("#save-message")).to_contain_text("What you typed is still in the form")
    expect(page.get_by_label("Title", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("heading")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("dialog").get_by_role("button", name="Save", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#save-message")).to_contain_text("Saved as version 2")
    assert record(visit, pid)["metadata"]["what"] == "Typed"


def test_the_key_is_in_no_address_no_message_and_no_log(visit: Visit) -> None:
    key: str = issue(visit, "mint:demo", "update:demo")["key"]
    pid = mint(visit)
    seen: list[str] = []
    visit.context.on("request", lambda request: seen.append(request.url))
    visit.context.on("console", lambda message: seen.append(message.text))
    page = sign_in(visit, f"{EDITOR}#{pid}", key)
    page.get_by_label("URL").fill("https://xn--a.example.org/")
    save(page)
    expect(page.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Show all versions").click()
    expect(page.get_by_text("The first version.")).to_be_visible()
    seen += [page.content(), page.evaluate("JSON.stringify([{...localStorage}, history.state, document.cookie])")]
    seen += [
        path.read_text(encoding="utf-8", errors="replace") for path in visit.server.folder.glob("*") if path.is_file()
    ]
    secret = split_key(key)[1]
    assert not [each[:200] for each in seen if secret in each]


def test_a_key_changes_what_it_may_under_its_own_prefix_and_nothing_else(visit: Visit) -> None:
    pid = mint(visit)
    assert "/2021/06/demo/" in pid
    page = sign_in(visit, f"{EDITOR}#{pid}", issue(visit, "update:demo")["key"])
    page.get_by_label("Title", exact=True).fill("Under another prefix")
    save(page)
    expect(page.locator("#save-message")).to_contain_text("Saved as version 2")
    page.get_by_role("button", name="Show all versions").click()
    expect(page.get_by_role("button", name="Restore version 1")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("API key").fill(issue(visit, "update:lid")["key"])
    page.keyboard.press("Enter")
    expect(page.get_by_text("does not permit changing it")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Withdraw")).to_be_hidden()
    expect(page.get_by_text("Under another prefix")).to_have_count(0)
    assert visit.violations() == []
    assert record(visit, pid)["metadata"]["what"] == "Under another prefix"
