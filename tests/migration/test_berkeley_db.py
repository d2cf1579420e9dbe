"""Tests of reading Berkeley DB files: real files of both byte orders, their dump, and every kind of damage.

`tests/vectors/berkeley_db` was written by Perl's DB_File 1.857 on Berkeley DB 5.3: pages of 512 bytes, with long keys
and values, duplicates on pages of their own, and deleted entries. `tests/vectors/ezid` has a minter of EZID (MIT, see
LICENSE.md there).
"""

from pathlib import Path
from struct import pack, pack_into

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import UsageError
from coolid.migration.dumps.berkeley_db import entries

_VECTORS = Path(__file__).parents[1] / "vectors"
_FILES = _VECTORS / "berkeley_db"
_PAGE = 512


@pytest.mark.parametrize("name", ["little-endian.bdb", "big-endian.bdb"])
def test_a_file_has_the_entries_of_its_dump(name: str) -> None:
    found = list(entries(_FILES / name))
    assert found == list(entries(_FILES / "dump.txt"))
    assert [value for key, value in found if key == b"many"] == [b"value %02d" % n for n in range(1, 41) if n != 7]
    by_key = dict(found)
    assert by_key[b"13030/xf008\tlong"] == b"0123456789" * 130
    assert by_key[b"13030/xf007\t_note"] == "café \\ tab\t\0 end".encode()
    assert by_key[b"k" * 300] == b"a long key"
    assert b"13030/xf003\t_target" not in by_key


def test_a_minter_of_ezid_is_read() -> None:
    found = dict(entries(_VECTORS / "ezid" / "77913_r7.bdb"))
    assert len(found) == 613
    assert found[b":/template"] == b"77913/r7{eedk}"
    assert len(found[b":/saclist"].split()) == 290


def test_page_checksums_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "checksums.bdb"
    meta = bytearray(_PAGE)
    pack_into("<IIIBBB", meta, 12, 0x053162, 9, _PAGE, 0, 9, 1)
    pack_into("<I", meta, 88, 1)
    leaf = bytearray(_PAGE)
    pack_into("<IIIHHBB", leaf, 8, 1, 0, 0, 2, 500, 1, 5)
    pack_into("<HH", leaf, 32, 508, 500)
    leaf[508:512], leaf[500:505] = pack("<HB", 1, 1) + b"k", pack("<HB", 2, 1) + b"vv"
    path.write_bytes(meta + leaf)
    assert list(entries(path)) == [(b"k", b"vv")]


@pytest.mark.parametrize(
    ("offset", "value", "reason"),
    [
        (12, pack("<I", 0x061561), "a hash of Berkeley DB"),
        (12, pack("<I", 0), "neither a B-tree of Berkeley DB nor"),
        (0, pack("<I", 0x053162), "Berkeley DB 1"),
        (16, pack("<I", 7), "version 7"),
        (20, pack("<I", 500), "page 0 is damaged"),
        (24, b"\1", "encrypted"),
        (48, pack("<I", 0x20), "several databases"),
        (88, pack("<I", 10_000), "perhaps it is truncated"),
        (88, pack("<I", 0), "page 0 is damaged"),
    ],
)
def test_an_unsuitable_first_page_is_refused(tmp_path: Path, offset: int, value: bytes, reason: str) -> None:
    content = bytearray((_FILES / "little-endian.bdb").read_bytes())
    content[offset : offset + len(value)] = value
    assert reason in _refusal(tmp_path / "damaged.bdb", bytes(content))


def test_pages_in_a_circle_are_refused(tmp_path: Path) -> None:
    content = bytearray((_FILES / "little-endian.bdb").read_bytes())
    leaves = [at for at in range(0, len(content), _PAGE) if content[at + 25] == 5]
    last = next(at for at in leaves if content[at + 16 : at + 20] == bytes(4))
    content[last + 16 : last + 20] = pack("<I", leaves[1] // _PAGE)
    assert "it does not follow the page before it" in _refusal(tmp_path / "circle.bdb", bytes(content))


@given(st.data())
def test_damaged_files_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    content = bytearray((_FILES / "big-endian.bdb").read_bytes())
    for _ in range(data.draw(st.integers(0, 20))):
        page = data.draw(st.integers(0, len(content) // _PAGE - 1))
        content[page * _PAGE + data.draw(st.integers(0, 99))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.bdb"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        assert all(isinstance(part, bytes) for entry in entries(path) for part in entry)
    except UsageError as error:
        assert "cannot be read" in str(error)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("VERSION=3\nformat=print\ntype=btree\nHEADER=END\n k\n v\n", "DATA=END is missing"),
        ("VERSION=3\nformat=print\ntype=btree\nHEADER=END\n k\nDATA=END\n", "line 6 does not begin with a space"),
        ("VERSION=3\nformat=print\ntype=btree\nHEADER=END\n k\n \\zz\nDATA=END\n", "line 6 has invalid digits"),
        ("VERSION=3\nformat=bytevalue\ntype=btree\nHEADER=END\n 6b\n 7\nDATA=END\n", "line 6 has invalid digits"),
        ("VERSION=3\nformat=print\ntype=btree\n k\n", "no header up to HEADER=END"),
        ("VERSION=3\nformat=print\ntype=recno\nHEADER=END\n v\nDATA=END\n", "it has no keys"),
    ],
)
def test_an_unsuitable_dump_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in _refusal(tmp_path / "dump.txt", text.encode())


def test_a_dump_may_be_hexadecimal(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    path.write_text("VERSION=3\nformat=bytevalue\ntype=btree\nHEADER=END\n 6b\n 76c3a9\nDATA=END\n")
    assert list(entries(path)) == [(b"k", "vé".encode())]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.bdb cannot be read: No such file"):
        list(entries(tmp_path / "none.bdb"))


def _refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        list(entries(path))
    return str(caught.value)
