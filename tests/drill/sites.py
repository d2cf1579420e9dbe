"""Sites: where a process stands, with its clock, and what stands between it and the store.

Every call is a step of the baton, before it and after it: others may go on there, and the process may end.
Whatever goes wrong, goes wrong here; where the store is the embedded DynamoDB, in `tests.drill.wires` instead.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from coolid.errors import StoreUnavailable
from coolid.model.prefixes import ProviderPrefix
from tests.drill.baton import Baton, Killed, Life
from tests.drill.faults import (
    CLOCKS,
    FAILED,
    HALF,
    LAGGED,
    LOST,
    STALLED,
    THROTTLED,
    TORN,
    UNHEARD,
    Faults,
)
from tests.support.stores.memory_store import MemoryStore, UncachedReader

LAG: Final = 1.0
"""Seconds by which a read that is not consistent may be behind."""

_BEGAN: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
_MOST_OFF: Final = 20.0
_HALF_WRITTEN: Final = 0.05
"""How probable it is that what takes several writes is left half way."""

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
        "receipt",
        "list_records",
        "list_prefixes",
        "repository",
        "client",
        "usage",
    }
)
_OF_A_READ: Final = (THROTTLED, FAILED, STALLED)
_OF_A_WRITE: Final = (THROTTLED, FAILED, STALLED, LOST, UNHEARD, UNHEARD)
_FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "prefixes": (*_OF_A_READ, TORN, TORN),
    "records": (*_OF_A_READ, TORN, TORN),
}

Heard = Callable[[str, tuple[Any, ...], Any], None]
"""What hears of each call that was carried out: its name, its arguments, what came of it."""


class SiteClock:
    """Implements `coolid.ports.Clock`: the baton's time, wrong by some seconds that change now and then."""

    def __init__(self, baton: Baton) -> None:
        self._baton = baton
        self.off = 0.0

    def now(self) -> datetime:
        return self._moment().replace(microsecond=0)

    def milliseconds(self) -> int:
        return round(self._moment().timestamp() * 1000)

    def pause(self, milliseconds: int) -> None:
        self._baton.sleep(milliseconds / 1000)

    def tick(self) -> float:
        """Seconds that only move forward."""
        return self._baton.now

    def _moment(self) -> datetime:
        return _BEGAN + timedelta(seconds=self._baton.now + self.off)


class SiteProcessorClock:
    """Implements `coolid.ports.ProcessorClock`: some time is used between any two looks at it."""

    STEP: Final = 0.001

    def __init__(self) -> None:
        self.used = 0.0

    def seconds(self) -> float:
        self.used += self.STEP
        return self.used


class Site(Life):
    """A process's place."""

    def __init__(self, baton: Baton, faults: Faults, dice: Random) -> None:
        self.baton = baton
        self.faults = faults
        self.dice = dice
        self.clock = SiteClock(baton)

    def step(self) -> None:
        """Others may go on, and this process may end."""
        self.baton.step()
        task = self.baton.task
        if task is not None and task.life is self:
            if self.faults.kills(task.doing):
                self.over = True
                raise Killed
            if not self.faults.quiet and self.dice.random() < 0.001:
                self._jump()

    def _jump(self) -> None:
        """The clock is set: to some other time, or right again."""
        wrong = self.clock.off != 0 and self.dice.random() < 0.5
        off = 0.0 if wrong else self.dice.uniform(-_MOST_OFF, _MOST_OFF)
        self.faults.count(CLOCKS[0] if off > self.clock.off else CLOCKS[1])
        self.clock.off = off


class Shelf:
    """What a read that lags may still find: what was there before, by place, with the moment when that ended."""

    def __init__(self) -> None:
        self.former: dict[tuple[str, str], tuple[float, Any]] = {}


class FaultyStore(UncachedReader):
    """Passes everything on to a store in memory, as well as networks and services do."""

    def __init__(self, store: MemoryStore, site: Site, shelf: Shelf, heard: Heard) -> None:
        self._store = store
        self._site = site
        self._shelf = shelf
        self._heard = heard

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._store, name)
        if name not in _WRITES and name not in _READS:
            return passed_on

        def call(*arguments: Any, **options: Any) -> Any:
            return self._call(name, passed_on, arguments, options)

        self.__dict__[name] = call
        return call

    def _call(self, name: str, passed_on: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        site, faults = self._site, self._site.faults
        site.step()
        fault = faults.draw(_FAULTS.get(name, _OF_A_WRITE if name in _WRITES else _OF_A_READ))
        if fault in (THROTTLED, FAILED, LOST):
            faults.count(fault)
            raise StoreUnavailable(f"the store: {fault}")
        if fault == STALLED:
            faults.count(fault)
            site.baton.sleep(site.dice.uniform(0.2, 4))
        elif fault == TORN:
            return self._torn(passed_on, arguments, options)
        elif name == "put_prefix" and not faults.quiet and site.dice.random() < _HALF_WRITTEN:
            self._half(arguments[0])
        former = self._former(name, arguments)
        result = passed_on(*arguments, **options)
        if former is not None:
            self._shelf.former[former[0]] = site.baton.now, former[1]
        self._heard(name, arguments, result)
        if fault == UNHEARD:
            faults.count(fault)
            raise StoreUnavailable(f"the store: {fault}")
        if name in ("record", "records") and not options.get("consistent"):
            result = self._of_a_moment_ago(name, result, arguments)
        site.step()
        return result

    def _torn(self, passed_on: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Part of a batch comes now, the rest later or never."""
        *before, keys = arguments
        half = len(keys) // 2
        self._site.faults.count(TORN)
        found = dict(passed_on(*before, keys[:half], **options)) if half else {}
        self._site.step()
        if self._site.dice.random() < 0.4:
            raise StoreUnavailable("the store left keys of a batch unprocessed")
        return found | passed_on(*before, keys[half:], **options)

    def _half(self, prefix: Any) -> None:
        """The stems are written one by one, and then it ends."""
        names = (*(prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()), prefix.name)
        for name in names[: self._site.dice.randrange(1, len(names) + 1)]:
            self._store._mark_stems(name)
        self._site.faults.count(HALF)
        raise StoreUnavailable("the store failed half way")

    def _former(self, name: str, arguments: tuple[Any, ...]) -> tuple[tuple[str, str], Any] | None:
        if name not in ("create_record", "replace_record"):
            return None
        place = arguments[0].repository, arguments[0].key
        return place, self._store.records_by_key.get(place)

    def _of_a_moment_ago(self, name: str, found: Any, arguments: tuple[Any, ...]) -> Any:
        repository, keys = arguments[0], [arguments[1]] if name == "record" else arguments[1]
        rows = {keys[0]: found} if name == "record" else dict(found)
        for key in keys:
            ended, former = self._shelf.former.get((repository, key), (-LAG, None))
            is_late = self._site.baton.now - ended < LAG and not self._site.faults.quiet
            if is_late and self._site.dice.random() < 0.5:
                self._site.faults.count(LAGGED)
                rows[key] = former
        present = {key: row for key, row in rows.items() if row is not None}
        return present.get(keys[0]) if name == "record" else present
