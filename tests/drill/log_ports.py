"""The ports of the transparency log under faults, and the records that it reads.

A call may fail before it takes effect, or after it, or after a part of it, or take effect later, when its caller has
given up. A list may be that of an earlier moment. The process of a sequencer may be killed before and after any call.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, TypeVar

from coolid.errors import Outdated, StoreUnavailable
from coolid.model.records import Record
from coolid.store.log import LogHead, WaitingEntry
from tests.drill.faults import FAILED, HALF_WRITTEN, LOST, RESPONSE_LOST, STALE_READ, THROTTLED, Faults
from tests.drill.scheduler import Scheduler
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows

T = TypeVar("T")

LATE: Final = "applied after the caller gave up"
BEFORE: Final = "killed before a call"
AFTER: Final = "killed after a call"
READS: Final = (THROTTLED, FAILED, LOST, RESPONSE_LOST)
WRITES: Final = (*READS, LATE)
PARTS: Final = (*WRITES, HALF_WRITTEN)
LOG_FAULTS: Final = (*PARTS, STALE_READ, BEFORE, AFTER)
_LATE_SECONDS: Final = 3.0
_KILL_RATE: Final = 0.01
_STALE_RATE: Final = 0.1


class RunKilled(BaseException):
    """The process of a run was killed."""


class FaultyCalls:
    """Carries out calls with faults. The process of the caller may be killed if `may_kill`."""

    def __init__(self, scheduler: Scheduler, faults: Faults, *, may_kill: bool = False) -> None:
        self._scheduler = scheduler
        self._faults = faults
        self._may_kill = may_kill

    def call(self, kinds: Sequence[str], apply: Callable[[], T], part: Callable[[], object] | None = None) -> T:
        """Let others run, then carry out a call, or a `part` of it, or fail."""
        self._kill(BEFORE)
        self._scheduler.step()
        fault = self._faults.draw(tuple(kinds))
        if fault is None:
            result = apply()
            self._kill(AFTER)
            return result
        self._faults.count(fault)
        if fault == RESPONSE_LOST:
            apply()
        elif fault == HALF_WRITTEN and part:
            part()
        elif fault == LATE:
            self._scheduler.begin(lambda: self._apply_later(apply))
        raise StoreUnavailable(fault)

    def stale(self) -> bool:
        """Return whether a list is that of an earlier moment."""
        is_stale = not self._faults.quiet and self._scheduler.rng.random() < _STALE_RATE
        self._faults.fired[STALE_READ] += is_stale
        return is_stale

    def chosen(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return some of the items."""
        return [item for item in items if self._scheduler.rng.random() < 0.5]

    def _apply_later(self, apply: Callable[[], Any]) -> None:
        self._scheduler.sleep(self._scheduler.rng.random() * _LATE_SECONDS)
        with suppress(Outdated):
            apply()

    def _kill(self, moment: str) -> None:
        if self._may_kill and not self._faults.quiet and self._scheduler.rng.random() < _KILL_RATE:
            self._faults.count(moment)
            raise RunKilled


class FaultyLogRows:
    """Acts as `rows`, with faults."""

    def __init__(self, rows: MemoryLogRows, calls: FaultyCalls) -> None:
        self._rows = rows
        self._calls = calls
        self._earlier: Sequence[WaitingEntry] = ()

    def waiting_entries(self, limit: int) -> Sequence[WaitingEntry]:
        found = self._calls.call(READS, lambda: self._rows.waiting_entries(limit))
        if self._earlier and self._calls.stale():
            return self._earlier[:limit]
        self._earlier = found
        return found

    def add_entries(self, entries: Sequence[WaitingEntry]) -> None:
        self._calls.call(
            PARTS,
            lambda: self._rows.add_entries(entries),
            lambda: self._rows.add_entries(self._calls.chosen(entries)),
        )

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        return self._calls.call(READS, lambda: self._rows.indexes(names))

    def settle(self, indexes: Mapping[str, int]) -> None:
        some = dict(self._calls.chosen([*indexes.items()]))
        self._calls.call(PARTS, lambda: self._rows.settle(indexes), lambda: self._rows.settle(some))

    def head(self) -> LogHead | None:
        return self._calls.call(READS, self._rows.head)

    def replace_head(self, head: LogHead, replaced: LogHead | None) -> None:
        self._calls.call(WRITES, lambda: self._rows.replace_head(head, replaced))

    def sweep_position(self) -> str | None:
        return self._calls.call(READS, self._rows.sweep_position)

    def set_sweep_position(self, position: str) -> None:
        self._calls.call(WRITES, lambda: self._rows.set_sweep_position(position))


class FaultyLogFiles:
    """Acts as `files`, with faults."""

    def __init__(self, files: MemoryLogFiles, calls: FaultyCalls) -> None:
        self._files = files
        self._calls = calls

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        return self._calls.call(READS, lambda: self._files.read(paths))

    def write(self, files: Mapping[str, bytes]) -> None:
        some = dict(self._calls.chosen([*files.items()]))
        self._calls.call(PARTS, lambda: self._files.write(files), lambda: self._files.write(some))

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        self._calls.call(WRITES, lambda: self._files.publish(checkpoint, replaced))

    def discard_staging(self, size: int) -> None:
        self._calls.call(WRITES, lambda: self._files.discard_staging(size))


class WrittenRecords:
    """The records of one repository, with the reads of the sequencer and of the sweep."""

    def __init__(self, calls: FaultyCalls | None = None, written: "WrittenRecords | None" = None) -> None:
        self._calls = calls
        self.versions: dict[str, list[Record]] = written.versions if written else {}
        self.changes: list[tuple[datetime, str]] = written.changes if written else []

    def write(self, record: Record) -> None:
        """Write the next version of a record."""
        self.versions.setdefault(record.key, []).append(record)
        self.changes.append((record.updated, record.key))

    def record(self, _repository: str, key: str, *, consistent: bool = False) -> Record | None:
        return self._call(lambda: self.versions[key][-1])

    def superseded(self, _repository: str, key: str, version: int) -> Record | None:
        return self._call(lambda: next((each for each in self.versions[key][:-1] if each.version == version), None))

    def superseded_between(
        self, _repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        def read() -> Sequence[Record]:
            found = [each for each in self.versions[key][:-1] if first <= each.version <= last]
            return found[:: -1 if descending else 1][:limit]

        return self._call(read)

    def list_records(self, _repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        def read() -> tuple[Sequence[Record], str | None]:
            keys = sorted(key for key in self.versions if after is None or key > after)
            return [self.versions[key][-1] for key in keys[:limit]], keys[limit - 1] if len(keys) > limit else None

        return self._call(read)

    def list_changed(
        self, _repository: str, since: datetime | None, _until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        def read() -> tuple[Sequence[Record], str | None]:
            first = int(after) if after else bisect_right(self.changes, (since, "")) if since else 0
            found = dict.fromkeys(key for _, key in self.changes[first : first + limit])
            end = first + limit
            return [self.versions[key][-1] for key in found], str(end) if len(self.changes) > end else None

        return self._call(read)

    def public_versions(self) -> Iterator[Record]:
        """Yield all versions that are public."""
        return (each for history in self.versions.values() for each in history if each.status != "reserved")

    def _call(self, read: Callable[[], T]) -> T:
        return self._calls.call(READS, read) if self._calls else read()
