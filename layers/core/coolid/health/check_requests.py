"""Requested checks of single records, between those of the schedule (`coolid.health.schedule`).

A requested check is a check batch like those of the schedule, so the same rules hold for its outgoing requests. Its
moment is the beginning of a minute: an address that was checked since is not checked again, and a queue removes
duplicates.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from coolid.health.messages import STALE_SECONDS, Message, MessageQueue, check_batches, message_id
from coolid.health.schedule import tasks_of_record
from coolid.model.records import Record
from coolid.ports import Clock
from coolid.store.checks import CheckRequestStore

MIN_INTERVAL_SECONDS: Final = 60
"""The least time between two requested checks of an address."""


class StoredCheckQueue(Struct, frozen=True):
    """Implements `MessageQueue` for one machine: stores messages for the process that checks addresses."""

    requests: CheckRequestStore

    def send(self, messages: Sequence[Message]) -> None:
        """See `MessageQueue.send`. A message that waits already is not added again."""
        for message in messages:
            name = f"{message.at:012d} {message_id(message)}"
            self.requests.put_check_request(name, message.text(), message.at + STALE_SECONDS)


def request_check(record: Record, queue: MessageQueue, clock: Clock) -> int | None:
    """Queue a check of the addresses to which a record leads now; None if it leads to none that is checked.

    Return the moment (seconds since 1970) from which a check counts as the requested one. Raises the queue's errors.
    """
    now = clock.now()
    tasks = tasks_of_record(record, now)
    at = int(now.timestamp()) // MIN_INTERVAL_SECONDS * MIN_INTERVAL_SECONDS
    queue.send(list(check_batches(tasks, at)))
    return at if tasks else None
