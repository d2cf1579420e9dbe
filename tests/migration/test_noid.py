"""The source `noid`: bound elements, issued and held identifiers, and no contacts of people."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from coolid.errors import UsageError
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Entry
from coolid.model.records import ACTIVE, RESERVED
from tests.migration.dumps import VECTORS, identifiers, unreadable

FETCHED = """id:    13030/f5wd3q12m hold \nCirc:  i|20200807144822|nat/nat|3\nlocations: https://archive.example.org/a
what: Pier: north\n\nid:    13030/f5wd3q13n\nno element\n
"""


def read_text(tmp_path: Path, content: str) -> list[Entry]:
    path = tmp_path / "dump"
    path.write_text(content)
    return list(source("noid")(path))


def test_a_binder_has_elements_targets_and_dates() -> None:
    entries = list(source("noid")(VECTORS / "noid_binder.txt"))

    found = identifiers(entries)
    first = found["ark:/13030/f54x54g11"]
    assert [each.uri for each in first.current.locations] == [
        "https://archive.example.org/1",
        "https://mirror.example.org/1",
    ]
    assert first.current.metadata == {"what": "Harbour", "noid": {"shelf": "B 7"}}
    assert (first.created, first.losses) == (datetime(2020, 8, 7, 14, 48, 22, tzinfo=UTC), ())
    assert {name: entry.current.status for name, entry in found.items()} == {
        "ark:/13030/f54x54g11": ACTIVE,
        "ark:/13030/f54x54g29": RESERVED,
        "ark:/13030/f54x54g3x": RESERVED,
        "bare1": ACTIVE,
        "bare2": ACTIVE,
    }
    assert (found["bare2"].current.locations, found["bare2"].current.metadata) == ((), {"where": "Oslo"})
    assert [each.text for each in unreadable(entries)] == ["13030/f54x54g47", "13030/f54x54g55"]
    assert "ann" not in repr(entries)


def test_the_output_of_fetch_is_read(tmp_path: Path) -> None:
    entries = read_text(tmp_path, FETCHED)

    (entry,) = identifiers(entries).values()
    assert entry.identifier == "ark:/13030/f5wd3q12m"
    assert entry.current.locations[0].uri == "https://archive.example.org/a"
    assert entry.current.metadata == {"what": "Pier: north"}
    assert [each.text for each in unreadable(entries)] == ["13030/f5wd3q13n"]


@pytest.mark.parametrize("content", ["", "id", "VERSION=3\ntype=btree\nHEADER=END\nDATA=END\n", "<a>", "VERSION=3\n"])
def test_other_files_are_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_text(tmp_path, content)


def test_a_minter_without_identifiers_is_refused() -> None:
    with pytest.raises(UsageError, match="--minter"):
        list(source("noid")(VECTORS.parent / "ezid" / "77913_r7.bdb"))
