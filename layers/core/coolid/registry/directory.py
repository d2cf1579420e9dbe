"""A directory: all prefixes at once, and what is made of them, for those few questions that need all of them.

What is made takes longer than the answer that needs it, and serves as long as memory gives the very same list
(`coolid.resolution.cache.LIST_TTL`). One at a time asks for it, so that nothing is read or made twice.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from coolid.store.reader import Prefixes, Reader

Thing = TypeVar("Thing")


class Directory:
    """Keeps the last list and what was made of it. Safe between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._prefixes: Prefixes = ()
        self._made: dict[Callable[[Prefixes], Any], Any] = {}

    def made(self, make: Callable[[Prefixes], Thing], reader: Reader) -> Thing:
        """What `make` makes of all prefixes that the reader tells; `StoreUnavailable` where it cannot tell them.

        >>> from types import SimpleNamespace
        >>> directory, reader = Directory(), SimpleNamespace(all_prefixes=lambda: ("a", "b"))
        >>> directory.made(len, reader), directory.made(len, reader)
        (2, 2)
        """
        with self._lock:
            prefixes = reader.all_prefixes()
            if prefixes is not self._prefixes:
                self._prefixes, self._made = prefixes, {}
            if make not in self._made:
                self._made[make] = make(prefixes)
            made: Thing = self._made[make]
            return made
