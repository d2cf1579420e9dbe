"""Bulk jobs: an operation on each row of a file, carried out in the background.

A job is validated first. Then it is `previewed` and waits for its client, or it runs. Each change of its state is a
conditional write on its `revision`, so a job that was cancelled is not continued by mistake.

>>> is_ended(DONE), is_ended(PREVIEWED)
(True, False)
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from coolid.model import downloads
from coolid.model.downloads import Download
from coolid.ports import Entropy

Operation = Literal["mint", "update", "retarget", "withdraw", "reserve", "publish"]
JobState = Literal["validating", "previewed", "running", "done", "cancelled", "failed"]

VALIDATING: Final[JobState] = "validating"
PREVIEWED: Final[JobState] = "previewed"
RUNNING: Final[JobState] = "running"
DONE: Final[JobState] = "done"
CANCELLED: Final[JobState] = "cancelled"
FAILED: Final[JobState] = "failed"

LIFETIME: Final = timedelta(days=30)
"""How long a job, its rows and its results are kept after its creation."""
MAX_ERRORS: Final = 100
"""The most errors of rows that a job contains. The results contain all."""
_NAME_SYMBOLS: Final = "abcdefghijklmnopqrstuvwxyz234567"
MAX_CHANGES: Final = 10
"""The most changes that a preview shows."""


class RowError(Struct, frozen=True):
    """Why a row was refused: the `row` from 1, without the header; its `column` as given ("" is the whole row)."""

    row: int
    column: str
    reason: str


class TargetChange(Struct, frozen=True):
    """A target before and after, in the preview of a job that changes targets."""

    pid: str
    before: str
    after: str


class RetargetRule(Struct, frozen=True):
    """A rule that rewrites targets: one URL prefix to another, or matches of an RE2 `pattern` to a `replacement`.

    Exactly one pair has a value. `replacement` names groups as `\\1`.
    """

    from_prefix: str | None = None
    to_prefix: str | None = None
    pattern: str | None = None
    replacement: str | None = None


class JobRequest(Struct, frozen=True):
    """The members of a new job: `columns` maps the names of the file's columns to fields (an empty field is left out).

    With `dry_run`, the job stops at its preview. With `skip_errors`, wrong rows are refused and the others are carried
    out; otherwise the job stops at its preview if any row is wrong. A `download` has no rows (`download_job`).
    """

    operation: Operation
    prefix: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    rule: RetargetRule | None = None
    dry_run: bool = False
    skip_errors: bool = False
    download: Download | None = None


class JobProgress(Struct, frozen=True):
    """The rows done so far. `position` is where the next slice begins, in bytes of the file; `row` counts those before.

    `valid` and `invalid` count validated rows; `outside_domains` the invalid ones whose only error is a host that the
    repository does not allow. `succeeded` and `refused` count rows that were carried out. `slices` is the number of the
    latest file that a worker may write for a part of the job. A job by a rule has no file, and continues `after` a key.

    Of a download, `row` counts identifiers and `position` the bytes before compression, whose CRC-32 is `checksum`;
    `parts` are the numbers of the files with the compressed bytes. It continues `after` a record (`REPOSITORY/KEY`).
    """

    position: int = 0
    row: int = 0
    valid: int = 0
    invalid: int = 0
    outside_domains: int = 0
    succeeded: int = 0
    refused: int = 0
    slices: int = 0
    errors: tuple[RowError, ...] = ()
    changes: tuple[TargetChange, ...] = ()
    after: str | None = None
    parts: tuple[int, ...] = ()
    checksum: int = 0


class Job(Struct, frozen=True):
    """A bulk job of a `client` (a key's id).

    - `file` is the name of the rows in the file storage, and `size` its bytes. A job by a rule has none before its
      matches are found. `is_csv` is whether it is CSV; `rows` the number of its rows, once they are counted.
    - `failure` is why a `failed` job ended, a sentence.
    - `lease` is the token of the worker that works on the job until `leased_until`.
    - `revision` counts the changes of the job, for conditional writes.
    """

    id: str
    client: str
    request: JobRequest
    created: datetime
    updated: datetime
    state: JobState = VALIDATING
    file: str | None = None
    size: int = 0
    is_csv: bool = True
    rows: int | None = None
    progress: JobProgress = JobProgress()
    failure: str | None = None
    lease: str | None = None
    leased_until: datetime | None = None
    revision: int = 1

    @property
    def expires(self) -> datetime:
        """When the job and its files may be deleted."""
        return self.created + (LIFETIME if self.request.download is None else downloads.LIFETIME)


def download_job(name: str, client_id: str, download: Download, now: datetime) -> Job:
    """Return a new job of a download. It is done when it was `validating`.

    The previous release, which has no downloads, can read it and fails it, because no such prefix can be registered.
    """
    request = JobRequest("retarget", "download_request", rule=RetargetRule(), download=download)
    return Job(name, client_id, request, now, now)


def started(job: Job) -> Job:
    """Return the job in the state `running`, at its first row."""
    validated = job.progress
    progress = JobProgress(
        valid=validated.valid,
        invalid=validated.invalid,
        outside_domains=validated.outside_domains,
        errors=validated.errors,
        changes=validated.changes,
    )
    return replace(job, state=RUNNING, progress=progress)


def random_name(entropy: Entropy, length: int = 16) -> str:
    """Return an unguessable name for a job or an upload: 5 random bits a character, by default 80."""
    return "".join(_NAME_SYMBOLS[entropy.below(len(_NAME_SYMBOLS))] for _ in range(length))


def is_ended(state: JobState) -> bool:
    """Return whether a job in this state never changes again."""
    return state in (DONE, CANCELLED, FAILED)


def is_at_work(state: JobState) -> bool:
    """Return whether a worker has something to do for a job in this state."""
    return state in (VALIDATING, RUNNING)
