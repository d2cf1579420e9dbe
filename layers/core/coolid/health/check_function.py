"""The probe function: a schedule's ticks in, letters out; letters in, looks at the world out.

One function is called for both halves. Either half may happen twice, or late: a tick that is over is not planned any
more, and visits that have waited for too long are not made, for others have been planned since.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any, Final

from coolid.errors import StoreUnavailable
from coolid.health.checker import Checker, OutOfTime
from coolid.health.messages import CheckBatch, InvalidCheckMessage, Letter, parse_message
from coolid.health.planner import Planner
from coolid.health.webhook_delivery import WebhookNotifier
from coolid.metric_names import PROBE_DROPPED, PROBE_UNREADABLE, STORE_ERROR
from coolid.ports import Clock, Count, Log

RESERVE: Final = 20.0
"""Seconds beside the longest look that are kept for writing down what was seen."""
STALE: Final = 3_600
"""Seconds after which visits are not made any more."""
_SCHEDULE: Final = "aws.events"
_QUEUE: Final = "aws:sqs"

Event = Mapping[str, Any]


class CheckFunction:
    """Does both halves; neither logs nor metrics name an identifier or an address. A look takes `longest` seconds."""

    def __init__(
        self,
        planner: Planner,
        prober: Checker,
        notifier: WebhookNotifier,
        clock: Clock,
        *,
        log: Log,
        count: Count,
        longest: float,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._planner = planner
        self._prober = prober
        self._notifier = notifier
        self._clock = clock
        self._log = log
        self._count = count
        self._longest = longest
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Do what an event of the schedule or of the queue asks for, in so many seconds; which letters come again."""
        if event.get("source") == _SCHEDULE:
            self.tick(datetime.fromisoformat(event["time"]))
            return {"batchItemFailures": []}
        records = event.get("Records", ())
        if not records or any(record.get("eventSource") != _QUEUE for record in records):
            raise ValueError("the event comes neither from the schedule nor from the queue")
        until = self._seconds() + remaining - self._longest - RESERVE
        failed = [record["messageId"] for record in records if not self._done(record, until)]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    def tick(self, moment: datetime) -> None:
        """Plan the tick of a moment, unless it is over. Raises `StoreUnavailable` and what the queue does."""
        pace = self._planner.pace
        tick = pace.tick_of(moment)
        if pace.tick_of(self._clock.now()) > tick + 1:
            self._log.warning("a tick is over", extra={"tick": tick})
            return
        self._log.info("planned", extra={"tick": tick, "visits": self._planner.plan(tick)})

    def work(self, letter: Letter, until: float) -> bool:
        """Do what a letter asks for; whether it is done. It begins nothing after `until`."""
        if isinstance(letter, CheckBatch):
            if self._clock.now().timestamp() - letter.at > STALE:
                self._count(PROBE_DROPPED, len(letter.errands))
                return True
            self._prober.work(letter, until)
            return True
        return self._notifier.deliver(letter)

    def _done(self, record: Mapping[str, Any], until: float) -> bool:
        try:
            return self.work(parse_message(record["body"]), until)
        except InvalidCheckMessage as error:
            self._log.error("a message is no letter", extra={"sent": record["messageId"], "reason": str(error)})
            self._count(PROBE_UNREADABLE)
        except StoreUnavailable as error:
            self._log.warning("the store failed; the letter comes again", extra={"reason": str(error)})
            self._count(STORE_ERROR)
        except OutOfTime:
            self._log.warning("there was no time; the letter comes again", extra={"sent": record["messageId"]})
        return False
