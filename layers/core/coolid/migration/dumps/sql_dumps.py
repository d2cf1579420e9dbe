r"""Rows of an SQL dump: `INSERT` of PostgreSQL, MySQL and SQLite, and `COPY … FROM stdin` of PostgreSQL.

Sources: the formats of `pg_dump` (PostgreSQL 17, "COPY", text format), `mysqldump` and phpMyAdmin (several rows in one
`INSERT`), and the `.dump` command of SQLite (`replace(…, '\n', char(10))`, `unistr(…)`). The columns are those of the
statement, else of the table's `CREATE TABLE`. All other statements are skipped, and nothing is executed.

>>> from io import BytesIO
>>> dump = b"CREATE TABLE t (a int, b text, PRIMARY KEY (a));\nINSERT INTO t VALUES (1, 'x'), (2, NULL);"
>>> [dict(row.values) for row in read_rows(BytesIO(dump), lambda table: True)]
[{'a': '1', 'b': 'x'}, {'a': '2', 'b': None}]
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.migration.dumps.sql_tokens import Kind, SqlTokens, Token, unescape
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK

Value = str | bytes | None
"""A text or number as text, the bytes of a value that is not UTF-8, or NULL."""

MAX_COLUMNS: Final = 1_000
MAX_DEPTH: Final = 50
_BEGINNING: Final = re.compile(
    rb"""\s*(?:--|/\*|\\(?:un)?restrict\b|(?:CREATE|DROP)\s+(?:TABLE|SCHEMA|DATABASE|SEQUENCE|TYPE|EXTENSION|INDEX)\s
    |(?:INSERT|REPLACE)\s+(?:IGNORE\s+|OR\s+\w+\s+)?INTO\b|COPY\s+\S+\s*[(F]|BEGIN(?:\s+TRANSACTION)?\s*;
    |PRAGMA\s|SET\s+(?:NAMES\b|[@\w.]+\s*(?:=|TO\b))|START\s+TRANSACTION\b|(?:UN)?LOCK\s+TABLES\b|USE\s+[`\w])""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_COLUMNS: Final = (
    b"PRIMARY", b"KEY", b"UNIQUE", b"CONSTRAINT", b"INDEX", b"FULLTEXT", b"SPATIAL", b"FOREIGN", b"CHECK", b"EXCLUDE",
    b"LIKE", b"PERIOD",
)  # fmt: skip
_END_OF_DATA: Final = rb"\."
_NULL: Final = rb"\N"


class SqlRow(Struct, frozen=True):
    """A row of a table without its schema; `values` is None if it does not fit the columns, for the `reason`."""

    table: str
    values: Mapping[str, Value] | None
    reason: str = ""


def is_sql(beginning: bytes) -> bool:
    """Return whether a file that begins so is an SQL dump.

    >>> is_sql(b"-- MySQL dump 10.13"), is_sql(b"CREATE 20.500.1/abc")
    (True, False)
    """
    return _BEGINNING.match(beginning.removeprefix(BYTE_ORDER_MARK)) is not None


def read_rows(file: BinaryIO, is_wanted: Callable[[str], bool]) -> Iterator[SqlRow]:
    """Yield the rows of the tables whose names, in lower case, are wanted. Raises `UsageError` where it is damaged."""
    return _Dump(SqlTokens(file), is_wanted).rows()


class _Dump:
    """A dump, and the columns of its tables so far."""

    def __init__(self, tokens: SqlTokens, is_wanted: Callable[[str], bool]) -> None:
        self._tokens = tokens
        self._is_wanted = is_wanted
        self._columns: dict[str, list[str]] = {}
        self._has_wanted = False
        self._depth = 0

    def rows(self) -> Iterator[SqlRow]:
        while (token := self._tokens.take()).kind is not Kind.END:
            if token.is_word(b"INSERT", b"REPLACE"):
                yield from self._inserted()
            elif token.is_word(b"COPY"):
                yield from self._copied()
            elif token.is_word(b"CREATE"):
                self._created()
            elif token.is_symbol(b"\\"):  # a command of psql, as `\restrict`
                self._tokens.take_line()
            elif not token.is_symbol(b";"):
                self._skip_statement()
        if not self._has_wanted:
            raise UsageError("the SQL dump has no table with identifiers")

    def _created(self) -> None:
        tokens = self._tokens
        while tokens.peek().is_word(b"TEMPORARY", b"TEMP", b"UNLOGGED", b"GLOBAL", b"LOCAL"):
            tokens.take()
        if not tokens.peek().is_word(b"TABLE"):
            self._skip_statement()
            return
        tokens.take()
        while tokens.peek().is_word(b"IF", b"NOT", b"EXISTS"):
            tokens.take()
        table = self._table()
        if self._is_wanted(table) and tokens.peek().is_symbol(b"("):
            self._columns[table] = self._definitions()
        self._skip_statement()

    def _definitions(self) -> list[str]:
        """Return the columns that a `CREATE TABLE` defines between its parentheses."""
        names: list[str] = []
        depth, is_first = 0, True
        while (token := self._tokens.take()).kind is not Kind.END:
            if token.is_symbol(b"("):
                depth += 1
            elif token.is_symbol(b")"):
                depth -= 1
                if not depth:
                    break
            elif token.is_symbol(b",") and depth == 1:
                is_first = True
            elif is_first and depth == 1:
                is_first = False
                if not token.is_word(*_NOT_COLUMNS):
                    names.append(_name(token))
            if len(names) > MAX_COLUMNS:
                raise self._damage(f"a table has more than {MAX_COLUMNS} columns")
        return names

    def _inserted(self) -> Iterator[SqlRow]:
        tokens = self._tokens
        while not (token := tokens.take()).is_word(b"INTO"):
            if token.kind is not Kind.WORD:
                raise self._damage("INSERT without INTO")
        table = self._table()
        columns = self._names() if tokens.peek().is_symbol(b"(") else self._columns.get(table)
        while not tokens.peek().is_word(b"VALUES", b"VALUE"):
            token = tokens.take()
            if token.kind is Kind.END or token.is_symbol(b";"):  # INSERT … SELECT
                return
        tokens.take()
        while tokens.peek().is_symbol(b"("):
            values, problem = self._row()
            if self._is_wanted(table):
                yield _row(table, self._required(table, columns), values, problem)
            if not tokens.peek().is_symbol(b","):
                break
            tokens.take()
        self._skip_statement()

    def _row(self) -> tuple[list[Value], str]:
        """Return the values between two parentheses, and what is wrong with them."""
        tokens = self._tokens
        values: list[Value] = []
        problem = ""
        tokens.take()
        if tokens.peek().is_symbol(b")"):
            tokens.take()
            return [], ""
        while True:
            value, reason = self._value()
            problem = problem or reason
            if len(values) <= MAX_COLUMNS:
                values.append(value)
            end = tokens.take()
            if end.is_symbol(b")"):
                return values, problem
            if not end.is_symbol(b","):
                raise self._damage("a row of an INSERT has no end")

    def _value(self) -> tuple[Value, str]:
        """Return a value, and the reason if it cannot be read. The next token is then a comma or parenthesis."""
        token = self._tokens.take()
        problem = ""
        if token.kind is Kind.WORD and token.content.startswith(b"_") and self._tokens.peek().kind is Kind.STRING:
            token = self._tokens.take()  # a character set before a string of MySQL
        if token.kind is Kind.WORD and self._tokens.peek().is_symbol(b"("):
            value, problem = self._call(token)
        else:
            value = _plain_value(token)
            if token.kind in (Kind.SYMBOL, Kind.END):
                raise self._damage("a value is missing")
        depth = 0
        while not (depth == 0 and any(map(self._tokens.peek().is_symbol, (b",", b")")))):  # a type, as `::text`
            token = self._tokens.take()
            depth += token.is_symbol(b"(") - token.is_symbol(b")")
            if token.kind is Kind.END or token.is_symbol(b";"):
                raise self._damage("a row of an INSERT has no end")
            if not (token.is_symbol(b":") or token.kind is Kind.WORD or depth or token.is_symbol(b")")):
                problem = problem or "it has an expression that cannot be read"
        return value, problem

    def _call(self, name: Token) -> tuple[Value, str]:
        """Return the value of a function that SQLite writes around texts with line ends."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._damage(f"functions are nested more than {MAX_DEPTH} deep")
        arguments, problem = self._row()
        self._depth -= 1
        match name.content.lower(), arguments:
            case b"replace", [str(text), str(old), str(new)] if old:
                return text.replace(old, new), problem
            case b"char", [str(code)] if code.isdecimal() and int(code) < 0xD800:
                return chr(int(code)), problem
            case b"unistr", [str(text)]:
                return _unistr(text), problem
        return None, problem or f"it has the function {name.content[:50].decode(errors='replace')}"

    def _copied(self) -> Iterator[SqlRow]:
        tokens = self._tokens
        table = self._table()
        columns = self._names() if tokens.peek().is_symbol(b"(") else self._columns.get(table)
        is_data = False
        while not (token := tokens.take()).is_symbol(b";"):
            is_data = is_data or token.is_word(b"STDIN")
            if token.kind is Kind.END:
                raise self._damage("COPY has no end")
        if not is_data:
            return
        tokens.take_line()
        while (line := tokens.take_line()) != _END_OF_DATA:
            if line is None:
                raise self._damage(f"the data of the table {table} have no end")
            if self._is_wanted(table):
                cells = line.split(b"\t")
                values = [None if cell == _NULL else _text(unescape(cell) if b"\\" in cell else cell) for cell in cells]
                yield _row(table, self._required(table, columns), values, "")

    def _required(self, table: str, columns: list[str] | None) -> list[str]:
        if columns is None:
            raise UsageError(f"the dump does not name the columns of the table {table}; dump its definition too")
        return columns

    def _table(self) -> str:
        """Return the name of the table of a statement without its schema, in lower case."""
        name = _name(self._tokens.take())
        while self._tokens.peek().is_symbol(b".") or self._tokens.peek().content.startswith(b"."):
            dot = self._tokens.take().content
            name = dot[1:].decode(errors="replace") or _name(self._tokens.take())
        self._has_wanted = self._has_wanted or self._is_wanted(name)
        return name

    def _names(self) -> list[str]:
        names: list[str] = []
        while not (token := self._tokens.take()).is_symbol(b")"):
            if token.kind in (Kind.NAME, Kind.WORD) and len(names) <= MAX_COLUMNS:
                names.append(_name(token))
            elif token.kind is Kind.END:
                raise self._damage("a list of columns has no end")
        return names

    def _skip_statement(self) -> None:
        while not (token := self._tokens.take()).is_symbol(b";") and token.kind is not Kind.END:
            pass

    def _damage(self, reason: str) -> UsageError:
        return UsageError(f"the SQL dump is damaged at line {self._tokens.line}: {reason}")


def _row(table: str, columns: list[str], values: list[Value], problem: str) -> SqlRow:
    if len(values) != len(columns):
        problem = problem or f"it has {len(values)} values, but the table {len(columns)} columns"
    return SqlRow(table, None, problem) if problem else SqlRow(table, dict(zip(columns, values, strict=True)))


def _plain_value(token: Token) -> Value:
    if token.kind is Kind.WORD:
        if token.is_word(b"NULL", b"DEFAULT"):
            return None
        if re.fullmatch(rb"0x(?:[0-9A-Fa-f]{2})+", token.content):
            return _text(bytes.fromhex(token.content[2:].decode()))
    return _text(token.content)


def _text(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _name(token: Token) -> str:
    return token.content.decode(errors="replace").lower()


def _unistr(text: str) -> str:
    r"""Return a text with the characters of its escapes.

    >>> _unistr(r"a\u000ab\\c")
    'a\nb\\c'
    """
    codes = r"\\(?:u([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|U([0-9a-fA-F]{8})|([0-9a-fA-F]{4})|(\\))"
    return re.sub(
        codes, lambda found: "\\" if found[5] else chr(min(int(next(filter(None, found.groups())), 16), 0x10FFFF)), text
    )
