"""`coolid serve --data FILE`: what was acknowledged is there after a restart, and other files are left alone."""

import json
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coolid.aws import key_file
from coolid.aws.key_file import KeyFileSigner
from coolid.aws.telemetry.metrics import discard_count
from coolid.errors import UsageError
from coolid.http.message import Request
from coolid.local.first_import import DatabaseImport
from coolid.local.service import build_service_dispatcher
from coolid.local.shutdown import SIGNALS
from coolid.local.system import ConflictingStores, LocalSettings, database_file, running
from coolid.sqlite.database import Database
from tests.local.test_job_worker import wait_until
from tests.support.builders.file_obstacles import is_untouched, link
from tests.support.builders.samples import BASE_URL
from tests.support.effort import sample
from tests.support.fixtures.system import System, canonical_of, system
from tests.support.servers.coolid_server import Server, prepare, run, serving


def published_keys(running: System) -> Any:
    """Mint a record, which publishes the key that signs it; the public keys."""
    assert running.mint({"prefix": "demo"}).status == 201
    return running.get("/.well-known/jwks.json").json()["keys"]


class TestRestarts:
    """In this process, without the Bioregistry: what a second start finds of the first."""

    def started(self, folder: Path, deed: Callable[[System], Any]) -> Any:
        """Start a system with a database, do something with it, and end it in good order."""
        with system(folder, data=folder / "data.db") as running:
            return deed(running)

    def test_everything_is_there_after_a_restart(self, tmp_path: Path) -> None:
        def work(running: System) -> Any:
            owner = running.admin("POST", "/api/v1/repositories", {"title": "Mine"}).json()["id"]
            running.admin("PUT", "/api/v1/prefixes/2025/01/mine", {"kind": "namespace", "repository": owner})
            for prefix in ("2025/01/mine", "demo"):
                assert running.mint({"prefix": prefix, "uri": "https://content.example.org/"}).status == 201
            return running.contents()

        before = self.started(tmp_path, work)
        after = self.started(tmp_path, lambda running: running.contents())
        assert after == before

    def test_a_third_start_changes_nothing_either(self, tmp_path: Path) -> None:
        self.started(tmp_path, lambda running: running.mint({"prefix": "demo"}))
        second = self.started(tmp_path, lambda running: running.contents())
        assert self.started(tmp_path, lambda running: running.contents()) == second

    def test_every_start_signs_with_the_same_key_which_only_its_owner_can_read(self, tmp_path: Path) -> None:
        keys = self.started(tmp_path, published_keys)
        assert len(keys) == 1
        assert self.started(tmp_path, published_keys) == keys
        assert stat.S_IMODE((tmp_path / "data.db.signing-key.pem").stat().st_mode) == 0o600

    def test_without_its_key_file_a_start_adds_a_key_and_keeps_the_old_one_public(self, tmp_path: Path) -> None:
        (key,) = self.started(tmp_path, published_keys)
        (tmp_path / "data.db.signing-key.pem").unlink()
        keys = self.started(tmp_path, published_keys)
        assert len(keys) == 2
        assert key in keys

    def test_a_start_warns_of_another_base_url_and_of_new_keys(self, tmp_path: Path) -> None:
        data, lines = tmp_path / "data.db", list[str]()
        self.started(tmp_path, published_keys)
        with running(LocalSettings(BASE_URL, tmp_path, data, with_registry=False), lines.append):
            assert lines == []
            wait_until((tmp_path / "data.db.log" / "checkpoint").exists)
        (tmp_path / "data.db.signing-key.pem").unlink()
        (tmp_path / "data.db.log-key.pem").unlink()
        with running(LocalSettings("https://other.example.org", tmp_path, data, with_registry=False), lines.append):
            assert BASE_URL in lines[0]
            assert "data.db.signing-key.pem" in lines[1]
            assert "data.db.log-key.pem" in lines[2]

    def test_a_key_file_that_is_configured_is_used(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        key_file.ensure(tmp_path / "mine.pem")
        monkeypatch.setenv("SIGNING_KEY_FILE", str(tmp_path / "mine.pem"))
        (key,) = self.started(tmp_path, published_keys)
        assert key["kid"] == KeyFileSigner(tmp_path / "mine.pem").public_key()["kid"]
        assert not (tmp_path / "data.db.signing-key.pem").exists()

    def test_what_is_minted_after_a_restart_is_distinct_from_what_was_before(self, tmp_path: Path) -> None:
        minted = self.started(tmp_path, lambda running: running.mint({"prefix": "demo"}).json())
        again = self.started(tmp_path, lambda running: running.mint({"prefix": "demo", "id": minted["id"]}))
        assert again.is_problem(409, "identifier-taken")

    def test_only_the_first_start_has_the_administrators_key(self, tmp_path: Path) -> None:
        local = LocalSettings(BASE_URL, tmp_path, tmp_path / "data.db", with_registry=False)
        with running(local, print) as first:
            key = first.admin_key
        assert key == (tmp_path / "admin-key").read_text(encoding="utf-8").strip()
        (tmp_path / "admin-key").unlink()
        with running(local, print) as second:
            assert second.admin_key is None
        assert not (tmp_path / "admin-key").exists()

    def test_two_at_once_share_one_file(self, tmp_path: Path) -> None:
        def work(_first: System) -> None:
            with Database.open(tmp_path / "data.db") as second:
                assert not DatabaseImport(second).begin()

        self.started(tmp_path, work)

    def test_another_file_stops_the_start_before_anything_is_touched(self, tmp_path: Path) -> None:
        (tmp_path / "data.db").write_bytes(b"my thesis")
        with pytest.raises(UsageError):
            self.started(tmp_path, lambda _: pytest.fail("it started"))
        assert [file.name for file in tmp_path.iterdir()] == ["data.db"]
        assert (tmp_path / "data.db").read_bytes() == b"my thesis"

    def test_a_first_import_that_was_cut_short_is_done_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as cut:
            cut.setattr(DatabaseImport, "end", _out_of_space)
            with pytest.raises(OSError, match="space"):
                self.started(tmp_path, lambda _: pytest.fail("it started"))
        rows = [{"name": "go", "kind": "provider", "revision": 1, "body": "{}"}, {"name": "a", "longer": ["a/b"]}]
        monkeypatch.setattr("coolid.local.bioregistry_prefixes.cached_rows", lambda _: rows)
        with running(LocalSettings(BASE_URL, tmp_path, tmp_path / "data.db"), print) as again:
            assert again.admin_key
            assert again.prefixes == 1
        with running(LocalSettings(BASE_URL, tmp_path, tmp_path / "data.db"), pytest.fail) as third:
            assert third.prefixes == 1

    def test_a_restored_database_is_not_filled(self, tmp_path: Path) -> None:
        with Database.open(tmp_path / "data.db") as database:
            database.write(lambda connection: connection.execute("INSERT INTO prefixes (name) VALUES ('mp')"))
            assert not DatabaseImport(database).begin()
            assert DatabaseImport(database).needs_administrator()

    def test_a_start_without_demonstration_creates_no_repository(self, tmp_path: Path) -> None:
        local = LocalSettings(BASE_URL, tmp_path, memory=True, with_registry=False, with_demonstration=False)
        with running(local, print) as started:
            answer = build_service_dispatcher(started.environment, BASE_URL, discard_count)
            assert answer(Request("GET", "/demo/tw0t-ywdj-94")).status == 404

    def test_the_demonstration_has_linkids_of_both_revisions(self, tmp_path: Path) -> None:
        with running(LocalSettings(BASE_URL, tmp_path, memory=True, with_registry=False), print) as started:
            answer = build_service_dispatcher(started.environment, BASE_URL, discard_count)
            for path, pid in (
                ("/linkid:00C538EA-846B-47A6-A3D4-70A9EBD29D7C", "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"),
                ("/lid:00c538ea846b47a6a3d470a9ebd29d7c", "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"),
                ("/linkid:b2f6f0d7-c7d3-4e3e-8a4f-0a6b2a9c9f14", "lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"),
            ):
                found = answer(Request("GET", path))
                assert found.status == 302
                assert canonical_of(found.headers["Link"]) == f"{BASE_URL}/{pid}"

    def test_in_memory_nothing_stays_behind(self, tmp_path: Path) -> None:
        with running(LocalSettings(BASE_URL, tmp_path, memory=True, with_registry=False), print) as started:
            database = Path(started.environment["STORE"].removeprefix("sqlite:///"))
            assert database.is_file()
            assert started.admin_key
        assert not database.parent.exists()
        assert not [*tmp_path.iterdir()]


def _out_of_space(*_: Any) -> None:
    raise OSError(28, "No space left on device")


class TestStores:
    """Which store a system uses."""

    @pytest.fixture(autouse=True)
    def _without_stores(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("STORE", raising=False)

    def test_it_is_a_database_unless_something_else_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        local = LocalSettings(BASE_URL, Path(".local"))
        assert database_file(local) == Path(".local/coolid.db")
        assert database_file(LocalSettings(BASE_URL, Path(), Path("mine.db"))) == Path("mine.db")
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
        assert database_file(local) is None
        monkeypatch.setenv("STORE", "sqlite:////srv/coolid.db")
        assert database_file(local) == Path("/srv/coolid.db")
        monkeypatch.setenv("STORE", "dynamodb")
        assert database_file(local) is None

    @pytest.mark.parametrize(
        ("told", "local"),
        [
            ({"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"}, {"data": Path("mine.db")}),
            ({"AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:4566"}, {"memory": True}),
            ({"STORE": "dynamodb"}, {"data": Path("mine.db")}),
            ({"STORE": "sqlite:///other.db"}, {"data": Path("mine.db")}),
            ({}, {"data": Path("mine.db"), "memory": True}),
        ],
        ids=str,
    )
    def test_two_that_differ_are_refused(
        self, monkeypatch: pytest.MonkeyPatch, told: dict[str, str], local: dict[str, Any]
    ) -> None:
        for name, value in told.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ConflictingStores, match="use only one of"):
            database_file(LocalSettings(BASE_URL, Path(), **local))


class TestTheServer:
    @pytest.fixture(autouse=True)
    def _with_a_terminal(self) -> Iterator[None]:
        """Start servers as a terminal does, also where the tests themselves run under `nohup`."""
        earlier = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        yield
        signal.signal(signal.SIGHUP, earlier)

    def test_what_was_minted_survives_every_signal(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        minted: list[str] = []

        def mint(server: Server) -> None:
            minted.append(server.mint(uri=f"https://content.example.org/{len(minted)}").json()["id"])

        for number in (*sample([*SIGNALS], 1), signal.SIGKILL):
            with serving(tmp_path, "--data", "data.db") as server:
                mint(server)
                key = server.key
                assert server.end(number) == (-number if number == signal.SIGKILL else 0)
        modes = {(file.is_dir(), stat.S_IMODE(file.stat().st_mode)) for file in tmp_path.glob("data.db*")}
        assert modes == {(False, 0o600), (True, 0o700)}
        with serving(tmp_path, "--data", "data.db") as server:
            assert not any(key in line for line in server.stderr_lines), "it is printed once"
            for index, identifier in enumerate(minted):
                reply = server.request("GET", f"/demo:{identifier}")
                assert reply.headers["location"] == f"https://content.example.org/{index}"
            assert server.request("GET", "/go:1").status == 302
            assert len(json.loads(server.request("GET", "/.well-known/jwks.json").body)["keys"]) == 1
            mint(server)

    @pytest.mark.parametrize("content", sample([b"my thesis", b"{", b"SQLite format 3\0"], 1))
    def test_a_file_that_is_no_database_is_refused_with_exit_code_2_and_left_as_it_is(
        self, tmp_path: Path, content: bytes
    ) -> None:
        prepare(tmp_path)
        file = tmp_path / "data.db"
        file.write_bytes(content)
        ended = run(tmp_path, "serve", "--port", "0", "--data", "data.db")
        assert ended.returncode == 2
        assert "data.db" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert file.read_bytes() == content

    @pytest.mark.parametrize("name", sample(["data.db", "data.db.signing-key.pem", ".local/admin-key"], 1))
    def test_a_symbolic_link_in_the_way_is_refused_with_exit_code_2(self, tmp_path: Path, name: str) -> None:
        prepare(tmp_path)
        link(tmp_path / name)
        ended = run(tmp_path, "serve", "--port", "0", "--data", "data.db")
        assert ended.returncode == 2
        assert name in ended.stderr
        assert "symbolic link" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert is_untouched("link", tmp_path / name)

    def test_a_place_that_cannot_be_written_is_refused_with_exit_code_2(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        (tmp_path / "nowhere").touch()
        ended = run(tmp_path, "serve", "--port", "0", "--data", "nowhere/data.db")
        assert ended.returncode == 2
        assert "nowhere/data.db" in ended.stderr
        assert "Traceback" not in ended.stderr


class TestReadOnly:
    """`coolid serve --read-only`: nothing is written, by the start neither."""

    def test_records_resolve_and_changes_are_refused(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        with serving(tmp_path) as server:
            minted = server.mint()
            assert minted.status == 201
            path = minted.json()["pid"].removeprefix(server.url)
            assert server.end(signal.SIGTERM) == 0
        database = tmp_path / ".local" / "coolid.db"
        before = database.read_bytes()
        with serving(tmp_path, "--read-only") as server:
            refused = server.mint()
            assert (refused.status, refused.headers["retry-after"]) == (503, "60")
            assert refused.json()["type"].endswith("/problems/read-only")
            assert server.request("GET", path).status == 302
            assert any("All changes are refused" in line for line in server.stderr_lines)
            assert server.end(signal.SIGTERM) == 0
        assert database.read_bytes() == before

    def test_a_database_without_clients_gets_none(self, tmp_path: Path) -> None:
        Database.open(tmp_path / "coolid.db").close()
        local = LocalSettings(BASE_URL, tmp_path, tmp_path / "coolid.db", read_only=True)
        with running(local, print) as started:
            assert started.admin_key is None
        with Database.open(tmp_path / "coolid.db") as database, database.read() as connection:
            assert connection.execute("SELECT count(*) FROM prefixes").fetchone() == (0,)
            assert connection.execute("SELECT count(*) FROM clients").fetchone() == (0,)

    @pytest.mark.parametrize("options", [(), ("--memory",), ("--probe", "9")])
    def test_it_needs_a_database_that_exists_and_nothing_that_writes(
        self, tmp_path: Path, options: tuple[str, ...]
    ) -> None:
        ended = run(tmp_path, "serve", "--port", "0", "--read-only", *options)
        assert ended.returncode == 2
        assert ("there is no such database" if options == () else "excludes --memory and --probe") in ended.stderr
        assert not [*tmp_path.glob("**/*.db")]
