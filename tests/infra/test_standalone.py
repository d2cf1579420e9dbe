"""The files for a server of one's own: systemd, a container, nginx and Caddy (`docs/how-to/operator/standalone.md`)."""

import json
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer
import typer.main
import yaml

from coolid.cli import app
from tests.support.builders.samples import ROOT
from tests.support.fixtures.tools import tool
from tests.support.servers.coolid_server import COMMAND, Server
from tests.support.servers.proxies import FOLDER, Proxy, caddy, nginx
from tests.support.servers.responses import Reply

INSTALLED = "/opt/coolid/.venv-run/bin/coolid"
CONTAINERFILE = FOLDER / "Containerfile"
UNITS = ("coolid.service", "coolid-backup.service", "coolid-backup.timer")
PROXIES = {"nginx": nginx, "caddy": caddy}
# What describes a connection rather than the response.
HOP = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
COPIED = {"requirements-run.lock", "pyproject.toml", "README.md", "LICENSE", "layers/core/coolid"}
"""What the container gets of this repository."""
EXPOSURE = "15"
"""What `systemd-analyze security` may find at most, of 100."""


@pytest.fixture(scope="module", params=PROXIES)
def proxy(request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A proxy before `coolid serve`."""
    with PROXIES[request.param](tmp_path_factory.mktemp(request.param), urlsplit(server.url).netloc) as running:
        yield running


def seen(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    """Return what a client sees of a response, however many proxies it passed."""
    return reply.status, {name: value for name, value in reply.headers.items() if name not in HOP}, reply.body


class TestProxies:
    @pytest.mark.parametrize(
        "target",
        [
            "/go:a%2Fb",
            "/go:a%252Fb",
            "/go:a//b",
            "/go:a/../b",
            "/go:a/%2e%2e/b",
            "/go:a/./b/",
            "/go:%C3%A9%20%22%7E%41",
            "/go:a%3Fb%23c",
            "/go:a+b;c=d&e",
            "/go:a?provider=p%31&provider=p0",
            "/go:a?",
            "/doi:10.1002/(SICI)1096-8644(199601)99:1%3C1::AID-AJPA1%3E3.0.CO;2-1",
            "//",
            "/demo:tw0t-ywdj-94?format=json&x=a;b",
            "/demo:%C0%AF",
            "/" + "a" * 3_000,
        ],
        ids=lambda target: target[:40],
    )
    def test_a_path_reaches_the_service_as_it_was_sent(self, server: Server, proxy: Proxy, target: str) -> None:
        assert seen(proxy.request("GET", target)) == seen(server.request("GET", target))

    @pytest.mark.parametrize("target", ["/%zz", "/demo:%00"])
    def test_a_malformed_path_is_refused_by_one_of_both(self, proxy: Proxy, target: str) -> None:
        assert proxy.request("GET", target).status == 400

    def test_other_methods_conditions_and_bodies_pass(self, server: Server, proxy: Proxy) -> None:
        target = "/demo:tw0t-ywdj-94"
        tag = {"If-None-Match": server.request("GET", target).headers["etag"]}
        assert seen(proxy.request("GET", target, headers=tag)) == seen(server.request("GET", target, headers=tag))
        for method in ("HEAD", "OPTIONS", "DELETE"):
            assert seen(proxy.request(method, target)) == seen(server.request(method, target))
        key = {"Authorization": f"Bearer {server.key}"}
        document = json.dumps({"prefix": "demo", "metadata": {"what": "x" * 100_000}}).encode()
        minted = proxy.request("POST", "/api/v1/records", document, key)
        assert minted.status == 201
        assert minted.headers["location"].startswith(server.url)
        too_long = proxy.request("POST", "/api/v1/records", b" " * 2_000_000, key)
        assert too_long.refusal[0] == 413


def test_caddy_finds_its_file_valid(tmp_path: Path) -> None:
    program = tool("caddy", "validate infra/standalone/Caddyfile")
    folders = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    command = [program, "validate", "--adapter", "caddyfile", "--config", str(FOLDER / "Caddyfile")]
    done = subprocess.run(command, env=folders, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """The units, with the programs and pages that there are here instead of those of a server."""
    for name in UNITS:
        text = (FOLDER / name).read_text(encoding="utf-8")
        text = text.replace(INSTALLED, str(COMMAND)).replace("file:/opt/coolid", f"file:{ROOT}")
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / name) for name in UNITS]


def test_systemd_finds_its_units_valid(units: list[str]) -> None:
    program = tool("systemd-analyze", "verify the units in infra/standalone")
    done = subprocess.run([program, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def commands() -> Iterator[list[str]]:
    """Yield the arguments of each `coolid` command in the files."""
    for name in UNITS:
        text = (FOLDER / name).read_text(encoding="utf-8").replace("\\\n", " ")
        for command in re.findall(rf"{INSTALLED} ([^'\n]*)", text):
            yield shlex.split(command.replace("$$(date ", "").replace(")", ""))
    yield next(json.loads(" ".join(words[1:])) for words in instructions() if words[0] == "CMD")
    (service,) = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    yield [re.sub(r"\$\{BASE_URL.*\}", "https://id.example.org", word) for word in service["command"]]


def test_their_commands_are_such_as_coolid_takes() -> None:
    group: Any = typer.main.get_command(app)
    found = list(commands())
    assert [name for name, *_ in found] == ["serve", "backup", "serve", "serve"]
    for name, *arguments in found:
        group.commands[name].make_context(name, arguments)


def test_the_services_are_confined(units: list[str]) -> None:
    program = tool("systemd-analyze", "judge the units in infra/standalone")
    command = [program, "security", "--offline=true", f"--threshold={EXPOSURE}"]
    for unit in units[:2]:
        done = subprocess.run([*command, unit], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-200:] + done.stderr


def instructions() -> list[list[str]]:
    """Return the instructions of the Containerfile as words, the first being the instruction."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line.split() for line in text.replace("\\\n", " ").splitlines() if line]


class TestContainer:
    def test_hadolint_finds_no_fault(self) -> None:
        program = tool("hadolint", "judge infra/standalone/Containerfile")
        done = subprocess.run([program, str(CONTAINERFILE)], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

    def test_it_copies_named_parts_of_the_repository_only(self) -> None:
        copied = [words[1:-1] for words in instructions() if words[0] == "COPY" and not words[1].startswith("--")]
        sources = [source for each in copied for source in each]
        assert set(sources) == COPIED
        assert all((ROOT / source).exists() for source in sources)

    def test_it_does_not_run_as_root(self) -> None:
        users = [words[1] for words in instructions() if words[0] == "USER"]
        assert users
        assert not re.match(r"0|root", users[-1])

    def test_its_health_check_succeeds_only_if_the_service_is_healthy(self, server: Server) -> None:
        (command,) = (
            json.loads(" ".join(words[words.index("CMD") + 1 :]))
            for words in instructions()
            if words[0] == "HEALTHCHECK"
        )
        assert command[:2] == ["python", "-c"]
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            ports = {str(urlsplit(server.url).port): True, str(reserved.getsockname()[1]): False}
            for port, healthy in ports.items():
                program = command[2].replace("8080", port)
                done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
                assert (done.returncode == 0) is healthy

    def test_compose_runs_it_confined_and_for_this_machine_only(self) -> None:
        (service,) = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        (volume,) = (words[1] for words in instructions() if words[0] == "VOLUME")
        assert [each.partition(":")[2] for each in service["volumes"]] == [volume]
        assert (FOLDER / service["build"]["context"] / service["build"]["dockerfile"]).samefile(CONTAINERFILE)

    @pytest.mark.drill
    def test_it_is_built_and_serves(self, container: str) -> None:
        serve = ["coolid", "serve", "--memory", "--port", "0"]
        command = [tool("buildah", "run a container"), "run", "--isolation", "chroot", container, "--", *serve]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            printed = []
            for line in process.stderr:
                printed.append(line)
                if line.startswith("Serving on"):
                    break
            process.terminate()
        assert printed
        assert printed[-1].startswith("Serving on"), printed


@pytest.fixture
def container() -> Iterator[str]:
    """A container of an image that was just built. The test is skipped where the base image cannot be fetched."""
    buildah = tool("buildah", "build infra/standalone/Containerfile")
    base = next(words[1] for words in instructions() if words[0] == "FROM")
    pulled = subprocess.run([buildah, "pull", "--policy", "missing", base], capture_output=True, text=True, check=False)
    if pulled.returncode:
        pytest.skip(f"the base image cannot be fetched: {pulled.stderr.strip()[-300:]}")
    options = ["--isolation", "chroot", "--format", "docker", "--tag", "coolid-test"]
    run(buildah, "bud", *options, "--file", str(CONTAINERFILE), str(ROOT))
    name = run(buildah, "from", "--pull-never", "localhost/coolid-test").strip()
    yield name
    run(buildah, "rm", name)


def run(*command: str) -> str:
    """Run a command that must succeed, and return its standard output."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout
