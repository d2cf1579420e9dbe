"""LinkIDs at a running service: both clients and the command resolve what the service mints and signs."""

import asyncio
import json
from pathlib import Path

import pytest

import coolid
from coolid.client.user_state.seen_keys import SeenKeyFiles
from coolid.linkid import states
from tests.support.servers.coolid_server import Server

TARGET = "https://content.example.org/handbook"
UNREGISTERED = "linkid:7d1f0d3e-5c0b-4c1e-9a1b-0f6f3c2d1e0a"


def linkid_of(record: coolid.Record) -> str:
    return record.pid.rpartition("/")[2]


def test_both_clients_return_the_verified_target(server: Server, tmp_path: Path) -> None:
    with coolid.Client(server.url, server.key) as client:
        linkid = linkid_of(client.mint(prefix="linkid", uri=TARGET))
        found = client.resolve(linkid.upper(), state=tmp_path)

    async def resolved() -> coolid.Resolution:
        async with coolid.AsyncClient(server.url) as client:
            return await client.resolve(linkid, state=tmp_path)

    for each in (found, asyncio.run(resolved())):
        assert (each.id, each.target, each.outcome) == (linkid, TARGET, coolid.Outcome.FOUND)
        assert each.linkid is not None
        assert (each.linkid.status, each.linkid.authority) == (states.ACTIVE, server.url)
        assert {"signature", "digest", "target", "replay"} <= {check.name for check in each.linkid.checks}
        assert each.record is not None
    assert SeenKeyFiles(tmp_path / "issuers").read(server.url) is not None


def test_states_that_lead_nowhere_are_errors(server: Server, tmp_path: Path) -> None:
    with coolid.Client(server.url, server.key) as client:
        record = client.mint(prefix="linkid", uri=TARGET)
        linkid = linkid_of(record)
        client.resolve(linkid, state=tmp_path)
        successor = client.mint(prefix="linkid", uri=TARGET)
        client.withdraw(record, "Merged", successor=successor.pid)
        with pytest.raises(coolid.Withdrawn, match=r"is deprecated: withdrawn at .*: Merged") as withdrawn:
            client.resolve(linkid, state=tmp_path)
        assert withdrawn.value.problem["successor"] == successor.pid
        with pytest.raises(coolid.ResourceNotFound, match="is unknown"):
            client.resolve(UNREGISTERED, state=tmp_path)
        with pytest.raises(coolid.InvalidIdentifier):
            client.resolve("LinkId: 4711", state=tmp_path)
        with pytest.raises(coolid.RefusedByClient, match="neither a format nor a version"):
            client.resolve(linkid, format="linkid", state=tmp_path)


def test_an_unreachable_service_and_a_forbidden_scheme_are_errors(server: Server, tmp_path: Path) -> None:
    with coolid.Client(server.url, server.key) as client:
        linkid = linkid_of(client.mint(prefix="linkid", uri="http://example.org/"))
        with pytest.raises(coolid.DeniedByPolicy, match="its scheme is http"):
            client.resolve(linkid, state=tmp_path)
        assert client.resolve(linkid, state=tmp_path, allowed_schemes=["http"]).target == "http://example.org/"
        listed = json.dumps({"resolvers": [{"issuer": server.url, "retired": False}]})
        assert client.resolve(linkid, state=tmp_path, resolvers=listed, allowed_schemes=["http"]).linkid is not None
    with coolid.Client("http://127.0.0.1:4", max_tries=1) as nowhere, pytest.raises(coolid.Unreachable):
        nowhere.resolve(UNREGISTERED, state=tmp_path)
