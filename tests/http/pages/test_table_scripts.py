"""Tables of people in the browser: kinds of files, separators, encodings, and what columns mean."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http.pages.script_calls import Calls, calls_in
from tests.support.effort import examples

LISTS = examples(25)
TABLE = [["Titel", "Künstler", "Link"], ["Hafen; Westseite", 'Lind, "Anna"', "https://a.example/1"], ["", "", ""]]
PIECES = """
import { examine } from "./manage/file-kinds.js";
import { convertedObjects, convertedTable, readObjects, readTable } from "./manage/tables.js";
import { CsvReader, separatorOf, written } from "./manage/csv.js";

const fileOf = (octets, name) => Object.assign(new Blob([new Uint8Array(octets)]), { name });
export const kind = (octets, name = "table.csv") => examine(fileOf(octets, name));
export const table = async (octets, encoding) => readTable(fileOf(octets), encoding);
export const objects = async (octets, encoding) => readObjects(fileOf(octets), encoding);
export const converted = async (octets, encoding, added, separator) =>
  (await convertedTable(fileOf(octets), encoding, added, separator)).text();
export const renamed = async (octets, encoding, fields, added) =>
  (await convertedObjects(fileOf(octets), encoding, fields, added)).text();
export const separator = (text) => separatorOf(text);
// The rows of a text that arrives in pieces.
export const rows = (pieces, separator) => {
  const reader = new CsvReader(separator);
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.finish()];
};
export const write = (rows, separator) => rows.map((row) => written(row, separator)).join("");
"""
cell = st.text('ab,;\t"\n\r| é=', max_size=6)
rows = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=5)
)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    """Calls functions of the scripts, which receive files as lists of octets."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "content.js").write_text(PIECES, encoding="utf-8")
    with calls_in(folder) as calls:
        yield calls


def octets(content: bytes) -> list[float]:
    return [float(each) for each in content]


def written(table: list[list[str]], separator: str, line_end: str = "\r\n") -> str:
    file = StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator=line_end).writerows(table)
    return file.getvalue()


class TestKinds:
    @pytest.mark.parametrize(
        ("content", "name", "kind"),
        [
            (b"PK\x03\x04...", "items.xlsx", "workbook"),
            (b"PK\x03\x04...", "items.ods", "workbook"),
            (b"PK\x03\x04...", "items.zip", "archive"),
            (b"\xd0\xcf\x11\xe0...", "items.xls", "workbook"),
            (b"\xd0\xcf\x11\xe0...", "items.csv", "workbook"),
            (b"\x1f\x8b...", "items.csv.gz", "archive"),
            (b"%PDF-1.7", "items.pdf", "document"),
            (b"{\\rtf1", "items.rtf", "document"),
            (b"<html><table>", "items.xls", "markup"),
            (b'<?xml version="1.0"?>', "items.xml", "markup"),
            (b'[{"uri": "https://a.example/"}]', "items.json", "array"),
            (b"\x89PNG\x00\x00\x01", "items.png", "binary"),
            (b"", "items.csv", "empty"),
            (b"\xef\xbb\xbf \r\n", "items.csv", "empty"),
            (b'{"uri": "https://a.example/"}', "items.jsonl", "jsonl"),
            (b"[Title],uri", "items.csv", "csv"),
            (b"uri,what", "items", "csv"),
        ],
    )
    def test_a_file_that_is_no_table_is_named(self, content: bytes, name: str, kind: str, scripts: Calls) -> None:
        (found,) = scripts([("content.kind", octets(content), name)])
        assert found["kind"] == kind

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r"])
    def test_each_export_of_a_spreadsheet_is_read_alike(
        self, encoding: str, separator: str, line_end: str, scripts: Calls
    ) -> None:
        content = octets(written(TABLE, separator, line_end).encode(encoding))
        (kind,) = scripts([("content.kind", content)])
        assert kind["kind"] == "csv"
        found, converted = scripts([
            ("content.table", content, kind["encoding"]), ("content.converted", content, kind["encoding"], {}, ","),
        ])  # fmt: skip
        assert found["header"] == TABLE[0]
        assert found["rows"] == TABLE[1:2]
        assert (found["count"], found["isOpen"]) == (1, 0)
        assert list(csv.reader(StringIO(converted, newline=""))) == TABLE[:2]

    def test_letters_late_in_a_file_decide_too(self, scripts: Calls) -> None:
        content = (
            b"uri,what\r\n" + b"https://a.example/,plain\r\n" * 5_000 + "https://a.example/,Übung\r\n".encode("cp1252")
        )
        (kind,) = scripts([("content.kind", octets(content))])
        assert kind == {"kind": "csv", "encoding": "windows-1252"}
        (table,) = scripts([("content.table", octets(content), "windows-1252")])
        assert (table["count"], table["special"]) == (5_001, "Übung")


class TestTables:
    @LISTS
    @given(table=rows, separator=st.sampled_from(",;\t|"), cuts=st.lists(st.integers(0, 60), max_size=4))
    def test_what_is_written_is_read_however_it_arrives(
        self, table: list[list[str]], separator: str, cuts: list[int], scripts: Calls
    ) -> None:
        (text,) = scripts([("content.write", table, separator)])
        assert list(csv.reader(StringIO(text, newline=""), delimiter=separator)) == table
        ends = [0, *sorted(cuts), len(text)]
        pieces = [text[start:end] for start, end in pairwise(ends)]
        assert scripts([("content.rows", pieces, separator)]) == [table]

    def test_excels_instruction_and_missing_cells_are_understood(self, scripts: Calls) -> None:
        content = "sep=;\r\nuri;what;;what\r\nhttps://a.example/,1;Tea\r\n\r\nhttps://a.example/2;;;;\r\n;;;\r\n"
        found, converted = scripts([
            ("content.table", octets(content.encode()), "utf-8"),
            ("content.converted", octets(content.encode()), "utf-8", {"why": "so"}, ","),
        ])  # fmt: skip
        assert found["header"] == ["uri", "what", "Column C", "what 2"]
        assert (found["count"], found["blanks"]) == (2, 1), "rows at the end that are empty do not matter"
        assert converted.splitlines() == [
            "uri,what,Column C,what 2,why", '"https://a.example/,1",Tea,,,so', "https://a.example/2,,,,so",
        ]  # fmt: skip

    def test_a_quotation_mark_that_is_never_closed_is_found(self, scripts: Calls) -> None:
        (found,) = scripts([("content.table", octets(b'uri,what\na,b\nc,"d\ne,f\ng,h\n'), "utf-8")])
        assert found["isOpen"] == 2

    def test_a_comma_within_cells_separates_nothing(self, scripts: Calls) -> None:
        texts = ["a;b\n1,5;2,5\n", "name\n", "a,b\nx;y;z,1\n", "a\tb, c\n1\t2\n", 'a,"b;c;d"\n1,2\n']
        assert scripts([("content.separator", text) for text in texts]) == [";", ",", ",", "\t", ","]

    def test_members_of_objects_are_columns(self, scripts: Calls) -> None:
        lines = [
            {"uri": "https://a.example/", "metadata": {"what": "Tee", "subjects": ["a"]}},
            {"Autor": "b", "ttl": 5},
        ]
        content = octets("\r\n".join(json.dumps(each, ensure_ascii=False) for each in lines).encode("utf-16"))
        (found,) = scripts([("content.objects", content, "utf-16le")])
        assert found["header"] == ["uri", "metadata.what", "metadata.subjects", "Autor", "ttl"]
        assert found["rows"] == [["https://a.example/", "Tee", '["a"]', "", ""], ["", "", "", "b", "5"]]
        fields = {"uri": "uri", "metadata.what": "what", "metadata.subjects": "", "Autor": "who", "ttl": "ttl"}
        (text,) = scripts([("content.renamed", content, "utf-16le", fields, {"reason": "so"})])
        assert [json.loads(line) for line in text.splitlines()] == [
            {"uri": "https://a.example/", "metadata": {"what": "Tee"}, "reason": "so"},
            {"metadata": {"who": "b"}, "ttl": 5, "reason": "so"},
        ]

    def test_a_line_that_is_no_object_remains_for_the_service_to_refuse(self, scripts: Calls) -> None:
        content = octets(b'{"uri": 1}\n{"uri\n\n[1]\n{"later": null}')
        (text,) = scripts([("content.renamed", content, "utf-8", {"uri": "uri"}, {})])
        assert text.splitlines() == ['{"uri":1}', '{"uri', "[1]", '{"later":null}']


def guesses(scripts: Calls, *calls: tuple[Any, ...]) -> list[str]:
    return ["|".join(each) for each in scripts([("manage/fields.guessFields", *each) for each in calls])]


class TestColumns:
    @pytest.mark.parametrize(
        ("header", "fields"),
        [
            ("Title,Creator,Year,Link", "what,who,when,uri"),
            ("Titel,Verfasser,Jahr,Ziel-URL", "what,who,when,uri"),
            ("Titre,Auteur,Année,Adresse web", "what,who,when,uri"),
            ("Título,Autor,Fecha,Enlace", "what,who,when,uri"),
            ("Titolo,Autore,Anno,Collegamento", "what,who,when,uri"),
            ("Название,Автор,Год,Ссылка", "what,who,when,uri"),
            ("タイトル,作者,日付,リンク", "what,who,when,uri"),
            ("dc:title,dc.creator,dcterms_issued,target", "what,who,when,uri"),
            ("dc.title[de],DC Creator,datePublished,href", "what,who,when,uri"),
            ("TITLE*,Author(s),Publication year,Target URL", "what,who,when,uri"),
            ("Titles,Fotografin,Dates,Links", "what,who,when,uri"),
            ("Object title,photographerName,date_created,web address", "what,who,when,uri"),
            ("uri,what,metadata.subjects,Rights", "uri,what,metadata.subjects,license"),
            ("Old URL,New URL,Title,Other title", ",uri,what,"),
            ("ID,Name,URL,status", ",what,uri,status"),
            ("pid,status,error,uri", ",,,uri"),
        ],
    )
    def test_names_in_several_languages_and_spellings_are_understood(
        self, header: str, fields: str, scripts: Calls
    ) -> None:
        assert guesses(scripts, ("mint", header.split(","))) == [fields.replace(",", "|")]

    def test_each_operation_has_its_own_fields(self, scripts: Calls) -> None:
        header = ["ARK", "Titel", "Grund", "Ersetzt durch", "Neue URL", "Alte URL", "state"]
        operations = ("retarget", "update", "withdraw", "publish")
        assert guesses(scripts, *((each, header) for each in operations)) == [
            "pid||||uri||", "pid|what|||uri||", "pid||reason|successor|||state", "pid||||||",
        ]  # fmt: skip

    def test_cells_decide_where_names_do_not(self, scripts: Calls) -> None:
        rows = [
            ["ark:99999/fk4x", "https://a.example/1", "x"],
            ["https://id.example/demo:1", "https://a.example/2", ""],
        ]
        assert guesses(scripts, ("retarget", ["A", "B", "C"], rows, "https://id.example")) == ["pid|uri|"]
        assert guesses(scripts, ("mint", ["A", "B", "C"], rows, "https://id.example")) == ["|uri|"]

    def test_a_field_is_needed_once(self, scripts: Calls) -> None:
        check = "manage/fields.checkFields"
        checked = scripts([(check, "retarget", ["pid", ""]), (check, "mint", ["uri", "what", "what"])])
        assert checked == [{"missing": ["uri"], "repeated": []}, {"missing": [], "repeated": ["what"]}]
