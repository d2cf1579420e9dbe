"""SQL dumps: the values that databases wrote, whatever their characters, and errors where a dump is damaged."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import UsageError
from coolid.migration.dumps import sql_tokens
from coolid.migration.dumps.sql_dumps import Value, is_sql, read_rows
from tests.support.builders.large_files import GeneratedFile, measure_peak

HARD = st.text(st.sampled_from("'\\\"`;,()\n\r\t\0$#-/*N.aé\u2028\x1a%_0 "), max_size=12)
ROWS = st.lists(st.tuples(st.none() | st.text() | HARD, st.none() | HARD), min_size=1, max_size=4)
MYSQL = str.maketrans({"\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z", "'": "\\'", '"': '\\"', "\\": "\\\\"})
COPY = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\v": "\\v", "\f": "\\f"})


def rows_of(content: str | bytes, table: str = "t") -> list[list[Value]]:
    file = BytesIO(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    found = list(read_rows(file, lambda name: name == table))
    assert all(row.values is not None for row in found), found
    return [list(row.values.values()) for row in found if row.values is not None]


def literals(rows: list[tuple[str | None, ...]], quote: Callable[[str], str]) -> str:
    return ", ".join(f"({','.join('NULL' if cell is None else quote(cell) for cell in row)})" for row in rows)


@pytest.mark.parametrize(
    ("beginning", "quote"),
    [
        ("-- MySQL dump 10.13\n", lambda text: f"_utf8mb4 '{text.translate(MYSQL)}'"),
        ("-- phpMyAdmin SQL Dump\n", lambda text: "'" + text.translate(MYSQL).replace("\\'", "''") + "'"),
        ("-- PostgreSQL database dump\n", lambda text: "'" + text.replace("'", "''") + "'::text"),
        (
            "SET standard_conforming_strings = off;",
            lambda text: "'" + text.replace("\\", "\\\\").replace("'", "''") + "'",
        ),
        ("BEGIN;", lambda text: "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"),
        ("SET a = b;", lambda text: "X'" + text.encode().hex() + "'"),
    ],
)
@given(rows=ROWS)
def test_inserted_values_are_read_as_they_were(
    beginning: str, quote: Callable[[str], str], rows: list[tuple[str | None, ...]]
) -> None:
    dump = f"{beginning}INSERT INTO s.t (a, b) VALUES {literals(rows, quote)};\nINSERT INTO u VALUES (1);"  # noqa: S608 - no database runs it
    with patch.object(sql_tokens, "_PIECE_BYTES", 64):
        assert rows_of(dump) == [list(row) for row in rows]


@given(rows=ROWS)
def test_copied_values_are_read_as_they_were(rows: list[tuple[str | None, ...]]) -> None:
    lines = ["\t".join("\\N" if cell is None else cell.translate(COPY) for cell in row) for row in rows]
    dump = "COPY public.t (a, b) FROM stdin;\n" + "".join(f"{line}\n" for line in lines) + "\\.\n"
    with patch.object(sql_tokens, "_PIECE_BYTES", 64):
        assert rows_of(dump) == [list(row) for row in rows]


@given(rows=ROWS)
def test_dumps_of_sqlite_are_read_as_they_were(rows: list[tuple[str | None, ...]]) -> None:
    rows = [tuple(cell and cell.replace("\0", "") for cell in row) for row in rows]  # SQLite ends a text at U+0000
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (a TEXT, b TEXT DEFAULT (1), CHECK (a != ')'))")
    database.executemany("INSERT INTO t VALUES (?, ?)", [row for row in rows if row[0] != ")"])
    dump = "\n".join(database.iterdump())
    database.close()
    assert rows_of(dump) == [list(row) for row in rows if row[0] != ")"]


def test_functions_of_sqlite_around_line_ends_are_computed() -> None:
    assert rows_of(
        r"INSERT INTO t (a, b) VALUES(replace(replace('a\r\nb','\r',char(13)),'\n',char(10)),unistr('\u000ac\\'));"
    ) == [["a\r\nb", "\nc\\"]]


def test_columns_are_those_of_the_definition() -> None:
    dump = """CREATE TABLE IF NOT EXISTS `t` (`key` int(11) DEFAULT '1,2', b enum('x,','y)') COMMENT 'a, b',
        PRIMARY KEY (`key`), KEY `i` (b(10)), CONSTRAINT c FOREIGN KEY (b) REFERENCES u (b)) ENGINE=InnoDB;
        REPLACE INTO `t` VALUES (0x61, -1.5e+10),(DEFAULT,true);"""

    rows = list(read_rows(BytesIO(dump.encode()), lambda table: True))

    assert [row.values for row in rows] == [{"key": "a", "b": "-1.5e+10"}, {"key": None, "b": "true"}]


@pytest.mark.parametrize("values", ["(1)", "(1, 2, 3)", "(now(), 2)", "(1, 2 + 3)", "(1 || 'a', 2)"])
def test_a_row_that_cannot_be_read_has_a_reason(values: str) -> None:
    dump = f"CREATE TABLE t (a int, b int); INSERT INTO t VALUES {values}, (5, 6);"  # noqa: S608 - no database runs it

    found = list(read_rows(BytesIO(dump.encode()), lambda table: True))

    assert [row.values for row in found] == [None, {"a": "5", "b": "6"}]
    assert found[0].reason


@pytest.mark.parametrize(
    "dump",
    [
        "INSERT INTO t (a) VALUES ('b",
        "INSERT INTO t (a) VALUES (1",
        "INSERT INTO t (a) VALUES (1;",
        "INSERT INTO t (a) VALUES (",
        "INSERT INTO t (a",
        "INSERT INTO t VALUES (1);",
        "INSERT t;",
        "COPY t (a) FROM stdin;\n1\n",
        "COPY t (a) FROM",
        "/* no end",
        "CREATE FUNCTION f AS $$ no end",
        f"CREATE TABLE t ({','.join(f'c{number} int' for number in range(1_002))});",
        "INSERT INTO t (a) VALUES ((((1",
        "INSERT INTO t (a) VALUES (" + "replace(" * 5_000,
    ],
)
def test_a_damaged_dump_is_refused(dump: str) -> None:
    with pytest.raises(UsageError):
        list(read_rows(BytesIO(dump.encode()), lambda table: True))


@given(st.binary(max_size=60) | st.text(st.sampled_from("INSERT INTO t VALUES(),';\"`$-/*\\ \n")).map(str.encode))
def test_any_bytes_are_rows_or_a_damaged_dump(content: bytes) -> None:
    with suppress(UsageError):
        list(read_rows(BytesIO(b"INSERT INTO t (a) VALUES " + content), lambda table: True))


def test_a_dump_is_read_in_bounded_memory() -> None:
    line = b"INSERT INTO `t` (`a`) VALUES ('" + b"x" * 10_000 + b"'),('y');\n"

    file = GeneratedFile((line * 10, 60)).binary

    peak = measure_peak(lambda: sum(1 for _ in read_rows(file, lambda table: True)))

    assert peak < 3_000_000


def test_an_overlong_value_is_refused() -> None:
    with patch.object(sql_tokens, "MAX_TOKEN_BYTES", 1_000_000), pytest.raises(UsageError, match="more than"):
        list(read_rows(BytesIO(b"INSERT INTO t VALUES ('" + b"x" * 5_000_000), lambda table: True))


@pytest.mark.parametrize("text", ["CREATE 1/a", "handle,idx", "{}", "20.500/1\n", "copy,url\n", "<a>"])
def test_other_files_are_no_sql(text: str) -> None:
    assert not is_sql(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        *("-- MySQL dump", "/*!40101 SET", "\ufeffSET NAMES utf8;", "\nBEGIN TRANSACTION;", "PRAGMA foreign_keys=OFF;"),
        *(
            "COPY public.t (a) FROM stdin;",
            "INSERT INTO `t`",
            "CREATE TABLE t (",
            "\\restrict a",
            "DROP TABLE IF EXISTS",
        ),
    ],
)
def test_dumps_are_sql(text: str) -> None:
    assert is_sql(text.encode())
