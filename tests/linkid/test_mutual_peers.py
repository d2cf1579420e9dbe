"""Two services that are each other's peers, as processes: lookups over HTTP, no loops, and an outage of one."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.servers.coolid_server import Server, prepare, run, serving

UNKNOWN = "linkid:6f0c2a2e-3c1c-4f5e-9d35-0d9a4f1f3a10"
TARGET = "https://content.example.org/"
NAMES = ("a", "c")
Services = dict[str, Server]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services `a` and `c`; both have the list of both, in which they find themselves."""
    with ExitStack() as ports:
        sockets = [ports.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in NAMES]
        numbers = dict(zip(NAMES, (each.getsockname()[1] for each in sockets), strict=True))
    peers = tmp_path / "peers.json"
    issuers = [{"issuer": f"http://127.0.0.1:{number}"} for number in numbers.values()]
    peers.write_text(json.dumps({"resolvers": issuers}))
    with ExitStack() as stack:
        started = {}
        for name, number in numbers.items():
            folder = tmp_path / name
            folder.mkdir()
            prepare(folder)
            started[name] = stack.enter_context(serving(folder, "--port", str(number), "--peers", str(peers)))
        yield started


def test_each_resolves_what_the_other_minted_until_that_one_is_offline(services: Services) -> None:
    a, c = services["a"], services["c"]
    program, browser = {"Accept": "application/json"}, {"Accept": "text/html"}
    pid = json.loads(a.mint(prefix="linkid", uri=TARGET).body)["pid"]
    name = pid.removeprefix(f"{a.url}/")
    result = c.request("GET", f"/resolve/{name}", headers=program)
    document = json.loads(result.body)
    assert (result.status, document["status"], document["target_url"]) == (200, "active", TARGET)
    assert (document["authoritative"], document["authority"]) == (False, a.url)
    assert document["record"]["pid"] == pid
    redirect = c.request("GET", f"/{name}", headers=browser)
    assert (redirect.status, redirect.headers["location"]) == (302, TARGET)
    own = json.loads(a.request("GET", f"/{name}", headers=program).body)
    assert own["authoritative"]
    assert own["record"] == document["record"]
    for service in services.values():
        assert service.request("GET", f"/{UNKNOWN}", headers=program).status == 404
        described = json.loads(service.request("GET", "/.well-known/linkid-resolver").body)["peers"]
        (other,) = {each.url for each in services.values()} - {service.url}
        assert described == [{"issuer": other}]
    assert c.request("GET", f"/{name.upper()}?forward=no", headers=program).status == 404
    a.end(signal.SIGTERM)
    unknown = UNKNOWN[:-1] + "1"
    assert c.request("GET", f"/{unknown}", headers=program).status == 503
    assert c.request("GET", f"/{unknown}?forward=no", headers=program).status == 404
    cached = c.request("GET", f"/{name}", headers=browser)
    assert (cached.status, cached.headers["location"]) == (302, TARGET)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"resolvers": [{"issuer": "http://a.example"}]}', "http is allowed only on this machine"),
        ("{}", "must have the form"),
        ("", "is not JSON"),
        ("\0", "is not JSON"),
    ],
)
def test_a_start_refuses_malformed_peers_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    peers = tmp_path / "peers.json"
    peers.write_text(text)
    ended = run(tmp_path, "serve", "--memory", "--port", "0", "--peers", str(peers))
    assert ended.returncode == 2
    assert reason in " ".join(ended.stderr.split())


def test_a_file_of_peers_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", "--memory", "--port", "0", "--peers", "none.json")
    assert ended.returncode == 2
    assert "none.json cannot be read" in " ".join(ended.stderr.split())
