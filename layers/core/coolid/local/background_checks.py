"""Checks of providers and targets in a thread, with an in-process queue. Clients request checks through the store."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from time import monotonic, time
from typing import Final

from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.aws.telemetry.metrics import discard_count
from coolid.errors import StoreUnavailable
from coolid.health.checker import OutOfTime
from coolid.health.messages import Message, message_id, parse_message
from coolid.local.listeners import WarningLog
from coolid.local.shutdown import StoppableThread
from coolid.wiring.check_service import NETWORKS, build_check_service, check_schedule
from coolid.wiring.write_access import open_store

REQUEST_SECONDS: Final = 2.0
"""The seconds between two looks for requested checks."""
MAX_REQUESTS: Final = 50
"""The requested checks that are taken from the store at once."""
BATCH_SECONDS: Final = 60.0
"""The most seconds for one message; the rest of its tasks becomes a new message."""


class LocalQueue:
    """Implements `coolid.health.messages.MessageQueue` in this process; a waiting message is not added again."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Message] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def send(self, messages: Sequence[Message]) -> None:
        """See `MessageQueue.send`."""
        for message in messages:
            self._waiting.setdefault(message_id(message), message)

    def send_first(self, messages: Sequence[Message]) -> None:
        """Insert messages before all others."""
        for message in reversed(messages):
            name = message_id(message)
            self._waiting[name] = message
            self._waiting.move_to_end(name, last=False)

    def take(self) -> Message:
        """Remove and return the oldest message."""
        return self._waiting.popitem(last=False)[1]


class BackgroundChecks(StoppableThread):
    """Runs the due checks at once, then every `seconds`, over the store that the environment names.

    `networks` are allowed besides the public Internet. It stops when the current requests are answered or timed out.
    """

    def __init__(
        self, environment: Mapping[str, str], seconds: int, networks: Sequence[str], warn: Callable[[str], None]
    ) -> None:
        super().__init__("probe")
        self._interval = seconds
        self._warn = warn
        self._queue = LocalQueue()
        environment = {**environment, NETWORKS: ",".join(networks) or environment.get(NETWORKS, "")}
        self._service = build_check_service(
            environment,
            self._queue,
            WarningLog("checks of providers and targets", warn),
            discard_count,
            tick=seconds,
            seconds=self._seconds,
        )
        self._requests = open_store(Settings.read(environment, writes=False, also=[PULSE_TABLE])).check_requests
        self.include_targets = check_schedule(environment).targets > 0

    def _run(self) -> None:
        while not self._stopped.is_set():
            now = time()
            try:
                self._service.plan_tick(datetime.fromtimestamp(now, UTC))
                self._process_waiting()
            except StoreUnavailable as error:
                self._warn(f"the addresses could not be checked, will try again: {error}")
            self._await_tick(monotonic() + max(self._interval - (time() - now), 1))

    def _await_tick(self, end: float) -> None:
        """Process requested checks until the end, by the clock `monotonic`."""
        while not self._stopped.wait(max(min(REQUEST_SECONDS, end - monotonic()), 0)) and monotonic() < end:
            try:
                self._take_requests()
                self._process_waiting()
            except StoreUnavailable as error:
                self._warn(f"the requested checks could not be carried out, will try again: {error}")

    def _take_requests(self) -> None:
        """Move the requested checks from the store into the queue, before all others."""
        self._queue.send_first([parse_message(text) for text in self._requests.take_check_requests(MAX_REQUESTS)])

    def _process_waiting(self) -> None:
        """Process as many messages as wait now, and the requested checks before each of them."""
        for _ in range(len(self._queue)):
            self._process_batch()
            self._take_requests()

    def _process_batch(self) -> None:
        message = self._queue.take()
        done = self._stopped.is_set()
        try:
            done = done or self._service.handle_message(message, monotonic() + BATCH_SECONDS)
        except OutOfTime:
            return  # `finally` puts it back into the queue
        finally:
            if not done:
                self._queue.send([message])

    def _seconds(self) -> float:
        """Return the time. After `stop` it is infinite, so that no further request begins."""
        return inf if self._stopped.is_set() else monotonic()
