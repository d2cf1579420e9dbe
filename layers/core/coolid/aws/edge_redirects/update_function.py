"""The function that updates the redirects at the edge: changed names from its queue, and sweeps by its schedule."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.aws.edge_redirects.update_queue import InvalidUpdateMessage, UpdateMessage
from coolid.edge.synchroniser import Synchroniser, SyncResult
from coolid.errors import StoreUnavailable
from coolid.metric_names import EDGE_AGE, EDGE_KEYS, EDGE_LEFT_OUT, EDGE_REPAIRED, EDGE_SUSPENDED, EDGE_VALID
from coolid.ports import Clock, Count, Log, Seconds

Event = Mapping[str, Any]

_QUEUE: Final = "aws:sqs"
_SCHEDULE: Final = "aws.events"


class UpdateFunction:
    """Handles both kinds of event. Each may come twice. Neither logs nor metrics name a prefix."""

    def __init__(self, synchroniser: Synchroniser, clock: Clock, log: Log, count: Count) -> None:
        self._synchroniser = synchroniser
        self._clock = clock
        self._log = log
        self._count = count

    def __call__(self, event: Event, seconds_left: Seconds) -> dict[str, Any]:
        """Handle an event. Return the messages to retry. Raises `StoreUnavailable` if a sweep fails."""
        if event.get("source") == _SCHEDULE:
            self.sweep(seconds_left)
            return {"batchItemFailures": []}
        if {record.get("eventSource") for record in event["Records"]} <= {_QUEUE}:
            return {"batchItemFailures": [{"itemIdentifier": each} for each in self.change(event["Records"])]}
        raise ValueError("the event comes neither from the queue nor from the schedule")

    def change(self, messages: Sequence[Event]) -> list[str]:
        """Update the entries of the names in the messages. Return the ids of the messages to retry."""
        parsed: dict[str, UpdateMessage] = {}
        failed: list[str] = []
        for message in messages:
            try:
                parsed[message["messageId"]] = UpdateMessage.parse(message["body"])
            except InvalidUpdateMessage as error:
                self._log.error("a message cannot be read", extra={"sent": message["messageId"], "reason": str(error)})
                failed.append(message["messageId"])
        if not parsed:
            return failed
        try:
            outcome = self._synchroniser.change({name for each in parsed.values() for name in each.names})
        except StoreUnavailable as error:
            self._log.warning("the edge is not updated yet", extra={"reason": str(error)})
            return [*failed, *parsed]
        if outcome.written:
            age = self._clock.milliseconds() // 1000 - min(each.since for each in parsed.values())
            self._count(EDGE_AGE, age)
            self._log.info("the edge is updated", extra={"keys": outcome.written, "age": age})
        self._report(outcome)
        return [*failed, *parsed] if outcome.is_deferred else failed

    def sweep(self, seconds_left: Seconds) -> None:
        """Compare the store at the edge with the table, and repair it. Raises `StoreUnavailable`."""
        outcome = self._synchroniser.sweep(seconds_left)
        self._count(EDGE_VALID, int(outcome.is_valid))
        self._count(EDGE_KEYS, outcome.keys)
        self._count(EDGE_REPAIRED, outcome.written)
        self._count(EDGE_LEFT_OUT, outcome.left_out)
        facts = {"keys": outcome.keys, "repaired": outcome.written, "left_out": outcome.left_out}
        self._log.info("the edge is compared with the table", extra={**facts, "valid": outcome.is_valid})
        self._report(outcome)

    def _report(self, outcome: SyncResult) -> None:
        if outcome.is_suspended:
            self._log.error("the edge is switched off until the next sweep", extra={"keys": outcome.keys})
            self._count(EDGE_SUSPENDED)
