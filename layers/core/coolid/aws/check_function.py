"""The check function's events: of the schedule, which plans a tick, and of the queue, whose messages it handles."""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any, Final

from coolid.errors import StoreUnavailable
from coolid.health.address_check import CHECK_TIMEOUT_SECONDS
from coolid.health.check_service import CheckService
from coolid.health.checker import OutOfTime
from coolid.health.messages import InvalidCheckMessage, parse_message
from coolid.metric_names import PROBE_UNREADABLE, STORE_ERROR
from coolid.ports import Count, Log

RESERVE_SECONDS: Final = 20.0
"""Time left for writing results, besides the longest check."""
READING_SHARE: Final = 0.5
"""The part of the time after which the planner stops reading failing targets; the rest is for sending messages."""

Event = Mapping[str, Any]


class CheckFunction:
    """Handles both kinds of event with `service`."""

    def __init__(self, service: CheckService, log: Log, count: Count, seconds: Callable[[], float] = monotonic) -> None:
        self._service = service
        self._log = log
        self._count = count
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event in `remaining` seconds; return the messages that failed. Raises the errors of `plan_tick`."""
        if event.get("source") == "aws.events":
            until = self._seconds() + remaining * READING_SHARE
            self._service.plan_tick(datetime.fromisoformat(event["time"]), until)
            return {"batchItemFailures": []}
        records = event.get("Records", ())
        if not records or any(record.get("eventSource") != "aws:sqs" for record in records):
            raise ValueError("the event comes neither from the schedule nor from the queue")
        until = self._seconds() + remaining - CHECK_TIMEOUT_SECONDS - RESERVE_SECONDS
        failed = [record["messageId"] for record in records if not self._is_done(record, until)]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    def _is_done(self, record: Event, until: float) -> bool:
        try:
            return self._service.handle_message(parse_message(record["body"]), until)
        except InvalidCheckMessage as error:
            self._log.error("a message cannot be read", extra={"sent": record["messageId"], "reason": str(error)})
            self._count(PROBE_UNREADABLE)
        except StoreUnavailable as error:
            self._log.warning("the store failed; the message comes again", extra={"reason": str(error)})
            self._count(STORE_ERROR)
        except OutOfTime:
            self._log.warning("there was no time; the message comes again", extra={"sent": record["messageId"]})
        return False
