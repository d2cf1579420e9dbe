"""Shelves: places for things that were read from a store, bounded in number and in bytes. The oldest make room.

>>> shelf: Shelf[str, str] = Shelf(Room(2, 1_000))
>>> for moment, name in enumerate("abc"):
...     shelf.put(name, name.upper(), moment)
>>> shelf.get("a"), shelf.get("c")
(None, Kept(value='C', read_at=2))
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from sys import getsizeof
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import Struct

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_OF_AN_ENTRY: Final = 100  # bytes of a dictionary's entry, and of the tuple round it


class Room(Struct, frozen=True):
    """How much a shelf holds: a number of things, and their bytes altogether."""

    things: int
    size: int


class Kept(NamedTuple, Generic[Value]):
    """A thing, and when the reading of it began, in seconds."""

    value: Value
    read_at: float


class Shelf(Generic[Key, Value]):
    """Holds the things that were read last. Not safe between threads by itself."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._kept: OrderedDict[Key, tuple[Kept[Value], int]] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Kept[Value] | None:
        """What is kept under the key."""
        found = self._kept.get(key)
        return found[0] if found else None

    def put(self, key: Key, value: Value, read_at: float) -> None:
        """Keep a thing, unless what is there was read later."""
        present = self.get(key)
        if present and present.read_at > read_at:
            return
        self.drop(key)
        size = _OF_AN_ENTRY + weight(key) + weight(value)
        self._kept[key] = Kept(value, read_at), size
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


def weight(value: object) -> int:
    """About how many bytes a value takes in memory with all that it holds: structs, collections, plain values.

    >>> weight("a" * 1000) > 1000, weight({"a": ["b" * 500] * 2}) > 1000
    (True, True)
    """
    total, held = 0, [value]
    while held:
        each = held.pop()
        if each is None:
            continue
        total += getsizeof(each)
        if isinstance(each, Mapping):
            total += _OF_AN_ENTRY * len(each)
            held += each.keys()
            held += each.values()
        elif isinstance(each, list | tuple | AbstractSet):
            held += each
        elif isinstance(each, Struct):
            held += [getattr(each, name) for name in each.__struct_fields__]
    return total
