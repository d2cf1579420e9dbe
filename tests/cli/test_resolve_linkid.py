"""`coolid resolve` for LinkIDs: exit codes, output, and the list of resolvers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from coolid.cli import app
from coolid.cli.commands.resolution.linkid_output import STATE_CODES
from coolid.client.linkid.resolver_sources import MEANINGS
from coolid.linkid import states
from coolid.log.entries import origin_of
from tests.support.builders.linkid_operators import LINKID, OTHER, TARGET
from tests.support.servers.http_server import json, to
from tests.support.servers.linkid_resolver import KEYS, NOT_FOUND, PATH, Resolver, listed, resolvers
from tests.support.servers.log_host import EntryLog
from tests.support.servers.loopback import nobody


@pytest.fixture
def start_resolver(tmp_path: Path) -> Iterator[Callable[[int], Resolver]]:
    with resolvers(tmp_path / "state") as start:
        yield start


@pytest.fixture
def resolver(start_resolver: Callable[[int], Resolver]) -> Resolver:
    return start_resolver(1)


class TestCommand:
    """The exit codes of `coolid resolve`, and its output."""

    def run(self, resolver: Resolver, *arguments: str, code: int, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setenv("XDG_STATE_HOME", str(resolver.state))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(resolver.state))
        options = ["resolve", "--default-resolver", "", "--resolver", resolver.host.url, "--no-follow"]
        result = CliRunner().invoke(app, [*options, *(arguments or [LINKID])])
        assert result.exit_code == code, result.output
        return result.stdout

    def test_each_state_has_its_exit_code(self, resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = resolver.operator
        inactive = operator.record(records=[{"uri": TARGET, "status": "inactive"}])
        successor = f"{operator.issuer}/{OTHER}"
        replies = {
            states.ACTIVE: json(operator.result(operator.record())),
            states.INACTIVE: json(operator.result(inactive, status="inactive", target_url=None)),
            states.DEPRECATED: json(operator.withdrawn(operator.tombstone(successor=successor), "deprecated"), 410),
            states.REVOKED: json(operator.withdrawn(operator.tombstone(state="revoked"), "revoked"), 410),
            states.TOMBSTONED: json(operator.withdrawn(operator.tombstone(), "tombstoned"), 410),
            states.UNKNOWN: NOT_FOUND,
            states.POLICY_DENIED: json({"error": "policy_denied"}, 403),
            states.TEMPORARILY_UNAVAILABLE: json({"error": "temporarily_unavailable"}, 503),
            states.INTEGRITY_FAILURE: json({"error": "integrity_failure"}, 500),
        }
        for number, (status, reply) in enumerate(replies.items()):
            resolver.serves(reply)
            resolver.state = resolver.state.with_name(f"state{number}")
            found = orjson.loads(
                self.run(resolver, LINKID, "--json", code=STATE_CODES[status], monkeypatch=monkeypatch)
            )
            assert (found["id"], found["status"]) == (LINKID, status)
            assert (found["target"] is not None) == (status == states.ACTIVE)
        assert sorted(STATE_CODES.values()) == [0, 1, 3, 4, 5, 6, 7, 8, 9]

    def test_output_states_what_it_is_based_on(self, resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
        resolver.serves(json(resolver.operator.result(resolver.operator.record())))
        lines = self.run(resolver, code=0, monkeypatch=monkeypatch).splitlines()
        assert lines[:3] == [f"id          {LINKID}", "status      active", f"target      {TARGET}"]
        assert f"resolver    {resolver.host.url}/resolve/{{identifier}}, from {MEANINGS['chosen']}" in lines
        assert any(line.startswith("trust       first use: the keys that ") for line in lines)
        assert any(line.startswith("passed      signature: ") for line in lines)

    @pytest.mark.parametrize("status", [200, 404])
    def test_the_target_is_requested_and_does_not_change_the_state(
        self, resolver: Resolver, status: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = f"{resolver.host.url}/moved"
        resolver.serves(json(resolver.operator.result(resolver.operator.record(target=target))))
        resolver.host.answers |= {"/moved": to("/handbook"), "/handbook": (status, {}, b"")}
        lines = self.run(resolver, LINKID, "--follow", code=0, monkeypatch=monkeypatch).splitlines()
        assert lines[-2:] == [f"302 {target} -> /handbook", f"{status} {resolver.host.url}/handbook"]
        assert resolver.host.requests[-1].headers["accept"] == "*/*"

    def test_a_target_without_an_answer_is_named(self, resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
        with nobody() as gone:
            resolver.serves(json(resolver.operator.result(resolver.operator.record(target=f"{gone}/x"))))
            found = orjson.loads(self.run(resolver, LINKID, "--follow", "--json", code=0, monkeypatch=monkeypatch))
        assert found["stopped"].startswith(f"{gone}/x: it could not be reached: ")

    @pytest.mark.parametrize("text", ["LinkId: 4711", f"{LINKID}?format=pdf", f" {LINKID}", f"<{LINKID}>", "linkid:"])
    def test_what_is_no_linkid_is_sent_nowhere(
        self, resolver: Resolver, text: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.run(resolver, text, code=1, monkeypatch=monkeypatch)
        assert resolver.host.requests == []

    def test_a_successor_is_resolved_only_on_request(self, resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = resolver.operator
        gone = operator.tombstone(successor=f"{operator.issuer}/{OTHER}")
        resolver.serves(json(operator.withdrawn(gone, "deprecated"), 410))
        resolver.host.answers[PATH.replace("00c5", "11c5")] = json(
            operator.result(operator.record(linkid=OTHER), id=OTHER)
        )
        self.run(resolver, code=5, monkeypatch=monkeypatch)
        assert resolver.host.targets == [PATH, KEYS]
        found = self.run(resolver, LINKID, "--successor", "--json", code=0, monkeypatch=monkeypatch).splitlines()
        assert [orjson.loads(line)["status"] for line in found] == ["deprecated", "active"]

    @pytest.mark.parametrize(("proven", "code"), [(0, 0), (1, 9), (None, 9)])
    def test_a_policy_requires_the_proof_of_a_log(
        self, resolver: Resolver, tmp_path: Path, proven: int | None, code: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record = resolver.operator.record()
        log = EntryLog(origin_of(resolver.host.url), [record["proof"].encode(), b"another entry"])
        members = {} if proven is None else {"inclusion": log.inclusion(proven, 2).decode()}
        resolver.host.answers[f"{PATH}?include=inclusion"] = json(resolver.operator.result(record, **members))
        policy = tmp_path / "policy"
        policy.write_text(f"log {log.key.verifier()}\nquorum none\n")
        found = orjson.loads(
            self.run(resolver, LINKID, "--policy", str(policy), "--json", code=code, monkeypatch=monkeypatch)
        )
        checks = {each["name"]: each["passed"] for each in found["checks"]}
        assert (checks["inclusion"], found["target"]) == ((True, TARGET) if code == 0 else (False, None))

    def test_the_list_of_resolvers_is_read_from_a_file(
        self, resolver: Resolver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        (tmp_path / "coolid").mkdir()
        resolver.serves(json(resolver.operator.result(resolver.operator.record())))
        (tmp_path / "coolid" / "resolvers.json").write_bytes(listed(resolver.operator))
        command = ["resolve", LINKID, "--default-resolver", "", "--no-follow", "--json"]
        found = CliRunner().invoke(app, command)
        assert found.exit_code == 0
        assert orjson.loads(found.stdout)["source"] == "list"
        assert "are pinned in the list of resolvers" in orjson.loads(found.stdout)["trust"]
        (tmp_path / "other.json").write_text("{")
        wrong = CliRunner().invoke(app, [*command, "--resolvers", str(tmp_path / "other.json")])
        assert (wrong.exit_code, "is not JSON" in wrong.stderr) == (2, True)
