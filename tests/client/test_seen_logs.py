"""What a user saw of logs: files that several programs replace at a time, and evidence."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid import private_files
from coolid.client.transparency.seen_logs import SeenLog, SeenLogs
from coolid.client.user_state import state_folder
from coolid.errors import UsageError
from tests.support.builders.signed_logs import SignedLog

LOG = SignedLog()
SEEN = SeenLog(LOG.origin, f"log {LOG.key.verifier()}\nquorum none\n", LOG.note(1))


def test_of_several_writers_one_replaces_a_state(tmp_path: Path) -> None:
    seen = SeenLogs(tmp_path)
    assert seen.replace(SEEN, None)
    states = [replace(SEEN, checkpoint=LOG.note(size)) for size in range(2, 10)]
    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(lambda state: SeenLogs(tmp_path).replace(state, SEEN), states))
    assert written.count(True) == 1
    assert seen.read(LOG.origin) == states[written.index(True)]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == ["", ".json"]


def test_a_lock_that_is_held_for_long_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_folder, "_LOCK_TRIES", 2)
    monkeypatch.setattr(state_folder, "_LOCK_SECONDS", 0)
    with private_files.open_locked(tmp_path / "lock"), pytest.raises(UsageError, match="another program holds"):
        SeenLogs(tmp_path).replace(SEEN, None)
    assert SeenLogs(tmp_path).replace(SEEN, None)


def test_the_files_of_two_logs_differ_whatever_their_names(tmp_path: Path) -> None:
    origins = ["a.example/log", "a.example_log", "a.example/LOG", "../../log", "x" * 300, "\N{KELVIN SIGN}/log"]
    seen = SeenLogs(tmp_path)
    for origin in origins:
        assert seen.path(origin).parent == tmp_path
        assert seen.replace(replace(SEEN, origin=origin, checkpoint=""), None)
    assert all(found is not None and found.origin == origin for origin in origins for found in [seen.read(origin)])


def test_the_same_evidence_is_written_once(tmp_path: Path) -> None:
    finding = {"rule": "rollback", "checkpoints": [LOG.note(4), LOG.note(3)]}
    paths = {SeenLogs(tmp_path).add_evidence(LOG.origin, str(LOG.key.verifier()), finding) for _ in range(2)}
    other = SeenLogs(tmp_path).add_evidence(LOG.origin, str(LOG.key.verifier()), finding | {"rule": "wrong-tree"})
    assert {path.name for path in (tmp_path / "evidence").iterdir()} == {each.name for each in {*paths, other}}
    assert len(paths) == 1
