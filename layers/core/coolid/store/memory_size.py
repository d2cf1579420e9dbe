"""Estimates of the memory that Python values take, in bytes.

>>> size_in_memory("a" * 1000) > 1000, size_in_memory({"a": ["b" * 500] * 2}) > 1000
(True, True)
>>> size_in_memory({"a": ["b", "c"]}) <= max_size_in_memory('{"a":["b","c"]}')
True
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from sys import getsizeof
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple

ENTRY_BYTES: Final = 100  # a dictionary's entry and its tuple
_TEXT_BYTES: Final = getsizeof("")  # plus a byte for each ASCII character
_PLAIN_TYPES: Final = frozenset({str, int, float, bool, bytes, datetime})  # without parts
_SEQUENCES: Final = frozenset({list, tuple, set, frozenset})
_MAPPINGS: Final = frozenset({dict, MappingProxyType})

# Upper limits of the bytes that decoded JSON takes in Python for each of these characters. A brace begins a struct or
# dictionary, a bracket a list or tuple. A colon stands for a member, a comma for an element, a quote for half a text.
_SIGN_BYTES: Final = {"{": 200, "[": 120, ":": 190, ",": 50, '"': 40}
_TO_BYTES: Final = bytes.maketrans("".join(_SIGN_BYTES).encode(), bytes(_SIGN_BYTES.values()))
_OTHERS: Final = bytes(set(range(256)).difference("".join(_SIGN_BYTES).encode()))


def size_in_memory(value: object) -> int:
    """Return the approximate bytes of a value and its parts: structs, collections, plain values."""
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
            total += ENTRY_BYTES * len(each)
            pending += each
            pending += each.values()
        elif isinstance(each, list | tuple | AbstractSet):
            pending += each
    return total


def max_size_in_memory(text: str) -> int:
    """Return an upper limit of the size of a value decoded from this JSON; faster than `size_in_memory`, but larger."""
    # Each text is as wide as its widest character; Python also caches its UTF-8 once it is sent.
    character_bytes = len(text) if text.isascii() else 2 * getsizeof(text) + len(text)
    # Each sign becomes the octet of its size, and all others are removed, which is faster than to count each sign.
    return character_bytes + sum(text.encode("utf-8", "surrogatepass").translate(_TO_BYTES, _OTHERS))
