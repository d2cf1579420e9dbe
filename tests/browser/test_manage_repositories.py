"""The page of repositories: the steps that create one with its prefix, and its settings."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.test_manage_records import mint, register
from tests.browser.test_management import asked, issue, sign_in

REPOSITORIES = "/pages/manage/repositories"
NAUGHTY = "<img src=x onerror=alert(1)> \u202e ﷽ ' OR 1=1 --"


def begin(visit: Visit) -> Page:
    page = sign_in(visit, REPOSITORIES)
    page.get_by_role("button", name="Create a repository…").press("Enter")
    expect(page.get_by_role("heading", name="1. Kind of identifiers")).to_be_focused()
    return page


def go_on(page: Page, heading: str) -> None:
    """Press the button, and wait for the next step."""
    page.locator("#next").press("Enter")
    expect(page.get_by_role("heading", name=heading)).to_be_focused()


def test_an_ark_repository_is_created_with_the_keyboard_and_mints(visit: Visit) -> None:
    page = begin(visit)
    assert visit.violations() == []
    go_on(page, "2. Names")
    page.get_by_label("Shoulder").fill("zz9")
    expect(page.locator("#examples li")).to_have_count(4)
    expect(page.locator("#examples li").first).to_contain_text("/ark:99999/zz9")
    expect(page.locator("#capacity")).to_have_text("There are 70,728,100 possible names.")
    assert visit.violations() == []
    page.get_by_label("Template").fill("nonsense")
    expect(page.locator("#capacity")).to_contain_text("A template is a dot")
    page.get_by_label("Template").fill(".zdk")
    expect(page.locator("#capacity")).to_contain_text("unlimited")
    go_on(page, "3. Where they lead")
    page.get_by_label("Title").fill(NAUGHTY)
    page.get_by_label("Allowed hosts").fill("www.example.org")
    page.get_by_text("More settings").press("Enter")
    assert visit.violations() == []
    go_on(page, "4. Commitment")
    page.get_by_label("Who makes the commitment?").fill("The library")
    page.get_by_label("How long do the identifiers last?").select_option("At least 10 years")
    expect(page.locator("blockquote").first).to_contain_text("The library: The identifiers last for at least 10 years.")
    assert visit.violations() == []
    go_on(page, "5. Check and create")
    expect(page.locator("#summary")).to_contain_text(NAUGHTY)
    visit.require_telephone_fit()
    page.locator("#next").press("Enter")
    expect(page.get_by_role("heading", name="Done")).to_be_focused()
    assert visit.violations() == []
    found = asked(visit, "GET", "/api/v1/prefixes/ark:99999/zz9")
    assert found["rules"] == {"template": ".zdk", "naan": "99999", "shoulder": "zz9"}
    stored = asked(visit, "GET", f"/api/v1/repositories/{found['repository']}")
    assert stored["title"] == NAUGHTY
    assert stored["domains"] == ["www.example.org"]
    assert stored["support"]["who"] == "The library"
    assert mint(visit, "ark:99999/zz9", "A thing")[0].startswith(f"{visit.server.url}/ark:99999/zz9")
    page.get_by_role("link", name="Create a key that may mint here").click()
    expect(page.get_by_label("Prefix", exact=True)).to_have_value("ark:99999/zz9")


@pytest.mark.parametrize(
    ("kind", "fields", "prefix", "scheme"),
    [
        ("Cool LUIs", {"Name": "wizard"}, "/wizard", "lui"),
        ("DOI-like names", {"Prefix": "10.12345"}, "10.12345", "cooldoi"),
        ("Handles", {"Prefix": "20.500.77"}, "20.500.77", "pilin"),
        ("LinkIDs", {"Prefix": "lid2"}, "lid2", "uuid"),
        (
            "Names that you choose",
            {"Prefix": "marks", "Pattern": "[A-Z]{2}-[0-9]+", "Example": "AB-1"},
            "marks",
            "chosen",
        ),
    ],
)
def test_other_kinds_are_created(visit: Visit, kind: str, fields: dict[str, str], prefix: str, scheme: str) -> None:
    page = begin(visit)
    page.get_by_label(kind).check()
    go_on(page, "2. Names")
    for label, value in fields.items():
        page.get_by_label(label, exact=True).locator("visible=true").fill(value)
    expect(page.locator("#examples li").first).to_contain_text(prefix)
    assert visit.violations() == []
    go_on(page, "3. Where they lead")
    page.get_by_label("Title").fill(f"Of the kind {kind}")
    go_on(page, "4. Commitment")
    go_on(page, "5. Check and create")
    shown = page.locator("#summary").inner_text()
    page.locator("#next").press("Enter")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    name = next(line for line in shown.splitlines() if line.endswith(prefix))
    assert asked(visit, "GET", f"/api/v1/prefixes/{name}")["scheme"] == scheme


def test_a_taken_prefix_and_missing_fields_are_explained_before_anything_is_created(visit: Visit) -> None:
    register(visit, "2026/11/taken")
    page = begin(visit)
    page.get_by_label("Cool LUIs").check()
    go_on(page, "2. Names")
    page.locator("#next").press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    expect(page.get_by_text("A name has small letters")).to_be_visible()
    assert visit.violations() == []
    page.get_by_label("Year and month").fill("2026/11")
    page.get_by_label("Name", exact=True).fill("taken")
    page.locator("#next").press("Enter")
    expect(page.get_by_text("already names another repository")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("free")
    go_on(page, "3. Where they lead")
    page.locator("#next").press("Enter")
    expect(page.get_by_text("Enter a title.")).to_be_visible()
    assert visit.violations() == []


def test_a_refusal_of_the_service_leads_to_the_step_with_the_field(visit: Visit) -> None:
    page = begin(visit)
    page.get_by_label("Names that you choose").check()
    go_on(page, "2. Names")
    for label, value in {"Prefix": "wrong", "Pattern": "[a-z]+", "Example": "123"}.items():
        page.get_by_label(label, exact=True).locator("visible=true").fill(value)
    go_on(page, "3. Where they lead")
    page.get_by_label("Title").fill("x")
    page.get_by_label("Allowed hosts").fill("<script>")
    go_on(page, "4. Commitment")
    go_on(page, "5. Check and create")
    page.locator("#next").press("Enter")
    expect(page.locator("#wizard-message .bad").first).to_be_visible()
    expect(page.get_by_role("heading", name="5. Check and create")).to_be_hidden()
    assert visit.violations() == []


def test_if_only_the_repository_was_created_the_page_says_so_and_goes_on(visit: Visit) -> None:
    page = begin(visit)
    page.get_by_label("Cool LUIs").check()
    go_on(page, "2. Names")
    page.get_by_label("Name", exact=True).fill("halfway")
    go_on(page, "3. Where they lead")
    page.get_by_label("Title").fill("Halfway")
    go_on(page, "4. Commitment")
    go_on(page, "5. Check and create")
    created: list[str] = []
    page.on("request", lambda request: created.append(request.url) if request.method == "POST" else None)

    def fail(route: Route) -> None:
        if route.request.method == "PUT":
            route.abort()
        else:
            route.continue_()

    visit.requests_fail = True
    page.route("**/api/v1/prefixes/**", fail)
    page.locator("#next").press("Enter")
    expect(page.locator("#wizard-message")).to_contain_text("was created, but")
    assert visit.violations() == []
    page.unroute("**/api/v1/prefixes/**")
    page.locator("#next").press("Enter")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    assert len([url for url in created if url.endswith("/api/v1/repositories")]) == 1


def test_settings_are_changed_and_a_conflict_loses_nothing(visit: Visit) -> None:
    register(visit, "settings")
    repository = asked(visit, "GET", "/api/v1/prefixes/settings")["repository"]
    page = sign_in(visit, f"{REPOSITORIES}#{repository}")
    expect(page.get_by_role("heading", name="Things of settings")).to_be_visible()
    assert visit.violations() == []
    form = page.locator("#terms-form")
    form.get_by_label("Title").fill("Mine")
    path = f"/api/v1/repositories/{repository}"
    asked(visit, "PATCH", path, {"domains": ["theirs.example.org"]}, **{"If-Match": "*"})
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.locator("#terms-message")).to_contain_text("theirs.example.org")
    expect(form.get_by_label("Title")).to_have_value("Mine")
    assert visit.violations() == []
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    stored = asked(visit, "GET", path)
    assert (stored["title"], stored["domains"]) == ("Mine", ["theirs.example.org"])
    expect(form.get_by_label("Allowed hosts")).to_have_value("theirs.example.org")
    form.get_by_label("Allowed hosts").fill("<b>")
    page.get_by_role("button", name="Save").press("Enter")
    expect(form.get_by_label("Allowed hosts")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Another prefix").fill("settings2")
    page.get_by_role("button", name="Register the prefix").press("Enter")
    expect(page.get_by_text("settings2 leads here now.")).to_be_visible()
    expect(page.locator("#prefixes")).to_contain_text("settings2")
    visit.require_telephone_fit()


def test_a_key_sees_only_its_repositories_and_changes_none(visit: Visit) -> None:
    register(visit, "seen1")
    register(visit, "unseen1")
    key = issue(visit, "mint:seen1")["key"]
    page = sign_in(visit, REPOSITORIES, key)
    expect(page.locator("#list")).to_contain_text("Things of seen1")
    expect(page.locator("#list")).not_to_contain_text("unseen1")
    expect(page.get_by_role("button", name="Create a repository…")).to_be_hidden()
    assert visit.violations() == []
