"""The source `csv`."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from coolid.errors import UsageError
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.records import Location

TABLE = b"""identifier,uri,status,what,metadata.subject,created,updated,reason,ttl
ark:/99999/fk4abc,https://e.example/,withdrawn,Harbour,Ships,2011-01-01T00:00:00Z,2012-01-01,gone,60
,https://e.example/,,,,,,,
a,,bad,,,,,,
b,,,,,soon,,,
"""


def test_a_row_has_its_claims_and_a_row_that_is_no_identifier_its_reason(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(TABLE)
    first, nameless, other, untimely = source("csv")(tmp_path / "in.csv")
    version = SourceVersion(
        locations=(Location("https://e.example/"),),
        metadata={"what": "Harbour", "subject": "Ships"},
        status="withdrawn",
        since=datetime(2012, 1, 1, tzinfo=UTC),
        reason="gone",
        ttl=60,
    )
    assert first == SourceIdentifier(2, "ark:/99999/fk4abc", (version,), created=datetime(2011, 1, 1, tzinfo=UTC))
    assert nameless == UnreadableEntry(3, "it has no identifier")
    assert other == UnreadableEntry(4, "its status is none of active, reserved, withdrawn", "a")
    assert isinstance(untimely, SourceIdentifier)
    assert [(each.name, each.value) for each in untimely.losses] == [("created", "soon")]
    assert untimely.created is None


def test_prefix_and_id_are_an_identifier_too(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("identifier,prefix,id\n,ark:99999/fk4,abc\n,MP,-x\n,,bare\nmp:x,mp,x\n,mp,\n")
    entries = [each.identifier if isinstance(each, SourceIdentifier) else each.reason for each in source("csv")(path)]
    assert entries == [
        "ark:99999/fk4abc",
        "mp:-x",
        "bare",
        "it has both identifier, and prefix or id",
        "it has no identifier",
    ]


def test_json_lines_may_have_locations_with_all_members(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(
        '{"identifier": "mp:1", "records": [{"uri": "https://e.example/", "mediaType": "text/html"}]}\n'
        '{"identifier": "mp:2", "colour": "red"}\n[]\n'
    )
    first, unknown, array = source("csv")(path)
    assert isinstance(first, SourceIdentifier)
    assert first.current.locations == (Location("https://e.example/", media_type="text/html"),)
    assert isinstance(unknown, UnreadableEntry)
    assert unknown.text == "mp:2"
    assert isinstance(array, UnreadableEntry)
    assert Loss("a", "b") == Loss("a", "b", "")


@pytest.mark.parametrize("suffix", ["", ".gz", ".zip"])
def test_compressed_tables_are_read_like_plain_ones(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"in.csv{suffix}"
    if suffix == ".zip":
        with ZipFile(path, "w") as archive:
            archive.writestr("in.csv", TABLE)
    else:
        path.write_bytes(gzip.compress(TABLE) if suffix else TABLE)
    assert len([*source("csv")(path)]) == 4


def test_a_truncated_archive_or_one_of_several_files_is_no_dump(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(gzip.compress(TABLE * 100)[:-30])
    with pytest.raises(UsageError, match="damaged"):
        list(source("csv")(path))
    with ZipFile(path, "w") as archive:
        archive.writestr("a", TABLE)
        archive.writestr("b", TABLE)
    with pytest.raises(UsageError, match="2 files"):
        list(source("csv")(path))


def test_an_unknown_source_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(UsageError, match=r"csv, .*ezid"):
        source("fedora")
