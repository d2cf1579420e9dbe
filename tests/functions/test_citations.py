"""Citations in styles of CSL: by address, by `Accept`, as a page, and where the processor is installed apart."""

import sys
from typing import Any

import pytest

from coolid.citation_styles.style_names import STYLES, style_named
from coolid.http.pages.record_page import CITATION_STYLES
from tests.support.fixtures.system import System

METADATA = {
    "creators": [{"name": "Doe, Jane", "nameType": "Personal", "givenName": "Jane", "familyName": "Doe"}],
    "titles": [{"title": "Tea & <b>biscuits</b>"}],
    "publisher": "Example Press",
    "publicationYear": 2024,
    "types": {"resourceTypeGeneral": "Dataset"},
}


@pytest.fixture(scope="session")
def path(light: System) -> str:
    minted = light.mint({"prefix": "demo", "uri": "https://content.example.org/", "metadata": METADATA})
    pid: str = minted.json()["pid"]
    return "/" + pid.split("/", 3)[3]


def test_a_style_and_a_locale_are_parameters(light: System, path: str) -> None:
    pid = f"https://id.example.org{path}"
    english = light.get(path, query="format=citation&style=apa")
    assert (english.status, english.headers["content-type"]) == (200, "text/x-bibliography; charset=utf-8")
    assert english.body == f"Doe, J. (2024). Tea & biscuits [Dataset]. Example Press. {pid}\n"
    assert english.headers["content-language"] == "en-US"
    german = light.get(path, query="style=APA&locale=de")
    assert "[Datensatz]" in german.body
    assert german.headers["content-language"] == "de-DE"
    assert light.get(f"/api/v1/citations{path}", query="style=APA&locale=de").body == german.body
    accepted = light.get(path, accept="text/x-bibliography; style=apa; locale=de-DE")
    assert accepted.body == german.body
    assert len({light.get(path, query=f"style={each.file}").body for each in STYLES}) == len(STYLES)


@pytest.mark.parametrize("query", ["format=citation&style=apa-1", "style=apa&locale=xx", "format=citation&style="])
def test_unknown_styles_and_locales_are_refused_with_a_list_of_existing_ones(
    light: System, path: str, query: str
) -> None:
    refused = light.get(path, query=query)
    assert refused.is_problem(406, "unknown-style")
    assert ("fr-FR" if "locale" in query else "vancouver") in refused.json()["detail"]


def test_browsers_get_a_page_with_all_styles(light: System, path: str) -> None:
    page = light.get(path, query="format=citation&style=apa", accept="text/html,*/*;q=0.8")
    assert page.headers["content-type"].startswith("text/html")
    assert "<i>Tea &amp; biscuits</i>" in page.body
    assert page.body.count("<option") > len(STYLES)
    record = light.get(path, query="format=html").body
    for name, _ in CITATION_STYLES:
        assert f"?format=citation&amp;style={name}" in record
        assert style_named(name) is not None


def test_without_the_processor_the_request_is_redirected(
    light: System, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So are the layers of the resolve function."""
    monkeypatch.setitem(sys.modules, "coolid.citation_styles.processor", None)
    moved: Any = light.get(path, query="version=1&format=citation&style=MLA&locale=fr")
    address = f"https://id.example.org/api/v1/citations{path}?style=mla&locale=fr&version=1"
    assert (moved.status, moved.headers["location"]) == (303, address)
    assert light.get(path, query="format=citation&style=bibtex").body.startswith("@")
