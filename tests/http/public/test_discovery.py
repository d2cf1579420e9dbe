"""Discovery: the service's descriptions at well-known addresses."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.operator import identity
from coolid.http.operator.identity import Identity
from coolid.http.public.discovery import ARK, KEYS, PARAMETERS, RESOLVER, ROBOTS, DiscoveryEndpoint
from coolid.http.routes import Route
from coolid.identifiers.schemes import lid
from tests.support.builders.samples import BASE_URL
from tests.support.stores.memory_store import MemoryStore, UncachedReader
from tests.support.stores.store_wrappers import FailingStore

Ask = Callable[..., Response]

COORDINATE = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"
PUBLIC = {
    "kty": "EC",
    "crv": "P-256",
    "x": COORDINATE,
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    "kid": "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s",
    "alg": "ES256",
    "use": "sig",
}
DOCUMENTS = (RESOLVER, KEYS, ARK, ROBOTS)


class Keys(UncachedReader):
    """A reader that knows public keys and nothing else."""

    def __init__(self, *keys: Mapping[str, Any]) -> None:
        self.keys = keys

    def public_keys(self) -> tuple[Mapping[str, Any], ...]:
        return self.keys


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


def resolved(_request: Request, path: str) -> Response:
    raise AssertionError(f"{path} was taken for an identifier")


def asking(reader: Any, base_url: str = BASE_URL) -> Ask:
    """GET, or another method, from an application that takes nothing else for an identifier."""
    routes = (*DiscoveryEndpoint(reader, base_url).routes(), Route("/", {"GET": resolved}, below=True))
    answer = Application(routes, base_url, unforeseen, public=True)
    return lambda path, method="GET", **headers: answer(
        Request(method, path, (), {name.replace("_", "-"): value for name, value in headers.items()})
    )


@pytest.fixture
def ask() -> Ask:
    return asking(Keys(PUBLIC))


class TestEveryDocument:
    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_it_may_be_cached_compared_and_read_from_any_page(self, ask: Ask, path: str) -> None:
        answer = ask(path)
        assert answer.status == 200
        assert answer.headers["Cache-Control"].startswith("public, max-age=")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert ask(path, if_none_match=answer.headers["ETag"]).status == 304

    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_head_and_options_work_but_it_cannot_be_written(self, ask: Ask, path: str) -> None:
        head = ask(path, "HEAD")
        assert (head.status, head.headers, head.body) == (200, ask(path).headers, "")
        assert (ask(path, "OPTIONS").status, ask(path, "OPTIONS").headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
        assert ask(path, "POST").status == 405

    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_nothing_in_it_is_taken_from_the_request(self, ask: Ask, path: str) -> None:
        forged = ask(path, host="evil.example", x_forwarded_host="evil.example", x_forwarded_proto="gopher")
        assert forged == ask(path)
        assert "evil" not in forged.body


class TestTheResolversDescription:
    def test_it_names_every_address_by_the_public_base_url(self, ask: Ask) -> None:
        answer = ask(RESOLVER)
        document = json.loads(answer.body)
        assert answer.headers["Content-Type"] == "application/json"
        assert document["issuer"] == BASE_URL
        assert document["resolution_endpoint"] == f"{BASE_URL}/resolve/{{id}}"
        assert document["jwks_uri"] == f"{BASE_URL}/.well-known/jwks.json"
        assert document["draft"] == "draft-linkgenetic-lid-uri-00"

    def test_it_lists_the_parameters_and_every_representation(self, ask: Ask) -> None:
        document = json.loads(ask(RESOLVER).body)
        assert document["parameters"] == [*PARAMETERS]
        assert document["formats"] == {
            "linkid": "application/linkid+json",
            "linkset": "application/linkset+json",
            "links": "application/linkset",
            "jsonld": "application/ld+json",
            "dcat": 'application/ld+json;profile="http://www.w3.org/ns/dcat#"',
            "ttl": "text/turtle",
            "erc": "text/plain",
            "jws": "application/jose",
            "csl": "application/vnd.citationstyles.csl+json",
            "bibtex": "application/x-bibtex",
            "ris": "application/x-research-info-systems",
            "datacite": "application/vnd.datacite.datacite+json",
            "datacite-xml": "application/vnd.datacite.datacite+xml",
            "citation": "text/x-bibliography",
            "html": "text/html",
            "qr": "image/svg+xml",
        }
        negotiated = [media_type for name, media_type in document["formats"].items() if name != "qr"]
        assert document["media_types"] == [
            *negotiated,
            "application/json",
            "application/vnd.schemaorg.ld+json",
            "application/citeproc+json",
        ]

    def test_it_contains_the_limits(self, ask: Ask) -> None:
        document = json.loads(ask(RESOLVER).body)
        assert document["limits"] == {"identifier_bytes": 2048, "target_bytes": 2048}
        assert document["redirects"] == [301, 302, 303, 307, 308]
        assert document["proof_algorithms"] == ["ES256"]

    def test_it_describes_linkids_custody_operator_and_peers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(identity, "_providers", [lambda: Identity("City Archive", contact="mailto:a@example.org")])
        peers = ("https://b.example", "https://c.example")
        document = DiscoveryEndpoint(MemoryStore().uncached, BASE_URL, peers=peers).description()
        assert document["linkid"] == {
            "revision": "01",
            "draft": "draft-linkgenetic-linkid-uri-01",
            "endpoint": f"{BASE_URL}/resolve/{{identifier}}",
            "public_endpoint": f"{BASE_URL}/api/public/resolve/{{uuid}}",
            "statuses": [
                "active",
                "unknown",
                "inactive",
                "deprecated",
                "revoked",
                "tombstoned",
                "temporarily-unavailable",
                "policy-denied",
                "integrity-failure",
            ],
            "extensions": ["targets", "record", "inclusion", "custody", "conflicts"],
        }
        assert document["custody"] == {
            "offers": f"{BASE_URL}/api/v1/custody/{{+pid}}",
            "acceptances": f"{BASE_URL}/api/v1/custody/acceptances",
            "transfers": f"{BASE_URL}/api/v1/custody/transfers",
        }
        policies = {name: f"{BASE_URL}/pages/{name}" for name in ("persistence", "logging", "terms")}
        expected = {"name": "City Archive", "contact": "mailto:a@example.org", "policies": policies}
        assert document["operator"] == expected
        assert document["peers"] == [{"issuer": "https://b.example"}, {"issuer": "https://c.example"}]

    def test_an_operator_without_a_name_and_peers_is_described_by_the_policies(self, ask: Ask) -> None:
        document = json.loads(ask(RESOLVER).body)
        assert (document["operator"], document["peers"]) == ({"policies": document["policies"]}, [])

    @given(st.text("AZaz09._~-", max_size=70) | st.text(max_size=70))
    def test_its_pattern_fits_exactly_the_valid_linkids(self, identifier: str) -> None:
        returned = DiscoveryEndpoint(MemoryStore().uncached, BASE_URL).description()["lid"]
        assert (returned["least"], returned["most"]) == (32, 64)
        if not identifier.endswith("\n"):  # where Python's $ and JavaScript's differ
            fits = re.search(returned["pattern"], identifier) is not None
            assert fits == (lid.is_valid(identifier) and lid.compact(identifier) == identifier)


class TestKeys:
    def test_before_anything_is_signed_there_is_none(self) -> None:
        answer = asking(Keys())(KEYS)
        assert (answer.status, json.loads(answer.body)) == (200, {"keys": []})
        assert answer.headers["Content-Type"] == "application/jwk-set+json"

    def test_all_keys_are_returned_unchanged(self) -> None:
        retired = PUBLIC | {"kid": "an-older-one"}
        assert json.loads(asking(Keys(retired, PUBLIC))(KEYS).body) == {"keys": [retired, PUBLIC]}

    def test_a_private_member_that_strayed_in_is_not_reported(self) -> None:
        body = asking(Keys(PUBLIC | {"d": "the-secret", "oth": [], "added": "2025-07-10"}))(KEYS).body
        assert json.loads(body) == {"keys": [PUBLIC]}

    def test_a_new_key_is_seen_within_a_minute_and_changes_the_tag(self) -> None:
        before, after = asking(Keys(PUBLIC))(KEYS), asking(Keys(PUBLIC, PUBLIC | {"kid": "a-new-one"}))(KEYS)
        assert "max-age=60," in after.headers["Cache-Control"]
        assert before.headers["ETag"] != after.headers["ETag"]

    def test_a_failing_store_never_gives_an_empty_key_set(self, store: MemoryStore) -> None:
        answer = asking(FailingStore(store, "before", "public_keys"))(KEYS)
        assert (answer.status, answer.headers["Cache-Control"]) == (503, "no-store")
        assert "Retry-After" in answer.headers

    @pytest.mark.parametrize("path", [RESOLVER, ARK, ROBOTS])
    def test_documents_without_the_store_are_available_in_an_outage(self, path: str) -> None:
        assert asking(object())(path).status == 200


class TestArksAndRobots:
    @pytest.mark.parametrize(
        ("base_url", "path"), [("https://id.example.org", "/"), ("https://example.org/v1", "/v1/")]
    )
    def test_an_ark_appended_to_the_path_resolves(self, base_url: str, path: str) -> None:
        answer = asking(Keys(), base_url)(ARK)
        assert (answer.headers["Content-Type"], answer.body) == ("text/plain; charset=utf-8", path)

    def test_crawlers_may_follow_identifiers_but_not_the_api(self) -> None:
        answer = asking(Keys())(ROBOTS)
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert answer.body.splitlines() == [
            "User-agent: *", "Allow: /", "Disallow: /api/", f"Sitemap: {BASE_URL}/sitemap.xml"
        ]  # fmt: skip
        assert "Disallow: /v1/api/" in asking(Keys(), "https://example.org/v1")(ROBOTS).body


class TestNothing:
    @pytest.mark.parametrize("path", ["/.well-known/", "/.well-known/x", "/.well-known/ark/12345/x5"])
    def test_what_is_not_there_is_no_unknown_prefix_and_costs_no_read(self, path: str) -> None:
        answer = asking(object())(path)
        assert answer.status == 404
        assert json.loads(answer.body)["type"] == f"{BASE_URL}/problems/no-such-address"
        assert answer.headers["Cache-Control"] == "public, max-age=10, stale-if-error=0"
