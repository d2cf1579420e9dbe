"""Simulated peers: a client that returns what each peer was set up to answer, and counts the requests.

Their results are not signed. `SimulatedVerifier` reads from a result's record what the real one would verify.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from coolid.deadlines import Deadline
from coolid.linkid.back_off import BackOffs
from coolid.linkid.peer_decisions import Claim
from coolid.linkid.peer_lookup import PeerLookup
from coolid.linkid.peer_queries import PeerQueries
from coolid.linkid.results import RefusedClaim, ResolutionResult
from coolid.linkid.trusted_resolvers import TrustedResolver, TrustedResolvers

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
OTHER = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7d"
A, B, C, D = (f"https://{name}.example" for name in "abcd")

Answer = tuple[int, Mapping[str, str], bytes]
Behaviour = Answer | Exception | Callable[[str], Answer]


class Clock:
    """A clock of seconds that stands still until it is advanced."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def answer(status: int, document: Any, max_age: int = 300, **headers: str) -> Answer:
    """Return a response with JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    caching = {"content-type": "application/json", "cache-control": f"public, max-age={max_age}"}
    return status, caching | named, json.dumps(document).encode()


def result(issuer: str, version: int = 1, *, root: str = "", to: str | None = None, **members: Any) -> dict[str, Any]:
    """Return a result about `LINKID` whose record is of this issuer, and has this root of custody."""
    record = {"issuer": issuer, "version": version, "root": root or issuer, "to": to}
    return {
        "id": LINKID,
        "status": "active",
        "target_url": f"{issuer}/thing",
        "version": version,
        "authoritative": True,
        "authority": issuer,
        "record": record,
        **members,
    }


UNKNOWN = answer(404, {"id": LINKID, "status": "unknown", "target_url": None, "error": "not_found"})
OFFLINE = ConnectionError("it refuses the connection")


class SimulatedPeers:
    """Implements `PeerClient`; `answers` are by issuer. `requests` are the URLs requested, in order."""

    def __init__(self, **answers: Behaviour) -> None:
        self.answers: dict[str, Behaviour] = {f"https://{name}.example": each for name, each in answers.items()}
        self.requests: list[str] = []

    def get(self, url: str, deadline: Deadline) -> Answer:
        self.requests.append(unquote(url))
        deadline.remaining_seconds()
        behaviour = self.answers.get("/".join(url.split("/")[:3]), OFFLINE)
        if isinstance(behaviour, Exception):
            raise behaviour
        return behaviour(url) if callable(behaviour) else behaviour

    def issuers(self) -> list[str]:
        """Return the issuers that received the requests since the last call."""
        requests, self.requests = self.requests, []
        return ["/".join(url.split("/")[:3]) for url in requests]


class SimulatedVerifier:
    """Implements `ResultVerifier`: trusts these issuers in this order, and refuses records without a trusted root."""

    def __init__(self, issuers: tuple[str, ...]) -> None:
        self._issuers = issuers

    def verify(
        self, result: ResolutionResult, linkid: str, max_age: int | None, deadline: Deadline
    ) -> Claim | RefusedClaim:
        deadline.remaining_seconds()
        record = result.record or {}
        if result.id != linkid or record.get("root") not in self._issuers:
            return RefusedClaim(record.get("issuer", "?"), "its issuer is not trusted", record)
        root, issuer, version = record["root"], record["issuer"], record["version"]
        rank, digest = self._issuers.index(root), json.dumps(record)
        return Claim(rank, root, issuer, version, digest, result, max_age, record["to"])


def resolvers(*issuers: str) -> TrustedResolvers:
    """Return the live resolvers of these issuers, in order."""
    return TrustedResolvers(tuple(TrustedResolver(each, f"{each}/resolve/{{identifier}}") for each in issuers))


def simulated_lookup(
    peers: SimulatedPeers, clock: Clock, *issuers: str, start: Callable[[Callable[[], None]], object] | None = None
) -> PeerLookup:
    """Return a lookup at these peers, by default in one thread, so that their replies are in order."""
    trusted = resolvers(*(issuers or (A, B)))
    queries = PeerQueries(peers, BackOffs(clock), SimulatedVerifier(trusted.issuers))
    return PeerLookup(trusted, queries, clock, start=start or (lambda function: function()))
