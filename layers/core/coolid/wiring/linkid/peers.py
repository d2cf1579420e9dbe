"""The peers of the service: other resolvers that are queried for LinkIDs which are not registered here."""

from collections.abc import Mapping

from coolid.aws.clock import SystemClock, monotonic_seconds
from coolid.linkid.back_off import BackOffs
from coolid.linkid.issuer_keys import IssuerKeys
from coolid.linkid.peer_lookup import PeerLookup
from coolid.linkid.peer_queries import PeerQueries
from coolid.linkid.peer_replies import MAX_RESPONSE_BYTES
from coolid.linkid.peer_verification import PeerVerifier
from coolid.net.json_client import JsonClient
from coolid.wiring.linkid.configured_peers import configured_peers


def build_lookup(environment: Mapping[str, str], base_url: str) -> PeerLookup | None:
    """Return the lookup of LinkIDs at the peers of the service at `base_url`; None without peers.

    It sends no request before the first lookup. Raises `InvalidSettings`.
    """
    peers = configured_peers(environment)
    if not peers.resolvers:
        return None
    clock, wall_clock = monotonic_seconds(), SystemClock()
    urls = [url for each in peers.live for url in (each.issuer, each.url(""))]
    client = JsonClient(urls, base_url, MAX_RESPONSE_BYTES)
    back_offs = BackOffs(clock)
    keys = IssuerKeys(peers, client, back_offs, clock)
    verifier = PeerVerifier(peers, keys, lambda: wall_clock.milliseconds() / 1000)
    return PeerLookup(peers, PeerQueries(client, back_offs, verifier), clock, base_url)
