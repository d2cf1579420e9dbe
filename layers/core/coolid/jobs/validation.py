"""The validation of a job: the judgement of each row, without a write to any record.

Each slice leaves a file of checks: the records that the rows so far name, to find those that are named twice, and the
rows that were refused. At the end, one file has all refused rows.
"""

from hashlib import blake2b
from typing import Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from coolid.errors import CoolidError, InvalidInput
from coolid.jobs.operations import CheckedRow
from coolid.jobs.outcomes import Postponed, Refusal, postponement, refusal
from coolid.jobs.row_loop import RowLoop
from coolid.jobs.rows import Row
from coolid.jobs.rule_rows import SliceMatches, write_matches
from coolid.jobs.session import JobSession
from coolid.jobs.task import Task
from coolid.model.jobs import MAX_CHANGES, MAX_ERRORS, PREVIEWED, Job, JobProgress, RowError, started
from coolid.store.jobs import FileStore, checks_name, refused_name, rows_name

MAX_ROWS: Final = 1_000_000
_NO_ROWS: Final = "the file has no rows"
_TOO_MANY: Final = f"the file has more than {MAX_ROWS:,} rows; divide it"
REPEATED: Final = "an earlier row has the same identifier"


class Checks(Struct):
    """What the validation found: rows with the digests of names, and refused rows.

    A refused row has a reason if only the file as a whole shows it. `includes_earlier` is whether the rows of earlier
    slices are included. An earlier release wrote each slice by itself.
    """

    names: dict[int, int] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    includes_earlier: bool = False


class Judgement(Struct, frozen=True):
    """What the validation says of a row: `checked` if it can be carried out, else the errors.

    Both are empty for a row with nothing to do. `is_outside` is whether only the hosts of its targets are not allowed.
    """

    checked: CheckedRow | None = None
    errors: Refusal = ()
    is_outside: bool = False


def validate(task: Task, loop: RowLoop[Judgement]) -> None:
    """Validate a slice of rows. After the last row, the job is previewed, or begins to run."""
    session, files = task.session, task.files
    is_by_rule, matches = session.job.request.rule is not None, SliceMatches()
    subject = "/id" if session.job.request.operation in ("mint", "reserve") else "/pid"
    tally = Tally(session.job.progress, checks_so_far(files, session.job), task.parts.source.column_of(subject))
    for batch in loop.outcomes(task.parts.source.rows(session.job.progress), lambda row: judge(task, row)):
        for row, judgement in batch:
            tally.add(row, judgement)
            if is_by_rule:
                matches.add(row)
        if tally.progress.row > MAX_ROWS:
            session.fail(_TOO_MANY)
    files.write(checks_name(session.job.id, session.file_number), [msgspec.msgpack.encode(tally.checks)])
    if is_by_rule:
        matches.write(files, session.job.id, session.file_number)
    session.save(tally.progress)
    if loop.is_complete:
        files.write(refused_name(session.job.id), [msgspec.msgpack.encode(tally.checks.refused)])
        if is_by_rule:
            size = write_matches(files, session.job)
            session.change(file=rows_name(session.job.id), size=size)
        _end_validation(session, is_csv=task.parts.source.columns is not None)


def _end_validation(session: JobSession, *, is_csv: bool) -> None:
    """Write the next state: `previewed`, `running`, or `failed` for a file without rows."""
    job, progress = session.job, session.job.progress
    if progress.row == 0 and job.request.rule is None:
        session.fail(_NO_ROWS)
    elif job.request.dry_run or (progress.invalid and not job.request.skip_errors):
        session.change(state=PREVIEWED, rows=progress.row, is_csv=is_csv)
    else:
        running = started(job)
        session.change(state=running.state, rows=progress.row, is_csv=is_csv, progress=running.progress)


def judge(task: Task, row: Row) -> Judgement | Postponed:
    """Return the judgement of a row by itself."""
    if row.document is None:
        return Judgement()
    try:
        return Judgement(task.parts.operation.check(task.client, row.readable()))
    except CoolidError as error:
        errors = refusal(row.number, error, task.parts.source.column_of)
        is_outside = isinstance(error, InvalidInput) and error.is_outside_domains
        return postponement(error) or Judgement(None, errors, is_outside)
    except Exception as error:  # noqa: BLE001 - it is reported; the other rows continue
        task.listeners.report(error, task.session.job.id)
        return Judgement(None, refusal(row.number, error, task.parts.source.column_of))


def checks_so_far(files: FileStore, job: Job) -> Checks:
    """Return what earlier slices found in the rows that are validated. Reads the file of the latest one.

    A worker that lost its lease may have left a file with more rows. They are validated again, so they do not count.
    """
    merged, last = Checks(includes_earlier=True), job.progress.row
    for number in range(job.progress.slices - 1, 0, -1):
        pieces = files.read(checks_name(job.id, number))
        if pieces is None:
            continue
        found = msgspec.msgpack.decode(b"".join(pieces), type=Checks)
        merged.names |= {row: name for row, name in found.names.items() if row <= last}
        merged.refused |= {row: reason for row, reason in found.refused.items() if row <= last}
        if found.includes_earlier:
            break
    return merged


def read_refused(files: FileStore, job_id: str) -> dict[int, str]:
    """Return all refused rows of a job."""
    pieces = files.read(refused_name(job_id))
    return {} if pieces is None else msgspec.msgpack.decode(b"".join(pieces), type=dict[int, str])


class Tally:
    """Counts the judgements of rows, in their order, from the progress of earlier slices.

    `checks` are those of earlier rows, to which it adds. The rows name records in the column `name_column`.
    """

    def __init__(self, progress: JobProgress, checks: Checks, name_column: str) -> None:
        self.progress = progress
        self.checks = checks
        self._names = set(checks.names.values())
        self._name_column = name_column

    def add(self, row: Row, judgement: Judgement) -> None:
        """Count a row."""
        progress = replace(self.progress, row=row.number, position=row.position, after=row.after)
        checked, errors = judgement.checked, judgement.errors
        if checked is not None and checked.name is not None and self._is_repeated(row, checked.name):
            self.checks.refused[row.number] = REPEATED
            checked, errors = None, (RowError(row.number, self._name_column, REPEATED),)
        if checked is not None:
            changes = (*progress.changes, *checked.changes)[:MAX_CHANGES]
            progress = replace(progress, valid=progress.valid + 1, changes=changes)
        elif errors:
            self.checks.refused.setdefault(row.number, "")
            progress = replace(
                progress,
                invalid=progress.invalid + 1,
                outside_domains=progress.outside_domains + judgement.is_outside,
                errors=(*progress.errors, *errors)[:MAX_ERRORS],
            )
        self.progress = progress

    def _is_repeated(self, row: Row, name: str) -> bool:
        """Return whether an earlier row names the same record."""
        digest = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
        self.checks.names[row.number] = digest
        is_repeated = digest in self._names
        self._names.add(digest)
        return is_repeated
