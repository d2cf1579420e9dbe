"""The check service: plans the addresses to check at a tick, and handles the messages of the queue.

Ticks and messages may arrive twice or late. A past tick is not planned any more, and a stale batch is dropped, because
later ticks have planned its addresses again.
"""

from datetime import datetime
from math import inf

from coolid.health.checker import Checker
from coolid.health.messages import STALE_SECONDS, CheckBatch, Message
from coolid.health.planner import Planner
from coolid.health.webhook_delivery import WebhookNotifier
from coolid.metric_names import PROBE_DROPPED
from coolid.ports import Clock, Count, Log


class CheckService:
    """Combines planner, checker and webhooks. Neither logs nor metrics contain an identifier or an address."""

    def __init__(
        self, planner: Planner, checker: Checker, notifier: WebhookNotifier, clock: Clock, *, log: Log, count: Count
    ) -> None:
        self._planner = planner
        self._checker = checker
        self._notifier = notifier
        self._clock = clock
        self._log = log
        self._count = count

    def plan_tick(self, moment: datetime, until: float = inf) -> None:
        """Plan the tick of a moment, unless it is over. Raises the errors of `Planner.plan`, which explains `until`."""
        schedule = self._planner.schedule
        tick = schedule.tick_of(moment)
        if schedule.tick_of(self._clock.now()) > tick + 1:
            self._log.warning("a tick is over", extra={"tick": tick})
            return
        self._log.info("planned", extra={"tick": tick, "visits": self._planner.plan(tick, until)})

    def handle_message(self, message: Message, until: float) -> bool:
        """Return whether a message is done; start no check after `until`. Raises `OutOfTime`, `StoreUnavailable`."""
        if not isinstance(message, CheckBatch):
            return self._notifier.deliver(message)
        if self._clock.now().timestamp() - message.at > STALE_SECONDS:
            self._count(PROBE_DROPPED, len(message.errands))
        else:
            self._checker.run(message, until)
        return True
