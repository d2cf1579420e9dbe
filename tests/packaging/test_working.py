"""The deployed functions work with their own layers alone."""

from typing import Any
from urllib.parse import quote

import pytest

from coolid import verify
from coolid.http.formats.catalog import REPRESENTATIONS
from coolid.http.formats.qr import SCALE
from coolid.recognition.detection import SCHEMES
from tests.packaging.layer_builds import CAN_RUN, Ask
from tests.support.builders.images import modules_of_png
from tests.support.fixtures.events import to_event
from tests.support.fixtures.system import TablesSystem

pytestmark = [
    pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64"),
]

TARGET = "https://content.example.org/a"
METADATA = {"who": "Somebody", "what": "Something", "when": "2025"}

OF_EVERY_SCHEME = [
    "ark:/12148/bpt6k97497t",
    "2019ApJ...882L..12A",
    "fabio.PositionPaper.pp1255qv43.2018-11-12.0000-0002-1825-0097",
    "tw0t-ywdj",
    "uniprot:P12345",
    "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c",
    "10.5281/zenodo.31780",
    "hdl:102.100.272/Y35XYS0QH",
    "igsn:10273/CSRWA275",
    "9780140291612",
    "9780140291613",
    "0000 0001 2103 2683",
    "0000 0001 2103 2684",
    "0378-5955",
    "0378-5956",
    "lid:0123456789abcdef0123456789abcdef",
    "tw0t-ywdj-94",
    "tw0t-ywdj-95",
    "13030/xf93gt2q",
    "0000-0002-1825-0097",
    "0000-0002-1825-0098",
    "Y35XYS0QH",
    "https://ror.org/03yrm5c26",
    "https://ror.org/03yrm5c27",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "urn:lsid:catalogueoflife.org:taxon:02af8238",
    "1bc2f359-47e4-5da6-a748-74676b7c8c5d",
]
CHECKED = {"isbn", "isni", "issn", "lui", "orcid", "ror"}


def request(
    method: str, path: str, query: str = "", accept: str = "*/*", body: bytes = b"", **headers: str
) -> dict[str, Any]:
    """The event of a request; `headers` with `_` for `-`."""
    sent = [("Accept", accept), *((name.replace("_", "-"), value) for name, value in headers.items())]
    return to_event(method, path, query, headers=sent, body=body, request_id="a-request")


def writing(system: TablesSystem, method: str, path: str, body: bytes, **headers: str) -> dict[str, Any]:
    key = f"Bearer {system.admin_key}"
    return request(method, path, body=body, Authorization=key, Content_Type="application/json", **headers)


def path_of(document: dict[str, Any]) -> str:
    """Where a record stands below the public base URL."""
    pid: str = document["pid"]
    return "/" + pid.split("/", 3)[3]


@pytest.fixture
def minted(light_tables: TablesSystem) -> dict[str, Any]:
    document: dict[str, Any] = light_tables.mint({"prefix": "demo", "uri": TARGET, "metadata": METADATA}).json()
    return document


def test_resolving_redirects_and_describes_without_the_libraries_that_sign(
    ask: Ask, light_tables: TablesSystem, minted: dict[str, Any]
) -> None:
    path = path_of(minted)
    events = {
        302: [request("GET", path), request("HEAD", path), request("GET", f"/resolve/{minted['pid']}")],
        200: [
            *(request("GET", path, f"format={each.name}") for each in REPRESENTATIONS),
            *(request("GET", path, accept=each.media_type) for each in REPRESENTATIONS),
            request("GET", path, "format=html"),
            request("GET", path, "format=qr"),
            request("GET", path, "info"),
            request("GET", path, "format=linkid&version=1"),
            request("GET", "/.well-known/jwks.json"),
            request("GET", "/.well-known/linkid-resolver"),
            request("GET", "/demo", accept="text/html"),
            request("GET", "/api/v1/parse", f"id={minted['id']}"),
            request("GET", "/api/v1/schemas/demo", "format=jsonschema"),
        ],
        400: [request("GET", path + "x")],
        404: [request("GET", "/nothing:here"), request("GET", path, "format=linkid&version=7")],
    }
    alone = ask("Resolve", *(event for group in events.values() for event in group)).answers
    assert [answer.status for answer in alone] == [status for status, group in events.items() for _ in group]
    # The same as with everything at hand.
    assert alone == [light_tables.event(event) for group in events.values() for event in group]


def test_resolving_generates_with_a_part_of_the_library(
    ask: Ask, light_tables: TablesSystem, minted: dict[str, Any]
) -> None:
    """Not the same bytes, perhaps, for zlib is the machine's own; but the same picture."""
    event = request("GET", path_of(minted), "format=qr&style=png")
    (answer,) = ask("Resolve", event).answers
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    assert modules_of_png(answer.content, SCALE) == modules_of_png(light_tables.event(event).content, SCALE)


def test_styles_of_citations_are_those_of_the_function_that_cites(
    ask: Ask, light_tables: TablesSystem, minted: dict[str, Any]
) -> None:
    path = path_of(minted)
    (moved,) = ask("Resolve", request("GET", path, "style=apa&locale=de")).answers
    address = f"https://id.example.org/api/v1/citations{path}?style=apa&locale=de"
    assert (moved.status, moved.headers["location"]) == (303, address)
    event = request("GET", f"/api/v1/citations{path}", "style=apa&locale=de")
    (cited,) = ask("Cite", event).answers
    assert (cited.status, cited) == (200, light_tables.event(event))
    assert cited.body.startswith("Somebody. (2025). ")


@pytest.mark.parametrize("label", ["", "ISBN:", "urn:isbn:"])
def test_resolving_knows_the_ranges_of_isbns(ask: Ask, light_tables: TablesSystem, label: str) -> None:
    """They are a file of data, in a library of which only a part is deployed."""
    event = request("GET", "/api/v1/parse", f"id={label}9780140291612")
    (answer,) = ask("Resolve", event).answers
    assert answer == light_tables.event(event)
    assert answer.json()["candidates"][0] == {
        "scheme": "isbn",
        "valid": True,
        "canonical": "978-0-14-029161-2",
        "reason": None,
    }


def test_resolving_judges_identifiers_of_every_scheme_as_with_all_libraries_at_hand(
    ask: Ask, light_tables: TablesSystem
) -> None:
    events = [request("GET", "/api/v1/parse", f"id={quote(text)}") for text in OF_EVERY_SCHEME]
    alone = ask("Resolve", *events).answers
    assert alone == [light_tables.event(event) for event in events]
    judged = [candidate for answer in alone for candidate in answer.json()["candidates"]]
    assert {candidate["scheme"] for candidate in judged if candidate["valid"]} == {*SCHEMES}
    assert {candidate["scheme"] for candidate in judged if not candidate["valid"]} >= CHECKED


def test_resolving_gives_out_tombstones_and_proofs_that_verify(
    ask: Ask, light_tables: TablesSystem, minted: dict[str, Any]
) -> None:
    path = path_of(minted)
    record = f"/api/v1/records{path}"
    tag = light_tables.request("GET", record, key=light_tables.admin_key).headers["etag"]
    withdrawal = writing(light_tables, "DELETE", record, b'{"reason": "a mistake"}', If_Match=tag)
    assert light_tables.event(withdrawal).status == 200
    events = [request("GET", path, query) for query in ("format=linkid", "version=1&format=linkid", "format=jws")]
    tombstone, first, proof, keys = ask("Resolve", *events, request("GET", "/.well-known/jwks.json")).answers
    assert [tombstone.status, first.status, keys.status] == [410, 200, 200]
    assert tombstone.json()["proof"] == proof.body.strip()
    assert verify(tombstone.json(), keys.json(), [first.json()]).ok


def test_minting_signs_with_its_layers_alone(ask: Ask, light_tables: TablesSystem) -> None:
    body = b'{"prefix": "demo", "uri": "https://content.example.org/b"}'
    (answer,) = ask("Mint", writing(light_tables, "POST", "/api/v1/records", body)).answers
    assert answer.status == 201, answer
    assert verify(answer.json(), light_tables.get("/.well-known/jwks.json").json()).ok
    assert light_tables.get(path_of(answer.json())).headers["location"] == "https://content.example.org/b"


def test_managing_changes_and_withdraws_with_its_layers_alone(
    ask: Ask, light_tables: TablesSystem, minted: dict[str, Any]
) -> None:
    record = f"/api/v1/records{path_of(minted)}"
    keys = light_tables.get("/.well-known/jwks.json").json()
    versions = [minted]
    for method, body in [("PATCH", b'{"metadata": {"what": "Another"}}'), ("DELETE", b'{"reason": "a mistake"}')]:
        read = writing(light_tables, "GET", record, b"")
        (current,) = ask("Manage", read).answers
        (changed,) = ask(
            "Manage", writing(light_tables, method, record, body, If_Match=current.headers["etag"])
        ).answers
        assert changed.status == 200, changed
        assert verify(changed.json(), keys, versions).ok
        versions.append(changed.json())
    assert [version["version"] for version in versions] == [1, 2, 3]
    assert versions[-1]["status"] == "withdrawn"
