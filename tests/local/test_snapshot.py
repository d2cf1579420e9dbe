"""The snapshots of earlier releases: read only if they are whole, and converted to databases."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws import key_file
from coolid.errors import UsageError
from coolid.local.first_import import DatabaseImport
from coolid.local.snapshots import snapshot
from coolid.local.snapshots.snapshot import BadSnapshot
from coolid.local.snapshots.snapshot_import import import_snapshot
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.builders.samples import text
from tests.support.fixtures.system import Answer, DatabaseSystem, System, TablesSystem, database_system
from tests.support.servers.coolid_server import prepare, run
from tests.support.stores.moto_store import MotoStore

ROWS = {"PrefixTable": [{"name": {"S": "go"}, "longer": {"SS": ["go/a"]}}], "LuiTable": [], "ClientTable": []}
HERE = "https://content.example.org/here"

items = st.dictionaries(
    text, st.fixed_dictionaries({"S": text}) | st.fixed_dictionaries({"N": st.just("3")}), max_size=3
)
tables = st.dictionaries(st.sampled_from(["PrefixTable", "LuiTable", "ClientTable"]), st.lists(items, max_size=3))


def save(file: Path, rows: Any) -> None:
    """Write a snapshot as release 0.5 did."""
    digest = sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
    file.write_bytes(orjson.dumps({"format": snapshot.FORMAT, "sha256": digest, "rows": rows}))


class TestFiles:
    @given(tables)
    def test_what_is_saved_is_loaded(self, tmp_path_factory: pytest.TempPathFactory, rows: Any) -> None:
        file = tmp_path_factory.mktemp("snapshot") / "data.json"
        save(file, rows)
        assert snapshot.load(file) == rows

    def test_a_missing_one_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadSnapshot, match="no file"):
            snapshot.load(tmp_path / "data.json")

    @given(st.integers(0, 10_000))
    def test_a_torn_one_is_refused_wherever_it_is_torn_and_left_as_it_is(
        self, tmp_path_factory: pytest.TempPathFactory, length: int
    ) -> None:
        file = tmp_path_factory.mktemp("snapshot") / "data.json"
        save(file, ROWS)
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
        save(file, ROWS)
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

    def test_a_place_that_cannot_be_read_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadSnapshot):
            snapshot.load(tmp_path)


class Earlier:
    """What a release up to 0.5 left behind: a snapshot in `file` with its signing key, and the system of its rows."""

    def __init__(self, system: TablesSystem, folder: Path) -> None:
        self.system = system
        self.folder = folder
        self.file = folder / "data.json"
        prepare(folder)
        key_file.ensure(folder / "data.json.signing-key.pem")

    def save(self) -> None:
        """Write the rows, without the attributes that no release with snapshots had."""
        rows = {logical: MotoStore().items(name) for logical, name in self.system.tables.items()}
        for client in rows["ClientTable"]:
            client.pop("last_used", None)
        save(self.file, rows)

    def convert(self) -> DatabaseSystem:
        """The system over the converted database."""
        database = self.folder / "coolid.db"
        import_snapshot(self.file, database, self.folder / ".local")
        key = str(self.folder / "coolid.db.signing-key.pem")
        return database_system(database, self.system.admin_key, {"SIGNING_KEY_FILE": key})


@pytest.fixture
def earlier(fresh_tables: TablesSystem, tmp_path: Path) -> Earlier:
    return Earlier(fresh_tables, tmp_path)


def change(system: System, method: str, identifier: str, document: Any) -> Answer:
    path, tag = f"/api/v1/records/demo:{identifier}", [("If-Match", "*")]
    return system.request(method, path, document=document, headers=tag, key=system.admin_key)


class TestImport:
    def furnish(self, old: TablesSystem) -> tuple[list[str], dict[str, Any]]:
        """Do something with everything. Return the paths of what was made, and a request that was sent."""
        one, other = (old.mint({"prefix": "demo", "uri": HERE}).json()["id"] for _ in range(2))
        assert change(old, "PUT", one, {"uri": f"{HERE}/changed", "metadata": {"what": "é€𝄞"}}).status == 200
        assert change(old, "DELETE", other, {"reason": "why"}).status == 200
        mine = {
            "kind": "provider",
            "synonyms": ["ours"],
            "providers": [{"code": "a", "url": "https://a.example/{$id}"}],
        }
        assert old.admin("PUT", "/api/v1/prefixes/mine/too", mine).status == 201
        body = {"title": "Counted", "scheme": "noid", "rules": {"template": ".sd"}}
        repository = old.admin("POST", "/api/v1/repositories", body).json()["id"]
        counted = {"kind": "namespace", "repository": repository}
        assert old.admin("PUT", "/api/v1/prefixes/counted", counted).status == 201
        assert old.admin("PUT", f"/api/v1/webhooks/{repository}", {"url": "https://hooks.example.org/"}).status == 201
        quota = {"scopes": ["mint:counted"], "quota": {"minute": 2}}
        key = old.admin("POST", "/api/v1/clients", quota).json()["key"]
        once = {"headers": [("Idempotency-Key", "once")], "document": {"prefix": "counted"}, "key": key}
        assert old.request("POST", "/api/v1/records", **once).status == 201
        paths = [f"/api/v1/history/demo:{one}", f"/api/v1/records/demo:{one}", f"/api/v1/records/demo:{other}"]
        paths += ["/api/v1/prefixes/mine/too", f"/api/v1/repositories/{repository}", f"/api/v1/webhooks/{repository}"]
        return paths, once

    def test_everything_is_in_the_database(self, earlier: Earlier) -> None:
        old = earlier.system
        paths, once = self.furnish(old)
        earlier.save()
        new = earlier.convert()
        for path in paths:
            assert old.admin("GET", path).status in (200, 410)
            assert new.admin("GET", path) == old.admin("GET", path), path
        assert new.get("/.well-known/jwks.json").body == old.get("/.well-known/jwks.json").body
        assert new.get("/ours:1").headers["location"] == "https://a.example/1"
        assert new.get("/go:1").status == 302, "the registry's, which no snapshot has"
        first = new.request("POST", "/api/v1/records", **once)
        assert first.json() == old.request("POST", "/api/v1/records", **once).json()
        second = new.request("POST", "/api/v1/records", **once | {"headers": []})
        assert second.status == 201
        assert second.json()["id"] != first.json()["id"]
        assert new.request("POST", "/api/v1/records", **once | {"headers": []}).is_problem(429)
        assert not DatabaseImport(new.access.database).begin(), "a start does not fill it again"

    def test_what_exists_is_not_replaced(self, earlier: Earlier) -> None:
        earlier.save()
        for name in ("coolid.db", "coolid.db.signing-key.pem"):
            target = earlier.folder / name
            target.write_bytes(b"my thesis")
            with pytest.raises(UsageError, match=r"coolid\.db"):
                earlier.convert()
            assert target.read_bytes() == b"my thesis"
            target.unlink()
        assert {file.name for file in earlier.folder.iterdir()} == {".local", "data.json", "data.json.signing-key.pem"}

    def test_attributes_that_no_release_wrote_are_refused(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        save(tmp_path / "data.json", {"ClientTable": [{"id": {"S": "a"}, "nobody": {"S": "b"}}]})
        with pytest.raises(BadSnapshot, match="nobody"):
            import_snapshot(tmp_path / "data.json", tmp_path / "coolid.db", tmp_path / ".local")
        assert not (tmp_path / "coolid.db").exists()

    def test_the_command_converts_what_the_server_refuses(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        save(tmp_path / "data.json", {})
        refused = run(tmp_path, "serve", "--port", "0", "--data", "data.json")
        assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)
        assert "coolid import-snapshot data.json data.db" in refused.stderr
        converted = run(tmp_path, "import-snapshot", "data.json", "data.db")
        assert (converted.returncode, converted.stderr.splitlines()) == (0, ["0 records are in data.db"])
