"""`coolid doctor`: each thing that can be wrong with a service is found, with what to do."""

import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.version import __version__
from tests.support.servers.certificates import DAY, Authority
from tests.support.servers.coolid_server import Server
from tests.support.servers.http_server import KEY, RECORD, Behaviour, Host, Reply, give, host, page, problem, to
from tests.support.servers.http_server import json as json_reply
from tests.support.servers.loopback import nobody

runner = CliRunner()
HOUR = timedelta(hours=1)
HEALTH = {"healthy": True, "release": __version__, "checks": [{"name": "records", "state": "ok"}]}


def health(status: int = 200, ahead: timedelta = timedelta(), **members: Any) -> Behaviour:
    """A health report of a service whose clock is `ahead` of this one."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _, headers, body = json_reply(HEALTH | members)
        give((status, {**headers, "Date": format_datetime(datetime.now(UTC) + ahead, usegmt=True)}, body), handler)

    return answer


@pytest.fixture
def site() -> Iterator[Host]:
    """A service without records, of which nothing is wrong."""
    with host() as running:
        furnish(running)
        yield running


def furnish(running: Host) -> None:
    description = {"issuer": running.url, "resolution_endpoint": f"{running.url}/resolve/{{id}}"}
    running.answers |= {
        "/health": health(),
        "/.well-known/linkid-resolver": json_reply(description),
        "/.well-known/jwks.json": json_reply({"keys": [{}]}),
        "/.well-known/ark": page(b"/", "text/plain"),
    }


def run(*arguments: str, key: str = "") -> Result:
    """Run the command; a traceback, or the key in the output, is a failure of the test."""
    result = runner.invoke(app, ["doctor", *arguments], env={"COOLID_URL": "", "COOLID_KEY": key})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert not key or key not in result.output
    return result


def checks(url: str, *arguments: str, key: str = "", code: int = 0) -> dict[str, tuple[str, str, str | None]]:
    """The level, the detail and the advice of each check by its name."""
    result = run(url, *arguments, "--json", key=key)
    assert result.exit_code == code, result.output
    found = {
        each["check"]: (each["level"], each["detail"], each["advice"]) for each in json.loads(result.stdout)["checks"]
    }
    assert all((level == "ok") == (advice is None) for level, _, advice in found.values())
    return found


class TestAService:
    def test_nothing_is_wrong_with_a_new_one(self, server: Server) -> None:
        found = checks(server.url, "--pid", "demo:tw0t-ywdj-94", key=server.key)
        assert {level for level, _, _ in found.values()} == {"ok"}
        assert [*found] == [
            "dns", "health", "clock", "key", "parts", "discovery", "keys", "ark", "proof", "version"
        ]  # fmt: skip
        assert "signature" in found["parts"][1]

    def test_a_record_can_be_named_and_no_key_is_needed(self, server: Server) -> None:
        result = run(server.url, "--pid", "demo:tw0t-ywdj-94")
        assert result.exit_code == 0
        assert "ok       proof     the proof of " in result.stdout
        assert run(server.url, "--pid", "demo:wyfq-vr1p-83").exit_code == 1
        assert run(server.url, "--pid", "a/../b").exit_code == 2

    @pytest.mark.parametrize("scope", ["admin", "update:demo"])
    def test_a_key_finds_an_active_record_under_its_prefixes(self, site: Host, scope: str) -> None:
        withdrawn = RECORD | {"status": "withdrawn", "pid": f"{site.url}/demo/y"}
        prefix = {"prefix": "demo", "kind": "namespace"}
        active = RECORD | {"pid": f"{site.url}/demo/x"}
        site.answers |= {
            f"/api/v1/clients/{KEY[5:13]}": json_reply({"id": KEY[5:13], "scopes": [scope]}),
            "/api/v1/health": json_reply(HEALTH | {"checks": [{"name": "signature", "state": "ok"}]}),
            "/api/v1/prefixes?limit=1000": json_reply({"prefixes": [prefix], "next": None}),
            "/api/v1/records?prefix=demo&limit=100": json_reply({"records": [withdrawn, active], "next": "more"}),
            "/demo/x?format=linkid": json_reply(active),
        }
        found = checks(site.url, key=KEY, code=1)
        assert found["key"][1].endswith(f"it permits: {scope}")
        assert "the proof of demo/x fails" in found["proof"][1]  # because it has none
        assert ("parts" in found) == (scope == "admin")

    def test_lines_are_for_people_and_pipes(self, site: Host) -> None:
        site.answers["/health"] = health(release="99.0.0")
        lines = run(site.url).stdout.splitlines()
        assert lines[0] == "ok       dns       127.0.0.1 is this machine"
        assert lines[-2].startswith("warning  version   ")
        assert lines[-1] == "  upgrade this command: `pip install --upgrade coolid`"


class TestWhatCanBeWrong:
    def test_no_service_is_there(self) -> None:
        with nobody() as url:
            assert [*checks(url, code=3)] == ["dns", "health"]

    @pytest.mark.parametrize(
        "reply",
        [
            page(),
            json_reply([]),
            to("https://id.example.org/health"),
            problem(503),
            health(status=503, checks=[{"name": "records", "state": "failed"}]),
        ],
    )
    def test_no_healthy_service_is_there(self, site: Host, reply: Reply | Behaviour) -> None:
        site.answers["/health"] = reply
        assert checks(site.url, code=3)["health"][0] == "failed"

    @pytest.mark.parametrize(
        ("target", "reply", "check", "level"),
        [
            ("/health", health(checks=[{"name": "database", "state": "read-only"}]), "health", "warning"),
            ("/health", json_reply(HEALTH), "clock", "warning"),
            ("/health", health(release="0.1.0"), "version", "warning"),
            ("/health", health(release=None), "version", "warning"),
            ("/.well-known/linkid-resolver", page(), "discovery", "failed"),
            ("/.well-known/linkid-resolver", json_reply({}), "discovery", "failed"),
            ("/.well-known/linkid-resolver", problem(404), "discovery", "failed"),
            ("/.well-known/jwks.json", json_reply({"keys": []}), "keys", "warning"),
            ("/.well-known/jwks.json", page(), "keys", "failed"),
            ("/.well-known/ark", page(b"<p>"), "ark", "failed"),
            ("/.well-known/ark", problem(404), "ark", "failed"),
        ],
    )
    def test_one_of_its_documents_is_wrong(
        self, site: Host, target: str, reply: Reply | Behaviour, check: str, level: str
    ) -> None:
        site.answers[target] = reply
        found = checks(site.url, code=1 if level == "failed" else 0)
        assert {name: each[0] for name, each in found.items() if each[0] != "ok"} == {check: level, "proof": "warning"}

    @pytest.mark.parametrize(("seconds", "level"), [(5, "ok"), (-60, "warning"), (60, "warning"), (-400, "failed")])
    def test_a_clock_is_wrong(self, site: Host, seconds: int, level: str) -> None:
        site.answers["/health"] = health(ahead=timedelta(seconds=seconds))
        assert checks(site.url, code=int(level == "failed"))["clock"][0] == level

    def test_it_has_another_name(self, site: Host) -> None:
        site.answers["/.well-known/linkid-resolver"] = json_reply(
            {"issuer": "https://id.example.org", "resolution_endpoint": f"{site.url}/resolve/{{id}}"}
        )
        level, detail, _ = checks(site.url)["discovery"]
        assert (level, "https://id.example.org" in detail) == ("warning", True)

    @pytest.mark.parametrize(
        ("reply", "code"),
        [
            (problem(401, "It was revoked"), 1),
            (problem(403, type="https://id.example.org/problems/forbidden"), 0),
            (problem(403), 1),  # of a firewall
            (json_reply({}), 1),
        ],
    )
    def test_the_key_is_not_accepted_or_not_shown(self, site: Host, reply: Reply | Behaviour, code: int) -> None:
        site.answers[f"/api/v1/clients/{KEY[5:13]}"] = reply
        assert checks(site.url, key=KEY, code=code)["key"][0] == ("failed" if code else "ok")

    @pytest.mark.parametrize("document", [{}, {"pid": "https://id.example.org/demo/x", "version": 1}, []])
    def test_a_proof_fails(self, site: Host, document: Any) -> None:
        site.answers["/demo:x?format=linkid"] = json_reply(document)
        assert checks(site.url, "--pid", "demo:x", code=1)["proof"][0] == "failed"

    def test_wrong_usage_is_no_finding(self) -> None:
        for arguments in ([], ["http://id.example.org"], ["https://id.example.org/?x"]):
            result = run(*arguments)
            assert (result.exit_code, result.stdout) == (2, "")


class TestNames:
    class _Names:
        def __init__(self, outcome: Any) -> None:
            self.outcome = outcome

        def resolve(self, *_: Any) -> Any:
            if isinstance(self.outcome, Exception):
                raise self.outcome
            return self.outcome

    @pytest.mark.parametrize("error", [TimeoutError("late"), OSError(-2, "Name or service not known")])
    def test_a_host_without_an_address_fails(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        monkeypatch.setattr("coolid.client.connections.NAMES", self._Names(error))
        found = checks("https://id.example.org", code=3)
        assert {name: level for name, (level, _, _) in found.items()} == dict.fromkeys(("dns", "health"), "failed")

    def test_with_a_proxy_it_resolves_the_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with nobody() as url:
            monkeypatch.setenv("HTTPS_PROXY", url)
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            assert checks("https://id.example.org", code=3)["dns"][0] == "ok"


class TestCertificates:
    @pytest.fixture
    def authority(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
        authority = Authority(tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        return authority

    def tls(self, proof: ssl.SSLContext, *, code: int) -> tuple[str, str, str | None]:
        with host(proof=proof) as running:
            furnish(running)
            return checks(running.url, code=code)["tls"]

    @pytest.mark.parametrize(("until", "level"), [(DAY, "ok"), (6 * HOUR, "warning")])
    def test_one_that_ends_soon_is_a_warning(self, authority: Authority, until: timedelta, level: str) -> None:
        assert self.tls(authority.vouches("127.0.0.1", until=until), code=0)[0] == level

    def test_an_expired_one_fails(self, authority: Authority) -> None:
        level, detail, advice = self.tls(authority.vouches("127.0.0.1", until=-HOUR), code=3)
        assert (level, "expired" in detail, str(advice).startswith("renew")) == ("failed", True, True)

    def test_one_of_another_name_fails(self, authority: Authority) -> None:
        level, _, advice = self.tls(authority.vouches("id.example.org"), code=3)
        assert (level, "get a certificate for 127.0.0.1" in str(advice)) == ("failed", True)

    def test_unreadable_authorities_are_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
        with nobody() as url:
            level, _, advice = checks(url.replace("http", "https"), code=3)["tls"]
        assert (level, "SSL_CERT_FILE" in str(advice)) == ("failed", True)

    def test_one_of_an_unknown_authority_fails(self, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
        proof = authority.vouches("127.0.0.1")
        monkeypatch.delenv("SSL_CERT_FILE")
        level, _, advice = self.tls(proof, code=3)
        assert (level, "SSL_CERT_FILE" in str(advice)) == ("failed", True)
