"""Hosts: the clock of a process, and the faults between the process and its store.

Every call steps the scheduler before and after it: other threads may run, and the process may be killed. The faults of
a store in memory happen here, those of the embedded DynamoDB in `tests.drill.faulty_transport`.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from coolid.errors import StoreUnavailable
from coolid.model.prefixes import ProviderPrefix
from tests.drill.faults import (
    CLOCKS,
    FAILED,
    HALF_WRITTEN,
    LOST,
    PARTIAL_BATCH,
    RESPONSE_LOST,
    STALE_READ,
    STALLED,
    THROTTLED,
    Faults,
)
from tests.drill.scheduler import Killed, Lifetime, Scheduler
from tests.support.stores.memory_store import MemoryStore, UncachedReader

LAG: Final = 1.0
"""Seconds by which an eventually consistent read may lag."""

_BEGAN: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
_MAX_OFFSET: Final = 20.0
_HALF_WRITTEN: Final = 0.05
"""The probability that an operation of several writes stops in the middle."""

_WRITES: Final = frozenset(
    {
        "create_record",
        "replace_record",
        "add_public_key",
        "reserve",
        "spend",
        "create_repository",
        "change_repository",
        "put_prefix",
        "put_client",
    }
)
_READS: Final = frozenset(
    {
        "prefixes",
        "record",
        "records",
        "superseded",
        "all_prefixes",
        "history",
        "public_keys",
        "idempotency_record",
        "list_records",
        "list_prefixes",
        "repository",
        "client",
        "usage",
    }
)
_READ_FAULTS: Final = (THROTTLED, FAILED, STALLED)
_WRITE_FAULTS: Final = (THROTTLED, FAILED, STALLED, LOST, RESPONSE_LOST, RESPONSE_LOST)
_FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "prefixes": (*_READ_FAULTS, PARTIAL_BATCH, PARTIAL_BATCH),
    "records": (*_READ_FAULTS, PARTIAL_BATCH, PARTIAL_BATCH),
}

CallListener = Callable[[str, tuple[Any, ...], Any], None]
"""Receives each performed call of the store: its name, its arguments, its result."""


class HostClock:
    """Implements `coolid.ports.Clock`: the scheduler's time with an offset of some seconds that sometimes changes."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.off = 0.0

    def now(self) -> datetime:
        return self._moment().replace(microsecond=0)

    def milliseconds(self) -> int:
        return round(self._moment().timestamp() * 1000)

    def pause(self, milliseconds: int) -> None:
        self._scheduler.sleep(milliseconds / 1000)

    def tick(self) -> float:
        """Return seconds of a monotonic clock."""
        return self._scheduler.now

    def _moment(self) -> datetime:
        return _BEGAN + timedelta(seconds=self._scheduler.now + self.off)


class HostProcessorClock:
    """Implements `coolid.ports.ProcessorClock`: every reading uses some time."""

    STEP: Final = 0.001

    def __init__(self) -> None:
        self.used = 0.0

    def seconds(self) -> float:
        self.used += self.STEP
        return self.used


class Host(Lifetime):
    """The environment of a process."""

    def __init__(self, scheduler: Scheduler, faults: Faults, rng: Random) -> None:
        self.scheduler = scheduler
        self.faults = faults
        self.rng = rng
        self.clock = HostClock(scheduler)

    def step(self) -> None:
        """Let other threads run; this process may be killed."""
        self.scheduler.step()
        task = self.scheduler.task
        if task is not None and task.lifetime is self:
            if self.faults.kills(task.activity):
                self.over = True
                raise Killed
            if not self.faults.quiet and self.rng.random() < 0.001:
                self._jump()

    def _jump(self) -> None:
        """Change the offset of the clock, or set it to 0."""
        wrong = self.clock.off != 0 and self.rng.random() < 0.5
        off = 0.0 if wrong else self.rng.uniform(-_MAX_OFFSET, _MAX_OFFSET)
        self.faults.count(CLOCKS[0] if off > self.clock.off else CLOCKS[1])
        self.clock.off = off


class FormerRows:
    """The former rows that an eventually consistent read may still return, each with the time of its replacement."""

    def __init__(self) -> None:
        self.former: dict[tuple[str, str], tuple[float, Any]] = {}


class FaultyStore(UncachedReader):
    """Passes calls on to a store in memory, with the faults of networks and services."""

    def __init__(self, store: MemoryStore, host: Host, former_rows: FormerRows, listener: CallListener) -> None:
        self._store = store
        self._host = host
        self._former_rows = former_rows
        self._listener = listener

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._store, name)
        if name not in _WRITES and name not in _READS:
            return passed_on

        def call(*arguments: Any, **options: Any) -> Any:
            return self._call(name, passed_on, arguments, options)

        self.__dict__[name] = call
        return call

    def _call(self, name: str, passed_on: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        host, faults = self._host, self._host.faults
        host.step()
        fault = faults.draw(_FAULTS.get(name, _WRITE_FAULTS if name in _WRITES else _READ_FAULTS))
        if fault in (THROTTLED, FAILED, LOST):
            faults.count(fault)
            raise StoreUnavailable(f"the store: {fault}")
        if fault == STALLED:
            faults.count(fault)
            host.scheduler.sleep(host.rng.uniform(0.2, 4))
        elif fault == PARTIAL_BATCH:
            return self._partial_batch(passed_on, arguments, options)
        elif name == "put_prefix" and not faults.quiet and host.rng.random() < _HALF_WRITTEN:
            self._write_half(arguments[0])
        former = self._former(name, arguments)
        result = passed_on(*arguments, **options)
        if former is not None:
            self._former_rows.former[former[0]] = host.scheduler.now, former[1]
        self._listener(name, arguments, result)
        if fault == RESPONSE_LOST:
            faults.count(fault)
            raise StoreUnavailable(f"the store: {fault}")
        if name in ("record", "records") and not options.get("consistent"):
            result = self._stale_result(name, result, arguments)
        host.step()
        return result

    def _partial_batch(self, passed_on: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Read a part of a batch now, and the rest later or never."""
        *before, keys = arguments
        half = len(keys) // 2
        self._host.faults.count(PARTIAL_BATCH)
        found = dict(passed_on(*before, keys[:half], **options)) if half else {}
        self._host.step()
        if self._host.rng.random() < 0.4:
            raise StoreUnavailable("the store left keys of a batch unprocessed")
        return found | passed_on(*before, keys[half:], **options)

    def _write_half(self, prefix: Any) -> None:
        """Write some of the stems, and then fail."""
        names = (*(prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()), prefix.name)
        for name in names[: self._host.rng.randrange(1, len(names) + 1)]:
            self._store._mark_stems(name)
        self._host.faults.count(HALF_WRITTEN)
        raise StoreUnavailable("the store failed half way")

    def _former(self, name: str, arguments: tuple[Any, ...]) -> tuple[tuple[str, str], Any] | None:
        if name not in ("create_record", "replace_record"):
            return None
        place = arguments[0].repository, arguments[0].key
        return place, self._store.records_by_key.get(place)

    def _stale_result(self, name: str, found: Any, arguments: tuple[Any, ...]) -> Any:
        repository, keys = arguments[0], [arguments[1]] if name == "record" else arguments[1]
        rows = {keys[0]: found} if name == "record" else dict(found)
        for key in keys:
            ended, former = self._former_rows.former.get((repository, key), (-LAG, None))
            is_late = self._host.scheduler.now - ended < LAG and not self._host.faults.quiet
            if is_late and self._host.rng.random() < 0.5:
                self._host.faults.count(STALE_READ)
                rows[key] = former
        present = {key: row for key, row in rows.items() if row is not None}
        return present.get(keys[0]) if name == "record" else present
