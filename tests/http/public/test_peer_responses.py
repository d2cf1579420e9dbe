"""LinkIDs of others: what programs and browsers get of the verified records of peers, and what is never served."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import NotFound
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.linkid_results import PublicResultEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.identifiers.rules.uuid import UuidRules
from coolid.linkid.back_off import BackOffs
from coolid.linkid.issuer_keys import IssuerKeys
from coolid.linkid.peer_lookup import PeerLookup
from coolid.linkid.peer_queries import PeerQueries
from coolid.linkid.peer_verification import PeerVerifier
from coolid.linkid.trusted_resolvers import TrustedResolver, TrustedResolvers
from coolid.model.records import RESERVED, Record
from coolid.model.repositories import Repository
from coolid.registry.references import Reference
from tests.support.builders.samples import BASE_URL, namespace, record, repository
from tests.support.builders.signed_results import LINKID, Operator, result
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import canonical_of
from tests.support.servers.simulated_peers import OFFLINE, UNKNOWN, Answer, Clock, SimulatedPeers, answer
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

A, B, D = Operator("a", 1), Operator("b", 2), Operator("d", 4)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
JSON = "application/json"
PATHS = (f"/{LINKID}", f"/{LINKID.upper()}", f"/resolve/{LINKID}", f"/resolve/{LINKID.replace(':', '%3A')}")
PUBLIC = f"/api/public/resolve/{LINKID}"
KEY = LINKID.removeprefix("linkid:").replace("-", "")

Get = Callable[..., Response]


class Service:
    """A service with peers A and B, whose keys are pinned; A answers with the given response."""

    def __init__(self, reply: Answer | Exception = UNKNOWN, store: Any = None) -> None:
        self.clock = Clock()
        self.peers = SimulatedPeers(a=reply, b=UNKNOWN)
        trusted = TrustedResolvers(
            tuple(TrustedResolver(each.issuer, f"{each.issuer}/{{identifier}}", (each.key.jwk,)) for each in (A, B))
        )
        back_offs, moment = BackOffs(self.clock), FixedClock()
        keys = IssuerKeys(trusted, self.peers, back_offs, self.clock)
        verifier = PeerVerifier(trusted, keys, lambda: moment.milliseconds() / 1000)
        queries = PeerQueries(self.peers, back_offs, verifier)
        lookup = PeerLookup(trusted, queries, self.clock, BASE_URL, start=lambda function: function())
        self.store: Any = MemoryStore() if store is None else store
        self.resolution = resolution = ResolutionEndpoint(self.store, moment, BASE_URL, peers=lookup)  # type: ignore[arg-type]
        routes = (*PublicResultEndpoint(resolution).routes(), *resolution.routes())
        self._answer = Application(routes, BASE_URL, unforeseen, public=True)

    def get(self, path: str = f"/{LINKID}", accept: str = JSON, method: str = "GET", **headers: str) -> Response:
        path, _, query = path.partition("?")
        pairs: Any = tuple(tuple(pair.partition("=")[::2]) for pair in query.split("&") if pair)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._answer(Request(method, path, pairs, {"accept": accept, **named}))


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


def document(response: Response) -> Any:
    return json.loads(response.body)


RECORD, RIVAL = A.version(), D.version()
"""The records of A, and of D, whom nobody trusts. Each signature is another one."""


def found(**members: Any) -> Answer:
    """Return A's reply with its record, or one that has these members."""
    return answer(200, result(A.version(**members) if members else RECORD), max_age=60)


def own_prefix(service: Service, **members: Any) -> Repository:
    """Register the prefix `linkid` for a repository with these members."""
    owner = repository(rules=UuidRules(version=4), **members)
    service.store.repositories[owner.id] = owner
    service.store.put_prefix(namespace("linkid", owner), None)
    return owner


def register(service: Service, **members: Any) -> Record:
    """Register the LinkID at the service itself."""
    owner = own_prefix(service)
    written = replace(record(KEY, owner.id), id=KEY, pid=f"{BASE_URL}/{LINKID}", **members)
    service.store.records_by_key[owner.id, KEY] = written
    return written


GONE: dict[str, Any] = {
    "status": "withdrawn",
    "withdrawn": {"at": "2026-01-01T00:00:00Z", "reason": "It is gone", "successor": None},
}


def gone() -> Answer:
    tombstone = result(A.version(**GONE), status="tombstoned", target_url=None, error="gone")
    return answer(410, tombstone)


class TestFound:
    """A has the record."""

    @pytest.mark.parametrize("path", [*PATHS, PUBLIC, PUBLIC.replace("linkid:", "")])
    def test_a_program_gets_the_result_with_the_evidence(self, path: str) -> None:
        response = Service(found()).get(path)
        assert (response.status, response.headers["Content-Type"]) == (200, JSON)
        returned = document(response)
        assert (returned["id"], returned["status"], returned["target_url"]) == (LINKID, "active", f"{A.issuer}/thing")
        assert (returned["authoritative"], returned["authority"]) == (False, A.issuer)
        assert returned["record"] == RECORD
        assert returned["keys_url"] == f"{A.issuer}/.well-known/jwks.json"
        assert canonical_of(response.headers["Link"]) == f"{A.issuer}/{LINKID}"

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("accept", [BROWSER, "*/*"])
    def test_a_browser_is_redirected_to_the_verified_target(self, path: str, accept: str) -> None:
        response = Service(found()).get(path, accept)
        assert (response.status, response.headers["Location"]) == (302, f"{A.issuer}/thing")
        assert canonical_of(response.headers["Link"]) == f"{A.issuer}/{LINKID}"

    def test_the_clients_language_chooses_between_targets(self) -> None:
        locations = [
            {"uri": f"https://content.example/{language}", "status": "active", "language": language}
            for language in ("en", "de")
        ]
        service = Service(found(records=locations))
        assert service.get(accept="*/*", accept_language="de").headers["Location"] == "https://content.example/de"
        returned = document(service.get(accept_language="de"))
        assert returned["target_url"] == returned["targets"][0]["url"] == "https://content.example/de"
        assert [target["fallback"] for target in returned["targets"]] == [False, True]

    def test_other_forms_are_those_of_own_records(self) -> None:
        service = Service(found())
        assert document(service.get(accept="application/linkid+json")) == RECORD
        assert document(service.get("/" + LINKID + "?format=linkid", "*/*")) == RECORD
        assert service.get("/" + LINKID + "?info", "text/plain").status == 200

    @pytest.mark.parametrize(
        ("query", "form"),
        [("format=html", "html"), ("info", "html"), ("?", "html"), ("format=tlog-proof", "tlog-proof")],
    )
    def test_the_page_and_the_proof_of_the_log_are_at_the_authority(self, query: str, form: str) -> None:
        response = Service(found()).get(f"/{LINKID}?{query}", BROWSER)
        assert (response.status, response.headers["Location"]) == (302, f"{A.issuer}/{LINKID}?format={form}")

    def test_the_lifetime_is_that_at_the_peer(self) -> None:
        service = Service(found())
        first = service.get()
        assert first.headers["Cache-Control"] == "public, max-age=60, s-maxage=60, must-revalidate, stale-if-error=0"
        assert first.headers["Cache-Status"] == "coolid; fwd=miss; ttl=60; detail=peer"
        service.clock.seconds += 20
        second = service.get()
        assert second.headers["Cache-Control"].startswith("public, max-age=40, s-maxage=40, must-revalidate")
        assert second.headers["Cache-Status"] == "coolid; hit; ttl=40; detail=peer"
        assert second.headers["ETag"] == first.headers["ETag"]
        assert service.get(if_none_match=first.headers["ETag"]).status == 304
        assert len(service.peers.requests) == 2

    def test_a_stale_copy_says_so(self) -> None:
        service = Service(found())
        service.get()
        service.peers.answers[A.issuer] = OFFLINE
        service.clock.seconds += 65
        response = service.get(accept=BROWSER)
        assert (response.status, response.headers["Location"]) == (302, f"{A.issuer}/thing")
        assert response.headers["Cache-Status"] == "coolid; fwd=stale; ttl=-5; detail=peers-unavailable"
        assert "max-age=0," in response.headers["Cache-Control"]

    @pytest.mark.parametrize("accept", [JSON, BROWSER])
    def test_head_has_the_headers_of_get(self, accept: str) -> None:
        service = Service(found())
        service.get(accept=accept)
        got, head = service.get(accept=accept), service.get(accept=accept, method="HEAD")
        assert (head.status, head.headers, head.body) == (got.status, got.headers, "")

    def test_nothing_about_the_client_is_sent(self) -> None:
        service = Service(found())
        service.get(f"/{LINKID}?lang=de&include=inclusion", cookie="a=b", referer="https://x.example/")
        assert service.peers.requests == [f"{each.issuer}/{LINKID}?forward=no" for each in (A, B)]


class TestStates:
    """The other states of a peer's record."""

    def test_a_tombstone_is_410_everywhere(self) -> None:
        service = Service(gone())
        response = service.get()
        assert response.status == 410
        returned = document(response)
        assert (returned["error"], returned["status"], returned["target_url"]) == ("gone", "tombstoned", None)
        assert (returned["reason"], returned["authoritative"]) == ("It is gone", False)
        page = service.get(accept=BROWSER)
        assert page.status == 410
        assert "It is gone" in str(page.body)
        assert "verify" not in str(page.body).partition("</head>")[0]
        assert "Location" not in page.headers
        assert service.get(f"/{LINKID}?format=html", BROWSER).status == 410

    def test_a_record_without_a_location_is_inactive(self) -> None:
        record_of_a = A.version(records=[])
        inactive = {"id": LINKID, "status": "inactive", "target_url": None, "record": record_of_a}
        service = Service(answer(200, inactive))
        returned = document(service.get())
        assert (returned["status"], returned["target_url"]) == ("inactive", None)
        assert "Location" not in service.get(accept=BROWSER).headers

    def test_a_transfer_that_leads_elsewhere_names_the_authority(self) -> None:
        last, continued = A.transferred(B)
        service = Service(answer(200, result(last, last)))
        returned = document(service.get())
        assert (returned["authority"], returned["target_url"]) == (B.issuer, f"{B.issuer}/{LINKID}")
        service = Service(answer(200, result(last, last)))
        service.peers.answers[B.issuer] = answer(200, result(continued, last))
        returned = document(service.get())
        assert (returned["authority"], returned["target_url"]) == (B.issuer, f"{B.issuer}/thing")
        assert [each["to"] for each in returned["custody"]] == [B.issuer]
        assert returned["custody"][0]["record"] == last

    def test_a_location_that_leads_back_here_is_a_loop_and_not_used(self) -> None:
        own = {"uri": f"{BASE_URL}/resolve/{LINKID.upper()}", "status": "active"}
        service = Service(found(records=[own]))
        assert document(service.get())["status"] == "inactive"
        assert "Location" not in service.get(accept=BROWSER).headers
        service = Service(found(records=[own, {"uri": "https://content.example/", "status": "active"}]))
        assert service.get(accept=BROWSER).headers["Location"] == "https://content.example/"
        assert document(service.get())["target_url"] == "https://content.example/"

    def test_hosts_that_the_own_repository_denies_are_not_used(self) -> None:
        service = Service(found())
        own_prefix(service, denied_domains=("a.example",))
        assert "Location" not in service.get(accept=BROWSER).headers
        response = service.get()
        assert (response.status, document(response)["error"]) == (403, "policy_denied")


class TestRefused:
    """Nothing verified: no target, whatever was claimed."""

    FORGED = A.version() | {"records": [{"uri": "https://evil.example/", "status": "active"}]}
    LIES = (
        answer(200, result(D.version())),
        answer(200, result(FORGED)),
        answer(200, result(A.version(), target_url="https://evil.example/")),
        answer(200, result(A.version()) | {"id": LINKID[:-1] + "d"}),
        answer(200, {"id": LINKID, "status": "active", "target_url": "https://evil.example/"}),
    )

    @pytest.mark.parametrize("reply", LIES)
    def test_an_unverified_claim_is_evidence_and_no_result(self, reply: Answer) -> None:
        service = Service(reply)
        response = service.get()
        assert (response.status, response.headers["Cache-Control"]) == (500, "no-store")
        returned = document(response)
        assert (returned["error"], returned["status"]) == ("integrity_failure", "integrity-failure")
        assert (returned["id"], returned["target_url"]) == (LINKID, None)
        (conflict,) = returned["conflicts"]
        assert conflict["reason"]
        assert conflict.get("record") == json.loads(reply[2]).get("record")
        page = service.get(accept=BROWSER)
        assert page.status == 500
        assert "Location" not in page.headers
        assert 'href="https://evil.example' not in str(page.body)

    def test_a_conflict_beside_a_verified_record_is_shown(self) -> None:
        service = Service(found())
        service.peers.answers[B.issuer] = answer(200, result(RIVAL))
        returned = document(service.get())
        assert returned["target_url"] == f"{A.issuer}/thing"
        assert [(each["issuer"], each["record"]) for each in returned["conflicts"]] == [(D.issuer, RIVAL)]

    @pytest.mark.parametrize("path", [*PATHS, PUBLIC])
    def test_an_unreachable_peer_may_have_it(self, path: str) -> None:
        response = Service(OFFLINE).get(path)
        assert (response.status, response.headers["Cache-Control"]) == (503, "no-store")
        assert response.headers["Retry-After"] == "10"
        returned = document(response)
        assert (returned["error"], returned["status"]) == ("temporarily_unavailable", "temporarily-unavailable")
        assert A.issuer in returned["detail"]

    def test_a_denial_is_passed_on(self) -> None:
        response = Service(answer(403, {"error": "policy_denied"})).get()
        assert (response.status, document(response)["status"]) == (403, "policy-denied")

    @pytest.mark.parametrize("accept", [JSON, BROWSER])
    def test_what_nobody_has_is_unknown(self, accept: str) -> None:
        response = Service().get(accept=accept)
        assert (response.status, response.headers["Cache-Control"]) == (404, "public, max-age=10, stale-if-error=0")


class TestForwarding:
    """Which requests are forwarded."""

    @pytest.mark.parametrize("path", [*PATHS, PUBLIC])
    @pytest.mark.parametrize("accept", [JSON, BROWSER])
    def test_a_forwarded_request_is_not_forwarded_again(self, path: str, accept: str) -> None:
        service = Service(found())
        assert service.get(f"{path}?forward=no", accept).status == 404
        assert service.peers.requests == []

    @pytest.mark.parametrize(
        "path", [f"/lid:{KEY}", f"/resolve/{KEY}", "/linkid:4711", f"/{LINKID}x", f"/x:{LINKID}", "/go:1", "/linkid"]
    )
    def test_other_identifiers_are_not(self, path: str) -> None:
        service = Service(found())
        assert service.get(path).status in (400, 404)
        assert service.peers.requests == []

    def test_bulk_resolution_is_not(self) -> None:
        service = Service(found())
        reference = Reference.of(LINKID)
        with service.resolution.reader.for_request() as reader, pytest.raises(NotFound):
            service.resolution.respond(Request("POST", "/api/v1/resolve"), reference, reader, suggestion_keys=0)
        assert service.peers.requests == []

    def test_own_records_come_first_also_reserved_ones(self) -> None:
        service = Service(found())
        register(service, status=RESERVED)
        assert service.get().status == 404
        assert service.peers.requests == []

    def test_an_unregistered_one_under_the_own_prefix_is_forwarded(self) -> None:
        service = Service(found())
        register(service)
        other = LINKID[:-1] + "d"
        assert service.get(f"/{other}").status == 500  # A's reply is about another LinkID
        assert len(service.peers.requests) == 2

    def test_an_outage_of_the_own_store_is_no_absence(self) -> None:
        service = Service(found(), FailingStore(MemoryStore(), "before", "prefixes"))
        assert service.get().status == 503
        assert service.peers.requests == []

    def test_a_record_whose_authority_should_be_this_service_is_unknown_here(self) -> None:
        own = Operator("own", 7)
        own.issuer = BASE_URL
        last, _ = A.transferred(own)
        service = Service(answer(200, result(last, last)))
        service.peers.answers[BASE_URL] = answer(200, own.key_set)
        assert service.get().status == service.get(accept=BROWSER).status == 404
        assert not any(url.startswith(f"{BASE_URL}/linkid") for url in service.peers.requests)
