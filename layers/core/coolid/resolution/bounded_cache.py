"""A cache bounded in entries and bytes, and estimates of the size of Python values.

>>> cache: BoundedCache[str, str] = BoundedCache(CacheLimit(2, 1_000))
>>> for moment, name in enumerate("abc"):
...     cache.put(name, name.upper(), moment)
>>> cache.get("a"), cache.get("c").value
(None, 'C')
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from itertools import count
from sys import getsizeof
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_ENTRY_BYTES: Final = 100  # a dictionary's entry and its tuple
_TEXT_BYTES: Final = getsizeof("")  # plus a byte for each ASCII character
_PLAIN_TYPES: Final = frozenset({str, int, float, bool, bytes, datetime})  # without parts
_SEQUENCES: Final = frozenset({list, tuple, set, frozenset})
_MAPPINGS: Final = frozenset({dict, MappingProxyType})
_numbers: Final = count()

# Upper limits of the bytes that decoded JSON takes in Python for each brace (a struct or dictionary), bracket (a list
# or tuple), colon (a member), comma (an element, perhaps a number) and quote (half of a text's overhead).
_BRACE: Final = 200
_BRACKET: Final = 120
_MEMBER: Final = 190
_ELEMENT: Final = 50
_QUOTE: Final = 40


class CacheLimit(Struct, frozen=True):
    """The capacity of a cache: a number of entries and their total bytes."""

    entries: int
    size_bytes: int


class CacheEntry(Struct, Generic[Value], frozen=True):
    """A value, the time in seconds at which its reading began, and a number that no other entry ever has."""

    value: Value
    read_at: float
    number: int


class BoundedCache(Generic[Key, Value]):
    """Holds the entries that were read last; evicts the oldest first. Not safe between threads."""

    def __init__(self, limit: CacheLimit) -> None:
        self._limit = limit
        self._entries: OrderedDict[Key, tuple[CacheEntry[Value], int]] = OrderedDict()
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key) -> CacheEntry[Value] | None:
        """Return the entry of the key, or None."""
        found = self._entries.get(key)
        return found[0] if found else None

    def put(self, key: Key, value: Value, read_at: float, size: int | None = None) -> None:
        """Store a value unless the stored one was read later; `size` is in bytes, with the key, measured if None."""
        previous = self.get(key)
        if previous and previous.read_at > read_at:
            return
        self.drop(key)
        size = _ENTRY_BYTES + (size_in_memory((key, value)) if size is None else size)
        self._entries[key] = CacheEntry(value, read_at, next(_numbers)), size
        self.size_bytes += size
        while len(self._entries) > self._limit.entries or self.size_bytes > self._limit.size_bytes:
            self.drop(next(iter(self._entries)))

    def drop(self, key: Key) -> None:
        """Remove the entry of the key, if any."""
        found = self._entries.pop(key, None)
        if found:
            self.size_bytes -= found[1]

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self.size_bytes = 0


def size_in_memory(value: object) -> int:
    """Return about how many bytes a value and its parts take: structs, collections, plain values.

    >>> size_in_memory("a" * 1000) > 1000, size_in_memory({"a": ["b" * 500] * 2}) > 1000
    (True, True)
    """
    total = 0
    pending: list[Any] = [value]
    while pending:
        each = pending.pop()
        kind = type(each)
        if kind is str and each.isascii():  # the usual case
            total += _TEXT_BYTES + len(each)
            continue
        if each is None:
            continue
        total += getsizeof(each)
        if kind in _PLAIN_TYPES:
            continue
        if kind in _SEQUENCES:
            pending += each
        elif isinstance(each, Struct):
            pending += astuple(each)
        elif kind in _MAPPINGS or isinstance(each, Mapping):
            total += _ENTRY_BYTES * len(each)
            pending += each
            pending += each.values()
        elif isinstance(each, list | tuple | AbstractSet):
            pending += each
    return total


def max_size_in_memory(text: str) -> int:
    """Return an upper limit of the size of a value decoded from this JSON; faster than `size_in_memory`, but larger.

    >>> size_in_memory({"a": ["b", "c"]}) <= max_size_in_memory('{"a":["b","c"]}')
    True
    """
    # Each text is as wide as its widest character; Python also caches its UTF-8 once it is sent.
    character_bytes = len(text) if text.isascii() else 2 * getsizeof(text) + len(text)
    return (
        character_bytes
        + _BRACE * text.count("{")
        + _BRACKET * text.count("[")
        + _MEMBER * text.count(":")
        + _ELEMENT * text.count(",")
        + _QUOTE * text.count('"')
    )
