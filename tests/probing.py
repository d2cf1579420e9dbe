"""Probing in tests: a queue in this process, a world in which hosts can fail, and the function's parts over a store."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from coolid.health.check_function import CheckFunction
from coolid.health.checker import CheckAddress, Checker
from coolid.health.messages import CheckBatch, Message, WebhookNotice, message_id
from coolid.health.planner import Planner
from coolid.health.schedule import CheckSchedule, host_of
from coolid.health.webhook_delivery import WebhookNotifier
from coolid.model.check_state import BAD, BUSY, GOOD, CheckResult, CheckState
from coolid.registry.home_regions import SINGLE_REGION, Region
from tests.fakes import FixedClock

WELL = CheckResult(GOOD, status=200)
FAILS = CheckResult(BAD, "it answered 500", 500)
GONE = CheckResult(BAD, "nothing answers")
NAMELESS = CheckResult(BUSY, "its host name cannot be looked up at present")
TOO_BUSY = CheckResult(BUSY, "it answered 429", 429)


class MemoryQueue:
    """Implements `Queue` in this process; takes the same letter once."""

    def __init__(self) -> None:
        self.letters: deque[Message] = deque()
        self._known: set[str] = set()
        self.broken = False

    def send(self, letters: Sequence[Message]) -> None:
        if self.broken:
            raise ConnectionError
        for letter in letters:
            if message_id(letter) not in self._known:
                self._known.add(message_id(letter))
                self.letters.append(letter)

    def visits(self) -> list[CheckBatch]:
        return [each for each in self.letters if isinstance(each, CheckBatch)]

    def notices(self) -> list[WebhookNotice]:
        return [each for each in self.letters if isinstance(each, WebhookNotice)]


class Log:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.told.append(("info", f"{message} {extra}"))

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.told.append(("warning", f"{message} {extra}"))

    def error(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.told.append(("error", f"{message} {extra}"))


class World:
    """What there is to be seen, by host, or by URL; all is well that is not named. Nobody is asked by two at a time."""

    def __init__(self, clock: FixedClock) -> None:
        self.clock = clock
        self.sights: dict[str, CheckResult] = {}
        self.asked: list[str] = []
        self.known: dict[str, CheckState | None] = {}
        self.posted: list[tuple[str, bytes, Mapping[str, str]]] = []
        self.seconds = 0.0
        self.each_look = 0.0
        self._at: Counter[str | None] = Counter()
        self._lock = Lock()

    def check(self, url: str, previous: CheckState | None) -> CheckResult:
        host = host_of(url)
        with self._lock:
            self._at[host] += 1
            assert self._at[host] == 1, "a host is asked by one at a time"
            self.asked.append(url)
            self.known[url] = previous
            self.seconds += self.each_look
        with self._lock:
            self._at[host] -= 1
        return self.sights.get(url) or self.sights.get(host or "") or WELL

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> CheckResult:
        self.posted.append((url, body, headers))
        return self.sights.get(url, WELL)


class Site:
    """The probe function's parts over a store and a world, by a clock that stands."""

    def __init__(
        self,
        store: Any,
        pace: CheckSchedule | None = None,
        clock: FixedClock | None = None,
        look: CheckAddress | None = None,
        *,
        region: Region = SINGLE_REGION,
    ) -> None:
        self.store = store
        self.clock = clock or FixedClock()
        self.world = World(self.clock)
        self.queue = MemoryQueue()
        self.log = Log()
        self.counted: Counter[str] = Counter()
        self.region = region
        self.planner = Planner(store, self.queue, pace or CheckSchedule(), region)
        self.prober = self.a_prober(look)
        self.notifier = WebhookNotifier(store, self.world.post, self.clock, self.log, self.count)
        self.probe = CheckFunction(
            self.planner,
            self.prober,
            self.notifier,
            self.clock,
            log=self.log,
            count=self.count,
            check_timeout_seconds=0,
            seconds=lambda: self.world.seconds,
        )

    def a_prober(self, look: CheckAddress | None = None) -> Checker:
        """Another one, as a second environment of the function has it."""
        return Checker(
            self.store,
            look or self.world.check,
            self.queue,
            self.clock,
            log=self.log,
            count=self.count,
            region=self.region,
            seconds=lambda: self.world.seconds,
        )

    def count(self, name: str, value: int = 1, **_: str) -> None:
        self.counted[name] += value

    def tick(self, ticks: int = 1) -> None:
        """Let so many ticks go by, and all that they bring about be done."""
        for _ in range(ticks):
            self.clock.pause(self.planner.schedule.seconds * 1_000)
            self.probe.plan_tick(self.clock.now())
            self.work()

    def work(self) -> None:
        """Work off what is in the queue; what is not done stays."""
        for _ in range(len(self.queue.letters)):
            letter = self.queue.letters.popleft()
            if not self.probe.handle_message(letter, until=float("inf")):
                self.queue.letters.append(letter)
