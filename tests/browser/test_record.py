"""The page of a record in a browser, with and without scripts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

import coolid
from coolid.identifiers.schemes import linkid
from tests.browser.conftest import Visit, Visiting
from tests.browser.test_management import sign_in
from tests.browser.test_proof import change
from tests.support.servers.coolid_server import Server, prepare, serving

RICH: dict[str, Any] = {
    "metadata": {
        "what": "Tea of the highlands",
        "who": ["Lee, Ann", {"name": "Doe, Bo", "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700"}]}],
        "when": "2024-05",
        "descriptions": [{"description": "Leaves that were picked and counted. " * 20, "descriptionType": "Abstract"}],
        "rightsList": [{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
        "relatedIdentifiers": [
            {"relatedIdentifier": "10.1000/182", "relatedIdentifierType": "DOI", "relationType": "IsPartOf"}
        ],
        "geoLocations": [{"geoLocationPoint": {"pointLatitude": 1.5, "pointLongitude": 2}}],
    },
    "records": [
        {
            "uri": "https://content.example.org/tea.pdf",
            "mediaType": "application/pdf",
            "language": "en",
            "size": 2_047_583,
            "checksum": {"algorithm": "sha256", "value": "9f86d081884c7d659a2feaa0c55ad015" * 2},
        },
        {"uri": "https://content.example.org/old.pdf", "status": "inactive"},
    ],
    "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}, {"scheme": "shelf", "identifier": "A 7"}],
}  # fmt: skip


@pytest.fixture
def path(visit: Visit) -> str:
    """The path of a record that says much, and was renamed twice."""
    minted = visit.server.mint(uri=None, **RICH)
    assert minted.status == 201, minted
    path = str(minted.json()["pid"]).removeprefix(visit.server.url)
    for what in ("Tea of the lowlands", "Tea of the valleys"):
        change(visit, path, "PATCH", {"metadata": {"what": what}})
    return path


def test_what_is_copied_is_the_identifier_and_the_citation(path: str, visiting: Visiting) -> None:
    visit = visiting(permissions=["clipboard-read", "clipboard-write"])
    visit.go(f"{path}?format=html")
    pid = visit.server.url + path
    for name, what in (("Copy the identifier", pid), ("Copy the citation", "Lee, Ann; Doe, Bo (2024)")):
        visit.page.get_by_role("button", name=name).click()
        visit.page.get_by_text("Copied.").first.wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()").startswith(what)


def test_without_a_clipboard_the_text_is_marked(path: str, visit: Visit) -> None:
    visit.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    visit.go(f"{path}?format=html")
    visit.page.get_by_role("button", name="Copy the identifier").click()
    visit.page.get_by_text("The text is selected").wait_for()
    assert visit.page.evaluate("getSelection().toString()") == visit.server.url + path


def test_without_scripts_everything_but_buttons_is_there(path: str, visiting: Visiting) -> None:
    visit = visiting(java_script_enabled=False)
    visit.go(f"{path}?format=html")
    page = visit.page
    for heading in ("Content", "Locations", "How to cite it", "Is it genuine?", "History", "Also known as"):
        assert page.get_by_role("heading", name=heading, exact=True).is_visible()
    assert page.get_by_role("button").count() == 0
    page.get_by_text("formats of this record").click()
    assert page.get_by_role("link", name="datacite", exact=True).is_visible()
    page.get_by_text("3 versions").click()
    page.get_by_role("link", name="Version 1").click()
    assert "This is an older version, 1 of 3," in page.inner_text("main")
    page.get_by_role("link", name="The current version").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Tea of the valleys"


def test_the_picture_is_shown(path: str, visit: Visit) -> None:
    visit.go(f"{path}?format=html")
    picture = visit.page.get_by_role("img", name="QR code")
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") > 0


def test_on_paper_long_texts_are_whole(visit: Visit, path: str) -> None:
    visit.go(f"{path}?format=html")
    folded = visit.page.locator("dd details p").first
    shows = "each => each.checkVisibility({contentVisibilityAuto: true}) && each.getBoundingClientRect().height > 0"
    assert not folded.evaluate(shows)
    visit.page.emulate_media(media="print")
    assert folded.evaluate(shows)
    assert not visit.page.locator("#keep form").evaluate(shows)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The service of another operator."""
    folder = tmp_path_factory.mktemp("other")
    prepare(folder)
    with serving(folder) as running:
        yield running


@dataclass(frozen=True)
class Custody:
    """LinkIDs of the own service: offered to another one, transferred to it (also as a tombstone), received from it."""

    offered: str
    transferred: str
    gone: str
    received: str


@pytest.fixture(scope="module")
def custody(server: Server, other: Server) -> Custody:
    with coolid.Client(server.url, server.key) as own, coolid.Client(other.url, other.key) as theirs:

        def mint(client: coolid.Client) -> str:
            minted = client.mint(prefix="linkid", uri="https://content.example.org/", metadata={"what": "Tea"})
            return linkid.format(minted.id)

        def move(sender: coolid.Client, recipient: coolid.Client, *, gone: bool = False) -> str:
            name = mint(sender)
            if gone:
                sender.withdraw(name, "A mistake")
            sender.custody.offer(name, recipient.base_url)
            recipient.custody.accept(name, sender.base_url)
            return name

        offered = mint(own)
        own.custody.offer(offered, theirs.base_url)
        return Custody(offered, move(own, theirs), move(own, theirs, gone=True), move(theirs, own))


@pytest.mark.parametrize("which", ["offered", "transferred", "gone", "received"])
def test_the_custody_of_a_record_is_shown(which: str, custody: Custody, visit: Visit, other: Server) -> None:
    visit.go(f"/{getattr(custody, which)}?format=html")
    page = visit.page
    expect(page.get_by_role("heading", name="Custody")).to_be_visible()
    page.locator("#proof strong", has_text="Genuine").wait_for()
    page.locator("#history ~ details summary").click()
    expected = {
        "offered": f"it was offered to {other.url}. Until the offer is accepted or revoked",
        "transferred": f"{other.url} is the authority for this identifier.",
        "gone": f"{other.url} is the authority for this identifier.",
        "received": f"Taken over from {other.url}",
    }
    assert expected[which] in page.inner_text("main")
    assert visit.violations() == []
    visit.require_telephone_fit()


@pytest.mark.parametrize("which", ["offered", "transferred"])
def test_the_editor_says_why_a_record_of_two_operators_is_fixed(
    which: str, custody: Custody, visit: Visit, other: Server
) -> None:
    page = sign_in(visit, f"/pages/manage/record#{visit.server.url}/{getattr(custody, which)}")
    expect(page.locator("#record-message")).to_contain_text("cannot be changed")
    expect(page.locator("#record-message")).to_contain_text(other.url)
    expect(page.locator("#edit-form")).to_be_hidden()
    page.get_by_role("button", name="Show all versions").click()
    expect(page.locator("#history")).to_contain_text(f"Offered to {other.url}")
    assert visit.violations() == []
