"""Clients of EZID's API, unmodified, against `coolid serve`: mint to withdrawal, sessions and batch downloads.

curl and Python's own client need no installation. The tools of the California Digital Library and Ruby's `ezid-client`
are on no registry that all machines reach, and not distributed with coolid. `COOLID_EZID_CLIENTS` names a folder with
them: `ezid3.py` and `batch-download.sh` (CDLUC3/ezid-client-tools), and `ezid-client/lib` (duke-libraries/ezid-client;
on Debian it needs ruby and ruby-hashie). The tools find a host `ezid.cdlib.org` with TLS.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.fixtures.tools import tool
from tests.support.servers.coolid_server import Server, prepare, serving
from tests.support.servers.tls_front import tls_front

HOST = "ezid.cdlib.org"
HERE = Path(__file__).parent
TARGET = "https://content.example.org/a?b=1&c=%41"
MINTED = re.compile(r"success: (ark:/99999/fk4[0-9a-z]{7})")
SOURCES = os.environ.get("COOLID_EZID_CLIENTS")

pytestmark = pytest.mark.skipif(not os.environ.get("COOLID_CLIENTS"), reason="clients are needed: make test-clients")
needs_sources = pytest.mark.skipif(not SOURCES, reason="COOLID_EZID_CLIENTS does not name the sources of the clients")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a shoulder that mints, and one with names that clients choose."""
    folder = tmp_path_factory.mktemp("ezid")
    prepare(folder)
    with serving(folder) as running:
        headers = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
        noid = {"scheme": "noid", "rules": {"template": ".reedeedk", "naan": "99999", "shoulder": "fk4"}}
        chosen = {"scheme": "chosen", "rules": {"pattern": "[0-9a-z/]+", "ignores_hyphens": True}}
        for prefix, rules in (("ark:99999/fk4", noid), ("ark:99999/fk5", chosen)):
            body = json.dumps({"title": prefix, **rules}).encode()
            created = running.request("POST", "/api/v1/repositories", body, headers)
            alias = json.dumps({"kind": "namespace", "repository": created.json()["id"]}).encode()
            assert running.request("PUT", f"/api/v1/prefixes/{prefix}", alias, headers).status == 201
        yield running


@pytest.fixture(scope="module")
def credentials(server: Server) -> tuple[str, str]:
    """The id of the administrator's key, and its secret."""
    _, user, secret = server.key.split("_", 2)
    return user, secret


@pytest.fixture(scope="module")
def environment(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a program that believes in a host `ezid.cdlib.org`."""
    port = urlsplit(server.url).port
    assert port
    with tls_front(tmp_path_factory.mktemp("tls"), HOST, port) as variables:
        inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        yield {**inherited, **variables}


def run(environment: dict[str, str], folder: Path, *command: str | Path) -> str:
    """Run a program, and return its output, if it succeeds."""
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def target_of(server: Server, identifier: str) -> str | None:
    return server.request("GET", f"/{identifier}").headers.get("location")


def test_curl_does_what_the_documentation_of_ezid_shows(
    server: Server, credentials: tuple[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    """Section "curl examples" of the specification."""
    curl, base = tool("curl", "send EZID's examples"), f"https://{HOST}"

    def send(method: str, path: str, *options: str) -> str:
        return run(environment, tmp_path, curl, "-sS", "-u", ":".join(credentials), "-X", method, *options, base + path)

    (tmp_path / "metadata.txt").write_text(
        "# A comment\nerc.who: Proust,\n  Marcel\nerc.when: 1922\n", encoding="utf-8"
    )
    plain = ("-H", "Content-Type: text/plain", "--data-binary")
    minted = MINTED.fullmatch(
        send("POST", "/shoulder/ark:/99999/fk4", *plain, f"_target: {TARGET.replace('%', '%25')}")
    )
    assert minted
    assert target_of(server, minted[1]) == TARGET
    assert send("POST", f"/id/{minted[1]}", *plain, "@metadata.txt") == minted[0]
    shown = run(environment, tmp_path, curl, "-sS", f"{base}/id/{minted[1]}")
    assert "erc.who: Proust, Marcel\n" in shown + "\n"
    assert send("PUT", "/id/ark:/99999/fk5curl") == "success: ark:/99999/fk5curl"


def test_python_answers_the_challenge_with_its_realm(
    credentials: tuple[str, str], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Section "Authentication" of the specification: the realm is `EZID`, and the password is sent when asked for."""
    for name in ("https_proxy", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, environment[name])
    handler = urllib.request.HTTPBasicAuthHandler()
    handler.add_password("EZID", f"https://{HOST}/", *credentials)
    opener = urllib.request.build_opener(handler, urllib.request.HTTPCookieProcessor())
    request = urllib.request.Request(f"https://{HOST}/shoulder/ark:/99999/fk4", b"erc.what: a test", method="POST")
    request.add_header("Content-Type", "text/plain; charset=UTF-8")
    with opener.open(request, timeout=60) as answer:
        assert answer.status == 201
        assert MINTED.fullmatch(answer.read().decode())


@needs_sources
def test_ezid3_of_the_california_digital_library(
    server: Server, credentials: tuple[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    def call(who: str, *arguments: str) -> list[str]:
        output = run(environment, tmp_path, sys.executable, Path(str(SOURCES)) / "ezid3.py", who, *arguments)
        return [eval(line).decode() for line in output.splitlines()]  # noqa: S307 - it prints bytes as Python does

    user = ":".join(credentials)
    assert call("-", "status")[0].startswith("success: ")
    (line,) = call(user, "mint", "ark:/99999/fk4", "_target", TARGET, "erc.what", "Ein Über-Titel\nmit 100 %")
    minted = MINTED.fullmatch(line)
    assert minted
    assert target_of(server, minted[1]) == TARGET
    shown = call("-", "view", minted[1])
    assert shown[0] == line
    assert {"erc.what: Ein Über-Titel%0Amit 100 %25", "_status: public"} < set(shown)
    name = "ark:/99999/fk5cdl"
    assert call(user, "create", name, "_status", "reserved") == [f"success: {name}"]
    assert call(user, "create!", name, "dc.title", "Roots") == [f"success: {name}"]
    status, session = call(user, "login")
    assert status == "success: session cookie returned"
    assert "_status: reserved" in call(session, "view", name)  # it sends a password only to a challenge
    assert call(user, "update", name, "_status", "public", "_target", TARGET) == [f"success: {name}"]
    assert call("-", "view!", f"{name}/page/2")[0] == f"success: {name} in_lieu_of {name}/page/2"
    assert call(session, "update", name, "_status", "unavailable | withdrawn by author") == [f"success: {name}"]
    assert "_status: unavailable | withdrawn by author" in call("-", "view", name)
    assert server.request("GET", f"/{name}").status == 410
    assert call(session, "update", name, "_status", "public") == [f"success: {name}"]
    assert target_of(server, name) == TARGET
    assert call(session, "create", "ark:/99999/fk5draft", "_status", "reserved")
    assert call(session, "delete", "ark:/99999/fk5draft") == ["success: ark:/99999/fk5draft"]
    assert call(session, "logout")[0].startswith("success: ")


@needs_sources
def test_the_script_for_batch_downloads(
    server: Server, credentials: tuple[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    script = Path(str(SOURCES)) / "batch-download.sh"
    output = run(environment, tmp_path, "bash", script, *credentials, "format=anvl", "type=ark", "status=public")
    file = output.rpartition("downloaded file: ")[2].strip()
    assert gzip.decompress((tmp_path / file).read_bytes()).decode().startswith(":: ark:/99999/")


@needs_sources
def test_ezid_client_for_ruby(server: Server, credentials: tuple[str, str], tmp_path: Path) -> None:
    ruby = tool("ruby", "run ezid-client")
    port = str(urlsplit(server.url).port)
    user, secret = credentials
    settings = {"EZID_HOST": "127.0.0.1", "EZID_PORT": port, "EZID_USE_SSL": "false", "RUBYOPT": "-rdelegate"}
    library = Path(str(SOURCES)) / "ezid-client" / "lib"
    environment = {**os.environ, **settings, "EZID_USER": user, "EZID_PASSWORD": secret}
    shown = run(environment, tmp_path, ruby, "-I", library, HERE / "use_ezid_client.rb", TARGET)
    found = json.loads(shown.splitlines()[-1])
    assert found == {
        "up": True,
        "target": TARGET,
        "who": "Proust, Marcel",
        "what": "À la recherche: 100 %\n2",
        "statuses": ["public", "reserved", "public", "unavailable | withdrawn by author"],
        "deleted": "success",
        "download": ":: ark:/99999/",
    }
