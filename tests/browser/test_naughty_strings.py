"""Chromium renders naughty strings in pages as text: no script runs, and no element is created.

`tests/functions/test_naughty_strings.py` checks more pages and formats with another parser.
"""

import json
from collections.abc import Callable
from itertools import cycle
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import TOOLS, Visit
from tests.browser.test_management import sign_in
from tests.support.builders.naughty_strings import ALL, LONG, STRINGS, as_read, heard
from tests.support.servers.coolid_server import Server

RISKY = [text for text in ALL if set(text) & set("<>\"'&`{}") or "script:" in text.lower()]
"""What could mean something in markup, in an address or to a script."""

SHOWN = [text for number, text in enumerate(ALL) if number % 4 == 0 or text in RISKY]
"""What a record says here; of the others, libxml2 reads each."""

# What a script of the list would do is seen by these; and the policy, at the end of every visit.
WATCHED = """
  window.ran = [];
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    window[name] = (...given) => { window.ran.push([name, ...given.map(String)]) };
  }
"""

# One string says all that is seen of a page: what elements and attributes it has, and what its elements say.
LOOKED = """() => {
  const every = [...document.querySelectorAll("*")];
  return {
    ran: window.ran,
    scripts: every.filter((each) => each.localName === "script" && !each.type.includes("json"))
      .map((each) => each.src + each.textContent.trim()),
    handlers: every.flatMap((each) => each.getAttributeNames()).filter((name) => /^on|^style$|^srcdoc$/.test(name)),
    foreign: every.filter((each) => each.namespaceURI !== "http://www.w3.org/1999/xhtml").map((each) => each.outerHTML),
    embedded: every.filter((each) => /^(iframe|object|embed|base|frame|applet|video|audio|style)$/.test(each.localName))
      .map((each) => each.outerHTML),
    schemes: every.map((each) => each.href || each.action || each.src)
      .filter((each) => each && (typeof each !== "string" || !/^https?:/.test(each))),
    texts: [...new Set(every.filter((each) => each.localName !== "script")
      .flatMap((each) => [each.textContent.trim(), (each.value ?? "").toString().trim()]))],
  };
}"""


@pytest.fixture(scope="module")
def minted(server: Server) -> dict[str, str]:
    """The paths of records by what they say."""
    return dict(zip(SHOWN, paths(server, [metadata(text) for text in SHOWN]), strict=True))


def metadata(text: str) -> dict[str, Any]:
    """A record that says the same wherever it can."""
    return dict.fromkeys(("who", "what", "when", "where", "type", "license", "publisher", "description", "odd"), text)


def paths(server: Server, said: list[dict[str, Any]]) -> list[str]:
    """The paths of new records without a location."""
    made: list[str] = []
    for at in range(0, len(said), 100):
        body = json.dumps([{"prefix": "demo", "metadata": each} for each in said[at : at + 100]]).encode()
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        rows = server.request("POST", "/api/v1/records/batch", body, headers).json()
        made += [row["record"]["pid"].removeprefix(server.url) for row in rows]
    return made


def looked(page: Page, url: str) -> set[str]:
    """Open a page; the rest is as for `seen_on`."""
    page.goto(url, wait_until="domcontentloaded")
    return seen_on(page, url)


def seen_on(page: Page, url: str) -> set[str]:
    """What the elements of a page say, once it is seen that nothing came of anything but elements of ours."""
    found: dict[str, Any] = page.evaluate(LOOKED)
    texts = set(found.pop("texts"))
    static = url.split("/", 3)
    ours = "/".join(static[:3]) + "/static/"
    assert [each for each in found.pop("scripts") if not each.startswith(ours)] == [], url
    assert found == {"ran": [], "handlers": [], "foreign": [], "embedded": [], "schemes": []}, url
    return {as_read(text) for text in texts}


@pytest.fixture
def page(visit: Visit) -> Page:
    """A page in which no dialog may open."""

    def opened(dialog: Dialog) -> None:
        visit.wrongs.append(dialog.message)
        dialog.dismiss()

    visit.page.add_init_script(WATCHED)
    visit.page.on("dialog", opened)
    return visit.page


def test_the_list_is_the_one_that_npm_brings() -> None:
    brought = TOOLS / "blns" / "resources" / "blns.json"
    assert json.loads(brought.read_text(encoding="utf-8")) == STRINGS


def test_a_record_that_says_anything_says_just_that(page: Page, server: Server, minted: dict[str, str]) -> None:
    for text, path in minted.items():
        said = looked(page, f"{server.url}{path}?format=html")
        assert as_read(text) in said or (len(text) > LONG and any(heard(text) in heard(each) for each in said)), text


def test_a_tombstone_says_just_why(page: Page, server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json", "If-Match": "*"}
    risky = RISKY[::3]
    for text, path in zip(risky, paths(server, [{}] * len(risky)), strict=True):
        gone = server.request("DELETE", f"/api/v1/records{path}", json.dumps({"reason": text}).encode(), headers)
        if gone.status != 200:
            assert gone.status == 422
            continue
        assert any(as_read(text) in each for each in looked(page, server.url + path)), text


def test_a_refusal_is_of_our_words_alone(page: Page, server: Server) -> None:
    for text, before in zip(RISKY[::2], cycle(("", "demo:", "orphan:", "pages/", "resolve/")), strict=False):
        looked(page, f"{server.url}/{before}nothing:{quote(text[:500], safe='')}")


@pytest.mark.parametrize("path", ["/?q=%3C", "/pages/prefixes?q="])
def test_what_was_typed_stands_where_it_was_typed(page: Page, server: Server, path: str) -> None:
    for text in RISKY[::4]:
        said = looked(page, f"{server.url}{path}{quote(text[:200], safe='')}")
        typed = as_read(("<" if "%3C" in path else "") + text[:200])
        assert any(" ".join(typed.split()) in " ".join(each.split()) for each in said), text


def test_the_editor_contains_just_what_a_record_says(visit: Visit, page: Page, server: Server) -> None:
    """Names of members have at most 200 characters, and a record at most 100 members."""
    for at in range(0, len(ALL), 90):
        texts = ALL[at : at + 90]
        said: dict[str, Any] = {f"n{number}": text for number, text in enumerate(texts)}
        (path,) = paths(server, [said | {"what": texts[0]} | {text[:200]: "x" for text in texts[::20] if text}])
        page.goto("about:blank")
        editor = f"/pages/manage/record#{server.url}{path}"
        if at:
            visit.go(editor)
        else:
            sign_in(visit, editor)
        expect(page.locator("#record-facts")).to_contain_text(path)
        page.get_by_role("button", name="Edit all of the description as JSON").click()
        assert (
            json.loads(page.get_by_role("textbox", name="Description", exact=True).input_value()).items()
            >= said.items()
        )
        page.get_by_role("button", name="Discard changes").click()
        expect(page.get_by_label("n0", exact=True)).to_be_visible()
        seen = seen_on(page, server.url)
        for text in texts:
            assert as_read(text) in seen or any(heard(text) in heard(each) for each in seen), text


def test_what_is_typed_into_the_editor_is_saved_and_shown_as_it_is(visit: Visit, page: Page, server: Server) -> None:
    (path,) = paths(server, [{"what": "x"}])
    sign_in(visit, f"/pages/manage/record#{server.url}{path}")
    for number, text in enumerate(RISKY[::24]):
        page.get_by_label("Title", exact=True).fill(f"{number} {text}")
        page.get_by_role("button", name="Review and save…").click()
        seen_on(page, server.url)
        page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#save-message")).to_contain_text(f"Saved as version {number + 2}")
        seen = seen_on(page, server.url)
        assert as_read(f"{number} {text}") in seen, text
    page.get_by_role("button", name="Show all versions").click()
    expect(page.get_by_role("button", name="Restore version 1", exact=True)).to_be_visible()
    seen_on(page, server.url)


def test_what_is_typed_into_the_filters_stays_there_and_in_the_fragment(
    visit: Visit, page: Page, server: Server
) -> None:
    sign_in(visit, "/pages/manage/records")
    for text in RISKY[::12]:
        page.get_by_label("Words in").fill(text[:500])
        page.get_by_label("Host of an address").fill(text[:200])
        page.keyboard.press("Enter")
        page.wait_for_load_state("networkidle")
        seen_on(page, server.url)
        assert " ".join(page.get_by_label("Words in").input_value().split()) == " ".join(text[:500].split()), text


TIME = "2026-11-21T08:09:30Z"
ADMINISTRATORS_LISTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "changes": lambda text: {
        "at": TIME, "kind": text, "subject": "record", "name": text, "repository": text, "version": 2, "status": text,
        "client": {"id": text, "note": text}, "members": [text], "more": 1,
        "differences": [{"member": text, "name": text, "was": text, "now": text}],
    },
    "links/**": lambda text: {
        "pid": text, "uri": text, "state": text, "since": text, "reason": text, "status": 404, "lastGood": text,
        "lastChecked": text, "moved": text,
    },
    "clients": lambda text: {
        "id": text, "scopes": [f"mint:{text}", text], "note": text, "quota": None, "created": text, "revoked": None,
        "last_used": text,
    },
    "repositories": lambda text: {
        "id": text, "title": text, "scheme": "lui", "rules": {}, "prefixes": [text], "updated": text,
    },
}  # fmt: skip
"""By the path of a list below `/api/v1`: the member that says a text wherever it can."""


@pytest.mark.parametrize("name", ADMINISTRATORS_LISTS)
def test_lists_for_administrators_say_just_what_they_contain(
    visit: Visit, page: Page, server: Server, name: str
) -> None:
    list_name = {"links/**": "links", "clients": "keys"}.get(name, name)
    members = [ADMINISTRATORS_LISTS[name](text) for text in ALL]
    body = json.dumps({("clients" if name == "clients" else list_name): members, "next": None})
    sign_in(visit, "/pages/manage")
    page.route(f"**/api/v1/{name}?*", lambda route: route.fulfill(content_type="application/json", body=body))
    page.goto(f"{server.url}/pages/manage/{list_name}", wait_until="domcontentloaded")
    expect(page.locator("main tbody tr")).to_have_count(len(ALL))
    seen = seen_on(page, server.url)
    for text in ALL:
        assert as_read(text) in seen or any(heard(text) in heard(each) for each in seen), text


def test_what_is_typed_into_forms_for_administrators_breaks_nothing(visit: Visit, page: Page, server: Server) -> None:
    sign_in(visit, "/pages/manage/repositories")
    page.get_by_role("button", name="Create a repository…").click()
    for text in RISKY[::12]:
        page.evaluate(
            """(text) => {
              const typed = "input:not([type=radio], [type=checkbox]), textarea";
              const inputs = document.getElementById("wizard").querySelectorAll(typed);
              for (const each of inputs) {
                each.value = text;
                each.dispatchEvent(new Event("input", { bubbles: true }));
              }
            }""",
            text[:400],
        )
        for _ in range(2):
            page.locator("#next").click()
        seen_on(page, server.url)
    visit.go("/pages/manage/links")
    for text in RISKY[::12]:
        page.get_by_label("Identifier", exact=True).fill(text[:400] or "x")
        page.get_by_label("Identifier", exact=True).press("Enter")
        expect(page.locator("#check-button")).not_to_have_attribute("aria-disabled", "true")
        seen_on(page, server.url)
