"""The checker: carries out check batches, stores check states and updates conditions.

Each host receives one request at a time; several hosts are checked in parallel. A batch that arrives twice is harmless,
because addresses that were checked since it was planned are skipped.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.health.circuit_breaker import next_state
from coolid.health.condition_updates import ConditionUpdater
from coolid.health.messages import CheckBatch, MessageQueue
from coolid.health.schedule import CheckTask, host_of
from coolid.metric_names import PROBE_BLIND, PROBE_BUSY, PROBED, WENT_DOWN
from coolid.model.check_state import BUSY, GOOD, MAX_PAUSE_SECONDS, CheckResult, CheckState, CheckSubject, host_owner
from coolid.model.conditions import DOWN, UP
from coolid.ports import Clock, Count, Log
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.store.store import Store

MAX_THREADS: Final = 8
MIN_SILENT_HOSTS: Final = 5
"""If so many hosts that were up are silent and no host answers, the fault is on this side."""
MAX_PAUSE: Final = timedelta(seconds=MAX_PAUSE_SECONDS)
MAX_HOST_CHARACTERS: Final = 253
"""Of a host name (RFC 1035 section 2.3.4). Longer ones never resolve, and some are too long for a key."""
REWRITE_AFTER: Final = timedelta(hours=6)
"""The age at which an unchanged check state is written again."""
DEFAULT_PAUSE: Final = timedelta(minutes=15)
"""The pause for a busy host that names none."""


CheckAddress = Callable[[str, CheckState | None], CheckResult]
"""Checks a URL, given its previous state. Never raises; thread-safe. See `AddressChecker.check`."""


class OutOfTime(Exception):
    """There was no time for a single check."""


class _TaskResult(Struct, frozen=True):
    """The result of a check task, and its time."""

    task: CheckTask
    result: CheckResult
    at: datetime


def _host_subject(host: str) -> CheckSubject:
    return CheckSubject(host_owner(host), "busy")


class Checker:
    """Checks addresses by `check`, writes the results to a store and queues notices to webhooks."""

    def __init__(
        self,
        store: Store,
        check: CheckAddress,
        queue: MessageQueue,
        clock: Clock,
        *,
        log: Log,
        count: Count,
        region: Region = SINGLE_REGION,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._check_states = store.check_states
        self._conditions = ConditionUpdater(store, queue, clock, region)
        self._check = check
        self._queue = queue
        self._clock = clock
        self._log = log
        self._count = count
        self._seconds = seconds
        # These two outlast a batch, because a batch may be short.
        self._busy: dict[str | None, datetime] = {}
        self._silent: set[str | None] = set()

    def run(self, batch: CheckBatch, until: float) -> None:
        """Check the addresses of a batch. Tasks without time before `until` (of `seconds`) are queued as another batch.

        Raises `OutOfTime`, `StoreUnavailable` and the queue's errors; the whole batch can then be repeated.
        """
        subjects = [task.subject for task in batch.errands]
        names = dict.fromkeys(host_of(task.url) or "" for task in batch.errands)
        hosts = {host: _host_subject(host) for host in names if 0 < len(host) <= MAX_HOST_CHARACTERS}
        states = self._check_states.check_states([*subjects, *hosts.values()])
        for host, subject in hosts.items():
            self._pause(host, states[subject].until if subject in states else None)
        results, postponed = self._check_all(batch, states, until)
        self._write_pauses(results)
        if postponed:
            if len(postponed) == len(batch.errands):
                raise OutOfTime
            self._queue.send([CheckBatch(batch.at, tuple(postponed))])
        if self._is_offline(results, states):
            self._log.warning("no host answers, so the fault is on this side", extra={"visits": len(results)})
            self._count(PROBE_BLIND)
            return
        targets = self._conditions.targets(batch.errands)
        registered = {task.subject: task for target in targets for task in target.tasks.values()}
        for subject in subjects:
            if subject not in registered and subject in states:
                self._check_states.delete_check_state(subject)
        current = self._write([each for each in results if registered.get(each.task.subject) == each.task], states)
        self._conditions.update(targets, current, batch.at)

    def _check_all(
        self, batch: CheckBatch, states: Mapping[CheckSubject, CheckState], until: float
    ) -> tuple[Sequence[_TaskResult], Sequence[CheckTask]]:
        hosts: defaultdict[str | None, list[CheckTask]] = defaultdict(list)
        latest = (self._clock.now() + MAX_PAUSE).timestamp()  # later check times come from a wrong clock
        for task in batch.errands:
            state = states.get(task.subject)
            if state is None or state.url != task.url or not batch.at <= state.checked.timestamp() < latest:
                hosts[host_of(task.url)].append(task)
        results: list[_TaskResult] = []
        postponed: list[CheckTask] = []
        if hosts:
            with ThreadPoolExecutor(min(MAX_THREADS, len(hosts)), thread_name_prefix="visit") as threads:
                for checked, rest in threads.map(partial(self._check_host, states=states, until=until), hosts.values()):
                    results += checked
                    postponed += rest
        if results:
            self._count(PROBED, len(results))
        return results, postponed

    def _check_host(
        self, tasks: Sequence[CheckTask], states: Mapping[CheckSubject, CheckState], until: float
    ) -> tuple[Sequence[_TaskResult], Sequence[CheckTask]]:
        """Check a host's addresses until it is busy or time is up. Return the results and the postponed tasks."""
        host = host_of(tasks[0].url)
        results: list[_TaskResult] = []
        for index, task in enumerate(tasks):
            now = self._clock.now()
            if now < self._busy.get(host, now) <= now + MAX_PAUSE:
                break  # later batches contain these tasks again, in another order
            previous = states.get(task.subject)
            if previous is not None and previous.url != task.url:
                previous = None
            if previous is not None and previous.until is not None and now < previous.until <= now + MAX_PAUSE:
                continue
            if self._seconds() >= until:
                return results, tasks[index:]
            result = self._check(task.url, previous)
            now = self._clock.now()
            results.append(_TaskResult(task, result, now))
            if result.verdict == BUSY:
                self._pause(host, now + (timedelta(seconds=result.pause) if result.pause else DEFAULT_PAUSE))
        return results, ()

    def _pause(self, host: str | None, until: datetime | None) -> None:
        latest = self._clock.now() + MAX_PAUSE
        if until is not None and until <= latest:
            paused_until = self._busy.get(host, until)
            self._busy[host] = max(paused_until, until) if paused_until <= latest else until

    def _write_pauses(self, results: Sequence[_TaskResult]) -> None:
        """Write the pauses of busy hosts, for other environments of the function."""
        for each in results:
            host = host_of(each.task.url)
            if host and each.result.verdict == BUSY and each.result.status is not None:
                state = CheckState(url="", state=UP, since=each.at, checked=each.at, until=self._busy.get(host))
                self._check_states.put_check_state(_host_subject(host), state)

    def _is_offline(self, results: Sequence[_TaskResult], states: Mapping[CheckSubject, CheckState]) -> bool:
        """Return whether no host answers, although many were up; BUSY without a status says nothing about a host."""
        if any(each.result.verdict == GOOD or each.result.status is not None for each in results):
            self._silent.clear()
            return False
        previous = ((each.task, states.get(each.task.subject)) for each in results)
        self._silent |= {host_of(task.url) for task, state in previous if state is None or state.state == UP}
        return bool(results) and len(self._silent) >= MIN_SILENT_HOSTS

    def _write(
        self, results: Sequence[_TaskResult], states: Mapping[CheckSubject, CheckState]
    ) -> Mapping[CheckSubject, CheckState]:
        """Write the check states worth writing; return all current ones by subject."""
        current: dict[CheckSubject, CheckState] = {}
        fallen = busy = 0
        for each in results:
            subject = each.task.subject
            previous = states.get(subject)
            state = current[subject] = next_state(previous, each.result, each.at, each.task.url)
            fallen += state.state == DOWN and (previous is None or previous.state != DOWN)
            busy += each.result.verdict == BUSY
            if is_worth_writing(previous, state):
                self._check_states.put_check_state(subject, state)
        for name, number in ((WENT_DOWN, fallen), (PROBE_BUSY, busy)):
            if number:
                self._count(name, number)
        return current


def is_worth_writing(previous: CheckState | None, current: CheckState) -> bool:
    """Return whether to write a check state. A healthy one that stays healthy is not written for a new entity tag."""
    if previous is None or abs(current.checked - previous.checked) >= REWRITE_AFTER:
        return True
    if current.state != UP or previous.state != UP:
        return replace(current, checked=previous.checked) != previous
    same = ("url", "since", "reason", "moved", "until", "falls")
    return any(getattr(previous, name) != getattr(current, name) for name in same)
