"""The administrator's key of a local server: one key, in one place, registered in the store."""

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid import private_files
from coolid.local.admin_key import BadKeyFile, ensure
from coolid.model.clients import ADMIN, authenticate, split_key
from coolid.private_files import UnsuitableFile
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.stores.memory_store import MemoryStore


def made(file: Path, store: MemoryStore, seed: int = 1) -> str:
    return ensure(file, store, FixedClock(), SeededEntropy(seed))


def test_it_is_made_once_and_found_again(tmp_path: Path, store: MemoryStore) -> None:
    file = tmp_path / "folder" / "admin-key"
    key = made(file, store, 1)
    assert made(file, store, 2) == key
    assert file.read_text(encoding="utf-8").strip() == key


def test_it_opens_everything(tmp_path: Path, store: MemoryStore) -> None:
    client_id, secret = split_key(made(tmp_path / "admin-key", store))
    client = authenticate(store.client(client_id), secret)
    assert client.scopes == (ADMIN,)


def test_the_file_is_its_owners_only_from_the_first_moment(tmp_path: Path, store: MemoryStore) -> None:
    before = os.umask(0)
    try:
        made(tmp_path / "admin-key", store)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "admin-key").stat().st_mode) == 0o600


def test_a_missing_row_is_created(tmp_path: Path, store: MemoryStore) -> None:
    key = made(tmp_path / "admin-key", store)
    other = MemoryStore()
    assert made(tmp_path / "admin-key", other) == key
    client_id, secret = split_key(key)
    authenticate(other.client(client_id), secret)


def test_a_store_that_knows_it_is_not_written_to(tmp_path: Path, store: MemoryStore) -> None:
    made(tmp_path / "admin-key", store)
    store.calls.clear()
    made(tmp_path / "admin-key", store)
    assert store.calls["put_client"] == 0


def test_a_revoked_key_stays_revoked(tmp_path: Path, store: MemoryStore) -> None:
    client_id, _ = split_key(made(tmp_path / "admin-key", store))
    client = store.clients[client_id]
    assert client.note == "administrator, created at the first start"
    store.put_client(replace(client, revoked=FixedClock().now()))
    made(tmp_path / "admin-key", store)
    assert store.clients[client_id].revoked is not None


def test_of_two_starts_that_create_it_both_use_the_same(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = private_files.create

    def overtaken(path: Path, content: bytes) -> None:
        monkeypatch.undo()
        made(path, store, 1)
        create(path, content)

    monkeypatch.setattr(private_files, "create", overtaken)
    assert made(tmp_path / "admin-key", store, 2) == (tmp_path / "admin-key").read_text(encoding="utf-8").strip()
    assert len(store.clients) == 1


@pytest.mark.parametrize("content", ["", "my shopping list", "cool_abc_def", "cool_abcdefgh_" + "A" * 42])
def test_a_file_that_holds_something_else_is_refused_and_left_as_it_is(
    tmp_path: Path, store: MemoryStore, content: str
) -> None:
    file = tmp_path / "admin-key"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BadKeyFile, match="admin-key"):
        made(file, store)
    assert file.read_text(encoding="utf-8") == content
    assert store.clients == {}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_only_a_regular_file_holds_it(tmp_path: Path, store: MemoryStore, obstacle: str) -> None:
    file = tmp_path / "admin-key"
    OBSTACLES[obstacle](file)
    with pytest.raises(UnsuitableFile, match="admin-key"):
        made(file, store)
    assert is_untouched(obstacle, file)
    assert store.clients == {}


def test_a_key_behind_a_symbolic_link_is_not_trusted(tmp_path: Path, store: MemoryStore) -> None:
    made(tmp_path / "their-key", MemoryStore())
    (tmp_path / "admin-key").symlink_to("their-key")
    with pytest.raises(UnsuitableFile, match="admin-key"):
        made(tmp_path / "admin-key", store)
    assert store.clients == {}
