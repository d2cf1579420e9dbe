"""Shelves: places for things that were read from a store, bounded in number and in bytes. The oldest make room.

>>> shelf: BoundedCache[str, str] = BoundedCache(CacheLimit(2, 1_000))
>>> for moment, name in enumerate("abc"):
...     shelf.put(name, name.upper(), moment)
>>> shelf.get("a"), shelf.get("c").value
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

_OF_AN_ENTRY: Final = 100  # bytes of a dictionary's entry, and of the tuple round it
_OF_A_TEXT: Final = getsizeof("")  # and a byte for each sign of ASCII
_PLAIN: Final = frozenset({str, int, float, bool, bytes, datetime})  # nothing is inside
_SEQUENCES: Final = frozenset({list, tuple, set, frozenset})
_MAPPINGS: Final = frozenset({dict, MappingProxyType})
_numbers: Final = count()

# The most bytes that JSON becomes as Python keeps it, for each brace (a struct or dictionary), bracket (a list or
# tuple), colon (a member), comma (another place, perhaps with a number in it) and quote (half of a text's frame).
_BRACE: Final = 200
_BRACKET: Final = 120
_MEMBER: Final = 190
_ELEMENT: Final = 50
_QUOTE: Final = 40


class CacheLimit(Struct, frozen=True):
    """How much a shelf holds: a number of things, and their bytes altogether."""

    things: int
    size: int


class CacheEntry(Struct, Generic[Value], frozen=True):
    """A thing, when the reading of it began, in seconds, and a number that nothing else that is kept ever has."""

    value: Value
    read_at: float
    number: int


class BoundedCache(Generic[Key, Value]):
    """Holds the things that were read last. Not safe between threads by itself."""

    def __init__(self, room: CacheLimit) -> None:
        self._room = room
        self._kept: OrderedDict[Key, tuple[CacheEntry[Value], int]] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> CacheEntry[Value] | None:
        """What is kept under the key."""
        found = self._kept.get(key)
        return found[0] if found else None

    def put(self, key: Key, value: Value, read_at: float, size: int | None = None) -> None:
        """Keep a thing, unless what is there was read later; `size` in bytes, with the key's, saves weighing them."""
        present = self.get(key)
        if present and present.read_at > read_at:
            return
        self.drop(key)
        size = _OF_AN_ENTRY + (size_in_memory((key, value)) if size is None else size)
        self._kept[key] = CacheEntry(value, read_at, next(_numbers)), size
        self.size += size
        while len(self._kept) > self._room.things or self.size > self._room.size:
            self.drop(next(iter(self._kept)))

    def drop(self, key: Key) -> None:
        """Keep nothing under the key."""
        found = self._kept.pop(key, None)
        if found:
            self.size -= found[1]

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()
        self.size = 0


def size_in_memory(value: object) -> int:
    """About how many bytes a value takes in memory with all that it holds: structs, collections, plain values.

    >>> size_in_memory("a" * 1000) > 1000, size_in_memory({"a": ["b" * 500] * 2}) > 1000
    (True, True)
    """
    total = 0
    held: list[Any] = [value]
    while held:
        each = held.pop()
        kind = type(each)
        if kind is str and each.isascii():  # most of what is held
            total += _OF_A_TEXT + len(each)
            continue
        if each is None:
            continue
        total += getsizeof(each)
        if kind in _PLAIN:
            continue
        if kind in _SEQUENCES:
            held += each
        elif isinstance(each, Struct):
            held += astuple(each)
        elif kind in _MAPPINGS or isinstance(each, Mapping):
            total += _OF_AN_ENTRY * len(each)
            held += each
            held += each.values()
        elif isinstance(each, list | tuple | AbstractSet):
            held += each
    return total


def max_size_in_memory(text: str) -> int:
    """What a struct or another value weighs at the most that was read from JSON as it is stored, without spaces.

    Mostly some times as much as `size_in_memory` says, and sooner known.

    >>> size_in_memory({"a": ["b", "c"]}) <= max_size_in_memory('{"a":["b","c"]}')
    True
    """
    # Each of its texts is as wide as the widest sign of them all; and keeps its UTF-8, too, once it was sent.
    signs = len(text) if text.isascii() else 2 * getsizeof(text) + len(text)
    return (
        signs
        + _BRACE * text.count("{")
        + _BRACKET * text.count("[")
        + _MEMBER * text.count(":")
        + _ELEMENT * text.count(",")
        + _QUOTE * text.count('"')
    )
