"""The source `datacite`: the properties of DOIs in JSON and XML, the states, and hostile XML."""

from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from coolid.errors import UsageError
from coolid.http.formats.citations import datacite, datacite_xml
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Entry, SourceIdentifier
from coolid.migration.sources.datacite import reader
from coolid.model.records import RESERVED, Location
from coolid.strict_json import dump
from tests.migration.dumps import VECTORS, identifiers, losses_of, unreadable
from tests.support.builders.complete_record import complete_record

read = source("datacite")


def read_text(tmp_path: Path, content: str | bytes) -> list[Entry]:
    path = tmp_path / "dump"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read(path))


def test_a_page_of_the_api_has_properties_states_and_dates() -> None:
    entries = list(read(VECTORS / "datacite_page.json"))

    first, draft, hidden = identifiers(entries).values()
    assert first.current.metadata == {
        "creators": [{"name": "Lind, Anna", "nameType": "Personal", "givenName": "Anna", "familyName": "Lind"}],
        "titles": [{"title": "Harbour"}],
        "publisher": "Archive of Photographs",
        "publicationYear": 2021,
        "types": {
            "ris": "FIGURE",
            "bibtex": "misc",
            "citeproc": "graphic",
            "schemaOrg": "ImageObject",
            "resourceType": "Photograph",
            "resourceTypeGeneral": "Image",
        },
        "dates": [{"date": "1931", "dateType": "Created"}],
        "alternateIdentifiers": [{"alternateIdentifierType": "ARK", "alternateIdentifier": "ark:/12345/x5abc"}],
        "relatedIdentifiers": [
            {"relationType": "IsIdenticalTo", "relatedIdentifier": "20.500.12345/7", "relatedIdentifierType": "Handle"},
            {"relationType": "Cites", "relatedIdentifier": "10.5072/other", "relatedIdentifierType": "DOI"},
        ],
        "formats": ["image/tiff"],
        "version": "1.0",
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    assert first.current.alternates == (
        {"scheme": "ARK", "identifier": "ark:/12345/x5abc"},
        {"scheme": "Handle", "identifier": "20.500.12345/7"},
    )
    assert first.current.locations == (Location("https://archive.example.org/abc-1"),)
    assert first.created == datetime(2021, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert first.current.since == datetime(2022, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert losses_of(first) == {"contentUrl"}
    assert (draft.identifier, draft.current.status, draft.current.locations) == ("10.5072/draft", RESERVED, ())
    assert hidden.current.metadata == {"ezid": {"_export": "no"}}
    assert [each.text for each in unreadable(entries)] == ["example.archive"]


def test_a_harvest_of_xml_has_a_document_for_each_element() -> None:
    entries = list(read(VECTORS / "datacite_oai.xml"))

    first, second = identifiers(entries).values()
    assert first.current.metadata == {
        "creators": [{"name": "Lind, Anna"}],
        "titles": [{"title": "Harbour & pier"}],
        "publisher": {"name": "Archive of Photographs"},
        "publicationYear": "2021",
        "descriptions": [{"description": "First line\nsecond line", "descriptionType": "Abstract"}],
        "geoLocations": [
            {
                "geoLocationPoint": {"pointLatitude": "46.2", "pointLongitude": "6.1"},
                "geoLocationBox": {
                    "southBoundLatitude": "45",
                    "westBoundLongitude": "5",
                    "northBoundLatitude": "47",
                    "eastBoundLongitude": "7",
                },
            }
        ],
    }
    assert (second.identifier, losses_of(second)) == ("ark:/12345/x5abc", {"url", "identifierType"})
    assert [each.position for each in unreadable(entries)] == [3, 4]


@pytest.mark.parametrize("form", ["xml", "json"])
def test_an_import_of_our_own_export_has_the_same_description(form: str, tmp_path: Path) -> None:
    original = complete_record()
    written = datacite_xml.write(original) if form == "xml" else datacite.write(original)

    (entry,) = read_text(tmp_path, written)

    assert isinstance(entry, SourceIdentifier)
    imported = replace(original, metadata=entry.current.metadata, alternates=entry.current.alternates, records=())
    expected = replace(original, records=())
    properties, wanted = datacite.properties(imported), datacite.properties(expected)
    for name in ("formats", "sizes", "alternateIdentifiers"):  # these also describe the files of the record
        properties.pop(name, None)
        wanted.pop(name, None)
    assert properties == wanted


def test_an_archive_of_files_is_read(tmp_path: Path) -> None:
    path = tmp_path / "dump.zip"
    with ZipFile(path, "w") as archive:
        archive.write(VECTORS / "datacite_oai.xml", "a/one.xml")
        archive.write(VECTORS / "datacite_page.json", "two.json")
        archive.writestr("__MACOSX/._one.xml", "\0")
        archive.writestr("README.txt", "Hello")
        archive.writestr("empty.xml", "")
        archive.writestr("last.json", '[{"doi": "10.5072/last"}, {')

    entries = list(read(path))

    assert [each.position for each in entries] == list(range(1, 13))
    assert len(identifiers(entries)) == 5
    assert [each.text for each in unreadable(entries)] == [
        *("(:tba)", "", "example.archive"),
        *("README.txt", "empty.xml", "last.json"),
    ]


ENTITIES = '<!DOCTYPE resource [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
DOCUMENT = '<resource><identifier identifierType="DOI">10.5072/x</identifier>{}</resource>'


@pytest.mark.parametrize(
    "content",
    [
        ENTITIES + DOCUMENT.format("<titles><title>&a;&b;</title></titles>"),
        DOCUMENT.format(ENTITIES),
        DOCUMENT.format("<a>" * 200 + "</a>" * 200),
        DOCUMENT.format("<titles><title>" + "x" * 400_000 + "</title></titles>"),
        DOCUMENT.format("<titles xmlns:a='b' a:c='1' a:c='2'/>"),
        DOCUMENT.format("\xff").encode("latin-1"),
    ],
)
def test_hostile_xml_is_one_unreadable_entry(content: str | bytes, tmp_path: Path) -> None:
    (entry,) = read_text(tmp_path, content)

    assert unreadable([entry])
    assert "root:" not in repr(entry)


@pytest.mark.parametrize("content", ["", "doi,url\n", "<html></html>", "<resource>", "<resource><a/>", "{", "\xff"])
def test_other_files_are_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_text(tmp_path, content)


def test_an_endless_document_is_refused(tmp_path: Path) -> None:
    with patch.object(reader, "_MAX_BYTES", 100_000), pytest.raises(UsageError, match="no end"):
        read_text(tmp_path, "<resource>" + "x" * 300_000)


def test_documents_are_found_across_the_pieces_of_a_file(tmp_path: Path) -> None:
    with patch.object(reader, "_PIECE_BYTES", 7):
        entries = list(read(VECTORS / "datacite_oai.xml"))

    assert len(identifiers(entries)) == 2


@pytest.mark.parametrize(
    "document",
    [
        1,
        {},
        {"doi": 5},
        {"doi": "10.1/x", "state": "lost"},
        {"attributes": []},
        {"doi": "10.1/x", "titles": 5, "url": {}},
    ],
)
def test_odd_documents_are_entries(document: object, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, dump([document]))) == 1
