"""The validity of a cached answer: the cached rows that it depends on.

An answer follows from its request and the rows that were read. It is valid while the reader cache would return the same
fresh entries. `Validity.is_current` repeats the lookups only if the cache has changed. It holds only numbers of entries
(`coolid.resolution.bounded_cache.CacheEntry`), so a cached answer keeps no record in memory.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct

_LOOKUP_BYTES: Final = 300  # mostly the key
_BASE_BYTES: Final = 150


class NumberedHit(Protocol):
    """The result of a cache lookup; `number` identifies the entry."""

    @property
    def number(self) -> Hashable:
        """The number of the entry, or the numbers of several."""


class CachedLookup(Struct, frozen=True):
    """A lookup of one key or a tuple of names, and the number or numbers of its result."""

    look_up: Callable[[Any], NumberedHit | None]
    key: Hashable
    number: Hashable

    def size_in_memory(self) -> int:
        """Return about how many bytes it takes."""
        return _LOOKUP_BYTES * (len(self.key) if isinstance(self.key, tuple) else 1)


class ChangeCounter(Protocol):
    """A cache that counts its changes."""

    @property
    def changes(self) -> int:
        """Rises with every change."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""


class Validity:
    """States that `lookups` hold since `cache` counted `changes` changes, and are fresh before `until` (seconds).

    Safe between threads.
    """

    __slots__ = ("_cache", "_changes", "_lookups", "_until")

    def __init__(self, cache: ChangeCounter, lookups: Sequence[CachedLookup], until: float, changes: int) -> None:
        self._cache = cache
        self._lookups = lookups
        self._until = until
        self._changes = changes

    def size_in_memory(self) -> int:
        """Return about how many bytes it takes."""
        return _BASE_BYTES + sum([lookup.size_in_memory() for lookup in self._lookups])

    def is_current(self) -> bool:
        """Return whether all lookups would return the same fresh entries now."""
        changes = self._cache.changes  # read first: the next call notices later changes
        if self._cache.now() >= self._until:
            return False
        if changes != self._changes:
            for lookup in self._lookups:
                hit = lookup.look_up(lookup.key)
                if hit is None or hit.number != lookup.number:
                    return False
            self._changes = changes
        return True
