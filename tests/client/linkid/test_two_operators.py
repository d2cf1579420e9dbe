"""Two running services: a client follows a transfer of custody, and does without the first operator afterwards."""

import json
from pathlib import Path
from typing import Any

import coolid
from coolid.client import resolve
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.linkid import states
from tests.support.servers.coolid_server import Server, prepare, serving

TARGET = "https://content.example.org/handbook"


def resolved(linkid: str, state: Path, **options: Any) -> LinkIdResolution:
    settings: dict[str, Any] = {"default": None, "state": state, **options}
    found = resolve(linkid, follow_redirects=False, **settings).linkid
    assert found is not None
    return found


def test_custody_is_followed_by_its_chain(server: Server, tmp_path: Path) -> None:
    prepare(tmp_path)
    used, new = tmp_path / "used", tmp_path / "new"
    with serving(tmp_path) as first:
        with coolid.Client(first.url, first.key) as sender, coolid.Client(server.url, server.key) as recipient:
            record = sender.mint(prefix="linkid", uri=TARGET)
            linkid = record.pid.rpartition("/")[2]
            assert resolved(linkid, used, chosen=[first.url]).authority == first.url
            sender.custody.offer(record, server.url)
            recipient.custody.accept(linkid, first.url)
        keys = first.request("GET", "/.well-known/jwks.json").json()["keys"]
        referred = resolved(linkid, used, chosen=[first.url])
        assert (referred.target, referred.authority, referred.source) == (TARGET, server.url, "referral")
        assert [check.name for check in referred.checks if check.name == "custody"] == ["custody"]
    retired = json.dumps({"resolvers": [{"issuer": first.url, "keys": keys, "retired": True}]})
    for state in (used, new):
        found = resolved(linkid, state, default=server.url, resolvers=retired)
        assert (found.status, found.target, found.authority) == (states.ACTIVE, TARGET, server.url)
    stranger = json.dumps({"resolvers": [{"issuer": "https://stranger.example", "keys": keys, "retired": True}]})
    refused = resolved(linkid, new, default=server.url, resolvers=stranger)
    assert (refused.status, refused.target) == (states.INTEGRITY_FAILURE, None)
    assert "is not trusted" in refused.reason
