"""Selection of a record's versions: the public ones, and the one that was current at a moment.

RFC 7089 (Memento), section 4.5.3: the result is the version that was current then, or the first version for earlier
moments. A reserved version was never public, so it is never the result.

`RecordVersions` reads a history of at most `SHORT_HISTORY` versions at once, and searches a longer one, with about
log2(n) + 7 reads for n versions. The search relies on two properties of all histories that this service writes or
adopts: reserved versions precede the public ones, and no version is of an earlier time than the one before it. An
edited export can lack them. Then the result was current at the moment, but a later version may have been so, too.
Erased versions do not affect the result.

>>> from datetime import UTC, datetime
>>> from msgspec.structs import replace
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> first = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active")
>>> second = replace(first, version=2, updated=datetime(2025, 7, 11, 12, tzinfo=UTC))
>>> versions = public_versions([second, first])
>>> [versions[current_position(versions, datetime(2025, 7, day, 13, tzinfo=UTC))].version for day in (9, 10, 11, 12)]
[1, 1, 2, 2]
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.errors import UnknownVersion
from coolid.model.records import RESERVED, Record
from coolid.store.records import RecordReader

SHORT_HISTORY: Final = 100
"""The most versions of a history that is read at once, in one call unless the versions are large."""
MAX_READ: Final = 1_000
"""The most versions that one call reads."""
_WINDOW: Final = 16
"""The most versions between two others that are read at once, instead of dividing them further."""


def public_versions(history: Sequence[Record]) -> tuple[Record, ...]:
    """Return the public versions of a history that may be in any order, the first version first."""
    return tuple(sorted((each for each in history if each.status != RESERVED), key=lambda each: each.version))


def is_whole(history: Sequence[Record]) -> bool:
    """Return whether a history without gaps has every public version; reserved versions precede all public ones."""
    return any(each.version == 1 or each.status == RESERVED for each in history)


def public_version(record: Record, version: int, reader: RecordReader) -> Record:
    """Return a public version (from 1) of a record; raise `UnknownVersion` if it is absent or reserved."""
    found = record if version == record.version else reader.superseded(record.repository, record.key, version)
    if found is None or found.status == RESERVED:
        raise UnknownVersion(record.pid, str(version))
    return found


def current_position(versions: Sequence[Record], moment: datetime) -> int:
    """Return the position of the newest version that is not later than the moment, or 0 if all are later.

    The highest number is the newest, because two versions may share a second, and clocks may be wrong.
    """
    return max((position for position, each in enumerate(versions) if each.updated <= moment), default=0)


class DatedVersion(Struct, frozen=True):
    """A public version of a record, with the `first` and the `last` one, and its neighbours, None if there are none."""

    version: Record
    first: Record
    previous: Record | None
    following: Record | None
    last: Record


class RecordVersions:
    """The versions of a record up to `current`, which its caller has read consistently, or by `current_versions`."""

    def __init__(self, current: Record, reader: RecordReader) -> None:
        self.current = current
        self._reader = reader
        self._found: dict[int, Record] = {current.version: current}
        self._is_complete = current.version == 1

    def lowest(self) -> Record:
        """Return the first version that is stored, reserved or public."""
        self._read_if_short()
        return self._next(1, self.current.version) or self.current

    def first(self) -> Record:
        """Return the first public version, or the current one if none is public."""
        lowest = self.lowest()
        if lowest.status != RESERVED:
            return lowest
        return self.boundary(lambda each: each.status != RESERVED)[1] or self.current

    def at(self, moment: datetime) -> DatedVersion:
        """Return the newest public version that is not later than the moment, or the first one if all are later."""
        first, last = self.first(), self.current
        chosen = first
        if self._is_complete:
            versions = public_versions([*self._found.values()]) or (last,)
            chosen = versions[current_position(versions, moment)]
        elif last.updated <= moment:
            chosen = last
        elif first.updated <= moment:
            chosen = self.boundary(lambda each: each.updated > moment, first)[0] or first
        return self.dated(chosen, first)

    def dated(self, version: Record, first: Record) -> DatedVersion:
        """Return a public version with its neighbours; `first` is the first one."""
        number, last = version.version, self.current
        previous = self.last_between(first.version, number - 1)
        following = (self._next(number + 1, last.version) or last) if number < last.version else None
        return DatedVersion(version, first, previous, following, last)

    def boundary(
        self, is_after: Callable[[Record], bool], before: Record | None = None
    ) -> tuple[Record | None, Record | None]:
        """Return the last version that is not `is_after`, and the first that is; None if there is none.

        All versions that are `is_after` must follow all others. `before` is a version that is known to be one of them.
        """
        self._read_if_short()
        if not is_after(self.current):
            return self.current, None
        low, high, after = before.version if before else 0, self.current.version, self.current
        while not self._is_complete and high - low > _WINDOW + 1:
            middle = (low + high) // 2
            found = self._next(middle, high)
            if found is None or is_after(found):
                high, after = middle, found or after
            else:
                low, before = found.version, found
        for each in self.between(low + 1, high - 1):
            if is_after(each):
                return before, each
            before = each
        return before, after

    def between(self, first: int, last: int, count: int = MAX_READ) -> Iterator[Record]:
        """Yield the versions numbered from `first` to `last`, reserved ones included. Reads at most `count` at once."""
        if self._is_complete:
            yield from (self._found[number] for number in sorted(self._found) if first <= number <= last)
            return
        number, end = max(first, 1), min(last, self.current.version - 1)
        while number <= end and (part := self._part(number, end, min(count, end - number + 1))):
            yield from part
            number = part[-1].version + 1
        if first <= self.current.version <= last:
            yield self.current

    def newest_first(self, last: int, count: int) -> Iterator[Record]:
        """Yield the versions numbered from `last` downwards, reserved ones included. Reads at most `count` at once."""
        if self._is_complete:
            yield from (self._found[number] for number in sorted(self._found, reverse=True) if number <= last)
            return
        if last >= self.current.version:
            yield self.current
        number = min(last, self.current.version - 1)
        while number >= 1 and (part := self._part(1, number, count, descending=True)):
            yield from part
            number = part[-1].version - 1

    def first_between(self, first: int, last: int) -> Record | None:
        """Return the first version numbered from `first` to `last`, or None."""
        if first <= self.current.version <= last:
            return self._next(first, self.current.version) or self.current
        return self._next(first, last + 1)

    def last_between(self, first: int, last: int) -> Record | None:
        """Return the last version numbered from `first` to `last`, or None."""
        if first <= self.current.version <= last:
            return self.current
        found = self._version(last) if first <= last else None
        if found or first >= last:
            return found
        if self._is_complete:
            return self._found.get(max((number for number in self._found if first <= number < last), default=0))
        return next(iter(self._part(first, last - 1, 1, descending=True)), None)

    def _next(self, number: int, end: int) -> Record | None:
        """Return the first version numbered from `number` to before `end`, or None."""
        found = self._version(number) if number < end else None
        if found or number + 1 >= end:
            return found
        if self._is_complete:
            return self._found.get(min((each for each in self._found if number < each < end), default=0))
        return next(iter(self._part(number + 1, end - 1, 1)), None)

    def _version(self, number: int) -> Record | None:
        """Return a version from 1 to the current one. A superseded one may be cached."""
        found = self._found.get(number)
        if found is None and not self._is_complete:
            found = self._reader.superseded(self.current.repository, self.current.key, number)
            if found is not None:
                self._found[number] = found
        return found

    def _part(self, first: int, last: int, limit: int, *, descending: bool = False) -> Sequence[Record]:
        current = self.current
        part = self._reader.superseded_between(
            current.repository, current.key, first, last, limit, descending=descending
        )
        self._found |= {each.version: each for each in part}
        return part

    def _read_if_short(self) -> None:
        """Read all versions if they are few."""
        if not self._is_complete and self.current.version <= SHORT_HISTORY:
            for _ in self.between(1, self.current.version):
                pass  # they are in `_found`
            self._is_complete = True


def current_versions(record: Record, reader: RecordReader) -> RecordVersions:
    """Return the versions of a record that was read before, up to its current one, which is read consistently."""
    current = reader.record(record.repository, record.key, consistent=True)
    return RecordVersions(current or record, reader)
