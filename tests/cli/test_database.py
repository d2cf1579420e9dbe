"""`coolid backup`, `coolid check` and the commands on keys, over the database of `coolid serve`."""

import json
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner, Result

from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.cli import app
from coolid.local.service_files import log_key_file
from coolid.log.entries import origin_of
from coolid.log.sequencer import Sequencer
from coolid.log.tiles import CHECKPOINT
from coolid.model.clients import authenticate, split_key
from coolid.sqlite.database import Database
from coolid.sqlite.log.folder import LogFolder
from coolid.sqlite.log.rows import SqliteLogRows
from coolid.store.log import LogAccess
from coolid.wiring.log_sequencer import build_sequencer
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.builders.samples import BASE_URL
from tests.support.builders.transparency_log import MessageLog
from tests.support.fixtures.installations import SqliteInstallation
from tests.support.fixtures.ports import prover

runner = CliRunner()
NOTHING: dict[str, str | None] = dict.fromkeys(
    ("STORE", "COOLID_STACK", "CLIENT_TABLE", "LUI_TABLE", "SIGNING_KEY_ID", "SIGNING_KEY_FILE")
)


def run(*arguments: str, **environment: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    result = runner.invoke(app, list(arguments), env=NOTHING | environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteInstallation]:
    """An installation with a record, in the working directory's default database, which stays open."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".local" / "coolid.db"
    key_file.ensure(file.with_name("coolid.db.signing-key.pem"))
    found = SqliteInstallation(file.with_name("coolid.db.signing-key.pem"), file)
    found.add("mp")
    found.mint("mp")
    yield found
    found.database.close()


def build_log(installation: SqliteInstallation, key: Path) -> Sequencer:
    """Return the sequencer of an installation's log."""
    rows, folder = SqliteLogRows(installation.database, SystemClock()), LogFolder.beside(installation.database.path)
    access = LogAccess(origin_of(BASE_URL), rows, folder, key_file.KeyFileNoteSigner(key))
    signer = prover(installation.store.public_keys, signer=key_file.KeyFileSigner(installation.key))
    return build_sequencer(access, installation.store, signer, BASE_URL, MessageLog())


def followed_by_growth(installation: SqliteInstallation) -> Callable[[Database, Path], None]:
    """Return a backup after which the log grows, before its files are copied."""
    backup = Database.backup

    def change(database: Database, target: Path) -> None:
        backup(database, target)
        installation.mint("mp")
        assert build_log(installation, log_key_file(database.path)).run().added == 1

    return change


class TestBackups:
    def test_a_backup_has_the_database_and_its_key_and_serves_in_their_places(
        self, installation: SqliteInstallation, tmp_path: Path
    ) -> None:
        result = run("backup", "copy.db", "--json")
        names = {"database": "copy.db", "key": "copy.db.signing-key.pem", "log_key": None, "log": None}
        assert json.loads(result.stdout) == names
        copy, key = tmp_path / "copy.db", tmp_path / "copy.db.signing-key.pem"
        assert {each.stat().st_mode & 0o777 for each in (copy, key)} == {0o600}
        assert key.read_bytes() == installation.key.read_bytes()
        restored = SqliteInstallation(key, copy)
        assert restored.rows() == installation.rows()
        restored.mint("mp")
        assert len(restored.store.public_keys.public_keys()) == 1
        restored.database.close()

    def test_a_backup_has_the_log_of_its_database_which_goes_on_from_there(
        self, installation: SqliteInstallation, tmp_path: Path
    ) -> None:
        database, folder = installation.database, LogFolder.beside(installation.database.path)
        key_file.ensure_note_key(log_key_file(database.path))
        build_log(installation, log_key_file(database.path)).run()
        checkpoint = folder.read([CHECKPOINT])
        with patch.object(Database, "backup", followed_by_growth(installation)):
            copied = json.loads(run("backup", "copy.db", "--json").stdout)
        assert (copied["log_key"], copied["log"]) == ("copy.db.log-key.pem", "copy.db.log.tar")
        assert Path(copied["log"]).stat().st_mode & 0o777 == 0o600
        assert folder.read([CHECKPOINT]) != checkpoint
        restored = SqliteInstallation(tmp_path / copied["key"], tmp_path / "copy.db")
        with tarfile.open(copied["log"]) as tar:
            tar.extractall(tmp_path / "copy.db.log", filter="data")
        copy = LogFolder.beside(tmp_path / "copy.db")
        assert copy.read([CHECKPOINT]) == checkpoint
        restored.mint("mp")
        assert build_log(restored, tmp_path / copied["log_key"]).run().added == 1
        restored.database.close()

    def test_the_key_may_be_left_out_which_is_said(self, installation: SqliteInstallation, tmp_path: Path) -> None:
        result = run("backup", "copy.db", "--no-key", "--data", str(installation.settings.database))
        assert (result.exit_code, result.stdout) == (0, "copy.db\n")
        assert "the signing key is not in the backup" in result.stderr
        installation.key.unlink()
        assert "the signing key is not in the backup" in run("backup", "other.db").stderr
        assert not [*tmp_path.glob("*.pem")]

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_nothing_that_exists_is_replaced(
        self, installation: SqliteInstallation, tmp_path: Path, obstacle: str
    ) -> None:
        for file, is_there in (("first.db", "first.db"), ("second.db", "second.db.signing-key.pem")):
            OBSTACLES[obstacle](tmp_path / is_there)
            assert run("backup", file).exit_code == 2
            assert is_untouched(obstacle, tmp_path / is_there)
        (tmp_path / "third.db.signing-key.pem").write_text("another")
        assert run("backup", "third.db").exit_code == 2
        assert not (tmp_path / "third.db").exists()

    def test_without_a_database_there_is_no_backup(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for command in (("backup", "copy.db"), ("check",), ("keys", "list", "--data", "none.db")):
            result = run(*command)
            assert (result.exit_code, "there is no such database" in result.stderr) == (2, True)
        for folder in (".", "/", ""):
            assert "it is a folder" in run("backup", folder).stderr
        assert [*tmp_path.iterdir()] == []


class TestChecks:
    def test_a_sound_database_is_0(self, installation: SqliteInstallation) -> None:
        assert run("check").stdout == "the database is sound\n"
        named = run("check", "--json", STORE=f"sqlite:///{installation.settings.database}")
        assert (named.exit_code, json.loads(named.stdout)) == (0, {"ok": True, "damages": []})

    @pytest.mark.parametrize("damage", ["page", "header", "row"])
    def test_a_damaged_one_is_1(self, tmp_path: Path, damage: str) -> None:
        file = tmp_path / "coolid.db"
        Database.open(file).close()
        if damage == "row":
            with closing(sqlite3.connect(file)) as connection:  # without foreign keys
                connection.execute("INSERT INTO prefixes (name, kind, target) VALUES ('go', 'synonym', 'gone')")
                connection.commit()
        content = bytearray(file.read_bytes())
        if damage != "row":
            at = 0 if damage == "header" else 4096
            content[at : at + 100] = b"x" * 100
        file.write_bytes(content)
        result = run("check", "--data", str(file), "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["damages"]
        assert run("check", "--data", str(file)).stdout
        assert file.read_bytes() == content

    def test_an_export_of_undecodable_text_ends_with_advice(self, installation: SqliteInstallation) -> None:
        installation.database.write(
            lambda connection: connection.execute("UPDATE records SET body = CAST(X'7BFF7D' AS TEXT)")
        )
        result = run("records", "export", "all.jsonl", "--data", ".local/coolid.db")
        assert (result.exit_code, "damaged, so the export is incomplete; restore" in result.stderr) == (2, True)
        assert not Path("all.jsonl").exists()


class TestKeys:
    def test_an_administrators_key_is_made_in_the_database(self, installation: SqliteInstallation) -> None:
        created = json.loads(run("keys", "create", "--admin", "--data", ".local/coolid.db", "--json").stdout)
        client = installation.store.clients.client(created["id"])
        assert client is not None
        assert authenticate(client, split_key(created["key"])[1]) == client
        assert client.scopes == ("admin",)
        assert run("keys", "create", "--admin", "--data", ".local/coolid.db", "--table", "x").exit_code == 2

    def test_its_signing_keys_are_listed(self, installation: SqliteInstallation) -> None:
        (key,) = installation.store.public_keys.public_keys()
        named = run("keys", "list", STORE="sqlite:///.local/coolid.db")
        assert run("keys", "list", "--data", ".local/coolid.db").stdout == named.stdout == f"{key['kid']}\n"
