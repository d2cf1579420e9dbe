"""Pages of problems lead a mistyped identifier to its target, and explain other errors."""

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import Visit, Visiting, leaving

TARGET = "https://content.example.org/problems"


def minted(visit: Visit, **members: Any) -> str:
    """A new identifier under `demo`, as people write it."""
    reply = visit.server.mint(**{"uri": TARGET} | members)
    assert reply.status == 201
    identifier: str = reply.json()["id"]
    return identifier


def swapped(identifier: str) -> str:
    """The identifier with two neighbours that differ swapped."""
    at = next(
        at
        for at in range(len(identifier) - 1)
        if "-" not in identifier[at : at + 2] and len({*identifier[at : at + 2]}) == 2
    )
    return identifier[:at] + identifier[at + 1] + identifier[at] + identifier[at + 2 :]


@pytest.mark.parametrize("scripts", [True, False])
def test_the_suggestion_for_a_mistyped_identifier_resolves(visiting: Visiting, scripts: bool) -> None:
    visit = visiting(java_script_enabled=scripts)
    identifier = minted(visit)
    assert visit.go(f"/demo:{swapped(identifier)}") == 400
    with leaving(visit, TARGET):
        visit.page.get_by_role("main").get_by_role("link", name=identifier).click()
        visit.page.wait_for_url(TARGET)


def test_the_wrong_character_is_marked(visit: Visit) -> None:
    identifier = minted(visit)
    assert visit.go(f"/demo:{identifier[:5]}U{identifier[6:]}") == 400
    assert visit.page.locator("mark").first.inner_text() == "U"
    assert "character 6 is U" in visit.page.get_by_role("main").inner_text()


def test_an_unknown_prefix_leads_to_a_search_with_its_name_in_the_box(visit: Visit) -> None:
    assert visit.go("/nobodys-prefix:1") == 404
    assert visit.page.get_by_role("searchbox").input_value() == "nobodys-prefix:1"
    visit.page.get_by_role("link", name="Search the prefixes for “nobodys-prefix”").click()
    visit.page.wait_for_url(re.compile("/pages/prefixes\\?q=nobodys-prefix$"))


def test_a_hostile_identifier_is_shown_and_does_nothing(visit: Visit) -> None:
    assert visit.go("/demo:%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AE") == 400
    assert visit.page.locator("main img").count() == 0
    assert "<img src=x" in visit.page.get_by_role("main").inner_text()


def test_one_of_several_is_chosen(visit: Visit) -> None:
    headers = {"Authorization": f"Bearer {visit.server.key}", "Content-Type": "application/json"}

    def sent(method: str, path: str, document: Any) -> Any:
        reply = visit.server.request(method, path, json.dumps(document).encode(), headers)
        assert reply.status in (200, 201), reply
        return reply.json()

    owner = sent("POST", "/api/v1/repositories", {"title": "Choices", "choices": True})["id"]
    sent("PUT", "/api/v1/prefixes/choices", {"kind": "namespace", "repository": owner})
    records = [{"uri": f"{TARGET}/{number}", "mediaType": "application/pdf", "size": 2_047_583} for number in (1, 2)]
    identifier = visit.server.mint(prefix="choices", uri=None, records=records, metadata={"what": "Two of it"})
    assert identifier.status == 201, identifier
    assert visit.go(f"/choices:{identifier.json()['id']}") == 300
    assert visit.violations() == []
    with leaving(visit, f"{TARGET}/2"):
        visit.page.get_by_role("link", name=f"{TARGET}/2").click()
        visit.page.wait_for_url(f"{TARGET}/2")
