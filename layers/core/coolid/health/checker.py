"""Probing: the visits of a letter are made, what they tell is kept, and told where it changes an answer.

A host is asked by one at a time, one URL after another; several hosts at once. Nothing goes wrong if a letter comes
twice: what was looked at since it was written is not looked at again.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Final, Protocol

from msgspec import Struct

from coolid.health.change_filter import is_worth_writing
from coolid.health.condition_updates import ConditionUpdater
from coolid.health.messages import CheckBatch, MessageQueue
from coolid.health.planner import CheckerStore
from coolid.health.schedule import CheckTask, host_of
from coolid.metric_names import PROBE_BLIND, PROBE_BUSY, PROBED, WENT_DOWN
from coolid.model.check_state import (
    BUSY,
    GOOD,
    LONGEST_PAUSE,
    CheckResult,
    CheckState,
    CheckSubject,
    host_owner,
    next_state,
)
from coolid.model.conditions import DOWN, UP
from coolid.ports import Clock, Count, Log
from coolid.registry.home_regions import ALONE, Region

THREADS: Final = 8
BLIND: Final = 5
"""Hosts that were well; if nothing else is seen than that none of so many answers, it is we who cannot see."""
LONGEST: Final = timedelta(seconds=LONGEST_PAUSE)
MOST_NAME: Final = 253
"""Characters of a host name (RFC 1035 section 2.3.4): longer ones never answer, and some are too long for a key."""
BUSY_FOR: Final = timedelta(minutes=15)
"""For how long a host is left alone that is too busy, and does not say for how long."""


class CheckAddress(Protocol):
    """As of `coolid.health.address_check.AddressChecker`: what is at a URL. Never raises; may be called by several threads."""

    def __call__(self, url: str, known: CheckState | None) -> CheckResult:
        """What one look tells."""


class OutOfTime(Exception):
    """There was no time for even one visit."""


class _TaskResult(Struct, frozen=True):
    """What a look at an errand told, and when."""

    errand: CheckTask
    sight: CheckResult
    at: datetime


def _said_of(host: str) -> CheckSubject:
    return CheckSubject(host_owner(host), "busy")


class Checker:
    """Makes visits by `look`, over a store, and has notices to webhooks sent by the queue."""

    def __init__(
        self,
        store: CheckerStore,
        look: CheckAddress,
        queue: MessageQueue,
        clock: Clock,
        *,
        log: Log,
        count: Count,
        region: Region = ALONE,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._teller = ConditionUpdater(store, queue, clock, region)
        self._look = look
        self._queue = queue
        self._clock = clock
        self._log = log
        self._count = count
        self._seconds = seconds
        self._busy: dict[str | None, datetime] = {}
        # Of letters before, too: where there is little to look at, they are short.
        self._silent: set[str | None] = set()

    def work(self, visits: CheckBatch, until: float) -> None:
        """Make the visits; those for which there is no time before `until` (of `seconds`) get a letter of their own.

        Raises `OutOfTime`, `StoreUnavailable` and what the queue does: all of it may then be done again.
        """
        subjects = [errand.subject for errand in visits.errands]
        names = dict.fromkeys(host_of(errand.url) or "" for errand in visits.errands)
        hosts = {host: _said_of(host) for host in names if 0 < len(host) <= MOST_NAME}
        pulses = self._store.check_states([*subjects, *hosts.values()])
        for host, of_host in hosts.items():
            self._leave_alone(host, pulses[of_host].until if of_host in pulses else None)
        seen, left = self._visit(visits, pulses, until)
        self._keep_busy(seen)
        if left:
            if len(left) == len(visits.errands):
                raise OutOfTime
            self._queue.send([CheckBatch(visits.at, tuple(left))])
        if self._is_blind(seen, pulses):
            self._log.warning("nothing answers: it is ours", extra={"visits": len(seen)})
            self._count(PROBE_BLIND)
            return
        rows = self._teller.rows(visits.errands)
        there = {errand.subject: errand for row in rows for errand in row.errands.values()}
        for subject in subjects:
            if subject not in there and subject in pulses:
                self._store.delete_check_state(subject)
        fresh = self._keep([each for each in seen if there.get(each.errand.subject) == each.errand], pulses)
        self._teller.update(rows, fresh, visits.at)

    def _visit(
        self, visits: CheckBatch, pulses: Mapping[CheckSubject, CheckState], until: float
    ) -> tuple[Sequence[_TaskResult], Sequence[CheckTask]]:
        hosts: defaultdict[str | None, list[CheckTask]] = defaultdict(list)
        ahead = (self._clock.now() + LONGEST).timestamp()  # what is known from then was put there by a wrong clock
        for errand in visits.errands:
            pulse = pulses.get(errand.subject)
            if pulse is None or pulse.url != errand.url or not visits.at <= pulse.checked.timestamp() < ahead:
                hosts[host_of(errand.url)].append(errand)
        seen: list[_TaskResult] = []
        left: list[CheckTask] = []
        if hosts:
            with ThreadPoolExecutor(min(THREADS, len(hosts)), thread_name_prefix="visit") as threads:
                for of_host, rest in threads.map(partial(self._ask, pulses=pulses, until=until), hosts.values()):
                    seen += of_host
                    left += rest
        if seen:
            self._count(PROBED, len(seen))
        return seen, left

    def _ask(
        self, errands: Sequence[CheckTask], pulses: Mapping[CheckSubject, CheckState], until: float
    ) -> tuple[Sequence[_TaskResult], Sequence[CheckTask]]:
        """Visit a host, once for each errand, until it is too busy or there is no time; and what is left then."""
        host = host_of(errands[0].url)
        seen: list[_TaskResult] = []
        for number, errand in enumerate(errands):
            now = self._clock.now()
            if now < self._busy.get(host, now) <= now + LONGEST:
                break  # they have their turn again, at another place in the line
            known = pulses.get(errand.subject)
            if known is not None and known.url != errand.url:
                known = None
            if known is not None and known.until is not None and now < known.until <= now + LONGEST:
                continue
            if self._seconds() >= until:
                return seen, errands[number:]
            sight = self._look(errand.url, known)
            now = self._clock.now()
            seen.append(_TaskResult(errand, sight, now))
            if sight.verdict == BUSY:
                self._leave_alone(host, now + (timedelta(seconds=sight.pause) if sight.pause else BUSY_FOR))
        return seen, ()

    def _leave_alone(self, host: str | None, until: datetime | None) -> None:
        latest = self._clock.now() + LONGEST
        if until is not None and until <= latest:
            known = self._busy.get(host, until)
            self._busy[host] = max(known, until) if known <= latest else until

    def _keep_busy(self, seen: Sequence[_TaskResult]) -> None:
        """Let other environments of the function know of hosts that said that they are too busy."""
        for each in seen:
            host = host_of(each.errand.url)
            if host and each.sight.verdict == BUSY and each.sight.status is not None:
                told = CheckState(url="", state=UP, since=each.at, checked=each.at, until=self._busy.get(host))
                self._store.put_check_state(_said_of(host), told)

    def _is_blind(self, seen: Sequence[_TaskResult], pulses: Mapping[CheckSubject, CheckState]) -> bool:
        """Whether no host answered anything, many of which were well.

        That no name can be looked up, and that we have no way, is BUSY: it says even less of the others.
        """
        if any(each.sight.verdict == GOOD or each.sight.status is not None for each in seen):
            self._silent.clear()
            return False
        known = ((each.errand, pulses.get(each.errand.subject)) for each in seen)
        self._silent |= {host_of(errand.url) for errand, pulse in known if pulse is None or pulse.state == UP}
        return bool(seen) and len(self._silent) >= BLIND

    def _keep(
        self, seen: Sequence[_TaskResult], pulses: Mapping[CheckSubject, CheckState]
    ) -> Mapping[CheckSubject, CheckState]:
        """Keep what is new of what was seen; the pulses as they are now."""
        fresh: dict[CheckSubject, CheckState] = {}
        fallen = busy = 0
        for each in seen:
            subject = each.errand.subject
            known = pulses.get(subject)
            pulse = fresh[subject] = next_state(known, each.sight, each.at, each.errand.url)
            fallen += pulse.state == DOWN and (known is None or known.state != DOWN)
            busy += each.sight.verdict == BUSY
            if is_worth_writing(known, pulse):
                self._store.put_check_state(subject, pulse)
        for name, number in ((WENT_DOWN, fallen), (PROBE_BUSY, busy)):
            if number:
                self._count(name, number)
        return fresh
