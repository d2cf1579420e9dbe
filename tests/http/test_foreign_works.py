"""Works of other services: checks, limits and caches of their metadata, and the pages and formats made of them."""

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.foreign_works import FAILED, FRESH, MAX_ENTRIES, MAX_NAMES, ForeignWorks, read_work
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from tests.support.builders.samples import BASE_URL, provider_prefix
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

DOI = "10.5072/tea"
ITEM = {
    "type": "article-journal",
    "title": "<i>Tea</i> & <script>alert(1)</script>",
    "author": [{"family": "Doe", "given": "Jane", "ORCID": "x", "sequence": "first"}, {"name": "ignored"}],
    "issued": {"date-parts": [[2024, 5, 17]]},
    "container-title": ["Journal of Tea"],
    "volume": 12,
    "page": "1-9",
    "DOI": "10.1/other",
    "URL": "javascript:alert(1)",
    "reference": [{"key": "x"}] * 3,
}


class Agency:
    """Counts requests, and returns the `body`, or raises an error if it is None."""

    def __init__(self, item: Any = ITEM) -> None:
        self.body = None if item is None else json.dumps(item).encode()
        self.requests: list[str] = []

    def __call__(self, doi: str) -> bytes | None:
        self.requests.append(doi)
        if self.body is None:
            raise OSError("unreachable")
        return self.body


def test_only_known_members_of_their_types_are_read() -> None:
    assert read_work(json.dumps(ITEM).encode(), DOI) == {
        "type": "article-journal",
        "title": "Tea & alert(1)",
        "container-title": "Journal of Tea",
        "volume": "12",
        "page": "1-9",
        "author": [{"family": "Doe", "given": "Jane"}],
        "issued": {"date-parts": [[2024, 5, 17]]},
        "id": f"https://doi.org/{DOI}",
        "DOI": DOI,
        "URL": f"https://doi.org/{DOI}",
    }


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("<i>Tea</i> &amp; <sub\n>milk</sub>", "Tea & milk"),
        ("&lt;i&gt;Tea&lt;/i&gt;", "Tea"),
        ("0 < p and q > 1", "0 < p and q > 1"),
    ],
)
def test_markup_is_removed_and_other_signs_stay(title: str, text: str) -> None:
    work = read_work(json.dumps({"title": title}).encode(), DOI)
    assert work is not None
    assert work["title"] == text


def test_the_last_of_very_many_authors_stays() -> None:
    authors = [{"family": str(number)} for number in range(3000)]
    work = read_work(json.dumps({"title": "Tea", "author": authors}).encode(), DOI)
    assert work is not None
    assert (len(work["author"]), work["author"][-1]) == (MAX_NAMES, {"family": "2999"})


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ITEM, "family", "literal", "date-parts"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(document=documents, title=documents)
def test_whatever_an_agency_returns_is_read(document: Any, title: Any) -> None:
    body = json.dumps({**document, "title": title} if isinstance(document, dict) else document).encode()
    work = read_work(body, DOI)
    assert work is None or work["title"]


def test_works_and_failures_are_cached_for_a_while() -> None:
    agency, clock = Agency(), FixedClock()
    start, passed = clock.now(), FAILED - FAILED

    def now() -> datetime:
        return start + passed

    works = ForeignWorks(agency, now)
    assert works.work(DOI) == works.work(DOI.upper()) != None  # noqa: E711
    agency.body = None
    assert works.work("10.5072/absent") is works.work("10.5072/absent") is None
    assert agency.requests == [DOI, "10.5072/absent"]
    passed = FAILED * 2
    assert works.work("10.5072/absent") is None
    passed = FRESH * 2
    assert works.work(DOI) is None
    assert agency.requests == [DOI, "10.5072/absent", "10.5072/absent", DOI]
    assert works.work("not a doi") is works.work("10.5072") is None
    assert len(agency.requests) == 4


def test_the_cache_is_bounded() -> None:
    agency = Agency()
    works = ForeignWorks(agency)
    for number in range(MAX_ENTRIES + 1):
        works.work(f"10.5072/{number}")
    works.work("10.5072/1")
    assert len(agency.requests) == MAX_ENTRIES + 1
    works.work("10.5072/0")
    assert len(agency.requests) == MAX_ENTRIES + 2


def get(agency: Agency | None, query: str = "", accept: str = "*/*", path: str = f"/doi:{DOI}") -> Response:
    """GET the DOI, or another path, from a service that has this agency."""
    store = MemoryStore()
    store.put_prefix(provider_prefix("doi", "https://doi.org/{$id}", ttl=600), None)
    store.put_prefix(provider_prefix("go", "https://go.example/{$id}", ttl=600), None)
    works = None if agency is None else ForeignWorks(agency).work
    routes = ResolutionEndpoint(store, FixedClock(), BASE_URL, works).routes()  # type: ignore[arg-type]
    pairs = tuple(tuple(pair.partition("=")[::2]) for pair in query.split("&") if pair)
    return Application(routes, BASE_URL, print, public=True)(Request("GET", path, pairs, {"accept": accept}))  # type: ignore[arg-type]


def test_a_page_shows_title_and_citation_escaped_and_a_qr_code() -> None:
    page = get(Agency(), "info", "text/html")
    assert page.status == 200
    assert isinstance(page.body, str)
    assert '<h1 dir="auto" lang="">Tea &amp; alert(1)</h1>' in page.body
    assert "Doe, Jane (2024): Tea &amp; alert(1)." in page.body
    assert "javascript:" not in page.body
    for format_ in ("bibtex", "ris", "csl", "citation&amp;style=apa", "qr"):
        assert f"?format={format_}" in page.body


@pytest.mark.parametrize("agency", [None, Agency(None), Agency({"title": ""}), Agency([])])
def test_without_metadata_the_page_is_complete(agency: Agency | None) -> None:
    page = get(agency, "format=html")
    assert page.status == 200
    assert f"<h1><code>doi:{DOI}</code></h1>" in page.body
    lifetime = "max-age=600" if agency is None else "max-age=60"
    assert lifetime in page.headers["Cache-Control"]


def test_redirects_and_other_prefixes_fetch_nothing() -> None:
    agency = Agency()
    assert get(agency).status == get(agency, accept="text/html").status == 302
    assert get(agency, "info", "text/html", "/go:1").status == 200
    assert get(agency, "format=qr").status == get(agency, "info").status == 200
    assert get(agency, "format=bibtex", path="/go:1").status == 302
    assert agency.requests == []


@pytest.mark.parametrize(
    ("query", "media_type", "text"),
    [
        ("format=csl", "application/vnd.citationstyles.csl+json", '"title":"Tea & alert(1)"'),
        ("format=bibtex", "application/x-bibtex", "journal = {Journal of Tea}"),
        ("format=ris", "application/x-research-info-systems", "TI  - Tea & alert(1)"),
        ("format=citation", "text/x-bibliography", "Doe, Jane (2024): Tea & alert(1)."),
        ("format=citation&style=bibtex", "text/x-bibliography", "@article"),
        ("style=apa&locale=de", "text/x-bibliography", "Doe, J. (2024). Tea & alert(1). Journal of Tea, 12, 1–9."),
    ],
)
def test_reference_managers_get_their_formats(query: str, media_type: str, text: str) -> None:
    answer = get(Agency(), query)
    assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, media_type)
    assert text in answer.body


def test_without_metadata_a_format_is_refused_for_the_moment() -> None:
    refused = get(Agency(None), "format=ris")
    assert refused.status == 503
    assert "no-foreign-metadata" in refused.body
