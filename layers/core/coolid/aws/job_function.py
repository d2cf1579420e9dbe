"""The manage function's events beside requests: of the queue of jobs, and of the schedule that finds forgotten jobs.

A message starts one slice of its job. If more is to do, the function sends the next message, and then confirms this
one. So a job continues if the function is stopped at any moment: SQS delivers the message again. A job whose message
was lost is announced again by the schedule.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from math import ceil
from time import monotonic
from typing import Any, Final

from coolid.aws.job_queue import InvalidJobMessage, JobMessage
from coolid.errors import StoreUnavailable
from coolid.metric_names import UNFORESEEN_ERROR
from coolid.ports import Clock, Count, Log
from coolid.store.jobs import JobQueue, JobStore, RunSlice

RESERVE_SECONDS: Final = 8.0
"""Time left after a slice for its last rows, its results and the next message."""
MAX_ANNOUNCED: Final = 100
"""The most jobs that the schedule announces at a time."""
FORGOTTEN_AFTER: Final = timedelta(minutes=20)
"""A job that no worker has changed for so long is announced again. It exceeds the longest delay of a message."""

Event = Mapping[str, Any]


class JobFunction:
    """Handles both kinds of event. Logs contain no data of rows."""

    def __init__(
        self,
        run_slice: RunSlice,
        jobs: JobStore,
        queue: JobQueue,
        clock: Clock,
        log: Log,
        count: Count,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._run_slice = run_slice
        self._jobs = jobs
        self._queue = queue
        self._clock = clock
        self._log = log
        self._count = count
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event in `remaining` seconds; return the messages that failed."""
        if event.get("source") == "aws.events":
            self.announce_forgotten()
            return {"batchItemFailures": []}
        until = self._seconds() + max(remaining - RESERVE_SECONDS, 0)
        failed = [record["messageId"] for record in event["Records"] if not self._is_done(record, until)]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    def announce_forgotten(self) -> None:
        """Send a message for each job that has work to do and was not changed for some time."""
        now = self._clock.now()
        for job in self._jobs.waiting_jobs(now, MAX_ANNOUNCED):
            if job.updated <= now - FORGOTTEN_AFTER:
                self._queue.send(job.id)

    def _is_done(self, record: Event, until: float) -> bool:
        """Carry out a slice, and announce the next one. Return whether the message can be deleted."""
        try:
            job_id = JobMessage.parse(record["body"]).job
        except InvalidJobMessage as error:
            self._log.error("a message cannot be read", extra={"sent": record["messageId"], "reason": str(error)})
            self._count(UNFORESEEN_ERROR)
            return False
        try:
            pause = self._run_slice(job_id, until)
        except Exception as error:  # noqa: BLE001 - the other messages of the batch are handled
            reason = type(error).__name__  # the text could contain data of rows
            self._log.error("a slice of a job failed; its message comes again", extra={"job": job_id, "reason": reason})
            self._count(UNFORESEEN_ERROR)
            return False
        return pause is None or self._is_announced(job_id, ceil(pause))

    def _is_announced(self, job_id: str, pause: int) -> bool:
        try:
            self._queue.send(job_id, pause)
        except StoreUnavailable as error:
            self._log.warning("the next slice was not announced", extra={"job": job_id, "reason": str(error)})
            return False
        return True


def is_of_jobs(event: Event) -> bool:
    """Return whether an event comes from the queue of jobs or from the schedule, and not from API Gateway.

    >>> is_of_jobs({"Records": [{"eventSource": "aws:sqs"}]}), is_of_jobs({"httpMethod": "GET"})
    (True, False)
    """
    records = event.get("Records") or ()
    return event.get("source") == "aws.events" or any(each.get("eventSource") == "aws:sqs" for each in records)
