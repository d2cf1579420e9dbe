"""The check function: turns scheduled events into check batches, and carries out the batches of its queue.

One function handles both kinds of event. Either may arrive twice or late: a past tick is not planned any more, and a
stale batch is dropped, because later ticks have planned its addresses again.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any, Final

from coolid.errors import StoreUnavailable
from coolid.health.checker import Checker, OutOfTime
from coolid.health.messages import CheckBatch, InvalidCheckMessage, Message, parse_message
from coolid.health.planner import Planner
from coolid.health.webhook_delivery import WebhookNotifier
from coolid.metric_names import PROBE_DROPPED, PROBE_UNREADABLE, STORE_ERROR
from coolid.ports import Clock, Count, Log

RESERVE_SECONDS: Final = 20.0
"""Time left for writing results, besides the longest check."""
STALE_SECONDS: Final = 3_600
"""The age at which a batch is dropped."""
_SCHEDULE: Final = "aws.events"
_QUEUE: Final = "aws:sqs"

Event = Mapping[str, Any]


class CheckFunction:
    """Handles both kinds of event. Neither logs nor metrics contain an identifier or an address."""

    def __init__(
        self,
        planner: Planner,
        checker: Checker,
        notifier: WebhookNotifier,
        clock: Clock,
        *,
        log: Log,
        count: Count,
        check_timeout_seconds: float,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._planner = planner
        self._checker = checker
        self._notifier = notifier
        self._clock = clock
        self._log = log
        self._count = count
        self._check_timeout_seconds = check_timeout_seconds
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event of the schedule or the queue in `remaining` seconds; return the messages that failed."""
        if event.get("source") == _SCHEDULE:
            self.plan_tick(datetime.fromisoformat(event["time"]))
            return {"batchItemFailures": []}
        records = event.get("Records", ())
        if not records or any(record.get("eventSource") != _QUEUE for record in records):
            raise ValueError("the event comes neither from the schedule nor from the queue")
        until = self._seconds() + remaining - self._check_timeout_seconds - RESERVE_SECONDS
        failed = [record["messageId"] for record in records if not self._is_done(record, until)]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    def plan_tick(self, moment: datetime) -> None:
        """Plan the tick of a moment, unless it is over. Raises `StoreUnavailable` and the queue's errors."""
        schedule = self._planner.schedule
        tick = schedule.tick_of(moment)
        if schedule.tick_of(self._clock.now()) > tick + 1:
            self._log.warning("a tick is over", extra={"tick": tick})
            return
        self._log.info("planned", extra={"tick": tick, "visits": self._planner.plan(tick)})

    def handle_message(self, message: Message, until: float) -> bool:
        """Carry out a message and return whether it is done. Starts no check after `until`."""
        if isinstance(message, CheckBatch):
            if self._clock.now().timestamp() - message.at > STALE_SECONDS:
                self._count(PROBE_DROPPED, len(message.errands))
                return True
            self._checker.run(message, until)
            return True
        return self._notifier.deliver(message)

    def _is_done(self, record: Mapping[str, Any], until: float) -> bool:
        try:
            return self.handle_message(parse_message(record["body"]), until)
        except InvalidCheckMessage as error:
            self._log.error("a message is no letter", extra={"sent": record["messageId"], "reason": str(error)})
            self._count(PROBE_UNREADABLE)
        except StoreUnavailable as error:
            self._log.warning("the store failed; the letter comes again", extra={"reason": str(error)})
            self._count(STORE_ERROR)
        except OutOfTime:
            self._log.warning("there was no time; the letter comes again", extra={"sent": record["messageId"]})
        return False
