"""A reader that remembers: prefixes are read lazily and kept for a while, so that most requests cost one read.

What a remembered row says of longer names (`Prefix.longer`) is used to tell without asking that a name is absent.
A change becomes visible to others within `ttl` seconds, and at once where `forget` is told of it.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Final

from coolid.domain.prefixes import Prefix, parent
from coolid.domain.records import Record
from coolid.domain.stores import Reader

PREFIX_TTL: Final = 60.0
MOST_REMEMBERED: Final = 20_000


class RememberingReader:
    """Wraps a `Reader`; `tick` gives seconds of a clock that only moves forward. Safe between threads."""

    def __init__(self, reader: Reader, tick: Callable[[], float], ttl: float = PREFIX_TTL) -> None:
        self._reader = reader
        self._tick = tick
        self._ttl = ttl
        self._rows: OrderedDict[str, tuple[float, Prefix]] = OrderedDict()
        self._lock = Lock()
        self._generation = 0

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`; `consistent` asks past the memory."""
        if consistent:
            return self._reader.prefixes(names, consistent=True)
        known: dict[str, Prefix] = {}
        with self._lock:
            generation = self._generation
            asked = [name for name in names if not self._recall(name, known)]
        if asked:
            found = self._reader.prefixes(asked)
            known |= found
            self._remember(found.values(), generation)
        return known

    def record(self, repository: str, key: str) -> Record | None:
        """As of `Reader`; records are not remembered here."""
        return self._reader.record(repository, key)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`; records are not remembered here."""
        return self._reader.records(repository, keys)

    def forget(self) -> None:
        """Remember nothing from before now, not even what is being read at this moment."""
        with self._lock:
            self._generation += 1
            self._rows.clear()

    def _recall(self, name: str, known: dict[str, Prefix]) -> bool:
        """Whether memory can tell of the name; what it remembers goes into `known`."""
        row = self._fresh(name)
        if row:
            known[name] = row
            return True
        return self._implied_absent(name)

    def _implied_absent(self, name: str) -> bool:
        """Whether the nearest remembered ancestor says that nothing is registered on the way to this name."""
        shorter = parent(name)
        while shorter:
            nearest = self._fresh(shorter)
            if nearest:
                return name not in nearest.longer
            name, shorter = shorter, parent(shorter)
        return False

    def _fresh(self, name: str) -> Prefix | None:
        remembered = self._rows.get(name)
        return remembered[1] if remembered and remembered[0] > self._tick() else None

    def _remember(self, rows: Iterable[Prefix], generation: int) -> None:
        with self._lock:
            if generation != self._generation:
                return
            until = self._tick() + self._ttl
            for row in rows:
                self._rows[row.name] = (until, row)
                self._rows.move_to_end(row.name)
            while len(self._rows) > MOST_REMEMBERED:
                self._rows.popitem(last=False)
