"""`coolid records mint`: a record for each row of a file, minted by the service.

The idempotency keys derive from the file's content and the prefix. So a repeated command mints nothing twice within a
day, and the same file can be minted under another prefix, for example after a trial.
"""

import csv
from collections import deque
from collections.abc import Iterator, Mapping
from hashlib import file_digest
from io import StringIO
from pathlib import Path
from typing import IO, Annotated, BinaryIO, Final

import orjson
import typer
from msgspec import Struct

from coolid.cli.exit_codes import NO, USAGE
from coolid.cli.output import print_line
from coolid.cli.progress import with_progress
from coolid.cli.result_file import Results, result_file
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.client.client import Client
from coolid.client.documents import Record
from coolid.client.errors import ClientError, RequestDeclined
from coolid.errors import InvalidInput
from coolid.transfer import row_reader
from coolid.transfer.csv_rows import MalformedCsv

_ADDED: Final = ("pid", "status", "error")

_File = Annotated[Path, typer.Argument(dir_okay=False, exists=True, help="CSV with a header, or JSON Lines.")]
_Prefix = Annotated[str | None, typer.Option(help="The prefix to mint rows under that have none.")]


class RowResult(Struct, frozen=True):
    """The result of the row that begins on a line: a record, or the reason why it was refused."""

    line: int
    document: Mapping[str, object]
    record: Record | None
    error: str | None


def mint_rows(
    file: _File,
    prefix: _Prefix = None,
    results: Results = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Mint a record for each row of a file.

    The command sends the rows and waits; for large files, `coolid bulk mint` has a preview and continues without it.
    The results are the rows of the file with the columns pid, status and error. With --json and for JSON Lines, they
    are objects with these members and line. The columns of the file are those of `coolid records import`. If the
    command is interrupted, repeat it within a day: rows that were minted get the same PIDs. Exits with 1 if a row was
    refused, and with 2 if the file cannot be read from some line on.

        $ coolid records mint photos.csv --prefix ark:99999/fk4 --results arks.csv
        $ coolid records mint photos.csv --prefix demo --json | jq -r .pid
    """
    with file.open("rb") as opened, service(url, key_file, profile) as client, result_file(results) as written:
        digest = file_digest(opened, "sha256")
        digest.update(b"\0" + (prefix or "").encode(errors="surrogateescape"))
        rows = _Rows(opened, prefix)
        write = _ResultWriter(written, None if json else rows.header)
        refused = _mint(client, rows, f"rows-{digest.hexdigest()}", write, results)
    if rows.stopped:
        print_line(f"coolid: line {rows.stopped.line}: {rows.stopped.reason}; no row was minted from there on")
    if rows.stopped or refused:
        raise typer.Exit(USAGE if rows.stopped else NO)


class _Rows:
    """The documents of a file's rows; those that cannot be sent are left out, and returned by `unreadable`.

    `header` has the columns of a CSV file, or is None. `stopped` is the error after which no row can be found.
    """

    def __init__(self, file: BinaryIO, prefix: str | None) -> None:
        self.header = row_reader.read_header(file).names
        self._rows = row_reader.read(file)
        self._prefix = prefix
        self._pending: deque[tuple[int, InvalidInput | None]] = deque()
        self.stopped: MalformedCsv | None = None

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        try:
            for line, row in self._rows:
                document = row_reader.with_prefix(row, self._prefix)
                if not isinstance(document, dict | InvalidInput):
                    document = InvalidInput.at("", "the line is no JSON object")
                error = document if isinstance(document, InvalidInput) else None
                self._pending.append((line, error))
                if error is None:
                    yield document
        except MalformedCsv as error:
            self.stopped = error

    def unreadable(self) -> Iterator[RowResult]:
        """Return the refusals of the rows before the next one that was sent."""
        while self._pending and self._pending[0][1] is not None:
            line, error = self._pending.popleft()
            yield RowResult(line, {}, None, str(error))

    def next_line(self) -> int:
        """Return the line of the next row that was sent."""
        return self._pending.popleft()[0]


def _outcomes(client: Client, rows: _Rows, key: str) -> Iterator[RowResult]:
    """Yield a result for each row, in their order."""
    for result in client.mint_many(rows, idempotency_key=key):
        yield from rows.unreadable()
        yield RowResult(rows.next_line(), result.row, result.record, _reason(result.error))
    yield from rows.unreadable()


def _mint(client: Client, rows: _Rows, key: str, write: "_ResultWriter", results: Path | None) -> int:
    """Mint the rows, write their results, and return the number of refused ones."""
    minted = refused = 0
    try:
        outcomes = _outcomes(client, rows, key)
        for result in with_progress(outcomes, "Minting", None, "rows", on_stdout=results is None):
            write(result)
            minted += result.record is not None
            refused += result.record is None
        write.flush()  # while the advice for a full disk can be printed
    except (ClientError, KeyboardInterrupt, OSError):
        print_line("coolid: to continue, repeat the command within a day: rows that were minted get the same PIDs")
        if minted + refused and results is not None:
            print_line(f"  {results} has the results so far, so name another file")
        raise
    print_line(f"{minted} minted, {refused} refused")
    return refused


def _reason(error: ClientError | None) -> str | None:
    if isinstance(error, RequestDeclined) and error.violations:
        return "; ".join(f"{pointer or 'the row'}: {detail}" for pointer, detail in error.violations)
    return str(error) if error is not None else None


class _ResultWriter:
    """Writes results as CSV with the columns of the file and `_ADDED`, or as JSON Lines without a header."""

    def __init__(self, file: IO[bytes], header: list[str] | None) -> None:
        self._file = file
        self._columns = None if header is None else [name for name in header if name not in _ADDED]
        self._is_empty = True

    def __call__(self, result: RowResult) -> None:
        record = result.record
        added = (record.pid, record.status, None) if record else (None, None, result.error)
        if self._columns is None:
            document = {"line": result.line} | dict(zip(_ADDED, added, strict=True))
            self._file.write(orjson.dumps(document) + b"\n")
        else:
            if self._is_empty:
                self._write_row([*self._columns, *_ADDED])
                self._is_empty = False
            cells = [row_reader.cell_of(result.document, name) for name in self._columns]
            self._write_row([*cells, *("" if each is None else each for each in added)])

    def flush(self) -> None:
        """Write what is still buffered."""
        self._file.flush()

    def _write_row(self, cells: list[str]) -> None:
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerow(cells)
        self._file.write(text.getvalue().encode())
