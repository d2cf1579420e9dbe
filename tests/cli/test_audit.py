"""`coolid audit`: audits over HTTP, their reports and exit codes, and evidence in another process without network."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from sqlite3 import OperationalError, connect
from threading import Event
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.audit.tree_blocks import BLOCK
from coolid.cli import app
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.transparency.seen_logs import SeenLog, SeenLogs
from coolid.log.checkpoints import Checkpoint
from coolid.log.merkle_tree import EMPTY_ROOT
from coolid.log.tiles import CHECKPOINT, WIDTH, bundle_path
from tests.support.builders.lying_service import LyingService
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.coolid_server import COMMAND
from tests.support.servers.loopback import loopback_server, nobody

runner = CliRunner()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with the states of this user's audits."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "coolid" / "audits"


class Host:
    """Serves a service that can be replaced by another one."""

    def __init__(self) -> None:
        self.service = LyingService()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        answer = self.service.send(HttpRequest("GET", f"{self.service.base_url}{handler.path}"))
        handler.send_response(answer.status)
        for name, value in {**answer.headers, "content-length": str(len(answer.body))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer.body)


@pytest.fixture
def host() -> Iterator[Host]:
    running = Host()
    with loopback_server(running.handle, "GET") as port:
        running.service = LyingService(f"http://127.0.0.1:{port}")
        for name in ("mp:a", "mp:b"):
            running.service.write(name)
        running.service.publish()
        yield running


def run(*arguments: str) -> Result:
    result = runner.invoke(app, ["audit", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def report(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_an_honest_service_passes_and_the_next_audit_reads_what_is_new(host: Host, state: Path) -> None:
    url = host.service.base_url
    first = run(url)
    assert (first.exit_code, "no rule was broken" in first.stdout) == (0, True)
    host.service.write("mp:c")
    host.service.publish()
    second = report(url, "--sample", "all")
    assert {name: second[name] for name in ("ok", "size", "read", "pids", "compared", "findings", "evidence")} == {
        "ok": True, "size": 6, "read": 1, "pids": 3, "compared": 3, "findings": [], "evidence": None
    }  # fmt: skip
    (folder,) = state.iterdir()
    assert {file.stat().st_mode & 0o077 for file in (folder, *folder.iterdir())} == {0}


def test_the_evidence_of_a_fork_is_verified_by_another_process_without_network(host: Host, tmp_path: Path) -> None:
    fork = host.service.copy()
    host.service.write("mp:a")
    host.service.publish()
    fork.write("mp:b")
    fork.write("mp:b")
    fork.publish()
    url = host.service.base_url
    assert run(url).exit_code == 0
    host.service = fork
    found = run(url)
    assert (found.exit_code, "violation: split-view" in found.stdout) == (1, True)
    file = Path(report(url)["evidence"])
    key = str(fork.note_key.verifier())
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:1"}
    command = [str(COMMAND), "audit", "--evidence", str(file), "--log", key, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    outcomes = [(each["rule"], each["outcome"]) for each in json.loads(done.stdout)["verdicts"]]
    assert outcomes == [("split-view", "proved")]

    other = str(LyingService("https://other.example.org").note_key.verifier())
    assert run("--evidence", str(file), "--log", other).exit_code == 2
    altered = json.loads(file.read_text())
    checkpoints = altered["findings"][0]["checkpoints"]
    checkpoints[1] = checkpoints[0]
    file.with_name("altered.json").write_text(json.dumps(altered))
    refuted = run("--evidence", str(file.with_name("altered.json")), "--log", key)
    assert (refuted.exit_code, "refuted: split-view" in refuted.stdout) == (1, True)


def test_a_checkpoint_that_coolid_verify_saw_is_compared(host: Host) -> None:
    fork = host.service.copy()
    fork.write("mp:b")
    host.service.write("mp:a")
    host.service.publish()
    origin = fork.note_key.name
    policy = f"log {fork.note_key.verifier()}\nquorum none\n"
    assert SeenLogs().replace(SeenLog(origin, policy, fork.publish().decode()), None)
    assert [each["rule"] for each in report(host.service.base_url)["findings"]] == ["split-view"]


def test_a_checkpoint_that_coolid_verify_saw_by_another_key_is_a_finding_unless_the_key_is_named(host: Host) -> None:
    url, key = host.service.base_url, str(host.service.note_key.verifier())
    former = NoteKey(host.service.note_key.name, "former")
    note = str(former.signed(Checkpoint(former.name, 0, EMPTY_ROOT)))
    assert SeenLogs().replace(SeenLog(former.name, f"log {former.verifier()}\nquorum none\n", note), None)
    assert [each["rule"] for each in report(url)["findings"]] == ["log-key"]
    assert report(url, "--log", key)["ok"]


def test_evidence_of_coolid_verify_is_evidence(host: Host, tmp_path: Path) -> None:
    fork = host.service.copy()
    for service in (fork, host.service):
        service.write("mp:a")
    notes = [service.publish().decode() for service in (fork, host.service)]
    tree = report(host.service.base_url, "--checkpoint", str(_file(tmp_path, notes[0])))
    found = json.loads(Path(tree["evidence"]).read_text())["findings"][0]
    seen = {name: found[name] for name in ("checkpoints", "root")} | {"hashes": []}
    key = fork.note_key.verifier()
    finding = {"rule": "split-view", "subject": key.name, "detail": "it forked", **seen}
    file = SeenLogs().add_evidence(key.name, str(key), finding)
    result = run("--evidence", str(file))
    assert (result.exit_code, "proved: split-view" in result.stdout) == (0, True)
    assert "is this the key of the log?" in result.stderr


def _file(folder: Path, text: str) -> Path:
    file = folder / "note"
    file.write_text(text)
    return file


def test_an_audit_that_was_killed_continues(host: Host, tmp_path: Path) -> None:
    host.service.entries += [b"no statement"] * (2 * BLOCK)
    host.service.publish()
    last = bundle_path(*divmod(len(host.service.entries), WIDTH))
    reached, released = Event(), Event()
    send = host.service.send

    def stall(request: HttpRequest) -> HttpAnswer:
        if request.url.endswith(last):
            reached.set()
            released.wait(60)
        return send(request)

    host.service.send = stall  # type: ignore[method-assign]
    command = [str(COMMAND), "audit", host.service.base_url, "--sample", "0", "--state", str(tmp_path / "own")]
    with subprocess.Popen(command) as process:
        reached.wait(60)
        while read_position(tmp_path / "own" / "audit.sqlite") < BLOCK:
            released.wait(0.05)
        process.kill()
        process.wait()
        released.set()
    found = report(host.service.base_url, "--sample", "0", "--state", str(tmp_path / "own"))
    assert found["size"] == len(host.service.entries)
    assert found["read"] <= found["size"] - BLOCK
    assert [each["indexes"][0] for each in found["findings"]] == list(range(5, found["size"]))


def read_position(database: Path) -> int:
    """Return how many entries an audit has judged."""
    try:
        with closing(connect(f"{database.as_uri()}?mode=ro", uri=True)) as rows:
            found = rows.execute("SELECT value FROM settings WHERE name = 'edge'").fetchone()
    except OperationalError:
        return 0
    return int(json.loads(found[0])["size"]) if found else 0


def test_notices_fail_only_a_strict_audit(host: Host) -> None:
    host.service.write("ark:99999/fk4x")
    host.service.withdraw("ark:99999/fk4x")
    host.service.write("ark:99999/fk4x")
    host.service.publish()
    assert [run(host.service.base_url, *options).exit_code for options in ([], ["--strict"])] == [0, 1]


def test_wrong_usage_and_a_service_without_answers_have_their_exit_codes(host: Host, tmp_path: Path) -> None:
    url = host.service.base_url
    assert run().exit_code == 2
    assert run(url, "--evidence", str(_file(tmp_path, "{}"))).exit_code == 2
    assert run("--evidence", str(_file(tmp_path, "{}"))).exit_code == 2
    assert run(url, "--sample", "many").exit_code == 2
    assert run(url, "--log", "no key").exit_code == 2
    assert run(url, "--policy", str(_file(tmp_path, "quorum nobody\n"))).exit_code == 2
    assert run(url, "--checkpoint", str(_file(tmp_path, "no note"))).exit_code == 2
    with nobody() as unreachable:
        assert run(unreachable).exit_code == 3
    own = tmp_path / "own"
    own.mkdir()
    (own / "audit.sqlite").write_bytes(b"no database" * 100)
    assert run(url, "--state", str(own)).exit_code == 2
    del host.service.files[CHECKPOINT]
    assert run(url).exit_code == 1
