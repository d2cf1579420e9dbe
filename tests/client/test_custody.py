"""Offers, revocations and acceptances of custody by both clients."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import coolid
from tests.support.servers.http_server import ETAG, KEY, RECORD, Host, Reply, host, json, problem, stored

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
OTHER = "https://b.example.org"
OWN = "https://a.example.org"
OFFER = {"offer": {"to": OTHER, "at": "2026-10-08T12:00:00Z"}}
TRANSFER = {
    "transfers": [{"from": OWN, "to": OTHER, "at": "2026-10-08T12:00:00Z", "version": 2, "acceptance": "e.y.J"}]
}
BUSY = problem(503, retry_after=0)
CONFLICT = problem(409)


def record(member: dict[str, Any] | None = None) -> Reply:
    return stored(RECORD | {"issuer": OWN, "metadata": {"linkid": member} if member else {}})


def calls(running: Host) -> list[tuple[str, str]]:
    return [(each.method, each.target.removeprefix("/api/v1")) for each in running.requests]


def test_an_offer_changes_the_present_version() -> None:
    with host(replies=[record(), record(OFFER)]) as running, coolid.Client(running.url, KEY) as client:
        offered = client.custody.offer(LINKID, "HTTPS://b.example.org/")
    assert offered.metadata["linkid"] == OFFER
    assert calls(running) == [("GET", f"/records/{LINKID}"), ("PUT", f"/custody/{LINKID}")]
    assert running.requests[1].headers["if-match"] == ETAG
    assert running.requests[1].json() == {"to": OTHER}


def test_a_revocation_is_of_the_version_that_was_read() -> None:
    with host(replies=[record(OFFER), record()]) as running, coolid.Client(running.url, KEY) as client:
        assert not client.custody.revoke(client.get(LINKID)).metadata
    assert running.requests[-1].method == "DELETE"
    assert running.requests[-1].headers["if-match"] == ETAG


def test_an_acceptance_names_the_sender() -> None:
    with host(replies=[BUSY, json(RECORD, 201)]) as running:
        with coolid.Client(running.url, KEY, wait=lambda _: None) as client:
            assert client.custody.accept(LINKID.upper(), OWN + "/").pid == RECORD["pid"]
        assert calls(running) == [("POST", "/custody/acceptances")] * 2
        assert running.requests[-1].json() == {"linkid": LINKID, "from": OWN}


@pytest.mark.parametrize("text", ["linkid:4711", "demo:x", LINKID + "?", ""])
def test_another_text_is_not_accepted(text: str) -> None:
    with coolid.Client("http://127.0.0.1:1", KEY) as client, pytest.raises(coolid.BadReference):
        client.custody.accept(text, OWN)


@pytest.mark.parametrize("url", ["http://b.example.org", "b.example.org", ""])
def test_custody_is_only_between_services_with_https(url: str) -> None:
    with coolid.Client("http://127.0.0.1:1", KEY) as client:
        for operation in (client.custody.offer, client.custody.accept):
            with pytest.raises(coolid.RefusedByClient):
                operation(LINKID, url)


@pytest.mark.parametrize(
    ("is_offer", "member", "succeeds"),
    [
        (True, OFFER, True),
        (True, {"offer": OFFER["offer"] | {"to": OWN}}, False),
        (True, None, False),
        (False, None, True),
        (False, OFFER, False),
        (False, TRANSFER, False),
    ],
)
def test_after_a_lost_response_the_present_version_decides(
    is_offer: bool, member: dict[str, Any] | None, succeeds: bool
) -> None:
    with (
        host(replies=[record(), BUSY, CONFLICT, record(member)]) as running,
        coolid.Client(running.url, KEY, wait=lambda _: None) as client,
    ):
        operation: Callable[[], coolid.Record] = (
            (lambda: client.custody.offer(LINKID, OTHER)) if is_offer else (lambda: client.custody.revoke(LINKID))
        )
        if succeeds:
            assert operation().metadata == ({"linkid": member} if member else {})
        else:
            with pytest.raises(coolid.ResourceConflict):
                operation()


def test_a_refused_offer_is_an_error_at_once() -> None:
    with (
        host(replies=[record(), CONFLICT]) as running,
        coolid.Client(running.url, KEY) as client,
        pytest.raises(coolid.ResourceConflict),
    ):
        client.custody.offer(LINKID, OTHER)
    assert len(running.requests) == 2


def test_the_asynchronous_client_does_the_same() -> None:
    async def use(url: str) -> list[Any]:
        async with coolid.AsyncClient(url, KEY) as client:
            pending: list[Awaitable[coolid.Record]] = [
                client.custody.offer(LINKID, OTHER), client.custody.revoke(LINKID), client.custody.accept(LINKID, OWN)
            ]  # fmt: skip
            return [(await each).metadata for each in pending]

    with host(replies=[record(), record(OFFER), record(OFFER), record(), record(TRANSFER)]) as running:
        assert asyncio.run(use(running.url)) == [{"linkid": OFFER}, {}, {"linkid": TRANSFER}]
