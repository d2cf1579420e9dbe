"""Exports as CSV and as EZID writes them: read again, they give the same records. No cell of CSV is a formula."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coolid.aws import key_file
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Loss, SourceIdentifier
from coolid.model.custody import REVOKED
from coolid.model.records import Location
from tests.support.builders.exports import written
from tests.support.fixtures.installations import SqliteInstallation

METADATA: dict[str, Any] = {
    "what": '=HYPERLINK("https://evil.example/")',
    "who": "'=quoted",
    "how": '\'s-Hertogenbosch, "two"\nlines\r',
    "subject": [{"name": "+1"}, "-"],
    "note": "\t@x",
    "ezid": {"_profile": "erc", "dc.type": "größe"},
}


class Places:
    """Two stores: one to export from, and an empty one with the same prefix."""

    def __init__(self, folder: Path) -> None:
        key_file.ensure(folder / "key.pem")
        self.here, self.there = (SqliteInstallation(folder / "key.pem", folder / name) for name in ("a.db", "b.db"))
        for each in (self.here, self.there):
            each.add("names", ChosenRules(pattern=".+"))

    def exported(self, folder: Path) -> tuple[Path, list[Loss]]:
        losses: list[Loss] = []
        (folder / "names.csv").write_bytes(written(self.here, "csv", losses.append))
        return folder / "names.csv", losses


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    found = Places(tmp_path)
    yield found
    found.here.database.close()
    found.there.database.close()


def content(installation: SqliteInstallation) -> list[dict[str, Any]]:
    members = ("id", "status", "records", "metadata", "ttl")
    return [{name: each.get(name) for name in members} for each in installation.records()]


def test_minted_again_it_gives_the_same_records(places: Places, tmp_path: Path) -> None:
    places.here.mint("names", "-x", records=(Location("https://a.example/?a=%22,b"),), metadata=METADATA, ttl=5)
    places.here.mint("names", "=cmd|' /C calc'!A0", status="reserved")
    file, losses = places.exported(tmp_path)
    assert losses == []
    with file.open(newline="", encoding="utf-8") as opened:
        assert not [cell for row in csv.reader(opened) for cell in row if cell.startswith(tuple("=+-@\t\r"))]
    progress, refusals = places.there.mint_rows(file)
    assert (progress.written, refusals) == (2, [])
    assert content(places.there) == content(places.here)


def test_what_no_row_can_hold_is_said(places: Places, tmp_path: Path) -> None:
    record = places.here.mint("names", "gone", records=(Location("https://a.example/"),))
    places.here.amender.withdraw(record, "-- lost", "https://b.example/", author="another", state=REVOKED)
    many = (Location("https://a.example/", media_type="text/html"), Location("https://b.example/"))
    metadata = {"who": ["A", "B"], "number": 5, "text": "[1]", " ": "x"}
    alternates = ({"scheme": "doi", "identifier": "10.1000/182"},)
    places.here.mint("names", "much", records=many, metadata=metadata, alternates=alternates)
    file, losses = places.exported(tmp_path)
    with file.open(newline="", encoding="utf-8") as opened:
        gone, much = csv.DictReader(opened)
    assert (gone["status"], gone["uri"], gone["reason"]) == ("withdrawn", "https://a.example/", "'-- lost")
    assert (much["uri"], much["who"], much["metadata.number"]) == ("https://a.example/", '["A","B"]', "5")
    assert [each.name for each in losses] == ["names:gone"] + ["names:much"] * 7
    assert [each.reason.partition(",")[0].partition(";")[0] for each in losses] == [
        "a row has no custody",
        "it has several locations",
        "a row has no media type",
        "a row has no alternates",
        "its metadata 'who' becomes a text",
        "its metadata 'number' becomes a text",
        "its metadata 'text' becomes a text",
        "the name of its metadata ' ' ends with a space",
    ]


def test_the_source_csv_reads_it_back_with_withdrawals(places: Places, tmp_path: Path) -> None:
    places.here.mint("names", "-x", records=(Location("https://a.example/?a=%22,b"),), metadata=METADATA, ttl=5)
    gone = places.here.mint("names", "gone", records=(Location("https://a.example/"),))
    places.here.amender.withdraw(gone, "-- lost", None, author="another")
    file, _ = places.exported(tmp_path)
    first, second = source("csv")(file)
    assert isinstance(first, SourceIdentifier)
    assert isinstance(second, SourceIdentifier)
    assert (first.identifier, first.current.metadata, first.current.ttl) == ("names:-x", METADATA, 5)
    assert (second.identifier, second.current.status, second.current.reason) == ("names:gone", "withdrawn", "-- lost")


@pytest.mark.parametrize("form", ["ezid", "ezid-xml"])
def test_the_source_ezid_reads_a_batch_download_back(places: Places, tmp_path: Path, form: str) -> None:
    places.here.add("ark:12345", ChosenRules(pattern=".+", ignores_hyphens=True))
    metadata = {"who": "Lee, A; 100%\nx", "what": "=1 <b>&", "ezid": {"dc.rights": "a: b", "_export": "no"}}
    places.here.mint("ark:12345", "x1", records=(Location("https://a.example/?a=%22&b"),), metadata=metadata)
    places.here.mint("ark:12345", "x2", records=(Location("https://a.example/"),), status="reserved")
    gone = places.here.mint("ark:12345", "x3", records=(Location("https://a.example/"),))
    places.here.amender.withdraw(gone, "lost | for good", None, author="another")
    name = "dump.xml" if form == "ezid-xml" else "dump.txt"
    (tmp_path / name).write_bytes(written(places.here, form, print))
    found = [each for each in source("ezid")(tmp_path / name) if isinstance(each, SourceIdentifier)]
    assert [each.identifier for each in found] == ["ark:/12345/x1", "ark:/12345/x2", "ark:/12345/x3"]
    assert [each.current.status for each in found] == ["active", "reserved", "withdrawn"]
    assert found[2].current.reason == "lost | for good"
    assert found[0].current.locations == (Location("https://a.example/?a=%22&b"),)
    assert dict(found[0].current.metadata) == metadata
