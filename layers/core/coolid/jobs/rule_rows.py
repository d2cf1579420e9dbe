"""The rows of a job by a rule: the records that the rule changes.

The validation walks the records of a repository, and writes those that match into a file. The execution reads this
file, because a rule may not match a record again once it has changed it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from coolid.jobs.rows import Row, open_rows
from coolid.model.jobs import Job, JobProgress
from coolid.model.records import WITHDRAWN, Record
from coolid.store.jobs import FileStore, matches_name, rows_name, rows_once
from coolid.store.records import RecordStore
from coolid.transfer.bounded_lines import read_lines

RULE_COLUMNS: Final = ("before", "after")
_PAGE: Final = 100


class Match(Struct, frozen=True, array_like=True):
    """A record that a rule changes: its key, and the first changed target before and after."""

    row: int
    key: str
    before: str
    after: str


class _RuleColumns:
    """The columns of rows by a rule."""

    columns: Sequence[str] | None = RULE_COLUMNS

    def column_of(self, pointer: str) -> str:
        """See `RowSource`."""
        return "after" if pointer.endswith("/uri") else ""


class RuleRows(_RuleColumns):
    """The records of a repository that a rule changes; `change` returns a target before and after, or None.

    The documents of its rows are `{"key": …}`.
    """

    def __init__(
        self, repository_id: str, records: RecordStore, change: Callable[[Record], tuple[str, str] | None]
    ) -> None:
        self._repository_id = repository_id
        self._records = records
        self._change = change

    def rows(self, progress: JobProgress) -> Iterator[Row]:
        """See `RowSource`. The last row of each page does nothing, so that long searches continue where they ended."""
        number, after = progress.row, progress.after
        while True:
            page, following = self._records.list_records(self._repository_id, _PAGE, after)
            for record in page:
                change = self._change(record) if record.status != WITHDRAWN else None
                if change is not None:
                    number += 1
                    yield Row(number, record.key, list(change), {"key": record.key}, after=record.key)
            if following is None:
                return
            after = following
            yield Row(number, "", [], None, after=after)


class MatchedRows(_RuleColumns):
    """The records that a rule matched when the job was validated, in the job's file (`write_matches`).

    A rule may not match a record again once it has changed it, so these are found once.
    """

    def __init__(self, job: Job, files: FileStore) -> None:
        self._file = open_rows(job, files)

    def rows(self, progress: JobProgress) -> Iterator[Row]:
        """See `RowSource`."""
        self._file.seek(progress.position)
        for line in read_lines(self._file):
            match = msgspec.json.decode(line.content, type=Match)
            given, position = [match.before, match.after], progress.position + line.end
            yield Row(match.row, str(match.row), given, {"key": match.key}, position)


class SliceMatches:
    """Collects the matches of a slice."""

    def __init__(self) -> None:
        self._matches: list[Match] = []

    def add(self, row: Row) -> None:
        """Add a row of `RuleRows`, unless it has nothing to do."""
        if row.document is not None:
            self._matches.append(Match(row.number, row.document["key"], *row.given))

    def write(self, files: FileStore, job_id: str, number: int) -> None:
        """Write the matches into the file of this number."""
        files.write(matches_name(job_id, number), [_encoded(self._matches)])


def write_matches(files: FileStore, job: Job) -> int:
    """Write the matches of all slices into the job's file, each once, and return its size."""
    contents = (files.read(matches_name(job.id, number)) for number in range(1, job.progress.slices + 1))
    slices = rows_once((None, _decoded(content)) for content in contents if content is not None)
    last = job.progress.row
    return files.write(
        rows_name(job.id), (_encoded(match for match in matches if match.row <= last) for _, matches in slices)
    )


def _encoded(matches: Iterable[Match]) -> bytes:
    return b"".join(msgspec.json.encode(match) + b"\n" for match in matches)


def _decoded(content: Iterator[bytes]) -> Iterator[Match]:
    return (msgspec.json.decode(line, type=Match) for line in b"".join(content).splitlines())
