"""The source `ezid`: batch downloads in all three forms."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from coolid.errors import UsageError
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.migration.sources.ezid.element_blocks import MAX_BLOCK_BYTES
from coolid.model.records import Location

RESOURCE = (
    '<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Tea &amp; more</title></titles></resource>'
)
ANVL = f""":: ark:/99999/fk4gt78tq
_created: 1300812337
_export: yes
_owner: apitest
_ownergroup: apitest
_profile: erc
_status: public
_target: http://www.gutenberg.org/ebooks/7178
_updated: 1300913550
erc.what: Remembrance of Things Past
erc.when: 1922
erc.who: Proust, Marcel

:: doi:10.5072/FK2S75905Q
_created: 1421276359
_datacenter: CDL.CDL
_export: no
_profile: datacite
_status: unavailable | withdrawn 100%25 by author
_target: https://ezid.cdlib.org/id/doi:10.5072/FK2S75905Q
_updated: 1421276359
datacite: <?xml version="1.0"?>%0A{RESOURCE}
"""
CSV = (
    "_id,_created,_export,_owner,_ownergroup,_profile,_status,_target,_updated,erc.what,erc.when,erc.who,datacite\n"
    "ark:/99999/fk4gt78tq,2011-03-22T16:45:37Z,yes,apitest,apitest,erc,public,http://www.gutenberg.org/ebooks/7178,"
    '2011-03-23T20:52:30Z,Remembrance of Things Past,1922,"Proust, Marcel",\n'
    "doi:10.5072/FK2S75905Q,1421276359,no,,,datacite,unavailable | withdrawn 100% by author,"
    "https://ezid.cdlib.org/id/doi:10.5072/FK2S75905Q,1421276359,,,,"
    f""""<?xml version=""1.0""?> {RESOURCE.replace('"', '""')}"\n"""
)
XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<records>
  <record identifier="ark:/99999/fk4gt78tq">
    <element name="_created">1300812337</element><element name="_export">yes</element>
    <element name="_owner">apitest</element><element name="_ownergroup">apitest</element>
    <element name="_profile">erc</element><element name="_status">public</element>
    <element name="_target">http://www.gutenberg.org/ebooks/7178</element>
    <element name="_updated">1300913550</element>
    <element name="erc.what">Remembrance of Things Past</element>
    <element name="erc.when">1922</element><element name="erc.who">Proust, Marcel</element>
  </record>
  <record identifier="doi:10.5072/FK2S75905Q">
    <element name="_created">1421276359</element><element name="_datacenter">CDL.CDL</element>
    <element name="_export">no</element><element name="_profile">datacite</element>
    <element name="_status">unavailable | withdrawn 100% by author</element>
    <element name="_target">https://ezid.cdlib.org/id/doi:10.5072/FK2S75905Q</element>
    <element name="_updated">1421276359</element>
    <element name="datacite">
      {RESOURCE}
    </element>
  </record>
</records>
"""
DUMPS = {"anvl": ANVL, "csv": CSV, "xml": XML}


def read(path: Path, text: str) -> list[Entry]:
    path.write_text(text, encoding="utf-8")
    return [*source("ezid")(path)]


@pytest.mark.parametrize("form", DUMPS)
def test_all_forms_give_the_same_identifiers(tmp_path: Path, form: str) -> None:
    ark, doi = read(tmp_path / "dump", DUMPS[form])
    assert isinstance(ark, SourceIdentifier)
    assert ark.versions == (
        SourceVersion(
            locations=(Location("http://www.gutenberg.org/ebooks/7178"),),
            metadata={"who": "Proust, Marcel", "what": "Remembrance of Things Past", "when": "1922"},
            since=datetime.fromtimestamp(1300913550, UTC),
        ),
    )
    assert (ark.identifier, ark.created, ark.losses) == (
        "ark:/99999/fk4gt78tq",
        datetime.fromtimestamp(1300812337, UTC),
        (),
    )
    assert isinstance(doi, SourceIdentifier)
    assert (doi.current.status, doi.current.reason) == ("withdrawn", "withdrawn 100% by author")
    assert doi.current.locations == ()
    stored = doi.current.metadata["ezid"]
    assert (stored["_export"], doi.current.metadata["what"]) == ("no", "Tea & more")
    separator = " " if form == "csv" else "\n"
    assert stored["datacite"] == f'<?xml version="1.0"?>{separator}{RESOURCE}'


@pytest.mark.parametrize("suffix", ["gz", "zip"])
def test_zipped_downloads_are_read_as_they_are(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"dump.{suffix}"
    if suffix == "zip":
        with ZipFile(path, "w") as archive:
            archive.writestr("dump.xml", XML)
    else:
        path.write_bytes(gzip.compress(XML.encode()))
    assert [*source("ezid")(path)] == read(tmp_path / "dump.xml", XML)


def test_columns_that_ezid_derives_fill_what_no_element_says(tmp_path: Path) -> None:
    header = "_id,_status,_mappedCreator,_mappedTitle,erc.what,_colour\n"
    [entry] = read(tmp_path / "dump", f'{header}ark:/99999/fk4a,reserved,"Lind, Anna",Port,Harbour,red\n')
    assert isinstance(entry, SourceIdentifier)
    assert entry.current.status == "reserved"
    assert entry.current.metadata == {"who": "Lind, Anna", "what": "Harbour"}
    assert entry.losses == (Loss("_colour", "no element of this name is kept", "red"),)


@pytest.mark.parametrize(
    ("text", "position", "identifier", "reason"),
    [
        (":: ark:/99999/fk4a\n_status: gone\n", 1, "ark:/99999/fk4a", "_status"),
        (":: ark:/99999/fk4a\nno colon\n", 1, "ark:/99999/fk4a", "not ANVL"),
        (f":: ark:/99999/fk4a\n{'erc.who: a' * 100_001}\n", 1, "ark:/99999/fk4a", "more than"),
        ("::\n_status: public\n", 1, "", "two colons"),
        ("_id,_status\n,public\n", 2, "", "no identifier"),
        ("_id,_status\nark:/99999/fk4a\n", 2, "", "1 cells"),
        ("<records><record/></records>", 1, "", "no identifier"),
        (
            f'<records><record identifier="a"><element>{"x" * (MAX_BLOCK_BYTES + 1)}</element></record></records>',
            1,
            "a",
            "more than",
        ),
    ],
    ids=["status", "anvl", "long line", "nameless", "nameless row", "short row", "nameless record", "large record"],
)
def test_an_entry_that_cannot_be_read_is_named(
    tmp_path: Path, text: str, position: int, identifier: str, reason: str
) -> None:
    [entry] = read(tmp_path / "dump", text)
    assert isinstance(entry, UnreadableEntry)
    assert (entry.position, entry.text) == (position, identifier)
    assert reason in entry.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "identifier,target\n",
        "_id,_id\n",
        '_id,_status\n"a"b,c\n',
        "<records><record identifier='a'>",
        "<html/>",
        "<records><element/></records>",
        "<!DOCTYPE records [<!ENTITY a 'b'>]><records/>",
        f"<records><record identifier='a'><element name='b'>{'<c>' * 200}",
    ],
)
def test_a_file_that_is_no_whole_batch_download_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        read(tmp_path / "dump", text)


def test_times_that_are_none_are_lost(tmp_path: Path) -> None:
    [entry] = read(tmp_path / "dump", ":: ark:/99999/fk4a\n_created: 99999999999999999\n_updated: soon\n")
    assert isinstance(entry, SourceIdentifier)
    assert [(each.name, each.value) for each in entry.losses] == [("_updated", "soon"), ("_created", "9" * 17)]


def test_of_too_large_elements_the_largest_are_lost_and_the_others_stay(tmp_path: Path) -> None:
    blocks = f"datacite: {'x' * 250_000}\ncrossref: {'y' * 100_000}\n"
    [entry] = read(tmp_path / "dump", f":: ark:/99999/fk4a\n_export: no\nerc.what: Harbour\n{blocks}")
    assert isinstance(entry, SourceIdentifier)
    assert [each.name for each in entry.losses] == ["datacite"]
    assert entry.current.metadata["ezid"] == {"_export": "no", "crossref": "y" * 100_000}
    assert entry.current.metadata["what"] == "Harbour"
