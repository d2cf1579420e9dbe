"""The execution of a job: each row once, and a file with the results of each slice."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import CoolidError
from coolid.http.management.job_results import MEDIA_TYPES, ResultFiles, ResultRow, slice_text
from coolid.jobs.outcomes import Postponed, Refusal, given_pid, postponement, refusal, text_of
from coolid.jobs.row_loop import RowLoop
from coolid.jobs.rows import Row
from coolid.jobs.task import Task
from coolid.jobs.validation import judge, read_refused
from coolid.metric_names import JOB_ROWS
from coolid.model.jobs import DONE, LIFETIME, MAX_ERRORS, RowError, is_ended
from coolid.records.idempotency import IdempotentRequest
from coolid.store.jobs import slice_name

SAVE_ROWS: Final = 2_000
SAVE_SECONDS: Final = 5.0
"""The most rows and seconds between two writes of the progress. After a crash, that much is done again."""
_OUTCOME_LIFETIME: Final = LIFETIME + timedelta(days=1)
"""How long the idempotency record of a row is kept: longer than its job."""
_LEFT_OUT: Final = "it was refused when the job was validated"


class RowOutcome(Struct, frozen=True):
    """What became of a row: the `pid`, as far as it is known, and why the row was refused."""

    pid: str
    errors: Refusal = ()


def carry_out(task: Task, loop: RowLoop[RowOutcome | None]) -> None:
    """Carry out a slice of rows. After the last row, write the files with all results."""
    session, results = task.session, ResultFiles(task.files)
    refused = read_refused(task.files, session.job.id)
    pending = _PendingResults(task)
    for batch in loop.outcomes(task.parts.source.rows(session.job.progress), lambda row: _outcome(task, refused, row)):
        pending.add(batch)
        if pending.are_due():
            pending.save()
    pending.save()
    if is_ended(session.job.state):
        results.discard(session.job.id)  # they may have been read since the job was cancelled
    elif loop.is_complete:
        for form in MEDIA_TYPES:
            results.complete(session.job, form)
            session.save(session.job.progress)  # renews the lease, because large results take a while
        session.change(state=DONE)


def _outcome(task: Task, refused: Mapping[int, str], row: Row) -> RowOutcome | Postponed | None:
    """Carry out a row and return its outcome, None if it has nothing to do."""
    if row.document is None:
        return None
    if row.number in refused:
        return _left_out(task, row, refused[row.number])
    name = f"jobs/{task.session.job.id}/{row.name}"
    request = IdempotentRequest(name, task.session.job.id, _OUTCOME_LIFETIME)
    try:
        return RowOutcome(task.parts.operation.carry_out(task.client, row.readable(), request).pid)
    except CoolidError as error:
        errors = refusal(row.number, error, task.parts.source.column_of)
        return postponement(error) or RowOutcome(given_pid(row.document), errors)
    except Exception as error:  # noqa: BLE001 - it is reported; the other rows continue
        task.listeners.report(error, task.session.job.id)
        return RowOutcome(given_pid(row.document), refusal(row.number, error, task.parts.source.column_of))


def _left_out(task: Task, row: Row, reason: str) -> RowOutcome | Postponed:
    """Return why the validation refused a row, which its client has confirmed or accepted."""
    judgement = None if reason else judge(task, row)
    if isinstance(judgement, Postponed):
        return judgement
    errors = judgement.errors if judgement is not None else ()
    return RowOutcome(given_pid(row.document), errors or (RowError(row.number, "", reason or _LEFT_OUT),))


class _PendingResults:
    """Results of rows that are done, until they are saved together with the progress."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._progress = task.session.job.progress
        self._rows: list[ResultRow] = []
        self._saved = task.seconds()

    def add(self, batch: Sequence[tuple[Row, RowOutcome | None]]) -> None:
        """Add rows with their outcomes."""
        progress = self._progress
        known = {error.row for error in progress.errors}
        for row, outcome in batch:
            progress = replace(progress, row=row.number, position=row.position, after=row.after)
            if outcome is None:
                continue
            self._rows.append(ResultRow(row.number, row.given, outcome.pid, text_of(outcome.errors)))
            if not outcome.errors:
                progress = replace(progress, succeeded=progress.succeeded + 1)
                continue
            new = () if row.number in known else outcome.errors
            errors = (*progress.errors, *new)[:MAX_ERRORS]
            progress = replace(progress, refused=progress.refused + 1, errors=errors)
        self._progress = progress

    def are_due(self) -> bool:
        """Return whether to save them now."""
        return len(self._rows) >= SAVE_ROWS or self._task.seconds() - self._saved >= SAVE_SECONDS

    def save(self) -> None:
        """Write the results, and then the progress. Raises `LeaseLost`."""
        session = self._task.session
        if self._rows:
            content = slice_text(self._task.parts.source.columns, self._rows)
            self._task.files.write(slice_name(session.job.id, session.file_number), [content])
        session.save(self._progress)
        if self._rows:
            self._task.listeners.count(JOB_ROWS, len(self._rows))
        self._progress, self._rows = session.job.progress, []
        self._saved = self._task.seconds()
