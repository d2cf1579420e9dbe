"""signposting, the FAIR Signposting Profile's own client, unmodified, against `coolid serve`.

For every kind of response it finds the record's links: in the header, in the page and in both link sets.
"""

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.support.servers.coolid_server import Server
from tests.support.servers.loopback import loopback_server

pytest.importorskip("signposting")
from requests import HTTPError as RequestsHTTPError
from signposting import (
    Signposting,
    find_signposting_html,
    find_signposting_http,
    find_signposting_http_link,
    find_signposting_linkset,
)

LINKSET, LINKS = "application/linkset+json", "application/linkset"
ORCIDS = {"https://orcid.org/0000-0001-5109-3700", "https://orcid.org/0000-0002-1825-0097"}
LICENSE = "https://spdx.org/licenses/CC-BY-4.0"
TYPES = {"https://schema.org/Dataset", "https://schema.org/AboutPage"}
WHOLE, PART = "https://doi.org/10.1000/182", "https://id.example.org/part"
METADATA: dict[str, Any] = {
    "what": "Tea <\"&'> for two",
    "type": "Dataset",
    "creators": [
        {"name": "Lee, Ann", "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700"}]},
        {"name": "Carberry, Josiah", "nameIdentifiers": [{"nameIdentifier": "https://orcid.org/0000-0002-1825-0097"}]},
        {"name": "Nobody, Known"},
    ],
    "license": LICENSE,
    "relatedIdentifiers": [
        {"relationType": "IsPartOf", "relatedIdentifier": "10.1000/182", "relatedIdentifierType": "DOI"},
        {"relationType": "HasPart", "relatedIdentifier": PART, "relatedIdentifierType": "URL"},
    ],
}

Tell = Callable[[str], Signposting]


@pytest.fixture(scope="session")
def content() -> Iterator[str]:
    """A server with the content: each of it tells of what collection it is, as the profile recommends."""

    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Link", '<https://id.example.org/whole>; rel="collection"')
        request.send_header("Content-Length", "0")
        request.end_headers()

    with loopback_server(handle, "GET", "HEAD") as port:
        yield f"http://127.0.0.1:{port}"


def minted(server: Server, **members: Any) -> str:
    answer = server.mint(metadata=METADATA, **members)
    assert answer.status == 201, answer.text
    return str(answer.json()["pid"])


@pytest.fixture(scope="session")
def thing(server: Server, content: str) -> str:
    """The PID of a thing with content."""
    profiled = 'application/ld+json;profile="https://w3id.org/ro/crate"'
    places = [
        {"uri": f"{content}/a.pdf", "mediaType": "application/pdf", "language": "en"},
        {"uri": f"{content}/b.json", "mediaType": profiled},
        {"uri": f"{content}/c"},
    ]
    return minted(server, uri=None, records=places)


@pytest.fixture(scope="session")
def bare(server: Server) -> str:
    """The PID of a thing that is nowhere: its record is the answer."""
    return minted(server, uri=None, records=[])


@pytest.fixture(scope="session")
def gone(server: Server, content: str) -> str:
    """The PID of a thing that was withdrawn."""
    pid = minted(server, uri=f"{content}/gone")
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json", "If-Match": "*"}
    identifier = pid.removeprefix(server.url)
    answer = server.request("DELETE", f"/api/v1/records{identifier}", b'{"reason": "It was wrong"}', headers)
    assert answer.status == 200, answer.text
    return pid


def of_header(server: Server, url: str) -> Signposting:
    """What the header of the answer itself tells, wherever it leads to."""
    answer = server.request("HEAD", url.removeprefix(server.url))
    return find_signposting_http_link([answer.headers["link"]], url)


def targets(found: Any) -> set[str]:
    return {str(each.target) for each in found}


def is_told(found: Signposting, pid: str, items: dict[str, str | None]) -> None:
    """That a client knows all of the thing that its record says."""
    assert found.citeAs is not None
    assert str(found.citeAs.target) == pid
    assert {str(each.target): each.type for each in found.items} == {**items, PART: None}
    assert targets(found.types) == TYPES
    assert targets(found.authors) == ORCIDS
    assert found.license is not None
    assert str(found.license.target) == LICENSE
    assert found.collection is not None
    assert str(found.collection.target) == WHOLE
    described = {str(each.target): each.type for each in found.describedBy}
    assert described[f"{pid}?format=linkid"] == "application/linkid+json"
    assert described[f"{pid}?format=jsonld"] == "application/ld+json"
    assert described[f"{pid}?format=ttl"] == "text/turtle"
    assert not described.keys() & {f"{pid}?format=linkset", f"{pid}?format=links"}


def has_both_sets(found: Signposting, pid: str) -> None:
    assert {str(each.target): each.type for each in found.linksets} == {
        f"{pid}?format=linkset": LINKSET,
        f"{pid}?format=links": LINKS,
    }


def places(content: str) -> dict[str, str | None]:
    return {f"{content}/a.pdf": "application/pdf", f"{content}/b.json": "application/ld+json", f"{content}/c": None}


class TestWhereItLeads:
    def test_the_redirect_has_all_links(self, server: Server, content: str, thing: str) -> None:
        assert server.request("HEAD", thing.removeprefix(server.url)).status == 302
        found = of_header(server, thing)
        is_told(found, thing, places(content))
        has_both_sets(found, thing)
        profiles = {str(each.target): set(map(str, each.profiles)) for each in found.items}
        assert profiles[f"{content}/b.json"] == {"https://w3id.org/ro/crate"}

    def test_a_client_that_follows_it_comes_to_the_content(self, content: str, thing: str) -> None:
        found = find_signposting_http(thing)
        assert str(found.context) == f"{content}/a.pdf"
        assert found.collection is not None

    def test_a_choice_has_all_links(self, server: Server, content: str) -> None:
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        repository = {"title": "Choices", "choices": True, "rules": {"symbols": 8}}
        created = server.request("POST", "/api/v1/repositories", json.dumps(repository).encode(), headers)
        alias = {"kind": "namespace", "repository": created.json()["id"]}
        assert server.request("PUT", "/api/v1/prefixes/choices", json.dumps(alias).encode(), headers).status == 201
        both = [{"uri": f"{content}/{number}", "mediaType": "text/csv"} for number in (1, 2)]
        pid = minted(server, prefix="choices", uri=None, records=both)
        assert server.request("HEAD", pid.removeprefix(server.url)).status == 300
        is_told(of_header(server, pid), pid, {f"{content}/1": "text/csv", f"{content}/2": "text/csv"})


class TestTheRecord:
    @pytest.mark.parametrize("find", [find_signposting_http, find_signposting_html])
    def test_the_page_has_all_links(self, content: str, thing: str, bare: str, find: Tell) -> None:
        for pid, items in ((thing, places(content)), (bare, {})):
            found = find(f"{pid}?format=html")
            is_told(found, pid, items)
            has_both_sets(found, pid)

    @pytest.mark.parametrize("find", [find_signposting_http, find_signposting_html])
    def test_a_record_without_locations_has_all_links_at_the_pid(self, bare: str, find: Tell) -> None:
        found = find(bare)
        assert str(found.context) == bare
        is_told(found, bare, {})
        has_both_sets(found, bare)

    def test_nothing_that_is_said_becomes_a_link_or_markup_of_its_own(self, server: Server) -> None:
        forged = 'https://l.example/>; rel="cite-as", "><link rel="cite-as" href="https://evil.example/"><!--'
        metadata = {
            "license": forged.replace(" ", ""),
            "who": forged.replace(" ", "&"),
            "isPartOf": forged,
            "type": forged,
        }
        media_type = 'text/x; profile="https://p.example/\'><link>"'
        places = [{"uri": "https://c.example/'&amp;", "mediaType": media_type}]
        answer = server.mint(metadata=metadata, uri=None, records=places)
        assert answer.status == 201, answer.text
        pid = str(answer.json()["pid"])
        header, page = (find(f"{pid}?format=html") for find in (find_signposting_http, find_signposting_html))
        for found in (header, page, *(find_signposting_linkset(pid, each) for each in (LINKSET, LINKS))):
            assert targets([found.citeAs]) == {pid}
            assert targets(found.items) == {"https://c.example/'&amp;"}
            assert all(target.startswith("https://l.example/") for target in targets([found.license, *found.authors]))
            assert len(found.authors) == 1
            assert found.collection is None
        assert header == page

    def test_the_page_and_the_header_say_the_same(self, thing: str) -> None:
        header, page = (find(f"{thing}?format=html") for find in (find_signposting_http, find_signposting_html))
        assert header == page

    def test_metadata_describes_the_pid_and_has_the_links_of_the_pid_as_such(
        self, server: Server, content: str, thing: str
    ) -> None:
        forms = find_signposting_linkset(thing, LINKSET).for_context(thing).describedBy
        assert len(forms) > 3
        for form in forms:
            found = find_signposting_http(str(form.target))
            assert targets(found.describes) == {thing}
            has_both_sets(found, thing)
            assert found.citeAs is None
            is_told(found.for_context(thing), thing, places(content))
            answer = server.request("GET", str(form.target).removeprefix(server.url))
            assert answer.headers["content-type"].partition(";")[0] == form.type

    def test_a_version_leads_to_its_own_metadata(self, server: Server, bare: str) -> None:
        found = of_header(server, f"{bare}?version=1&format=html")
        assert {target.rpartition("&")[2] for target in targets(found.describedBy)} == {"version=1"}
        assert found.citeAs is not None
        assert str(found.citeAs.target) == bare


class TestTheTombstone:
    def test_it_still_describes_the_record(self, server: Server, gone: str) -> None:
        assert server.request("HEAD", gone.removeprefix(server.url)).status == 410
        with pytest.warns(UserWarning, match="410 Gone"):
            header = find_signposting_http(gone)
        with pytest.warns(UserWarning, match="410 Gone"):
            page = find_signposting_html(gone)
        for found in (header, page):
            is_told(found, gone, {})
            has_both_sets(found, gone)

    def test_its_link_sets_are_there_for_clients_that_read_what_is_gone(self, server: Server, gone: str) -> None:
        for media_type in (LINKSET, LINKS):
            with pytest.raises(RequestsHTTPError, match="410"):
                find_signposting_linkset(gone, media_type)
        answer = server.request("GET", gone.removeprefix(server.url), headers={"Accept": LINKS})
        found = find_signposting_http_link([answer.text.replace("\n", " ")], gone)
        is_told(found, gone, {})


class TestTheLinkSets:
    @pytest.mark.parametrize("media_type", [LINKSET, LINKS])
    def test_they_are_a_map_of_the_whole(self, content: str, thing: str, media_type: str) -> None:
        found = find_signposting_linkset(thing, media_type)
        assert str(found.context) == thing
        is_told(found, thing, places(content))
        for item in targets(found.items):
            there = found.for_context(item)
            assert there.collection is not None
            assert str(there.collection.target) == thing
            assert there.citeAs is None
        for form in targets(found.describedBy):
            assert targets(found.for_context(form).describes) == {thing}

    @pytest.mark.parametrize("media_type", [LINKSET, LINKS])
    def test_each_is_where_the_header_says_and_leads_to_the_other(
        self, server: Server, thing: str, media_type: str
    ) -> None:
        (link,) = [each for each in of_header(server, thing).linksets if each.type == media_type]
        found = find_signposting_linkset(str(link.target), media_type)
        other = found.for_context(thing).linksets
        assert {each.type for each in other} == {LINKSET, LINKS} - {media_type}
        header = server.request("HEAD", str(link.target).removeprefix(server.url)).headers["link"]
        (alternate,) = targets(other)
        assert f'<{alternate}>; rel="alternate"' in header

    def test_both_say_the_same_but_for_profiles(self, thing: str) -> None:
        returned = [
            {(str(each.context), str(each.rel), str(each.target), each.type) for each in found.signposts}
            for found in (find_signposting_linkset(thing, media_type) for media_type in (LINKSET, LINKS))
        ]
        differing = {relation for _, relation, _, _ in returned[0] ^ returned[1]}
        assert differing == {"linkset"}

    def test_they_have_what_the_header_has_no_room_for(self, server: Server, content: str) -> None:
        crowd = [{"uri": f"{content}/{number:0500}", "mediaType": "text/csv"} for number in range(60)]
        pid = minted(server, uri=None, records=crowd)
        header = of_header(server, pid)
        has_both_sets(header, pid)
        for media_type in (LINKSET, LINKS):
            found = find_signposting_linkset(pid, media_type)
            is_told(found, pid, {str(each["uri"]): "text/csv" for each in crowd})
            assert targets(header.items) < targets(found.items)


@pytest.mark.parametrize(("path", "status"), [("/demo/0", 400), ("/nonsense:1", 404), ("/api/v1/nowhere", 404)])
def test_a_problem_has_no_signposts(server: Server, path: str, status: int) -> None:
    with pytest.raises(HTTPError) as refusal:
        find_signposting_http(server.url + path)
    with refusal.value as answer:
        assert answer.code == status
        assert "Link" not in answer.headers
    page = server.request("GET", path, headers={"Accept": "text/html"}).text
    assert re.findall(r"<link ([^ ]*)", page) == ['rel="stylesheet"', 'rel="icon"']
