"""The source `handle`: handles of every kind of dump, with their histories, and without secrets."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import UsageError
from coolid.http.dialects.handle.record_mapping import handle_values
from coolid.http.dialects.handle.values import string_data
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Entry, SourceIdentifier, UnreadableEntry
from coolid.migration.sources.handle.values import version_of
from coolid.model.records import WITHDRAWN, Location
from coolid.strict_json import dump
from tests.migration.dumps import VECTORS, identifiers, losses_of, unreadable

URL = {"index": 1, "type": "URL", "data": {"format": "string", "value": "https://a.example/"}, "ttl": 86400}


def entries_of(name: str) -> list[Entry]:
    return list(source("handle")(VECTORS / name))


def read_text(tmp_path: Path, content: str | bytes) -> list[Entry]:
    path = tmp_path / "dump"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(source("handle")(path))


def uris(entry: SourceIdentifier) -> list[str]:
    return [location.uri for location in entry.current.locations]


def test_a_batch_file_makes_versions_of_its_operations() -> None:
    found = identifiers(entries_of("handle_batch.txt"))

    first = found["20.500.12345/1"]
    assert [version.metadata for version in first.versions][-1] == {}
    assert [each["type"] for each in first.versions[1].metadata["handle"]["values"]] == ["URL", "EMAIL", "DESC"]
    assert uris(first) == ["https://archive.example.org/items/1?a=b c"]
    assert losses_of(first) == {"HS_ADMIN", "HS_SECKEY"}
    moved = found["20.500.12345/with space"]
    assert [version.locations[0].uri for version in moved.versions] == [
        "https://archive.example.org/items/2",
        "https://archive.example.org/moved/2",
    ]
    assert moved.current.metadata["handle"]["values"][0]["index"] == 2
    assert found["20.500.12345/gone"].current.status == WITHDRAWN
    assert losses_of(found["20.500.12345/hidden"]) == {"NOTE", "HS_PUBKEY"}


def test_a_batch_file_reports_operations_that_cannot_be_read() -> None:
    found = unreadable(entries_of("handle_batch.txt"))

    assert {each.text: each.position for each in found} == {"20.500.12345/broken": 21, "20.500.12345/elsewhere": 24}
    assert "line 22" in found[0].reason


@pytest.mark.parametrize("name", ["handle_batch.txt", "handle_mysql.sql", "handle_dblist.txt"])
def test_secrets_and_data_of_administrators_are_never_read(name: str) -> None:
    shown = repr(entries_of(name))

    assert "secret" not in shown.replace("it is a secret", "").replace("s3cret", "secret")
    assert "110011111110" not in shown
    assert "for administrators only" not in shown


@pytest.mark.parametrize(
    "line", ["CREATE 1/a{}x", "1 URL 1 1110 UTF8 a{}b", "2 HS_VLIST 1 1110 ADMIN 1:000000000000:a{}b"]
)
def test_long_white_space_is_read_in_linear_time(line: str, tmp_path: Path) -> None:
    text = f"CREATE 1/b\n{line.format(' ' * 900_000)}\n1 URL 1 1110 UTF8 https://a.example/\n"

    assert read_text(tmp_path, text)


def test_a_handle_that_was_created_again_is_not_withdrawn(tmp_path: Path) -> None:
    text = "DELETE 1/a\r\n\r\nCREATE 1/a\r\n1 URL 86400 1110 UTF8 https://a.example/\r\n"

    (entry,) = read_text(tmp_path, text)

    assert isinstance(entry, SourceIdentifier)
    assert [version.status for version in entry.versions] == ["active"]


def test_rows_of_mysql_are_joined_by_handle() -> None:
    found = identifiers(entries_of("handle_mysql.sql"))

    assert list(found) == ["20.500.12345/A", "20.500.12345/B"]
    first, second = found.values()
    assert uris(first) == ["https://archive.example.org/o'neill?a=\\b"]
    assert first.current.since == datetime(2019, 5, 1, 12, 0, 1, tzinfo=UTC)
    assert first.current.metadata["handle"]["values"][1]["data"] == {"format": "base64", "value": "AP8a"}
    assert uris(second) == ["https://b.example/"]
    assert second.current.metadata["handle"]["values"][0]["ttl"] == 3600


def test_rows_of_postgresql_are_joined_by_handle() -> None:
    entries = entries_of("handle_postgresql.sql")

    found = identifiers(entries)
    assert {name: uris(entry) for name, entry in found.items()} == {
        "20.500.12345/1": ["https://a.example/1"],
        "20.500.12345/2": ["https://a.example/2"],
    }
    assert found["20.500.12345/1"].current.metadata["handle"]["values"][1]["ttl"] == "2030-01-01T00:00:00Z"
    assert [each.reason for each in unreadable(entries)] == ["it has 3 values, but the table 12 columns"]


def test_a_dump_may_begin_with_the_definition_of_the_table(tmp_path: Path) -> None:
    text = "CREATE TABLE handles (handle text, idx int, type text, data text);\n"
    text += "INSERT INTO handles VALUES ('1/a', 1, 'URL', 'https://a.example/');"

    (entry,) = read_text(tmp_path, text)

    assert isinstance(entry, SourceIdentifier)
    assert uris(entry) == ["https://a.example/"]


def test_a_csv_of_the_table_is_read(tmp_path: Path) -> None:
    text = "handle,idx,type,data,ttl_type,ttl,timestamp,refs,admin_read,admin_write,pub_read,pub_write\n"
    text += '1/a,1,URL,https://a.example/,0,86400,0,,t,t,t,f\n1/a,2,NOTE,x,0,86400,0,"1:1/b",t,t,f,f\n'

    (entry,) = read_text(tmp_path, text)

    assert isinstance(entry, SourceIdentifier)
    assert (uris(entry), losses_of(entry), entry.current.since) == (["https://a.example/"], {"NOTE"}, None)


def test_a_listing_has_locations_by_weight() -> None:
    entries = entries_of("handle_dblist.txt")

    (entry,) = identifiers(entries).values()
    assert entry.current.locations == (
        Location("https://archive.example.org/items/1", quality=1.0),
        Location("https://mirror.example.org/1", quality=0.25, language="de-AT"),
    )
    assert losses_of(entry) == {"10320/loc label"}
    assert entry.current.since == datetime(2020, 5, 1, 12, tzinfo=UTC)
    assert [each.text for each in unreadable(entries)] == ["0.NA/20.500.12345", "20.500.12345/cut"]


def test_a_listing_that_is_not_utf_8_is_unreadable(tmp_path: Path) -> None:
    (entry,) = read_text(tmp_path, b'1/a\n index=1 type=URL rwr- "https://a.example/\xff"\n')

    assert isinstance(entry, UnreadableEntry)


def test_a_reason_never_contains_data_of_values(tmp_path: Path) -> None:
    (entry,) = read_text(tmp_path, '1/a\n index=300 type=HS_SECKEY rw-- "pass-phrase\n')

    assert isinstance(entry, UnreadableEntry)
    assert "pass-phrase" not in entry.reason


def test_a_listing_of_lines_may_have_data_of_several_lines() -> None:
    entries = entries_of("handle_dbresolve.txt")

    (entry,) = identifiers(entries).values()
    assert entry.current.metadata["handle"]["values"][1]["data"]["value"] == "two\nlines, a/b"
    assert [each.text for each in unreadable(entries)] == ["20.500.12345/2"]


@pytest.mark.parametrize("form", ["{0}", "[{0}, {1}]", "{0}\n{1}\n", "{0}{1}"])
def test_json_of_the_rest_api_is_read(form: str, tmp_path: Path) -> None:
    documents = [
        dump({"responseCode": 1, "handle": "1/a", "values": [URL]}),
        dump({"responseCode": 100, "handle": "1/missing"}),
    ]

    entries = read_text(tmp_path, form.format(*documents))

    assert uris(identifiers(entries)["1/a"]) == ["https://a.example/"]
    assert [each.text for each in unreadable(entries)] == (["1/missing"] if "1" in form else [])


VALUES = st.lists(
    st.fixed_dictionaries(
        {
            "index": st.integers(1, 20),
            "type": st.sampled_from(["URL", "url", "EMAIL", "DESC", "HS_SITE"]),
            "data": st.sampled_from(["https://a.example/", "https://b.example/?x=1"]).map(string_data),
            "ttl": st.sampled_from([0, 3600, 86400, "2030-01-01T00:00:00Z"]),
            "permissions": st.sampled_from(["1110", "1111", "0010"]),
        }
    ),
    unique_by=lambda each: each["index"],
    max_size=6,
)


@given(VALUES)
def test_imported_values_are_those_that_the_handle_api_shows(values: list[dict[str, Any]]) -> None:
    version, losses = version_of(values)

    shown = [each.value.document() for each in handle_values(version.locations, version.metadata)]
    expected = sorted(values, key=lambda each: each["index"])
    assert [each["index"] for each in shown] == [each["index"] for each in expected]
    assert [each["type"].upper() for each in shown] == [each["type"].upper() for each in expected]
    assert [each["data"] for each in shown] == [each["data"] for each in expected]
    assert [each.get("ttl", 86400) for each in shown] == [each["ttl"] for each in expected]
    assert [each.get("permissions", "1110") for each in shown] == [each["permissions"] for each in expected]
    assert not losses


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    content = gzip.compress((VECTORS / "handle_mysql.sql").read_bytes())

    assert len(identifiers(read_text(tmp_path, content))) == 2
    with pytest.raises(UsageError, match="damaged"):
        read_text(tmp_path, content[:-20])


@pytest.mark.parametrize(
    "content",
    ["", "Hello", "<html>", '{"handles": ["1/a"]}', "SQLite format 3\0", "a,b\n1,2\n", "1/a\n1/b\n", "PGDMP\1", "[{"],
)
def test_other_files_are_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_text(tmp_path, content)


@pytest.mark.parametrize(
    "values",
    [
        [{**URL, "type": 5}],
        [{**URL, "index": "x"}],
        [{**URL, "data": {"format": "hex", "value": "00"}}],
        [{**URL, "type": "10320/LOC", "data": "<!DOCTYPE a [<!ENTITY b 'c'>]><locations/>"}],
        [{**URL, "permissions": "1100"}],
        [{"type": None}],
    ],
)
def test_values_that_cannot_be_kept_are_losses(values: list[object], tmp_path: Path) -> None:
    (entry,) = read_text(tmp_path, dump({"handle": "1/a", "values": values}))

    assert isinstance(entry, SourceIdentifier)
    assert entry.current.locations == ()
    assert entry.losses


def test_a_damaged_line_of_json_lines_is_one_entry(tmp_path: Path) -> None:
    line = dump({"handle": "1/a", "values": [URL]})

    entries = read_text(tmp_path, f'{line}\n{line}\n{{"handle"\n{line}\n')

    assert [isinstance(each, UnreadableEntry) for each in entries] == [False, False, True, False]
