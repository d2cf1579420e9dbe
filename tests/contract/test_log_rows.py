"""The rows and the files of the transparency log, in every store."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.errors import Outdated
from coolid.log.tiles import CHECKPOINT
from coolid.store.log import LogFiles, LogHead, LogRows, WaitingEntry, staging_path
from tests.contract.log_stores import LOG_STORES

FIRST = WaitingEntry("version/r4k2/x5#1", 1_000, leaf="eyJ.1.x")
SECOND = WaitingEntry("version/r4k2/x5#2", 2_000, leaf="eyJ.2.x")
CHANGE = WaitingEntry("prefix/2021/06/mp#1", 3_000, statement='{"prefix":"2021/06/mp"}')
HEAD = LogHead(1, 2, "id.example.org/log\n2\n…\n", staging_path(0, bytes(32)))


@pytest.fixture(params=LOG_STORES)
def ports(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    if request.param == "aws":
        request.getfixturevalue("moto_tables")
    with LOG_STORES[request.param](tmp_path) as found:
        yield found


@pytest.fixture
def rows(ports: tuple[LogRows, LogFiles]) -> LogRows:
    return ports[0]


@pytest.fixture
def files(ports: tuple[LogRows, LogFiles]) -> LogFiles:
    return ports[1]


def test_entries_wait_oldest_first(rows: LogRows) -> None:
    assert rows.waiting_entries(9) == []
    rows.add_entries([CHANGE, SECOND, FIRST])
    assert list(rows.waiting_entries(9)) == [FIRST, SECOND, CHANGE]
    assert list(rows.waiting_entries(2)) == [FIRST, SECOND]
    assert rows.indexes([FIRST.name, "version/r4k2/x5#9"]) == {FIRST.name: None}


def test_an_entry_is_added_once(rows: LogRows) -> None:
    rows.add_entries([FIRST])
    rows.add_entries([replace(FIRST, since=5, leaf="eyJ.other.x")])
    assert list(rows.waiting_entries(9)) == [FIRST]
    rows.settle({FIRST.name: 0})
    rows.add_entries([FIRST, SECOND])
    assert list(rows.waiting_entries(9)) == [SECOND]
    assert rows.indexes([FIRST.name]) == {FIRST.name: 0}


def test_settled_entries_no_longer_wait(rows: LogRows) -> None:
    rows.add_entries([FIRST, CHANGE])
    for _ in range(2):
        rows.settle({FIRST.name: 7, SECOND.name: 8})
        assert list(rows.waiting_entries(9)) == [CHANGE]
        assert rows.indexes([FIRST.name, SECOND.name, CHANGE.name]) == {
            FIRST.name: 7,
            SECOND.name: 8,
            CHANGE.name: None,
        }


def test_many_entries(rows: LogRows) -> None:
    entries = [WaitingEntry(f"version/r4k2/k{number}#1", number, leaf="eyJ.1.x") for number in range(600)]
    rows.add_entries(entries)
    assert list(rows.waiting_entries(1_000)) == entries
    rows.settle({entry.name: number for number, entry in enumerate(entries)})
    assert rows.waiting_entries(1_000) == []
    assert len(rows.indexes([entry.name for entry in entries])) == 600


def test_the_head_moves_from_the_expected_one(rows: LogRows) -> None:
    assert rows.head() is None
    rows.replace_head(HEAD, None)
    assert rows.head() == HEAD
    with pytest.raises(Outdated):
        rows.replace_head(replace(HEAD, size=3), None)
    following = replace(HEAD, revision=2, size=3)
    rows.replace_head(following, HEAD)
    with pytest.raises(Outdated):
        rows.replace_head(replace(HEAD, revision=2, size=4), HEAD)
    with pytest.raises(Outdated):
        rows.replace_head(replace(following, revision=3), replace(following, checkpoint="other"))
    assert rows.head() == following


def test_of_concurrent_heads_one_is_written(rows: LogRows) -> None:
    heads = [replace(HEAD, size=size) for size in range(4)]

    def move(head: LogHead) -> LogHead | None:
        with suppress(Outdated):
            rows.replace_head(head, None)
            return head
        return None

    with ThreadPoolExecutor(4) as pool:
        written = [head for head in pool.map(move, heads) if head]
    assert written == [rows.head()]


def test_the_position_of_the_sweep_is_kept(rows: LogRows) -> None:
    assert rows.sweep_position() is None
    for position in ("r4k2", "", '{"stage":"end"}'):
        rows.set_sweep_position(position)
        assert rows.sweep_position() == position
    assert rows.waiting_entries(9) == []


def test_files_are_written_and_replaced(files: LogFiles) -> None:
    assert files.read(["tile/0/000.p/1", CHECKPOINT]) == {}
    files.write({"tile/0/000.p/1": b"\0\xff" * 16, "tile/0/x001/067": bytes(8_192), "tile/entries/000": b""})
    files.write({"tile/0/000.p/1": bytes(32)})
    found = files.read(["tile/0/000.p/1", "tile/0/x001/067", "tile/entries/000", "tile/1/000"])
    assert found == {"tile/0/000.p/1": bytes(32), "tile/0/x001/067": bytes(8_192), "tile/entries/000": b""}


def test_a_checkpoint_replaces_the_expected_one(files: LogFiles) -> None:
    with pytest.raises(Outdated):
        files.publish(b"first\n", b"other\n")
    files.publish(b"first\n", None)
    with pytest.raises(Outdated):
        files.publish(b"second\n", None)
    files.publish(b"second\n", b"first\n")
    with pytest.raises(Outdated):
        files.publish(b"third\n", b"first\n")
    assert files.read([CHECKPOINT]) == {CHECKPOINT: b"second\n"}


def test_staging_files_of_the_present_tree_stay(files: LogFiles) -> None:
    files.discard_staging(5)
    current = [staging_path(5, bytes(32)), staging_path(5, b"x" * 32), staging_path(700, bytes(32))]
    files.write(dict.fromkeys([*current, staging_path(4, bytes(32))], b"staged"))
    files.discard_staging(5)
    assert set(current) <= files.read([*current, staging_path(4, bytes(32))]).keys()
