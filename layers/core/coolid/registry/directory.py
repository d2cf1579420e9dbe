"""A cache of values derived from the list of all prefixes.

Deriving takes longer than the answer that needs it. A derived value is valid while the reader returns the same list
object (`coolid.resolution.cache.LIST_TTL`). A lock prevents reading or deriving twice at once.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from coolid.store.prefixes import Prefixes, PrefixReader

Derived = TypeVar("Derived")


class Directory:
    """Holds the last list and the values derived from it. Safe between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._prefixes: Prefixes = ()
        self._derived: dict[Callable[[Prefixes], Any], Any] = {}

    def derive(self, function: Callable[[Prefixes], Derived], reader: PrefixReader) -> Derived:
        """Return `function(all prefixes)`, cached; raise `StoreUnavailable`."""
        with self._lock:
            prefixes = reader.all_prefixes()
            if prefixes is not self._prefixes:
                self._prefixes, self._derived = prefixes, {}
            if function not in self._derived:
                self._derived[function] = function(prefixes)
            derived: Derived = self._derived[function]
            return derived
