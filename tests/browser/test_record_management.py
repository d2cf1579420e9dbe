"""Withdrawing a record from its page with an API key."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Visit, Visiting
from tests.browser.test_proof import change, minted, verdict

REASON = "It was a duplicate"


def keeping(visit: Visit, path: str) -> None:
    """Open the page, and what is there for keepers."""
    assert visit.go(path) == 200
    visit.page.get_by_text("For its owners").click()


def fill(visit: Visit, key: str | None = None, reason: str = REASON, successor: str = "") -> None:
    """Fill the form in, and send it."""
    visit.page.get_by_label("API key").fill(key or visit.server.key)
    visit.page.get_by_label("Reason (public)").fill(reason)
    visit.page.get_by_label("Replacement").fill(successor)
    visit.page.get_by_role("button", name="Withdraw…").click()


def confirm(visit: Visit) -> None:
    visit.page.get_by_role("button", name="Yes, withdraw it").click()


def returned(visit: Visit) -> Locator:
    return visit.page.locator("#keep [data-part=message]")


def test_a_record_is_withdrawn_and_its_tombstone_is_shown_and_genuine(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    assert visit.violations() == []
    fill(visit, successor="https://new.example/")
    question = visit.page.get_by_role("heading", name="Withdraw it permanently?")
    expect(question).to_be_focused()
    expect(visit.page.locator("#keep [data-part=confirm]")).to_contain_text(REASON)
    expect(visit.page.locator("#keep [data-part=confirm]")).to_contain_text("https://new.example/")
    assert visit.violations() == []
    confirm(visit)
    expect(verdict(visit)).to_contain_text("Genuine: the withdrawal")
    expect(visit.page.locator("main")).to_contain_text(REASON)
    expect(visit.page.locator("#keep")).to_have_count(0)
    assert visit.go(path) == 410
    assert visit.server.request("GET", path.partition("?")[0]).status == 410


def test_where_the_old_page_is_still_stored_on_the_way_the_tombstone_is_opened_by_its_version(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    visit.context.route(visit.server.url + path, lambda route: route.fulfill(status=200, body="<p>Old"))
    fill(visit)
    confirm(visit)
    visit.page.wait_for_url(lambda url: url == f"{visit.server.url}{path}&version=2")
    expect(verdict(visit)).to_contain_text("Genuine: the withdrawal")


def test_nothing_happens_until_it_is_confirmed(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    fill(visit)
    visit.page.get_by_role("button", name="No, go back").click()
    expect(visit.page.get_by_role("button", name="Withdraw…")).to_be_focused()
    expect(visit.page.get_by_label("Reason (public)")).to_have_value(REASON)
    assert visit.go(path) == 200


def test_the_key_is_not_stored_and_sent_in_its_header_only(visit: Visit) -> None:
    sent: list[tuple[str, dict[str, str], str | None]] = []
    visit.context.on("request", lambda each: sent.append((each.url, each.headers, each.post_data)))
    keeping(visit, minted(visit))
    fill(visit)
    confirm(visit)
    expect(verdict(visit)).to_contain_text("Genuine: the withdrawal")
    with_key = [(url, headers) for url, headers, _ in sent if "authorization" in headers]
    assert [headers["authorization"] for _, headers in with_key] == [f"Bearer {visit.server.key}"] * 2
    assert all(visit.server.key not in url + (body or "") for url, _, body in sent)
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}, history.state, location.href])"
    assert visit.server.key not in visit.page.evaluate(stored)
    assert visit.page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("cool_nobody_secret", "API key is invalid"),
        ("a key with spaces", "not an API key"),
        ("schlüssel", "not an API key"),
    ],
)
def test_a_wrong_key_is_said_to_be_one(visit: Visit, key: str, why: str) -> None:
    keeping(visit, minted(visit))
    fill(visit, key)
    expect(returned(visit)).to_contain_text(why)
    expect(visit.page.get_by_role("button", name="Withdraw…")).to_be_enabled()
    assert visit.violations() == []


def test_a_key_that_may_not_is_said_to_be_one(visit: Visit) -> None:
    headers = {"Authorization": f"Bearer {visit.server.key}"}
    body = json.dumps({"scopes": ["mint:demo"]}).encode()
    client: Any = visit.server.request("POST", "/api/v1/clients", body, headers).json()
    path = minted(visit)
    keeping(visit, path)
    fill(visit, client["key"])
    confirm(visit)
    expect(returned(visit)).to_contain_text("does not permit this")
    assert visit.violations() == []
    assert visit.go(path) == 200


def test_what_was_changed_since_the_page_was_made_is_not_withdrawn(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    change(visit, path.partition("?")[0], "PATCH", {"metadata": {"what": "Another"}})
    fill(visit)
    expect(returned(visit)).to_contain_text("The record was changed after this page was loaded")
    assert visit.go(path) == 200


def test_a_record_that_changed_meanwhile_is_not_withdrawn(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    fill(visit)
    yes = visit.page.get_by_role("button", name="Yes, withdraw it")
    expect(yes).to_be_visible()
    change(visit, path.partition("?")[0], "PATCH", {"metadata": {"what": "Another"}})
    confirm(visit)
    expect(returned(visit)).to_contain_text("Someone else changed it in the meantime")
    assert visit.go(path) == 200


def test_what_is_withdrawn_already_is_said_to_be(visit: Visit) -> None:
    path = minted(visit)
    keeping(visit, path)
    fill(visit)
    expect(visit.page.get_by_role("button", name="Yes, withdraw it")).to_be_visible()
    change(visit, path.partition("?")[0], "DELETE", {"reason": "First"})
    confirm(visit)
    expect(returned(visit)).to_contain_text("This is not possible in the current state.")
    fill(visit)
    expect(returned(visit)).to_contain_text("The record is already withdrawn")


def test_a_broken_rule_is_reported_at_its_position(visit: Visit) -> None:
    keeping(visit, minted(visit))
    fill(visit, successor="javascript:alert(1)")
    confirm(visit)
    expect(returned(visit)).to_contain_text("is invalid")
    expect(returned(visit).get_by_role("listitem")).to_contain_text("Replacement")
    expect(visit.page.get_by_label("Replacement")).to_have_attribute("aria-invalid", "true")
    assert visit.violations() == []


def test_it_is_said_that_the_service_cannot_do_it_now(visit: Visit) -> None:
    def unable(route: Route) -> None:
        problem = {"type": "about:blank", "title": "No", "status": 503, "detail": "The store did not answer."}
        if route.request.method == "DELETE":
            route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(problem))
        else:
            route.continue_()

    visit.context.route(lambda url: "/api/v1/records/" in url, unable)
    path = minted(visit)
    keeping(visit, path)
    fill(visit)
    confirm(visit)
    expect(returned(visit)).to_contain_text(
        "The service is not available at the moment. Try again in a moment. The store did"
    )
    confirm_again = visit.page.get_by_role("button", name="Withdraw…")
    expect(confirm_again).to_be_enabled()
    assert visit.go(path) == 200


@pytest.mark.parametrize("answer", [{}, [], 5, {"status": "withdrawn"}])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_nothing_is_called_withdrawn_without_a_tombstone_in_the_response(
    visit: Visit, method: str, answer: object
) -> None:
    def other(route: Route) -> None:
        if route.request.method == method:
            route.fulfill(status=200, body=json.dumps(answer))
        else:
            route.continue_()

    visit.context.route(lambda url: "/api/v1/records/" in url, other)
    path = minted(visit)
    keeping(visit, path)
    fill(visit)
    if method == "DELETE":
        confirm(visit)
    expect(returned(visit)).to_contain_text("an unexpected answer. The change may or may not have been made")
    expect(visit.page.get_by_role("button", name="Withdraw…")).to_be_enabled()
    assert visit.go(path) == 200


def test_it_is_said_that_nobody_answered(visit: Visit) -> None:
    visit.context.route(lambda url: "/api/v1/records/" in url, lambda route: route.abort())
    keeping(visit, minted(visit))
    fill(visit)
    expect(returned(visit)).to_contain_text("The service did not answer")
    visit.requests_fail = True


def test_a_form_that_is_not_filled_in_is_not_sent(visit: Visit) -> None:
    keeping(visit, minted(visit))
    visit.page.get_by_role("button", name="Withdraw…").click()
    expect(visit.page.locator("#keep [data-part=confirm]")).to_be_hidden()
    expect(visit.page.get_by_label("API key")).to_be_focused()


def test_there_is_nothing_for_managers_without_scripts_or_at_versions_and_tombstones(
    visit: Visit, visiting: Visiting
) -> None:
    path = minted(visit, changes=1)
    plain = visiting(java_script_enabled=False)
    plain.go(path)
    expect(plain.page.locator("#keep")).to_be_hidden()
    visit.go(f"{path}&version=1")
    expect(visit.page.locator("#keep")).to_have_count(0)
    change(visit, path.partition("?")[0], "DELETE", {"reason": REASON})
    visit.go(path)
    expect(visit.page.locator("#keep")).to_have_count(0)


def test_under_another_name_it_is_said_where_to_open_it(visit: Visit) -> None:
    path = minted(visit)
    host = "localhost" if "127.0.0.1" in visit.server.url else "127.0.0.1"
    visit.page.goto(visit.server.url.replace("127.0.0.1", host).replace("localhost", host) + path)
    visit.page.get_by_text("For its owners").click()
    expect(visit.page.get_by_role("link", name="Open it under the main host name")).to_be_visible()
    expect(visit.page.get_by_label("API key")).to_be_hidden()
    assert all(f"//{host}:" in wrong for wrong in visit.wrongs)
    visit.wrongs.clear()
