"""A LinkID survives its first service: three services with databases and keys of their own, and a rogue one.

The LinkID is minted at A and resolved through C, whose peers are A, B and the rogue D. Its custody moves from A to B
while programs and browsers request it from all three. Then A ends for good.
"""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from coolid.cli.exit_codes import NO
from coolid.linkid import states
from coolid.linkid.results import NOT_FOUND
from tests.support.builders.forged_results import Forger
from tests.support.servers.http_server import Host, host
from tests.support.servers.http_server import json as json_reply
from tests.support.servers.linkid_services import (
    LinkIdClient,
    LinkIdService,
    Traffic,
    linkid_service,
    pinned,
    resolvers_file,
)

FIRST = "https://content.example.org/first"
SECOND = "https://content.example.org/second"
FORGED = "https://rogue.example.org/claim"
ACTIVE, INTEGRITY_FAILURE = 0, 9
"""Exit codes of `coolid resolve`."""
UNREGISTERED = json_reply({"error": NOT_FOUND, "status": states.UNKNOWN, "target_url": None}, 404)


@dataclass(frozen=True)
class Services:
    """A ends during the test, B continues its LinkID, C only has peers, D is a rogue.

    Another peer of C has no record at first, and returns forged results at the end.
    """

    a: LinkIdService
    b: LinkIdService
    c: LinkIdService
    d: LinkIdService
    liar: Host

    @property
    def honest(self) -> dict[str, LinkIdService]:
        return {"A": self.a, "B": self.b, "C": self.c}


@contextmanager
def running(folder: Path) -> Iterator[Services]:
    """The services. B has the peer A. C has the peers A, B, the liar and, last, D."""
    with host(replies=[UNREGISTERED]) as liar, ExitStack() as stack, ThreadPoolExecutor() as threads:
        starting = [threads.submit(stack.enter_context, linkid_service(folder / name)) for name in "ad"]
        a, d = (each.result() for each in starting)
        peers = resolvers_file(folder / "peers-of-b.json", [pinned(a)])
        b = stack.enter_context(linkid_service(folder / "b", "--peers", str(peers)))
        entries = [pinned(a), pinned(b), pinned(d, issuer=liar.url), pinned(d)]
        peers = resolvers_file(folder / "peers-of-c.json", entries)
        c = stack.enter_context(linkid_service(folder / "c", "--peers", str(peers)))
        yield Services(a, b, c, d, liar)


def test_a_linkid_survives_its_first_service(tmp_path: Path) -> None:
    with running(tmp_path) as services:
        linkid = services.a.mint(FIRST)
        services.d.mint(FORGED, linkid)
        assert_resolves_through_c(services, linkid, services.a, FIRST, services.d)
        move_during_requests(services, linkid, tmp_path / "offer.jsonl")
        revoked = offer_and_revoke(services)
        (tmp_path / "client").mkdir()
        client = LinkIdClient(tmp_path / "client", pinned(services.a))
        assert services.a.server.end(signal.SIGTERM) == 0
        assert_survives(services, linkid, client)
        assert_rogues_are_refused(services, linkid, client, revoked)


def assert_resolves_through_c(
    services: Services, linkid: str, authority: LinkIdService, target: str, *rogues: LinkIdService
) -> None:
    """C, which does not hold the LinkID, returns the verified result of its authority.

    The claims of rogues are soon beside it: after the first lookup, C does not wait for all peers.
    """
    for _ in range(200):
        reply = services.c.resolve(linkid)
        result = reply.json()
        assert (reply.status, result["status"], result["target_url"]) == (200, states.ACTIVE, target)
        assert (result["authoritative"], result["authority"]) == (False, authority.url)
        conflicts = result.get("conflicts", [])
        assert all(claim["reason"] and claim["record"]["issuer"] == claim["issuer"] for claim in conflicts)
        if {claim["issuer"] for claim in conflicts} == {rogue.url for rogue in rogues}:
            break
        sleep(0.05)
    else:
        raise AssertionError(conflicts)
    assert services.c.redirect(linkid) == target


def move_during_requests(services: Services, linkid: str, file: Path) -> None:
    """Move the custody from A to B, then change the target at B, while requests arrive at all services."""
    traffic = Traffic(linkid, services.honest)
    with traffic.running():
        traffic.wait()
        run(services.a, "custody", "offer", linkid, "--to", services.b.url, "--output", str(file))
        traffic.wait()
        run(services.b, "custody", "accept", str(file), "--from", services.a.url)
        traffic.wait()
        assert traffic.distinct_answers() == {FIRST}
        services.b.change(linkid, SECOND)
        traffic.wait_for(SECOND)
        traffic.wait()
    assert traffic.distinct_answers() == {FIRST, SECOND}


def offer_and_revoke(services: Services) -> tuple[str, dict[str, Any]]:
    """Offer another LinkID to B and revoke that, so that B gets nothing. Return it with the signed offer."""
    linkid = services.a.mint(FIRST)
    run(services.a, "custody", "offer", linkid, "--to", services.b.url)
    offer = services.a.resolve(linkid).json()["record"]
    run(services.a, "custody", "revoke", linkid)
    refused = services.b.command("custody", "accept", linkid, "--from", services.a.url)
    assert refused.exit_code == NO, refused.output
    return linkid, offer


def run(service: LinkIdService, *arguments: str) -> None:
    """Run a command of the administrator, which succeeds."""
    done = service.command(*arguments)
    assert done.exit_code == 0, (arguments, done.output, done.exception)


def assert_survives(services: Services, linkid: str, client: LinkIdClient) -> None:
    """B and C still answer, and a client that trusts the keys of A alone verifies their results."""
    for service in (services.b, services.c):
        assert service.resolve(linkid).json()["target_url"] == SECOND
        code, target, printed = client.resolve(linkid, service.url)
        assert (code, target) == (ACTIVE, SECOND), printed
        verified = client.verify(f"{service.url}/{linkid}", services.b.url)
        assert verified.exit_code == 0, verified.output
        assert verified.stdout.endswith("verified, with all versions\n")


def assert_rogues_are_refused(
    services: Services, linkid: str, client: LinkIdClient, revoked: tuple[str, dict[str, Any]]
) -> None:
    """The client refuses D, B without the chain of transfers, and B after a revoked offer. C refuses D and such a B."""
    assert_resolves_through_c(services, linkid, services.b, SECOND, services.d)
    assert_refused(client, linkid, services.d.url)
    forger = Forger(services.b.url, services.b.signing_key)
    result = services.b.resolve(linkid).json()
    for forged in (forger.without_chain(result), forger.after_revocation(*revoked)):
        services.liar.will(json_reply(forged))
        assert_refused(client, forged["id"], services.liar.url)
    services.liar.will(json_reply(forger.without_chain(result)))
    assert_resolves_through_c(services, linkid, services.b, SECOND, services.b, services.d)


def assert_refused(client: LinkIdClient, linkid: str, resolver: str) -> None:
    """The client gets no target, and a reason."""
    code, target, printed = client.resolve(linkid, resolver)
    assert (code, target) == (INTEGRITY_FAILURE, None), printed
