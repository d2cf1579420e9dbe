"""The rows of a job, and those of a file from any position."""

from collections.abc import Iterator, Sequence
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, Final, Protocol, cast

from msgspec import Struct

from coolid.errors import InvalidInput, StoreUnavailable
from coolid.model.jobs import Job, JobProgress
from coolid.model.records import RESERVED
from coolid.model.row_fields import JOB_FIELDS, METADATA, RESULT_COLUMNS, Field, field_of
from coolid.store.jobs import FileStore
from coolid.transfer.csv_rows import MalformedCsv
from coolid.transfer.row_reader import columns_of, read_from, read_header

_BUFFER_BYTES: Final = 1 << 16


class Row(Struct, frozen=True):
    """A row: its `number` from 1, the cells or the object as given, and its document.

    `name` is its own in the job, also if it is read again. The document is `InvalidInput` if the row is unreadable, and
    None if there is nothing to do. The next row begins at the byte `position`, or `after` a record.
    """

    number: int
    name: str
    given: list[str] | dict[str, Any]
    document: Any
    position: int = 0
    after: str | None = None

    def readable(self) -> Any:
        """Return the document. Raises `InvalidInput` if the row is unreadable."""
        if isinstance(self.document, InvalidInput):
            raise self.document
        return self.document


class RowSource(Protocol):
    """The rows of a job. `columns` are the names of the given columns, None for JSON Lines."""

    @property
    def columns(self) -> Sequence[str] | None: ...

    def column_of(self, pointer: str) -> str:
        """Return the column of the member that a JSON pointer names, or a name of it; "" for the whole row."""

    def rows(self, progress: JobProgress) -> Iterator[Row]:
        """Return the rows after those that are done. Raises `StoreUnavailable`."""


class FileRows:
    """The rows of a job's file. Raises `InvalidTable` for a file without rows, `StoreUnavailable`."""

    def __init__(self, job: Job, files: FileStore) -> None:
        self._job = job
        self._file = open_rows(job, files)
        header = read_header(self._file)
        self.columns: Sequence[str] | None = header.names
        self._first = header.end
        self._members = JOB_FIELDS[job.request.operation]
        self._mapping = {name.strip(): field for name, field in job.request.columns.items()}
        self._fields: Sequence[Field | None] | None = None
        if header.names is not None:
            mapping = left_out(header.names, self._members) | self._mapping
            self._fields = columns_of(header.names, self._members, mapping)
        self._needs_target = job.request.operation == "mint" and ("uri", "") in (self._fields or ())

    def column_of(self, pointer: str) -> str:
        """See `RowSource`."""
        member, _, rest = pointer.removeprefix("/").partition("/")
        member = "uri" if member == "records" and rest.endswith("/uri") else member
        field = member, rest.partition("/")[0] if member == METADATA else ""
        if self.columns is not None and self._fields is not None:
            absent = member if member in self._members else ""
            return next((name for name, each in zip(self.columns, self._fields, strict=True) if each == field), absent)
        name = ".".join(part for part in field if part)
        return next((column for column, mapped in self._mapping.items() if mapped == name), name)

    def rows(self, progress: JobProgress) -> Iterator[Row]:
        """See `RowSource`."""
        start = max(progress.position, self._first)
        self._file.seek(start)
        number, position = progress.row, start
        try:
            for each in read_from(self._file, self._fields):
                number, position = number + 1, start + each.end
                document = each.document if self._fields is not None else self._mapped(each.document)
                if self._needs_target and _lacks_target(document):
                    document = InvalidInput.at("/uri", "it is empty; only a reserved identifier needs no address")
                given: Any = [_readable(cell) for cell in each.cells]
                if self._fields is None:
                    given = each.document if isinstance(each.document, dict) else {}
                yield Row(number, str(number), given, document, position)
        except MalformedCsv as error:
            fault = InvalidInput.at("", f"it is not CSV, and no later row can be found: {error.reason}")
            yield Row(number + 1, str(number + 1), [], fault, self._job.size)

    def _mapped(self, document: Any) -> Any:
        """Return an object with the members that the names in it stand for: mapped ones, and those of metadata."""
        if not isinstance(document, dict):
            return document
        result: dict[str, Any] = {}
        for name in sorted(document, key=lambda name: name != METADATA):
            field = self._mapping.get(name, name)
            if field:
                _put(result, field, document[name], self._members)
        return result


def open_rows(job: Job, files: FileStore) -> BinaryIO:
    """Open a job's file, which can be read from any byte. Raises `StoreUnavailable`."""
    return cast(BinaryIO, BufferedReader(_StoredFile(job, files), _BUFFER_BYTES))


class _StoredFile(RawIOBase):
    """A file of a job, which can be read from any byte."""

    def __init__(self, job: Job, files: FileStore) -> None:
        super().__init__()
        self._job = job
        self._files = files
        self._pieces: Iterator[bytes] = iter(())
        self._rest = b""
        self._position = self.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        assert whence == 0, "a stored file has positions from its start only"
        pieces = self._files.read(self._job.file or "", offset)
        if pieces is None:
            raise StoreUnavailable(f"the rows of the job {self._job.id} are missing")
        self._pieces, self._rest, self._position = pieces, b"", offset
        return offset

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        self._position += size
        return size


def _readable(cell: str) -> str:
    """Return a cell with a replacement character for each byte that is not UTF-8."""
    return cell if cell.isascii() else cell.encode(errors="surrogateescape").decode(errors="replace")


def _lacks_target(document: Any) -> bool:
    """Return whether a row would become an active record without a target, although the table has a column of targets.

    The gap is a mistake in nearly all tables, and what is minted is never deleted.
    """
    return isinstance(document, dict) and "uri" not in document and document.get("status") != RESERVED


def _put(document: dict[str, Any], name: str, value: Any, members: Sequence[str]) -> None:
    """Set the member that the field of this name stands for, as far as there is such a field."""
    found = field_of(name, members)
    if found is None or found[0] != METADATA:
        document[name] = value
    else:
        metadata = document.get(METADATA, {})
        document[METADATA] = {**metadata, found[1]: value} if isinstance(metadata, dict) else metadata


def left_out(names: Sequence[str], members: Sequence[str]) -> dict[str, str]:
    """Return the mapping that leaves out what the results of an earlier job have beside the fields of this one.

    >>> left_out(["what", "pid", "status", "error"], JOB_FIELDS["withdraw"]), left_out(["what", "pid"], ("pid",))
    ({'what': '', 'status': '', 'error': ''}, {})
    """
    if "pid" not in members or not set(RESULT_COLUMNS) <= set(names):
        return {}
    return {name: "" for name in names if name in RESULT_COLUMNS[1:] or field_of(name.strip(), members) is None}
