"""The practical tests of a FAIR assessor, over HTTP, of a complete record whose PID leads to its page or to its file.

The tests and their scores are the facts of FAIRsFAIR's metrics 0.8 as F-UJI applies them
(doi.org/10.5281/zenodo.4081213; `metrics_v0.8.yaml`), and those of 0.5 that 0.8 left out. The assessor begins with the
PID as F-UJI does: it accepts any type, reads what it gets, follows typed links, and negotiates for metadata. Tests that
need the outside world (whether the PID's authority is known, whether a disciplinary standard is used) are not included.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
import requests
from rdflib import RDF, Graph, URIRef

from tests.support.builders.complete_record import METADATA
from tests.support.servers.coolid_server import Server
from tests.support.servers.loopback import loopback_server

pytest.importorskip("extruct")
import extruct
from signposting import find_signposting_http_link

SCHEMA, DCAT, PROV, DCT = (
    *("http://schema.org/", "http://www.w3.org/ns/dcat#", "http://www.w3.org/ns/prov#", "http://purl.org/dc/terms/"),
)
ROWS = io.StringIO()
csv.writer(ROWS).writerows([("leaf", "length"), *((number, number * 7) for number in range(40))])
CONTENT = ROWS.getvalue().encode()
NEGOTIATED = ("application/ld+json", "text/turtle", "application/vnd.datacite.datacite+json")
DEFAULT_NAMESPACES = ("http://schema.org/", "http://xmlns.com/foaf/", "http://purl.org/dc/", "http://www.w3.org/2")
"""Namespaces that do not count as semantic resources; the last covers RDF, RDFS, XSD, OWL and SKOS."""
COAR = re.compile(r"https?://purl\.org/coar/access_right/c_(abf2|f1cf|16ec|14cb)")
SPDX = re.compile(r"https?://(spdx\.org/licenses/|creativecommons\.org/licenses/[a-z-]+/[0-9.]+/legalcode)")
OPEN_FORMATS = {"text/csv", "text/plain", "application/json", "application/pdf", "image/png"}


@dataclass
class Assessment:
    """What an assessor finds from a PID on."""

    pid: str
    landing: requests.Response
    embedded: list[dict[str, Any]] = field(default_factory=list)
    tags: dict[str, list[str]] = field(default_factory=dict)
    links: list[Any] = field(default_factory=list)
    graph: Graph = field(default_factory=Graph)
    negotiated: dict[str, requests.Response] = field(default_factory=dict)

    @classmethod
    def of(cls, pid: str) -> "Assessment":
        """Begin with the PID, as a program that accepts anything."""
        found = cls(pid, requests.get(pid, headers={"Accept": "*/*"}, timeout=60))
        if found.landing.headers["Content-Type"].startswith("text/html"):
            data = extruct.extract(found.landing.text, base_url=found.landing.url, syntaxes=["json-ld", "dublincore"])
            found.embedded = data["json-ld"]
            for name, text in re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', found.landing.text):
                found.tags.setdefault(name, []).append(text)
        if "Link" in found.landing.headers:
            signposts = find_signposting_http_link([found.landing.headers["Link"]], found.landing.url)
            found.links = [*signposts.describedBy, *signposts.items, *signposts.types, *signposts.authors]
        for media_type in NEGOTIATED:
            found.negotiated[media_type] = requests.get(pid, headers={"Accept": media_type}, timeout=60)
        turtle = found.negotiated["text/turtle"]
        found.graph.parse(data=turtle.text, format="turtle")
        return found

    @property
    def json_ld(self) -> dict[str, Any]:
        """The embedded description, else that by content negotiation."""
        document: dict[str, Any] = self.embedded[0] if self.embedded else self.negotiated["application/ld+json"].json()
        return document

    def values(self, *names: str) -> list[str]:
        """The objects of these properties of the PID, by their URIs."""
        return [str(each) for name in names for each in self.graph.objects(URIRef(self.pid), URIRef(name))]

    @property
    def files(self) -> list[dict[str, str]]:
        found = self.json_ld.get("distribution", [])
        return found if isinstance(found, list) else [found]

    @property
    def formats(self) -> set[str]:
        return {each["encodingFormat"] for each in self.files}

    @property
    def namespaces(self) -> set[str]:
        terms = {*self.graph.predicates(), *self.graph.objects(None, RDF.type)}
        return {re.sub(r"[^/#]*$", "", str(each)) for each in terms}

    def downloads(self) -> Iterator[tuple[dict[str, str], requests.Response]]:
        yield from ((each, requests.get(each["contentUrl"], timeout=60)) for each in self.files)


def has(found: Assessment, *names: str) -> bool:
    return all(found.json_ld.get(name) for name in names)


def address(file: dict[str, str]) -> str:
    return file.get("contentUrl", "")


def is_web(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def relations(found: Assessment) -> list[str]:
    return found.values(*(DCT + name for name in ("references", "isPartOf", "isReferencedBy", "source", "hasPart")))


CORE = ("creator", "name", "identifier", "datePublished", "publisher", "@type")
TESTS: dict[str, tuple[float, Callable[[Assessment], bool]]] = {
    "F1-01MD-1 the identifier is unique": (1, lambda found: is_web(found.pid)),
    "F1-02MD-1 its syntax is that of a PID": (0.5, lambda found: "/ark:" in found.pid),
    "F1-02MD-2 it resolves": (0.5, lambda found: found.landing.ok),
    "F2-01M-2 core metadata for citation": (1, lambda found: has(found, *CORE)),
    "F2-01M-3 core metadata for description": (1, lambda found: has(found, *CORE, "description", "keywords")),
    "F3-01M-2 the address of the data": (1, lambda found: bool(found.files) and all(map(address, found.files))),
    "F4-01M-1 search engines can read it": (2, lambda found: bool(found.embedded and found.tags.get("DC.title"))),
    "A1-01M-1 the level of access": (1, lambda found: bool(found.values(DCT + "accessRights"))),
    "A1-01M-2 it is of a vocabulary (0.5)": (1, lambda found: any(map(COAR.match, found.values(DCT + "accessRights")))),
    "A1-02MD-1 the metadata can be retrieved": (1, lambda found: all(each.ok for each in found.negotiated.values())),
    "A1-02MD-2 the data can be retrieved": (1, lambda found: all(answer.ok for _, answer in found.downloads())),
    "A1.1-01MD a standard protocol": (2, lambda found: all(map(is_web, map(address, found.files)))),
    "A1.2-01MD a protocol with authentication": (2, lambda found: is_web(found.landing.url)),
    "I1-01M-1 or -2 parsable metadata": (2, lambda found: bool(found.embedded) or len(found.graph) > 0),
    "I2-01M-2 registered vocabularies": (
        2,
        lambda found: any(not each.startswith(DEFAULT_NAMESPACES) for each in found.namespaces),
    ),
    "I3-01M-2 qualified relations by links": (2, lambda found: any(map(is_web, relations(found)))),
    "R1-01M-1 the type of the resource": (1, lambda found: found.json_ld["@type"] == "Dataset"),
    "R1-01M-2 size and type of the files": (
        1,
        lambda found: all({"contentSize", "encodingFormat"} <= each.keys() for each in found.files),
    ),
    "R1-01MD-3 they match (0.5)": (
        1,
        lambda found: all(
            (int(each["contentSize"]), each["encodingFormat"])
            == (len(answer.content), answer.headers["Content-Type"].partition(";")[0])
            for each, answer in found.downloads()
        ),
    ),
    "R1.1-01M-1 the licence": (1, lambda found: has(found, "license")),
    "R1.1-01M-2 SPDX has it (0.5)": (1, lambda found: bool(SPDX.match(found.json_ld["license"]))),
    "R1.2-01M-1 provenance": (0.5, lambda found: has(found, "creator", "publisher", "dateModified", "datePublished")),
    "R1.2-01M-2 by PROV": (0.5, lambda found: PROV in found.namespaces),
    "R1.3-01M-3 a standard of the community": (1, lambda found: DCAT in found.namespaces),
    "R1.3-02D-1 an open file format": (
        1,
        lambda found: found.formats <= OPEN_FORMATS,
    ),
    "signposts to metadata, item, type and author": (
        0,
        lambda found: {"describedby", "item", "type", "author"} <= {each.rel for each in found.links},
    ),
}
"""The tests of metrics by their numbers, with their scores."""


@pytest.fixture(scope="session")
def data() -> Iterator[str]:
    """The address of a CSV file."""

    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/csv")
        request.send_header("Content-Length", str(len(CONTENT)))
        request.end_headers()
        request.wfile.write(CONTENT)

    with loopback_server(handle, "GET") as port:
        yield f"http://127.0.0.1:{port}/leaves.csv"


def minted(server: Server, data: str, landing: str) -> str:
    """Return the ARK of the complete record in a new repository."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}

    def send(method: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
        answer = server.request(method, path, json.dumps(document).encode(), headers)
        assert answer.status in (200, 201), answer.text
        created: dict[str, Any] = answer.json()
        return created

    shoulder = {"page": "ark:99999/fp1", "target": "ark:99999/ft1"}[landing]
    rules = {"template": ".reeedk", "naan": "99999", "shoulder": shoulder.rpartition("/")[2]}
    repository = {"title": "Leaves", "scheme": "noid", "rules": rules, "landing": landing}
    owner = send("POST", "/api/v1/repositories", repository)["id"]
    send("PUT", f"/api/v1/prefixes/{shoulder}", {"kind": "namespace", "repository": owner})
    file = {"uri": data, "mediaType": "text/csv", "size": len(CONTENT), "language": "en"}
    pid: str = send("POST", "/api/v1/records", {"prefix": shoulder, "records": [file], "metadata": METADATA})["pid"]
    return pid


def failures(found: Assessment) -> set[str]:
    return {name for name, (_, passes) in TESTS.items() if not passes(found)}


def score(failed: set[str]) -> float:
    """Return the share of the points that remain."""
    total = sum(points for points, _ in TESTS.values())
    return 1 - sum(TESTS[name][0] for name in failed) / total


def test_a_pid_that_leads_to_its_page_passes_all_tests(server: Server, data: str) -> None:
    found = Assessment.of(minted(server, data, "page"))
    assert failures(found) == set()
    assert score(set()) == 1
    assert found.landing.url == found.pid
    assert found.embedded[0] == found.negotiated["application/ld+json"].json()
    assert found.tags["citation_title"] == ["Tea leaves of Asia"]


def test_a_pid_that_leads_to_its_file_passes_all_tests_but_those_of_pages(server: Server, data: str) -> None:
    found = Assessment.of(minted(server, data, "target"))
    failed = failures(found)
    assert failed == {"F4-01M-1 search engines can read it", "signposts to metadata, item, type and author"}
    assert score(failed) > 0.9
    assert found.landing.content == CONTENT
