"""`--data FILE`: what was minted is there after a restart, and a file that is not ours or not whole is left alone."""

import json
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws import key_file
from coolid.aws.key_file import KeyFileSigner
from coolid.local import embedded_store, snapshot
from coolid.local.shutdown import SIGNALS
from coolid.local.snapshot import BadSnapshot, SnapshotFailed, SnapshotSaver
from coolid.local.table_setup import put_items
from coolid.private_files import UnsuitableFile
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched, link
from tests.support.builders.samples import text
from tests.support.effort import sample
from tests.support.fixtures.system import System, system
from tests.support.servers.coolid_server import Server, prepare, run, serving

ROWS = {"PrefixTable": [{"name": {"S": "go"}, "longer": {"SS": ["go/a"]}}], "LuiTable": [], "ClientTable": []}

items = st.dictionaries(
    text, st.fixed_dictionaries({"S": text}) | st.fixed_dictionaries({"N": st.just("3")}), max_size=3
)
tables = st.dictionaries(st.sampled_from(["PrefixTable", "LuiTable", "ClientTable"]), st.lists(items, max_size=3))


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another process does sooner or later."""
    pause = threading.Event()
    for _ in range(1_200):
        if holds():
            return
        pause.wait(0.05)
    pytest.fail("it did not happen within a minute")


def published_keys(running: System) -> Any:
    """Mint a record, which publishes the key that signs it; the public keys."""
    assert running.mint({"prefix": "demo"}).status == 201
    return running.get("/.well-known/jwks.json").json()["keys"]


class TestFiles:
    @given(tables)
    def test_what_is_saved_is_loaded(self, tmp_path_factory: pytest.TempPathFactory, rows: Any) -> None:
        file = tmp_path_factory.mktemp("snapshot") / "data.json"
        snapshot.save(file, rows)
        assert snapshot.load(file) == rows

    def test_there_may_be_none_yet(self, tmp_path: Path) -> None:
        assert snapshot.load(tmp_path / "data.json") is None

    def test_it_is_its_owners_only_from_the_first_moment(self, tmp_path: Path) -> None:
        file = tmp_path / "data.json"
        before = os.umask(0)
        try:
            snapshot.save(file, ROWS)
        finally:
            os.umask(before)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        snapshot.save(file, ROWS)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_nothing_else_stays_behind(self, tmp_path: Path) -> None:
        snapshot.save(tmp_path / "data.json", ROWS)
        assert [path.name for path in tmp_path.iterdir()] == ["data.json"]

    @given(st.integers(0, 10_000))
    def test_a_torn_one_is_refused_wherever_it_is_torn_and_left_as_it_is(
        self, tmp_path_factory: pytest.TempPathFactory, length: int
    ) -> None:
        file = tmp_path_factory.mktemp("snapshot") / "data.json"
        snapshot.save(file, ROWS)
        whole = file.read_bytes()
        torn = whole[: length % len(whole)]
        file.write_bytes(torn)
        with pytest.raises(BadSnapshot):
            snapshot.load(file)
        assert file.read_bytes() == torn

    @given(st.integers(0, 10_000), st.integers(1, 255))
    def test_one_changed_byte_is_noticed_or_means_the_same(
        self, tmp_path_factory: pytest.TempPathFactory, position: int, change: int
    ) -> None:
        file = tmp_path_factory.mktemp("snapshot") / "data.json"
        snapshot.save(file, ROWS)
        changed = bytearray(file.read_bytes())
        changed[position % len(changed)] ^= change
        file.write_bytes(changed)
        try:
            loaded = snapshot.load(file)
        except BadSnapshot:
            return
        assert loaded == ROWS

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"null",
            b"[]",
            b"{}",
            b"my thesis",
            b"\x00" * 100,
            b'{"format": "coolid-snapshot/1"}',
            b'{"format": "coolid-snapshot/1", "sha256": "", "rows": {}}',
            b'{"format": "coolid-snapshot/2", "sha256": "", "rows": {}}',
            b'{"format": ["coolid-snapshot/1"], "rows": []}',
            json.dumps({"format": "coolid-snapshot/1", "sha256": None, "rows": None}).encode(),
        ],
    )
    def test_a_foreign_one_is_refused_and_left_as_it_is(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "data.json"
        file.write_bytes(content)
        with pytest.raises(BadSnapshot):
            snapshot.load(file)
        assert file.read_bytes() == content

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_only_a_regular_file_is_loaded(self, tmp_path: Path, obstacle: str) -> None:
        file = tmp_path / "data.json"
        OBSTACLES[obstacle](file)
        with pytest.raises(BadSnapshot, match=r"data\.json cannot be read: it is "):
            snapshot.load(file)
        assert is_untouched(obstacle, file)

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_only_a_regular_file_is_the_lock(self, tmp_path: Path, obstacle: str) -> None:
        file = tmp_path / "data.json"
        lock = tmp_path / "data.json.lock"
        OBSTACLES[obstacle](lock)
        with (
            pytest.raises(BadSnapshot, match=r"data\.json\.lock cannot be used as a lock: it is "),
            snapshot.exclusive(file),
        ):
            pytest.fail("it was locked")
        assert is_untouched(obstacle, lock)

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_only_a_new_file_is_written_before_it_is_moved(self, tmp_path: Path, obstacle: str) -> None:
        file = tmp_path / "data.json"
        snapshot.save(file, ROWS)
        temporary = tmp_path / "data.json.new"
        OBSTACLES[obstacle](temporary)
        with pytest.raises(UnsuitableFile):
            snapshot.save(file, {})
        assert is_untouched(obstacle, temporary)
        assert snapshot.load(file) == ROWS

    def test_a_place_that_cannot_be_read_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadSnapshot):
            snapshot.load(tmp_path)


class TestSystems:
    """In this process, without the Bioregistry: what a second start finds of the first."""

    def started(self, folder: Path, deed: Callable[[System], Any]) -> Any:
        """Start a system with a snapshot, do something with it, and end it in good order."""
        with system(folder, data=folder / "data.json") as running:
            return deed(running)

    def test_everything_is_there_after_a_restart(self, tmp_path: Path) -> None:
        def work(running: System) -> Any:
            owner = running.admin("POST", "/api/v1/repositories", {"title": "Mine"}).json()["id"]
            running.admin("PUT", "/api/v1/prefixes/2025/01/mine", {"kind": "namespace", "repository": owner})
            for prefix in ("2025/01/mine", "demo"):
                assert running.mint({"prefix": prefix, "uri": "https://content.example.org/"}).status == 201
            return running.contents()

        before = self.started(tmp_path, work)
        after = self.started(tmp_path, System.contents)
        assert after == before

    def test_a_third_start_changes_nothing_either(self, tmp_path: Path) -> None:
        self.started(tmp_path, lambda running: running.mint({"prefix": "demo"}))
        second = self.started(tmp_path, System.contents)
        assert self.started(tmp_path, System.contents) == second

    def test_every_start_signs_with_the_same_key_which_only_its_owner_can_read(self, tmp_path: Path) -> None:
        keys = self.started(tmp_path, published_keys)
        assert len(keys) == 1
        assert self.started(tmp_path, published_keys) == keys
        assert stat.S_IMODE((tmp_path / "data.json.signing-key.pem").stat().st_mode) == 0o600

    def test_without_its_key_file_a_start_adds_a_key_and_keeps_the_old_one_public(self, tmp_path: Path) -> None:
        (key,) = self.started(tmp_path, published_keys)
        (tmp_path / "data.json.signing-key.pem").unlink()
        keys = self.started(tmp_path, published_keys)
        assert len(keys) == 2
        assert key in keys

    def test_a_key_file_that_is_configured_is_used(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        key_file.ensure(tmp_path / "mine.pem")
        monkeypatch.setenv("SIGNING_KEY_FILE", str(tmp_path / "mine.pem"))
        (key,) = self.started(tmp_path, published_keys)
        assert key["kid"] == KeyFileSigner(tmp_path / "mine.pem").public_key()["kid"]
        assert not (tmp_path / "data.json.signing-key.pem").exists()

    def test_what_is_minted_after_a_restart_is_distinct_from_what_was_before(self, tmp_path: Path) -> None:
        minted = self.started(tmp_path, lambda running: running.mint({"prefix": "demo"}).json())
        again = self.started(tmp_path, lambda running: running.mint({"prefix": "demo", "id": minted["id"]}))
        assert again.is_problem(409, "identifier-taken")

    def test_two_at_once_never_share_one_file(self, tmp_path: Path) -> None:
        def second(_: System) -> None:
            with pytest.raises(BadSnapshot, match="in use"):
                self.started(tmp_path, lambda _: None)

        self.started(tmp_path, second)

    def test_a_bad_file_stops_the_start_before_anything_is_touched(self, tmp_path: Path) -> None:
        (tmp_path / "data.json").write_bytes(b"my thesis")
        with pytest.raises(BadSnapshot):
            self.started(tmp_path, lambda _: pytest.fail("it started"))
        assert (tmp_path / "data.json").read_bytes() == b"my thesis"


class TestTheKeeper:
    @pytest.fixture
    def backend(self, embedded_tables: dict[str, str]) -> embedded_store.EmbeddedStore:
        return embedded_store.EmbeddedStore()

    def test_it_saves_when_something_was_written_and_not_otherwise(
        self,
        tmp_path: Path,
        embedded_tables: dict[str, str],
        backend: embedded_store.EmbeddedStore,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(snapshot, "SAVE_SECONDS", 0.01)
        file = tmp_path / "data.json"
        keeping = SnapshotSaver(file, backend, embedded_tables, pytest.fail)
        keeping.start([])
        first = file.stat().st_ino
        backend.writes += 1
        until(lambda: file.stat().st_ino != first)
        second = file.stat().st_ino
        keeping.stop()
        assert file.stat().st_ino == second
        assert snapshot.load(file) is not None

    def test_it_complains_and_tries_again_where_it_cannot_write(
        self,
        tmp_path: Path,
        embedded_tables: dict[str, str],
        backend: embedded_store.EmbeddedStore,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(snapshot, "SAVE_SECONDS", 0.01)
        complaints: list[str] = []
        file = tmp_path / "data.json"
        keeping = SnapshotSaver(file, backend, embedded_tables, complaints.append)
        keeping.start([])
        file.unlink()
        save = snapshot.save
        monkeypatch.setattr(snapshot, "save", _out_of_space)
        backend.writes += 1
        until(lambda: bool(complaints))
        monkeypatch.setattr(snapshot, "save", save)
        until(file.exists)
        keeping.stop()
        assert str(file) in complaints[0]

    def test_a_file_in_the_way_of_the_temporary_one_is_named(
        self, tmp_path: Path, embedded_tables: dict[str, str], backend: embedded_store.EmbeddedStore
    ) -> None:
        link(tmp_path / "data.json.new")
        keeping = SnapshotSaver(tmp_path / "data.json", backend, embedded_tables, pytest.fail)
        with pytest.raises(SnapshotFailed, match=r"data\.json\.new cannot be written: it is a symbolic link"):
            keeping.start([])
        assert is_untouched("link", tmp_path / "data.json.new")

    def test_rows_of_the_registry_are_stored_only_where_they_were_changed(
        self, tmp_path: Path, embedded_tables: dict[str, str], backend: embedded_store.EmbeddedStore
    ) -> None:
        rows: list[dict[str, Any]] = [{"name": {"S": f"keeper-{name}"}, "body": {"S": "{}"}} for name in "abc"]
        put_items(embedded_tables["PrefixTable"], rows)
        file = tmp_path / "data.json"
        changed = [rows[0], rows[1] | {"body": {"S": "was otherwise"}}]
        keeping = SnapshotSaver(file, backend, embedded_tables, pytest.fail)
        keeping.start(changed)
        keeping.stop()
        kept = snapshot.load(file)
        assert kept is not None
        names = {row["name"]["S"] for row in kept["PrefixTable"]}
        assert "keeper-a" not in names
        assert {"keeper-b", "keeper-c"} <= names


def _out_of_space(*_: Any) -> None:
    raise OSError(28, "No space left on device")


class TestTheServer:
    @pytest.fixture(autouse=True)
    def _with_a_terminal(self) -> Iterator[None]:
        """Start servers as a terminal does, also where the tests themselves run under `nohup`."""
        earlier = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        yield
        signal.signal(signal.SIGHUP, earlier)

    def test_what_was_minted_survives_signals_and_after_a_moment_even_sigkill(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        file = tmp_path / "data.json"
        minted: list[str] = []

        def mint(server: Server) -> str:
            minted.append(server.mint(uri=f"https://content.example.org/{len(minted)}").json()["id"])
            return minted[-1].replace("-", "")

        for number in sample([*SIGNALS], 1):
            with serving(tmp_path, "--data", "data.json") as server:
                saved = mint(server)
                key = server.key
                assert server.end(number) == 0
                assert saved.encode() in file.read_bytes()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with serving(tmp_path, "--data", "data.json") as server:
            assert server.key == key
            saved = mint(server)
            until(lambda: saved.encode() in file.read_bytes())
            server.end(signal.SIGKILL)
        with serving(tmp_path, "--data", "data.json") as server:
            for index, identifier in enumerate(minted):
                reply = server.request("GET", f"/demo:{identifier}")
                assert reply.headers["location"] == f"https://content.example.org/{index}"
            assert server.request("GET", "/go:1").status == 302
            assert len(json.loads(server.request("GET", "/.well-known/jwks.json").body)["keys"]) == 1
            server.end(signal.SIGINT)
        assert snapshot.load(file)

    @pytest.mark.parametrize("content", sample([b"my thesis", b"{", b""], 1))
    def test_a_file_that_is_not_a_whole_snapshot_is_refused_with_exit_code_2_and_left_as_it_is(
        self, tmp_path: Path, content: bytes
    ) -> None:
        prepare(tmp_path)
        file = tmp_path / "data.json"
        file.write_bytes(content)
        ended = run(tmp_path, "serve", "--port", "0", "--data", "data.json")
        assert ended.returncode == 2
        assert "data.json" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert file.read_bytes() == content

    @pytest.mark.parametrize("name", sample(["data.json.lock", ".local/admin-key"], 1))
    def test_a_symbolic_link_in_the_way_is_refused_with_exit_code_2(self, tmp_path: Path, name: str) -> None:
        prepare(tmp_path)
        link(tmp_path / name)
        ended = run(tmp_path, "serve", "--port", "0", "--data", "data.json")
        assert ended.returncode == 2
        assert f"{name} cannot be used" in ended.stderr
        assert "symbolic link" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert is_untouched("link", tmp_path / name)

    def test_a_place_that_cannot_be_written_is_refused_with_exit_code_2(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        ended = run(tmp_path, "serve", "--port", "0", "--data", "nowhere/data.json")
        assert ended.returncode == 2
        assert "nowhere/data.json" in ended.stderr
        assert "Traceback" not in ended.stderr
