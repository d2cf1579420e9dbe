"""What is deployed works with its own layers alone: resolving without what those that write need, writing with it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from coolid import verify
from coolid.local.events import to_event
from coolid.web.representations.table import REPRESENTATIONS
from tests.packaging.building import CAN_RUN, Outcome
from tests.packaging.endpoint import endpoint
from tests.systems import System

pytestmark = [
    pytest.mark.xdist_group("packaging"),
    pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64"),
]

TARGET = "https://content.example.org/a"
METADATA = {"who": "Somebody", "what": "Something", "when": "2025"}

Ask = Callable[..., Outcome]


@pytest.fixture(scope="module")
def ask(invoke: Ask, light: System) -> Iterator[Ask]:
    """Let a deployed function answer over the tables and with the key of a system."""
    writes_only = {"CLIENT_TABLE", "COUNTER_TABLE", "REQUEST_TABLE", "SIGNING_KEY_ID"}
    with endpoint() as url:

        def call(name: str, *events: dict[str, Any]) -> Outcome:
            hidden = dict.fromkeys(writes_only, "") if name == "Resolve" else {}
            return invoke(name, *events, **(dict(light.environment) | hidden), AWS_ENDPOINT_URL=url)

        yield call


def request(
    method: str, path: str, query: str = "", accept: str = "*/*", body: bytes = b"", **headers: str
) -> dict[str, Any]:
    """The event of a request; `headers` with `_` for `-`."""
    sent = [("Accept", accept), *((name.replace("_", "-"), value) for name, value in headers.items())]
    return to_event(method, path, query, headers=sent, body=body, request_id="a-request")


def writing(system: System, method: str, path: str, body: bytes, **headers: str) -> dict[str, Any]:
    key = f"Bearer {system.admin_key}"
    return request(method, path, body=body, Authorization=key, Content_Type="application/json", **headers)


def path_of(document: dict[str, Any]) -> str:
    """Where a record stands below the public base URL."""
    return "/" + document["pid"].split("/", 3)[3]


@pytest.fixture
def minted(light: System) -> dict[str, Any]:
    return light.mint({"prefix": "demo", "uri": TARGET, "metadata": METADATA}).json()


def test_resolving_redirects_and_describes_without_the_libraries_that_sign(
    ask: Ask, light: System, minted: dict[str, Any]
) -> None:
    path = path_of(minted)
    events = {
        302: [request("GET", path), request("HEAD", path), request("GET", f"/resolve/{minted['pid']}")],
        200: [
            *(request("GET", path, f"format={each.name}") for each in REPRESENTATIONS),
            *(request("GET", path, accept=each.media_type) for each in REPRESENTATIONS),
            request("GET", path, "format=html"),
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
    assert alone == [light.event(event) for group in events.values() for event in group]


def test_resolving_gives_out_tombstones_and_proofs_that_verify(ask: Ask, light: System, minted: dict[str, Any]) -> None:
    path = path_of(minted)
    record = f"/api/v1/records{path}"
    tag = light.request("GET", record, key=light.admin_key).headers["etag"]
    withdrawal = writing(light, "DELETE", record, b'{"reason": "a mistake"}', If_Match=tag)
    assert light.event(withdrawal).status == 200
    events = [request("GET", path, query) for query in ("format=linkid", "version=1&format=linkid", "format=jws")]
    tombstone, first, proof, keys = ask("Resolve", *events, request("GET", "/.well-known/jwks.json")).answers
    assert [tombstone.status, first.status, keys.status] == [410, 200, 200]
    assert tombstone.json()["proof"] == proof.body.strip()
    assert verify(tombstone.json(), keys.json(), [first.json()]).ok


def test_minting_signs_with_its_layers_alone(ask: Ask, light: System) -> None:
    body = b'{"prefix": "demo", "uri": "https://content.example.org/b"}'
    (answer,) = ask("Mint", writing(light, "POST", "/api/v1/records", body)).answers
    assert answer.status == 201, answer
    assert verify(answer.json(), light.get("/.well-known/jwks.json").json()).ok
    assert light.get(path_of(answer.json())).headers["location"] == "https://content.example.org/b"


def test_managing_changes_and_withdraws_with_its_layers_alone(ask: Ask, light: System, minted: dict[str, Any]) -> None:
    record = f"/api/v1/records{path_of(minted)}"
    keys = light.get("/.well-known/jwks.json").json()
    versions = [minted]
    for method, body in [("PATCH", b'{"metadata": {"what": "Another"}}'), ("DELETE", b'{"reason": "a mistake"}')]:
        read = writing(light, "GET", record, b"")
        (current,) = ask("Manage", read).answers
        (changed,) = ask("Manage", writing(light, method, record, body, If_Match=current.headers["etag"])).answers
        assert changed.status == 200, changed
        assert verify(changed.json(), keys, versions).ok
        versions.append(changed.json())
    assert [version["version"] for version in versions] == [1, 2, 3]
    assert versions[-1]["status"] == "withdrawn"
