"""Rows of a dump in the forms in which services export their tables: SQL, CSV with a header, or JSON.

The beginning of the file shows which it is. Names of columns are in lower case and without white space around them.
An empty cell of CSV is None.

>>> import tempfile
>>> with tempfile.NamedTemporaryFile() as file:
...     size = file.write(b"Keyword,url\\r\\nabc,https://a.example/\\r\\n")
...     file.flush()
...     [dict(row.values) for row in read_rows(Path(file.name), lambda table: True)]
[{'keyword': 'abc', 'url': 'https://a.example/'}]
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.migration.dumps import json_documents, sql_dumps
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.transfer import csv_rows
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, TOO_LONG
from coolid.transfer.csv_rows import MalformedCsv, split_cells

_HEAD_BYTES: Final = 4096
_OTHER_KINDS: Final = {
    b"SQLite format 3\x00": "a database of SQLite; import the output of `sqlite3 FILE .dump`",
    b"PGDMP": "a dump of PostgreSQL in its own format; import the output of `pg_restore --file=- FILE`",
    b"\xff\xfe": "encoded as UTF-16; save it as UTF-8",
    b"\xfe\xff": "encoded as UTF-16; save it as UTF-8",
}


class DumpRow(Struct, frozen=True):
    """A row and its number from 1; `values` is None for a row that cannot be read, for the `reason`."""

    number: int
    values: Mapping[str, Any] | None
    reason: str = ""


@refusing_damage
def read_rows(
    path: Path,
    is_wanted: Callable[[str], bool],
    json_path: Sequence[str] = (),
    columns: Sequence[Collection[str]] = (),
) -> Iterator[DumpRow]:
    """Yield the rows of a dump: of SQL those of the wanted tables, of JSON the objects below a path.

    The header of CSV must have one of each of these columns, because any text could be CSV.

    Raises `UsageError` for a file in another form, and where it is damaged so that no row after it can be found.
    """
    with open_dump(path) as file:
        beginning = beginning_of(file)
        if beginning.startswith((b"{", b"[")):
            found = _json_rows(file, is_wanted, json_path)
        elif sql_dumps.is_sql(beginning):
            found = ((row.values, row.reason) for row in sql_dumps.read_rows(file, is_wanted))
        else:
            found = _csv_rows(file, columns)
        for number, (values, reason) in enumerate(found, 1):
            yield DumpRow(number, values, reason)


def beginning_of(file: BinaryIO) -> bytes:
    """Return the first bytes of a file, without white space before them, and leave it at its beginning.

    Raises `UsageError` for an empty file, and for kinds of files that have to be converted.
    """
    beginning = file.read(_HEAD_BYTES)
    file.seek(0)
    for start, kind in _OTHER_KINDS.items():
        if beginning.startswith(start):
            raise UsageError(f"the file is {kind}")
    beginning = beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not beginning:
        raise UsageError("the file is empty")
    return beginning


def moment_of(value: Any) -> datetime | None:
    """Return the time that a dump contains as text or Unix seconds, in UTC if it has no zone, or None.

    >>> moment_of("2024-05-01 12:00:00+02"), moment_of(0), moment_of("0000-00-00 00:00:00")
    (datetime.datetime(2024, 5, 1, 10, 0, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        if isinstance(value, str) and not value.isdecimal():
            moment = datetime.fromisoformat(value.strip())
            return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
        seconds = int(value) if isinstance(value, str | int) else 0
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def _json_rows(
    file: BinaryIO, is_wanted: Callable[[str], bool], path: Sequence[str]
) -> Iterator[tuple[Mapping[str, Any] | None, str]]:
    for found in json_documents.read_documents(file, path):
        match found.document:
            case {"type": "table", "name": str(name), "data": [*rows]}:  # an export of phpMyAdmin
                yield from map(_json_row, rows if is_wanted(name.lower()) else ())
            case {"type": "header" | "database"}:
                pass
            case document:
                yield (None, found.reason) if found.reason else _json_row(document)


def _json_row(document: Any) -> tuple[Mapping[str, Any] | None, str]:
    if not isinstance(document, dict):
        return None, "it is not an object"
    return {name.lower(): value for name, value in document.items()}, ""


def _csv_rows(file: BinaryIO, columns: Sequence[Collection[str]]) -> Iterator[tuple[Mapping[str, Any] | None, str]]:
    try:
        rows = csv_rows.read_rows(file)
        header: list[str] = []
        for row in rows:
            if row.is_too_long:
                yield None, f"the row {TOO_LONG}"
                continue
            if not row.content:
                continue
            try:
                cells = split_cells(row.content.decode())
            except UnicodeDecodeError:
                yield None, "it is not UTF-8"
                continue
            if not header:
                header = [cell.strip().lower() for cell in cells]
                _require_columns(header, columns)
            elif len(cells) != len(header):
                yield None, f"it has {len(cells)} cells, but the header {len(header)}"
            else:
                yield {name: cell or None for name, cell in zip(header, cells, strict=True)}, ""
    except MalformedCsv as error:
        raise UsageError(f"the CSV is damaged, and nothing after it can be read: {error}") from error


def _require_columns(header: Collection[str], columns: Sequence[Collection[str]]) -> None:
    for names in columns:
        if not any(name in header for name in names):
            raise UsageError(f"the file is no dump of this service: as CSV, it has no column {' or '.join(names)}")
