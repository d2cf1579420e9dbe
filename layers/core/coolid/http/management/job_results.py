"""The results of a job: the given columns, then `pid`, `status` and `error`, as CSV or JSON Lines.

The worker writes the results of each slice as one file (`slice_text`). When the job has ended, they become one file in
each form. A given column called `pid`, `status` or `error` is replaced. `status` is `succeeded` or `refused`.

In CSV an apostrophe precedes each cell that begins like a formula (`coolid.http.formats.csv`). JSON Lines has all texts
unchanged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

import msgspec
from msgspec import Struct

from coolid.errors import UnknownJob, WrongJobState
from coolid.http.accept import choose_format
from coolid.http.caching import NO_STORE, strong_etag
from coolid.http.errors import NotAcceptable, UnknownFormat
from coolid.http.formats import csv
from coolid.http.message import Request, Response
from coolid.model.jobs import Job, is_ended
from coolid.model.row_fields import RESULT_COLUMNS
from coolid.store.jobs import MAX_INLINE_BYTES, FileStore, results_name, rows_once, slice_name
from coolid.strict_json import dump

CSV: Final = "csv"
JSON_LINES: Final = "jsonl"
MEDIA_TYPES: Final = {CSV: csv.MEDIA_TYPE, JSON_LINES: "application/x-ndjson"}
SUCCEEDED: Final = "succeeded"
REFUSED: Final = "refused"
_URL_SECONDS: Final = 900
_BATCH_ROWS: Final = 500


class ResultRow(Struct, frozen=True, array_like=True):
    """The outcome of a row: the cells or the object as given, the PID as far as it is known, and why it was refused."""

    row: int
    given: list[str] | dict[str, Any]
    pid: str
    error: str = ""


Slice = tuple[Sequence[str] | None, Iterator[ResultRow]]
"""The names of the given columns, or None for JSON Lines, and the rows of a slice."""


def slice_text(columns: Sequence[str] | None, rows: Iterable[ResultRow]) -> bytes:
    """Return the file of a slice: a line with the names of the columns, and a line for each row."""
    return b"".join(msgspec.json.encode(each) + b"\n" for each in (columns, *rows))


class ResultFiles(Struct, frozen=True):
    """Writes the results of ended jobs into `files`, and serves them."""

    files: FileStore

    def response(self, job: Job, request: Request) -> Response:
        """Return the results in the requested form, by default that of the rows; 303 to a URL of a large file.

        Raises `WrongJobState` before the job's end, `UnknownFormat`, `NotAcceptable`.
        """
        if not is_ended(job.state):
            raise WrongJobState(job.state, "it has no results yet")
        form = _requested_form(job, request)
        self.complete(job, form)
        name = results_name(job.id, form)
        size = self.files.size(name) or 0
        file_name = f"{job.request.operation}-{job.id}.{form}"
        url = self.files.download_url(name, file_name, _URL_SECONDS) if size > MAX_INLINE_BYTES else None
        if url is not None:
            return Response(303, {"Location": url, "Cache-Control": NO_STORE})
        stream = self.files.read(name)
        if stream is None:
            raise UnknownJob(job.id)
        headers = {
            "Content-Type": MEDIA_TYPES[form],
            "Content-Disposition": f'attachment; filename="{file_name}"',
            "Cache-Control": NO_STORE,
            "ETag": strong_etag(f"{name} {job.revision}"),
            "Vary": "Accept",
        }
        return Response(200, headers, stream=stream)

    def complete(self, job: Job, form: str) -> None:
        """Write the file with all results in a form, if it is missing."""
        name = results_name(job.id, form)
        if self.files.size(name) is None:
            pieces = _csv_pieces(self._slices, job) if form == CSV else _json_lines(self._slices(job))
            self.files.write(name, pieces, MEDIA_TYPES[form])

    def discard(self, job_id: str) -> None:
        """Delete the files with all results, because a slice was added."""
        for form in MEDIA_TYPES:
            self.files.delete(results_name(job_id, form))

    def _slices(self, job: Job) -> Iterator[Slice]:
        """Yield the slices in their order, each row once."""
        files = (self.files.read(slice_name(job.id, number)) for number in range(1, job.progress.slices + 1))
        return rows_once(_read_slice(pieces) for pieces in files if pieces is not None)


def _read_slice(pieces: Iterator[bytes]) -> Slice:
    lines = _lines(pieces)
    columns = msgspec.json.decode(next(lines), type=list[str] | None)
    return columns, (msgspec.json.decode(line, type=ResultRow) for line in lines)


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file whose last line ends with a line feed."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole


def _batches(rows: Iterator[ResultRow]) -> Iterator[list[ResultRow]]:
    return iter(lambda: list(islice(rows, _BATCH_ROWS)), [])


def _outcome(row: ResultRow) -> dict[str, str]:
    return {"pid": row.pid, "status": REFUSED if row.error else SUCCEEDED, "error": row.error}


def _members(columns: Sequence[str] | None, row: ResultRow) -> dict[str, Any]:
    """Return the given members and the outcome of a row."""
    given = row.given if isinstance(row.given, dict) else dict(zip(columns or (), row.given, strict=False))
    return given | _outcome(row)


def _json_lines(slices: Iterable[Slice]) -> Iterator[bytes]:
    for columns, rows in slices:
        for batch in _batches(rows):
            yield "".join(dump(_members(columns, row)) + "\n" for row in batch).encode()


def _csv_pieces(slices: Any, job: Job) -> Iterator[bytes]:
    """Yield the CSV. The columns of JSON Lines are the members of all objects, in the order of their appearance."""
    header = dict.fromkeys(chain.from_iterable(_names(columns, rows) for columns, rows in slices(job)))
    header |= dict.fromkeys(RESULT_COLUMNS)
    yield csv.write([list(header)]).encode()
    for columns, rows in slices(job):
        for batch in _batches(rows):
            yield csv.write(_cells(_members(columns, row), header) for row in batch).encode()


def _names(columns: Sequence[str] | None, rows: Iterator[ResultRow]) -> Iterable[str]:
    if columns is not None:
        return columns
    return chain.from_iterable(row.given for row in rows)


def _cells(members: Mapping[str, Any], header: Iterable[str]) -> list[object]:
    values = (members.get(name) for name in header)
    return [dump(value) if isinstance(value, dict | list | bool) else value for value in values]


def _requested_form(job: Job, request: Request) -> str:
    """Return the form by `?format=`, else by `Accept`, else that of the rows."""
    name = request.parameter("format")
    if name is not None:
        if name not in MEDIA_TYPES:
            raise UnknownFormat(name, tuple(MEDIA_TYPES))
        return name
    offers = {"text/csv": CSV, "application/x-ndjson": JSON_LINES, "application/jsonl": JSON_LINES}
    ordered = sorted(offers, key=lambda offer: (offers[offer] == CSV) != job.is_csv)
    chosen = choose_format(request.headers.get("accept"), ordered)
    if chosen is None:
        raise NotAcceptable(ordered)
    return offers[chosen]
