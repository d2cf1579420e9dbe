"""`coolid witness`: its keys, its logs and its evidence; `tests/witness` runs `coolid witness serve`."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coolid.aws.key_file import KeyFileNoteSigner
from coolid.cli import app
from coolid.errors import UsageError
from coolid.log.signed_notes import COSIGNATURE, VerifierKey
from coolid.witness.identity import key_file, load_identity
from coolid.witness.state import WitnessState
from tests.support.builders.signed_logs import SignedLog
from tests.support.builders.witnesses import WITNESS, WitnessService

LOG, FORK = SignedLog(), SignedLog(fork_at=5)
OTHER = SignedLog("other.example/log")
KEY = str(LOG.key.verifier())
Run = Callable[..., Result]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "witness.db"


@pytest.fixture
def run(data: Path) -> Run:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["witness", *arguments, "--data", str(data)])

    return run


@pytest.fixture
def identity(data: Path) -> str:
    with WitnessState.open(data) as state:
        return str(load_identity(state, "witness.example/w1").key)


class TestIdentity:
    def test_the_first_start_creates_the_key_and_later_ones_need_no_name(self, data: Path, identity: str) -> None:
        key = VerifierKey.parse(identity)
        assert (key.name, key.kind) == ("witness.example/w1", COSIGNATURE)
        assert key_file(data).stat().st_mode & 0o777 == 0o600
        assert KeyFileNoteSigner(key_file(data)).public_key() == key.public_key
        with WitnessState.open(data) as state:
            assert str(load_identity(state, None).key) == identity

    def test_without_its_key_or_under_another_name_it_does_not_start(self, data: Path, identity: str) -> None:
        with WitnessState.open(data) as state:
            with pytest.raises(UsageError, match="has the name witness"):
                load_identity(state, "witness.example/w2")
            key_file(data).write_bytes(b"")
            with pytest.raises(UsageError, match="no readable private key"):
                load_identity(state, None)
            key_file(data).unlink()
            with pytest.raises(UsageError, match="is missing"):
                load_identity(state, None)

    @pytest.mark.parametrize("name", [None, "", "a b", "a+b"])
    def test_a_first_start_needs_a_name(self, data: Path, name: str | None) -> None:
        with WitnessState.open(data) as state, pytest.raises(UsageError, match="name"):
            load_identity(state, name)
        assert not key_file(data).exists()

    def test_the_key_is_printed(self, run: Run, identity: str) -> None:
        assert run("key").stdout == f"{identity}\n"

    def test_other_files_are_refused_and_stay_as_they_are(self, run: Run, data: Path, tmp_path: Path) -> None:
        result = run("logs")
        assert (result.exit_code, "there is no such file" in result.stderr, data.exists()) == (2, True, False)
        data.write_text("a text")
        assert run("logs").exit_code == 2
        assert data.read_text() == "a text"
        data.unlink()
        with closing(sqlite3.connect(data)) as other:
            other.execute("CREATE TABLE foreign_table (a)")
        content = data.read_bytes()
        assert run("logs").exit_code == 2
        assert data.read_bytes() == content
        data.unlink()
        data.symlink_to(tmp_path / "elsewhere.db")
        assert run("logs").exit_code == 2
        assert not (tmp_path / "elsewhere.db").exists()


class TestLogs:
    def test_keys_are_trusted_and_no_longer_trusted(self, run: Run, identity: str) -> None:
        assert run("logs").exit_code == 1
        assert "is trusted now" in run("add-log", KEY).stdout
        assert "trusted already" in run("add-log", KEY).stdout
        assert run("logs").stdout == f"{KEY}  not cosigned yet\n"
        assert "not trusted any more" in run("remove-log", KEY).stdout
        assert run("remove-log", KEY).exit_code == 2
        assert run("logs").exit_code == 1

    @pytest.mark.parametrize("key", ["", "log.example/log", f"{KEY}x", str(WITNESS.verifier())])
    def test_only_keys_of_logs_are_accepted(self, run: Run, identity: str, key: str) -> None:
        assert run("add-log", key).exit_code == 2

    def test_the_cosigned_size_is_listed(self, run: Run, data: Path) -> None:
        service = WitnessService(data, LOG)
        assert service.submit(LOG, 0, 9) == 200
        assert run("logs").stdout == f"{KEY}  9 entries\n"
        assert json.loads(run("logs", "--json").stdout) == {"origin": LOG.origin, "key": KEY, "size": 9}
        service.state.close()


class TestEvidence:
    def test_others_can_verify_it(self, run: Run, data: Path, tmp_path: Path, identity: str) -> None:
        assert run("evidence").exit_code == 1
        service = WitnessService(data, LOG)
        assert (service.submit(LOG, 0, 9), service.submit(FORK, 9, 20)) == (200, 422)
        service.state.close()
        evidence = tmp_path / "evidence.json"
        evidence.write_text(run("evidence").stdout)
        audit = ["audit", "--evidence", str(evidence), "--log"]
        verified = CliRunner().invoke(app, [*audit, KEY])
        assert (verified.exit_code, "proved" in verified.stdout) == (0, True)
        assert CliRunner().invoke(app, [*audit, str(OTHER.key.verifier())]).exit_code != 0

    def test_that_of_several_logs_is_printed_by_key(self, run: Run, data: Path) -> None:
        service = WitnessService(data, LOG, OTHER)
        for log in (LOG, OTHER):
            assert service.submit(log, 0, 9) == 200
            assert service.submit(SignedLog(log.origin, fork_at=5), 9, 9) == 422
        service.state.close()
        refused = run("evidence")
        assert (refused.exit_code, KEY in refused.stderr) == (2, True)
        assert json.loads(run("evidence", KEY).stdout)["log"] == KEY
        assert run("evidence", "x").exit_code == 1
