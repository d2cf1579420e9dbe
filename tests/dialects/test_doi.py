"""DOI content negotiation (citation.doi.org/docs.html): requests as in its examples, answered by `coolid serve`."""

import json
from typing import Any

import pytest
import rispy
from pybtex.database import parse_string

from tests.support.servers.coolid_server import Server
from tests.support.servers.responses import Reply

PREFIX = "10.5555"
TARGET = "https://content.example.org/landing"
CSL = "application/vnd.citationstyles.csl+json"
BIBTEX = "application/x-bibtex"
RIS = "application/x-research-info-systems"
DATACITE = "application/vnd.datacite.datacite+json"
DATACITE_XML = "application/vnd.datacite.datacite+xml"
SCHEMA_ORG = "application/vnd.schemaorg.ld+json"
CITATION = "text/x-bibliography"
UNIXREF = "application/vnd.crossref.unixref+xml"

METADATA: dict[str, Any] = {
    "creators": [
        {"name": "Lee, Ann", "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700"}]},
        {"name": "CERN", "nameType": "Organizational"},
    ],
    "titles": [{"title": "Rhythm & blues"}],
    "publicationYear": 2019,
    "publisher": "Zenodo",
    "types": {"resourceTypeGeneral": "Dataset"},
}
LINE = "Lee, Ann; CERN (2019): Rhythm & blues. Zenodo. Dataset."


class Client:
    """Keeps DOIs on a server and asks for them as `curl -H "Accept: …"` does."""

    def __init__(self, server: Server) -> None:
        self.server = server
        repository = self.keep("POST", "/api/v1/repositories", {"title": "DOIs", "scheme": "cooldoi"}).json()["id"]
        alias = {"kind": "namespace", "repository": repository}
        assert self.keep("PUT", f"/api/v1/prefixes/{PREFIX}", alias).status in (200, 201)

    def keep(self, method: str, path: str, document: Any, **headers: str) -> Reply:
        sent = {"Authorization": f"Bearer {self.server.key}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.server.request(method, path, json.dumps(document).encode(), sent)

    def mint(self, media_type: str | None = None, **members: Any) -> str:
        """The path of a new DOI, whose location is of this type."""
        location = {"uri": TARGET} | ({"mediaType": media_type} if media_type else {})
        reply = self.keep("POST", "/api/v1/records", {"prefix": PREFIX, "records": [location], **members})
        assert reply.status == 201, reply.body
        path: str = reply.json()["pid"].removeprefix(self.server.url)
        assert path.startswith(f"/{PREFIX}/")
        return path

    def get(self, path: str, accept: str | None = None, method: str = "GET") -> Reply:
        return self.server.request(method, path, None, {"Accept": accept} if accept else {})


@pytest.fixture(scope="session")
def client(server: Server) -> Client:
    return Client(server)


@pytest.fixture(scope="session")
def described(client: Client) -> str:
    return client.mint(metadata=METADATA)


@pytest.fixture(scope="session")
def page(client: Client) -> str:
    """A DOI that is known to lead to a page."""
    return client.mint("text/html", metadata=METADATA)


@pytest.fixture(scope="module", params=[None, "text/html"])
def bare(client: Client, request: pytest.FixtureRequest) -> str:
    """A DOI without metadata."""
    return client.mint(request.param, metadata={"type": "Dataset", "what": "(:unav)"})


@pytest.fixture(scope="session")
def gone(client: Client) -> str:
    path = client.mint()
    reply = client.keep("DELETE", f"/api/v1/records{path}", {"reason": "Published by mistake"}, If_Match="*")
    assert reply.status == 200, reply.body
    return path


class TestRepresentations:
    def test_without_accept_and_for_pages_the_doi_redirects(self, client: Client, described: str) -> None:
        for accept in (None, "text/html", "*/*"):
            reply = client.get(described, accept)
            assert (reply.status, reply.headers["location"]) == (302, TARGET)

    def test_csl_json_has_the_doi(self, client: Client, described: str) -> None:
        for accept in (CSL, "application/citeproc+json"):
            reply = client.get(described, accept)
            assert (reply.status, reply.media_type) == (200, accept)
            item = reply.json()
            assert item["DOI"] == described.removeprefix("/")
            assert item["URL"] == client.server.url + described
            assert item["author"] == [{"family": "Lee", "given": "Ann"}, {"literal": "CERN"}]
            assert item["issued"] == {"date-parts": [[2019]]}

    def test_bibtex_is_read_by_pybtex(self, client: Client, described: str) -> None:
        reply = client.get(described, BIBTEX)
        assert (reply.status, reply.media_type) == (200, BIBTEX)
        (entry,) = parse_string(reply.text, "bibtex").entries.values()
        assert entry.fields["title"] == r"Rhythm \& blues"
        assert entry.fields["doi"] == described.removeprefix("/")

    def test_ris_is_read_by_rispy(self, client: Client, described: str) -> None:
        reply = client.get(described, RIS)
        assert (reply.status, reply.media_type) == (200, RIS)
        (entry,) = rispy.loads(reply.text)
        assert (entry["type_of_reference"], entry["doi"]) == ("DATA", described.removeprefix("/"))
        assert entry["authors"] == ["Lee, Ann", "CERN"]

    def test_datacite_json_has_the_doi(self, client: Client, described: str) -> None:
        reply = client.get(described, DATACITE)
        assert (reply.status, reply.media_type) == (200, DATACITE)
        assert reply.json()["doi"] == described.removeprefix("/")
        assert reply.json()["url"] == TARGET

    def test_schema_org_is_the_json_ld(self, client: Client, described: str) -> None:
        reply = client.get(described, SCHEMA_ORG)
        assert (reply.status, reply.media_type) == (200, SCHEMA_ORG)
        assert reply.body == client.get(described, "application/ld+json").body

    @pytest.mark.parametrize("parameters", ["", "; style=no-such-style", "; locale=de-DE", ";style=text"])
    def test_a_formatted_citation_is_of_our_style_unless_a_known_one_is_named(
        self, client: Client, described: str, parameters: str
    ) -> None:
        reply = client.get(described, CITATION + parameters)
        assert (reply.status, reply.headers["content-type"]) == (200, f"{CITATION}; charset=utf-8")
        assert reply.text == f"{LINE} {client.server.url}{described}\n"

    @pytest.mark.parametrize(("parameters", "medium"), [("", "Dataset"), ("; locale=de-DE", "Datensatz")])
    def test_a_style_of_csl_may_be_named_with_a_locale(
        self, client: Client, described: str, parameters: str, medium: str
    ) -> None:
        reply = client.get(described, f"{CITATION}; style=apa{parameters}")
        assert (reply.status, reply.headers["content-type"]) == (200, f"{CITATION}; charset=utf-8")
        expected = f"Lee, A., & CERN. (2019). Rhythm & blues [{medium}]. Zenodo. https://doi.org{described}\n"
        assert reply.text == expected

    @pytest.mark.parametrize(("style", "accept"), [("bibtex", BIBTEX), ("ris", RIS), ("csl", CSL)])
    def test_a_style_may_be_one_of_the_formats(self, client: Client, described: str, style: str, accept: str) -> None:
        expected = client.get(described, accept).body
        assert client.get(described, f"{CITATION}; style={style}; locale=en-US").body == expected
        assert client.get(f"{described}?format=citation&style={style}").body == expected

    def test_a_style_that_a_parameter_names_has_to_exist(self, client: Client, described: str) -> None:
        reply = client.get(f"{described}?format=citation&style=no-such-style")
        assert reply.refusal == (406, "unknown-style")
        assert client.get(f"{described}?format=citation&style=TEXT").text.startswith(LINE)

    def test_each_is_had_by_its_name_too(self, client: Client, described: str) -> None:
        for name, accept in {
            "csl": CSL,
            "bibtex": BIBTEX,
            "ris": RIS,
            "datacite": DATACITE,
            "datacite-xml": DATACITE_XML,
            "citation": CITATION,
        }.items():
            assert client.get(f"{described}?format={name}", "text/html").body == client.get(described, accept).body

    def test_the_label_and_the_case_of_a_doi_do_not_matter(self, client: Client, described: str) -> None:
        for path in (f"/doi:{described[1:]}", f"/doi/{described[1:]}", f"/DOI:{described[1:].upper()}"):
            assert client.get(path, CSL).body == client.get(described, CSL).body

    def test_doi_elsewhere_is_requested_where_it_is(self, client: Client) -> None:
        for accept in (CSL, BIBTEX, UNIXREF):
            reply = client.get("/doi:10.1126/science.169.3946.635", accept)
            assert (reply.status, reply.headers["location"]) == (302, "https://doi.org/10.1126/science.169.3946.635")

    def test_one_that_is_no_doi_is_cited_nevertheless(self, client: Client) -> None:
        pid = client.server.mint(metadata=METADATA, alternates=[{"scheme": "doi", "identifier": "10.1000/182"}]).json()[
            "pid"
        ]
        item = client.get(pid.removeprefix(client.server.url), CSL).json()
        assert (item["URL"], item["DOI"]) == (pid, "10.1000/182")


class TestNegotiation:
    def test_the_documentations_weights_are_honoured(self, client: Client, page: str) -> None:
        accept = f"application/rdf+xml;q=0.5, {CSL};q=1.0"
        assert client.get(page, accept).media_type == CSL
        assert client.get(page, f"{BIBTEX};q=0.3, {RIS};q=0.9").media_type == RIS

    def test_an_unsupported_first_type_falls_to_the_next(self, client: Client, described: str, page: str) -> None:
        for path in (described, page):
            assert client.get(path, f"{UNIXREF};q=1, {BIBTEX};q=0.5").media_type == BIBTEX
            assert client.get(path, f"{UNIXREF}, {CITATION};style=apa").media_type == CITATION
        assert client.get(page, f"application/x-nobodys, {CSL};q=0.1").media_type == CSL

    def test_a_type_that_does_not_exist_is_not_acceptable(self, client: Client, described: str, page: str) -> None:
        assert client.get(page, "application/x-nobodys").refusal == (406, "not-acceptable")
        for path in (described, page):
            assert client.get(path, UNIXREF).refusal == (406, "not-acceptable")

    def test_a_doi_that_is_not_there_is_not_found(self, client: Client) -> None:
        assert client.get(f"/{PREFIX}/0000-0000", CSL).status == 404

    def test_metadata_is_not_what_a_wildcard_means(self, client: Client, page: str) -> None:
        assert client.get(page, f"{BIBTEX};q=0.5, */*;q=0.8").status == 302
        assert client.get(page, f"{BIBTEX}, */*;q=0.1").media_type == BIBTEX


class TestWithoutMetadata:
    @pytest.mark.parametrize(
        "accept", [CSL, BIBTEX, RIS, DATACITE, CITATION, f"{CITATION}; style=apa", f"{UNIXREF}, {CSL};q=0.5, {RIS}"]
    )
    def test_a_request_for_these_forms_only_gets_no_content(self, client: Client, bare: str, accept: str) -> None:
        reply = client.get(bare, accept)
        assert (reply.status, reply.body) == (204, b"")
        assert "content-type" not in reply.headers
        assert {"link", "cache-control", "vary", "last-modified", "access-control-allow-origin"} <= reply.headers.keys()
        assert client.get(bare, accept, "HEAD").status == 204

    def test_a_request_by_name_gets_no_content_either(self, client: Client, bare: str) -> None:
        for name in ("csl", "bibtex", "ris", "datacite", "datacite-xml", "citation"):
            assert client.get(f"{bare}?format={name}").status == 204

    @pytest.mark.parametrize(
        ("accept", "expected"),
        [
            (f"{CSL}, application/ld+json;q=0.5", (200, "application/ld+json")),
            (f"{CSL}, {SCHEMA_ORG};q=0.5, {BIBTEX}", (200, SCHEMA_ORG)),
            (f"{CSL}, text/html;q=0.5", (302, "text/html")),
            (f"{CITATION}; style=apa, */*;q=0.1", (302, "text/html")),
        ],
    )
    def test_a_request_for_another_form_gets_that(
        self, client: Client, bare: str, accept: str, expected: tuple[int, str]
    ) -> None:
        reply = client.get(bare, accept)
        assert (reply.status, reply.media_type) == expected

    def test_the_link_set_contains_what_there_is(self, client: Client, bare: str, described: str) -> None:
        def returned(path: str) -> set[str]:
            contexts = client.get(f"{path}?format=linkset").json()["linkset"]
            return {target["type"] for context in contexts for target in context.get("describedby", ())}

        those = {CSL, BIBTEX, RIS, DATACITE, CITATION}
        assert those <= returned(described)
        assert those.isdisjoint(returned(bare))
        for path in (described, bare):
            assert not any(each in client.get(path).headers["link"] for each in those)
        assert "format=bibtex" in client.get(f"{described}?format=html").text
        assert "format=bibtex" not in client.get(f"{bare}?format=html").text


class TestTombstones:
    @pytest.mark.parametrize("accept", [CSL, BIBTEX, RIS, DATACITE, CITATION, SCHEMA_ORG])
    def test_they_are_in_every_form_even_without_metadata(self, client: Client, gone: str, accept: str) -> None:
        reply = client.get(gone, accept)
        assert (reply.status, reply.media_type) == (410, accept)
        assert "Published by mistake" in reply.text

    def test_they_say_that_they_are_tombstones(self, client: Client, gone: str) -> None:
        assert client.get(gone, CSL).json()["status"] == "withdrawn"
        (entry,) = parse_string(client.get(gone, BIBTEX).text, "bibtex").entries.values()
        assert entry.fields["note"].startswith("Withdrawn on ")

    def test_their_former_versions_have_no_more_metadata_than_they_had(self, client: Client, gone: str) -> None:
        assert client.get(f"{gone}?version=1&format=csl").status == 204
