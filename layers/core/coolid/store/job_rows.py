"""Jobs as stored: their JSON text, and the values that stores use for their indexes.

>>> from coolid.model.jobs import JobRequest
>>> job_of(job_body(Job("j", "c", JobRequest("mint"), EPOCH, EPOCH))).request.operation
'mint'
"""

from datetime import UTC, datetime
from typing import Final

import msgspec

from coolid.model.jobs import Job, is_at_work

EPOCH: Final = datetime.fromtimestamp(0, UTC)

_DECODER: Final = msgspec.json.Decoder(Job)


def job_body(job: Job) -> str:
    """Return a job as JSON text."""
    return msgspec.json.encode(job).decode()


def job_of(body: str) -> Job:
    """Return the job of a JSON text. Raises `msgspec.MsgspecError`."""
    return _DECODER.decode(body)


def waits_from(job: Job) -> int | None:
    """Return the second since 1970 from which a worker may take the job, or None if it has no work to do.

    >>> from coolid.model.jobs import JobRequest
    >>> waits_from(Job("j", "c", JobRequest("mint"), EPOCH, EPOCH))
    0
    """
    if not is_at_work(job.state):
        return None
    return round((job.leased_until or EPOCH).timestamp())
