"""`coolid verify` and the transparency log: inclusion, keys, witnesses, and what this user saw before."""

import json
import os
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from coolid.audit.evidence import GENUINE, PROVED, verify_evidence
from coolid.cli import app
from coolid.client.discovery import WELL_KNOWN_PATH
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import SplitView
from coolid.transfer.export_format import export_lines
from tests.support.builders.published_log import POLICY, WITNESS
from tests.support.builders.signed_documents import key_set
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.http_server import Reply, host, page, problem, raw, to
from tests.support.servers.http_server import json as answer
from tests.support.servers.log_host import KEY, PROOF_PATH, LoggedService

runner = CliRunner()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with what this user saw."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "coolid" / "logs"


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the delays between requests, none of which takes time."""
    waited: list[float] = []
    monkeypatch.setattr("coolid.cli.log_checks._wait", waited.append)
    return waited


@pytest.fixture
def service() -> Iterator[LoggedService]:
    with host() as running:
        yield LoggedService(running)


def run(*arguments: str) -> Result:
    result = runner.invoke(app, ["verify", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def checks(service: LoggedService, *options: str) -> dict[str, bool]:
    """Return the checks of the record by name, without those of its signature and chain."""
    result = run(service.pid, "--json", *options)
    verdict = json.loads(result.stdout)
    assert result.exit_code == (0 if verdict["ok"] else 1)
    named = {each["name"]: each["passed"] for each in verdict["checks"]}
    return {
        name: named[name] for name in ("log", "checkpoint", "inclusion", "witnesses", "consistency") if name in named
    }


GOOD = {"log": True, "checkpoint": True, "inclusion": True, "consistency": True}


def evidence(state: Path, outcome: str) -> Any:
    """Return the only finding against the log, which `coolid audit` verifies with this outcome."""
    (file,) = (state / "evidence").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    document = json.loads(file.read_text())
    [verdict] = verify_evidence(document, VerifierKey.parse(document["log"]))
    assert verdict.outcome == outcome, verdict
    [finding] = document["findings"]
    return finding


class TestTheLog:
    def test_a_version_that_is_in_it_passes_and_the_checkpoint_is_kept(
        self, service: LoggedService, state: Path
    ) -> None:
        result = run(service.pid)
        assert result.exit_code == 0, result.output
        assert "✓ log: first use: " in result.stdout
        assert "✓ inclusion: the version is entry 301 of 400 in the log" in result.stdout
        assert result.stdout.splitlines()[-1] == "verified, with all versions"
        seen = SeenLogs().read(service.origin)
        assert seen is not None
        assert seen.checkpoint == service.log.note(400)
        assert {path.stat().st_mode & 0o777 for path in state.glob("*.json")} == {0o600}
        assert state.stat().st_mode & 0o777 == 0o700

    def test_a_larger_tree_must_continue_the_one_seen_before(self, service: LoggedService) -> None:
        assert checks(service) == GOOD
        service.grow(300)
        result = run(service.pid)
        assert result.exit_code == 0
        assert "✓ consistency: the log continues the tree of 400 entries that this user saw last" in result.stdout
        assert "the one that this user trusts already" in result.stdout
        seen = SeenLogs().read(service.origin)
        assert seen is not None
        assert seen.checkpoint == service.log.note(700)

    def test_an_older_proof_passes_if_the_log_continues_both_trees(self, service: LoggedService) -> None:
        older = service.log.inclusion(service.index, 350)
        service.grow(10)
        assert checks(service) == GOOD
        service.prove(older)
        service.grow(10)
        service.prove(older)
        assert checks(service) == GOOD
        seen = SeenLogs().read(service.origin)
        assert seen is not None
        assert seen.checkpoint == service.log.note(410)

    def test_a_service_without_a_log_verifies_as_before_and_says_so(self, service: LoggedService, state: Path) -> None:
        for reply in (answer({"issuer": service.host.url}), page(b"<p>welcome"), (404, {}, b"")):
            service.host.answers[WELL_KNOWN_PATH] = reply
            result = run(service.pid)
            assert result.exit_code == 0
            assert "note: the service names no transparency log" in result.stdout
            assert json.loads(run(service.pid, "--json").stdout)["notes"][0].startswith("the service names no")
        assert not state.exists()

    def test_it_can_be_omitted(self, service: LoggedService) -> None:
        assert checks(service, "--no-log") == {}
        assert WELL_KNOWN_PATH not in service.host.targets
        assert run(service.pid, "--no-log", "--policy", os.devnull).exit_code == 2

    def test_a_record_that_is_not_genuine_is_not_looked_up(self, service: LoggedService) -> None:
        service.answer(service.versions[-1] | {"ttl": 1})
        assert checks(service) == {}

    def test_without_an_offered_proof_the_tiles_are_read(self, service: LoggedService) -> None:
        service.prove((404, {}, b""))
        assert checks(service) == GOOD
        service.grow(20)
        service.prove((406, {}, b""))
        assert checks(service) == GOOD

    def test_a_version_that_waits_is_requested_again_and_then_not_reached(
        self, service: LoggedService, waits: list[float], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("coolid.client.transparency.log_verifier.OVERDUE_SECONDS", inf)
        service.prove(problem(503, "it waits", type="https://x/problems/not-logged-yet", retry_after=10))
        result = run(service.pid)
        assert result.exit_code == 3
        assert "it waits; try again in 10 seconds" in result.stderr
        assert waits == [10.0, 10.0, 10.0]

    def test_a_version_that_waits_for_hours_is_not_in_the_log(self, service: LoggedService) -> None:
        service.prove(problem(503, "it waits", type="https://x/problems/not-logged-yet", retry_after=100))
        assert checks(service) == {"inclusion": False}


class TestALyingService:
    def test_the_proof_of_another_entry_fails(self, service: LoggedService) -> None:
        for index in (300, 302, 0):
            service.prove(service.log.inclusion(index, 400))
            assert checks(service) == GOOD | {"inclusion": False}

    def test_a_wrong_index_or_hash_fails(self, service: LoggedService) -> None:
        proof = service.log.inclusion(301, 400)
        lines = proof.split(b"\n")
        for wrong in (
            proof.replace(b"index 301", b"index 300"),
            proof.replace(b"index 301", b"index 400"),
            proof.replace(b"index 301", b"index 9000000000000000000"),
            b"\n".join([*lines[:2], *lines[3:]]),
            b"\n".join([*lines[:2], lines[3], lines[2], *lines[4:]]),
        ):
            service.prove(wrong)
            assert checks(service) == GOOD | {"inclusion": False}

    @pytest.mark.parametrize("line", [0, 1, 2, 12, 13])
    def test_an_altered_proof_never_passes(self, service: LoggedService, line: int) -> None:
        lines = service.log.inclusion(301, 400).split(b"\n")
        assert len(lines) > 13
        for wrong in (b"", b"\x1b[2J", lines[line] + b" ", lines[line][:-1] + b"\xff"):
            service.prove(b"\n".join([*lines[:line], wrong, *lines[line + 1 :]]))
            result = run(service.pid)
            assert result.exit_code == 1
            assert all(symbol.isprintable() for symbol in result.output.replace("\n", ""))

    def test_a_checkpoint_by_another_key_fails(self, service: LoggedService) -> None:
        service.log.key = NoteKey(service.origin, seed=2)
        service.serve(400)
        service.advertise(key=NoteKey(service.origin))
        assert checks(service) == {"log": True, "checkpoint": False}

    def test_the_log_of_another_service_is_not_its_own(self, service: LoggedService) -> None:
        other = NoteKey("other.example/log").verifier()
        others: tuple[dict[str, Any], ...] = ({"origin": other.name}, {"verifier_key": str(other)})
        for members in others:
            service.advertise(**members)
            assert checks(service) == {"log": False}

    @pytest.mark.parametrize("members", [{"origin": None}, {"url": 5}, {"verifier_key": "x"}, {"policy": "quorum"}])
    def test_a_malformed_description_fails(self, service: LoggedService, members: dict[str, Any]) -> None:
        service.advertise(**members)
        assert checks(service) == {"log": False}

    def test_a_changed_key_is_reported_until_the_user_accepts_it(
        self, service: LoggedService, state: Path, tmp_path: Path
    ) -> None:
        assert checks(service) == GOOD
        service.log.key = NoteKey(service.origin, seed=2)
        service.serve(400)
        service.advertise()
        result = run(service.pid)
        assert result.exit_code == 1
        assert "THE KEY OF THE LOG CHANGED" in result.stdout
        assert str(next(state.glob("*.json"))) in result.stdout
        policy = tmp_path / "policy"
        policy.write_text(f"log {service.log.key.verifier()}\nquorum none\n")
        assert checks(service, "--policy", str(policy)) == GOOD
        assert checks(service) == GOOD

    def test_another_tree_by_a_key_that_the_user_accepts_leaves_evidence_against_this_key(
        self, service: LoggedService, state: Path, tmp_path: Path
    ) -> None:
        assert checks(service) == GOOD
        service.log = service.forked(at=10)
        service.log.key = NoteKey(service.origin, seed=2)
        service.serve(400)
        service.advertise()
        policy = tmp_path / "policy"
        policy.write_text(f"log {service.log.key.verifier()}\nquorum none\n")
        assert checks(service, "--policy", str(policy)) == GOOD | {"consistency": False}
        (file,) = (state / "evidence").iterdir()
        assert json.loads(file.read_text())["log"] == str(service.log.key.verifier())

    def test_a_service_that_hides_its_log_fails_once_it_was_seen(self, service: LoggedService) -> None:
        assert checks(service) == GOOD
        service.host.answers[WELL_KNOWN_PATH] = answer({})
        assert checks(service) == {"log": False}

    def test_a_rolled_back_log_leaves_both_checkpoints_as_evidence(
        self, service: LoggedService, state: Path, waits: list[float]
    ) -> None:
        assert checks(service) == GOOD
        service.serve(350)
        result = run(service.pid)
        assert result.exit_code == 1
        assert "✗ consistency: THE LOG WAS ROLLED BACK: it has 350 entries, and had 400" in result.stdout
        assert str(state / "evidence") in result.stdout
        assert evidence(state, GENUINE)["checkpoints"] == [service.log.note(400), service.log.note(350)]
        assert waits == [2.0, 4.0]
        assert run(service.pid).exit_code == 1
        assert len([*(state / "evidence").iterdir()]) == 1

    def test_a_cache_that_is_behind_for_a_moment_is_no_rollback(
        self, service: LoggedService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert checks(service) == GOOD
        service.serve(350)
        monkeypatch.setattr("coolid.cli.log_checks._wait", lambda _: service.serve(400, keep=True))
        assert checks(service) == GOOD

    @pytest.mark.parametrize("size", [400, 450])
    def test_a_forked_log_leaves_evidence_that_verifies_elsewhere(
        self, service: LoggedService, state: Path, size: int
    ) -> None:
        assert checks(service) == GOOD
        service.grow(50)
        service.serve(size, service.forked(at=10))
        result = run(service.pid)
        assert result.exit_code == 1
        assert "✗ consistency: THE LOG FORKED" in result.stdout
        assert "✓ inclusion" in result.stdout
        view = SplitView.read(evidence(state, PROVED), service.log.key.verifier())
        assert (view.first.checkpoint.size, view.second.checkpoint.size) == (400, size)
        seen = SeenLogs().read(service.origin)
        assert seen is not None
        assert seen.checkpoint == service.log.note(400)

    def test_an_old_proof_of_a_fork_is_found_too(self, service: LoggedService, state: Path) -> None:
        assert checks(service) == GOOD
        service.prove(service.forked(at=10).inclusion(301, 350))
        assert checks(service) == GOOD | {"consistency": False}
        SplitView.read(evidence(state, PROVED), service.log.key.verifier())

    def test_an_old_proof_does_not_hide_that_the_log_forked(self, service: LoggedService, state: Path) -> None:
        assert checks(service) == GOOD
        service.grow(50)
        fork = service.forked(at=10)
        service.serve(450, fork)
        service.prove(fork.inclusion(301, 350))
        assert checks(service) == GOOD | {"consistency": False}
        SplitView.read(evidence(state, PROVED), service.log.key.verifier())

    def test_a_log_without_the_tiles_shows_nothing(self, service: LoggedService, state: Path) -> None:
        assert checks(service) == GOOD
        service.grow(300)
        del service.host.answers["/log/tile/0/001"]
        assert checks(service) == GOOD | {"consistency": False}
        assert len(evidence(state, GENUINE)["checkpoints"]) == 2

    @pytest.mark.parametrize("path", [WELL_KNOWN_PATH, PROOF_PATH, "/log/tile/0/001"])
    @pytest.mark.parametrize(
        "reply", [page(b"x" * 3_000_000), (500, {}, b""), raw(b""), (200, {"Content-Encoding": "gzip"}, b"x")]
    )
    def test_an_oversized_or_missing_answer_is_no_answer(self, service: LoggedService, path: str, reply: Any) -> None:
        assert checks(service) == GOOD
        service.grow(300)
        service.host.answers[path] = reply
        assert run(service.pid).exit_code == 3

    def test_a_page_in_place_of_a_proof_fails(self, service: LoggedService) -> None:
        service.prove(page(b"<!doctype html><p>Welcome"))
        assert checks(service) == {"inclusion": False}

    def test_no_redirect_is_followed(self, service: LoggedService) -> None:
        with host() as other:
            LoggedService(other)
            elsewhere: Reply = to(f"{other.url}/log/checkpoint")
            service.prove(elsewhere)
            service.host.answers["/log/checkpoint"] = elsewhere
            result = run(service.pid)
            assert result.exit_code == 1
            assert "which is not followed" in result.stdout
            assert other.requests == []

    @pytest.mark.parametrize("url", ["file:///etc/passwd", "http://id.example.org/log", "https://a@id.example.org/log"])
    def test_a_log_at_a_url_that_may_not_be_requested_fails(self, service: LoggedService, url: str) -> None:
        service.advertise(url=url)
        assert checks(service) == {"log": False}


class TestPolicies:
    def test_the_witnesses_of_the_first_use_must_cosign(self, service: LoggedService) -> None:
        service.advertise(POLICY)
        service.prove(service.log.inclusion(301, 400, service.cosigned(400)))
        assert checks(service) == GOOD | {"witnesses": True}
        service.prove(service.log.inclusion(301, 400))
        assert checks(service) == GOOD | {"witnesses": False}
        forged = service.cosigned(400, NoteKey(WITNESS.name, "forged", WITNESS.kind))
        service.prove(service.log.inclusion(301, 400, forged))
        assert checks(service) == GOOD | {"witnesses": False}

    def test_a_service_cannot_drop_its_witnesses(self, service: LoggedService) -> None:
        service.advertise(POLICY)
        service.prove(service.log.inclusion(301, 400, service.cosigned(400)))
        assert checks(service) == GOOD | {"witnesses": True}
        service.advertise()
        result = run(service.pid)
        assert "note: the service names other witnesses or another quorum than at the first use" in result.stdout
        service.prove(service.log.inclusion(301, 400))
        assert checks(service) == GOOD | {"witnesses": False}

    def test_a_checkpoint_without_the_quorum_is_not_kept(self, service: LoggedService) -> None:
        service.advertise(POLICY)
        assert checks(service) == GOOD | {"witnesses": False}
        assert SeenLogs().read(service.origin) is None

    def test_a_chosen_policy_replaces_what_the_service_names(self, service: LoggedService, tmp_path: Path) -> None:
        policy = tmp_path / "policy"
        policy.write_text(f"log {service.log.key.verifier()} {service.host.url}/log\n{POLICY}")
        service.host.answers[WELL_KNOWN_PATH] = answer({})
        assert checks(service, "--policy", str(policy)) == GOOD | {"witnesses": False}
        service.prove(service.log.inclusion(301, 400, service.cosigned(400)))
        assert checks(service, "--policy", str(policy)) == GOOD | {"witnesses": True}
        policy.write_text(f"log {NoteKey(service.origin, seed=2).verifier()}\nquorum none\n")
        assert checks(service, "--policy", str(policy)) == {"log": True, "checkpoint": False}

    def test_with_a_policy_a_log_is_required(self, service: LoggedService, tmp_path: Path) -> None:
        policy = tmp_path / "policy"
        policy.write_text(f"log {service.log.key.verifier()}\nquorum none\n")
        for path in [each for each in service.host.answers if "/log" in each or "tlog-proof" in each]:
            del service.host.answers[path]
        assert checks(service, "--policy", str(policy)) == {"inclusion": False}

    def test_an_invalid_policy_is_wrong_usage(self, service: LoggedService, tmp_path: Path) -> None:
        policy = tmp_path / "policy"
        for content in (b"", b"quorum", b"quorum x\n", b"\x1b", b"x" * 200_000):
            policy.write_bytes(content)
            result = run(service.pid, "--policy", str(policy))
            assert result.exit_code == 2
            assert "\x1b" not in result.output


class TestFiles:
    @pytest.fixture
    def files(self, service: LoggedService, tmp_path: Path) -> dict[str, str]:
        contents: dict[str, Any] = {
            "record": json.dumps(service.versions[-1]),
            "keys": json.dumps(key_set(KEY)),
            "proof": service.log.inclusion(301, 400).decode(),
            "policy": f"log {service.log.key.verifier()}\nquorum none\n",
        }
        for name, content in contents.items():
            (tmp_path / name).write_text(content)
        return {name: str(tmp_path / name) for name in contents}

    def test_a_kept_proof_verifies_without_the_service(self, service: LoggedService, files: dict[str, str]) -> None:
        offline = [files["record"], "--jwks", files["keys"], "--offline", "--tlog-proof", files["proof"]]
        result = run(*offline)
        assert result.exit_code == 2
        assert "name its key by --policy FILE" in result.stderr
        result = run(*offline, "--policy", files["policy"])
        assert result.exit_code == 0, result.output
        assert "✓ inclusion: the version is entry 301 of 400" in result.stdout
        assert run(*offline).exit_code == 0
        assert service.host.requests == []
        Path(files["proof"]).write_bytes(service.log.inclusion(300, 400))
        assert run(*offline).exit_code == 1
        Path(files["proof"]).write_bytes(service.forked(3).inclusion(301, 400))
        result = run(*offline)
        assert "THE LOG FORKED" in result.stdout, result.stdout
        Path(files["proof"]).write_bytes(service.log.inclusion(301, 350))
        result = run(*offline)
        assert result.exit_code == 0
        assert "note: not compared with the last checkpoint that this user saw" in result.stdout

    def test_a_proof_in_place_of_the_record_is_wrong_usage(self, files: dict[str, str]) -> None:
        result = run(files["proof"], "--jwks", files["keys"])
        assert result.exit_code == 2
        assert "by --tlog-proof" in result.stderr

    def test_with_a_policy_offline_a_proof_is_needed(self, files: dict[str, str]) -> None:
        result = run(files["record"], "--jwks", files["keys"], "--offline", "--policy", files["policy"])
        assert result.exit_code == 1
        assert "✗ inclusion: there is no proof" in result.stdout

    def test_without_any_of_it_a_file_verifies_as_before(self, service: LoggedService, files: dict[str, str]) -> None:
        result = run(files["record"], "--jwks", files["keys"])
        assert (result.exit_code, "log" in result.stdout) == (0, False)
        assert service.host.requests == []

    def test_the_issuer_of_a_file_is_asked_for_its_log(self, service: LoggedService, files: dict[str, str]) -> None:
        result = run(files["record"], "--issuer", service.host.url)
        assert result.exit_code == 0
        assert "✓ inclusion" in result.stdout

    def test_one_proof_is_not_that_of_many_records(self, service: LoggedService, files: dict[str, str]) -> None:
        Path(files["record"]).write_text("".join(json.dumps(each) + "\n" for each in service.versions))
        assert run(files["record"], "--jwks", files["keys"], "--tlog-proof", files["proof"]).exit_code == 2


class TestTheState:
    def test_a_damaged_file_is_reported_and_not_replaced(self, service: LoggedService, state: Path) -> None:
        assert checks(service) == GOOD
        (file,) = state.glob("*.json")
        for content in (
            "",
            "{}",
            "[]",
            file.read_text().replace("quorum", "quarum"),
            file.read_text().replace("127", "128"),
        ):
            file.write_text(content)
            result = run(service.pid)
            assert result.exit_code == 2
            assert str(file) in result.stderr
            assert file.read_text() == content

    def test_a_symbolic_link_is_not_followed(self, service: LoggedService, state: Path, tmp_path: Path) -> None:
        assert checks(service) == GOOD
        (file,) = state.glob("*.json")
        target = file.rename(tmp_path / "target")
        file.symlink_to(target)
        assert run(service.pid).exit_code == 2

    def test_a_user_without_a_folder_is_warned(self, service: LoggedService, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
        result = run(service.pid)
        assert result.exit_code == 0
        assert "note: the checkpoint could not be saved" in result.stdout

    def test_what_another_process_saw_meanwhile_is_compared_too(
        self, service: LoggedService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert checks(service) == GOOD
        original = SeenLogs.replace
        other = service.forked(at=10)

        def overtaken(self: SeenLogs, seen: Any, replaced: Any) -> bool:
            monkeypatch.setattr(SeenLogs, "replace", original)
            assert original(self, replace(seen, checkpoint=other.note(400)), replaced)
            return original(self, seen, replaced)

        monkeypatch.setattr(SeenLogs, "replace", overtaken)
        service.grow(10)
        assert checks(service) == GOOD | {"consistency": False}


class TestExports:
    @pytest.fixture
    def export(self, service: LoggedService, tmp_path: Path) -> Path:
        return self.write(service, tmp_path, [service.log.inclusion(300 + each, 400) for each in (0, 1)])

    @staticmethod
    def write(service: LoggedService, folder: Path, proofs: Sequence[bytes | None]) -> Path:
        """Write an export of the record's versions with these proofs."""
        documents: list[dict[str, Any]] = [{"kind": "keys", **key_set(KEY)}]
        for record, proof in zip(service.versions, proofs, strict=True):
            member = {"tlog_proof": proof.decode()} if proof else {}
            documents.append({"kind": "record", "version": record["version"], "record": record, **member})
        file = folder / "export.jsonl"
        file.write_bytes(b"".join(export_lines(documents)))
        return file

    @pytest.fixture
    def policy(self, service: LoggedService, tmp_path: Path) -> str:
        file = tmp_path / "policy"
        file.write_text(f"log {service.log.key.verifier()}\nquorum none\n")
        return str(file)

    def test_its_proofs_verify_without_the_service(self, service: LoggedService, export: Path, policy: str) -> None:
        own_keys = [str(export), "--jwks", str(export), "--offline"]
        result = run(*own_keys)
        assert result.exit_code == 0
        assert "2 proofs of a log were not checked; --policy FILE names its key" in result.stderr
        result = run(*own_keys, "--policy", policy)
        assert (result.exit_code, result.stderr) == (0, "")
        verdicts = [json.loads(line) for line in run(*own_keys, "--json").stdout.splitlines()]
        assert ["inclusion" in [check["name"] for check in each["checks"]] for each in verdicts] == [True, True, False]
        assert service.host.requests == []

    def test_a_wrong_proof_fails_its_line(self, service: LoggedService, tmp_path: Path, policy: str) -> None:
        proofs = [service.log.inclusion(index, 400) for index in (300, 300)]
        export = self.write(service, tmp_path, proofs)
        result = run(str(export), "--jwks", str(export), "--policy", policy)
        assert result.exit_code == 1
        assert "✓ line 3" in result.stdout
        assert "✗ line 4" in result.stdout
        assert "✗ inclusion" in result.stdout

    def test_with_a_policy_each_version_needs_a_proof(
        self, service: LoggedService, tmp_path: Path, policy: str
    ) -> None:
        export = self.write(service, tmp_path, [service.log.inclusion(300, 400), None])
        own_keys = [str(export), "--jwks", str(export), "--offline"]
        assert run(*own_keys).exit_code == 0
        result = run(*own_keys, "--policy", policy)
        assert result.exit_code == 1
        assert "✗ inclusion: there is no proof" in result.stdout

    def test_with_the_keys_of_the_issuer_its_log_is_looked_up_once(self, service: LoggedService, export: Path) -> None:
        result = run(str(export), "--issuer", service.host.url)
        assert (result.exit_code, result.stderr) == (0, "")
        assert service.host.targets.count(WELL_KNOWN_PATH) == 1
