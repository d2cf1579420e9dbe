"""Names that are one typo away from a text, among any number of names.

The names are sorted, so the symbols that follow a beginning are found by bisection. The search continues only at
beginnings that exist, so it takes hardly longer with more names.

>>> NearNames(["go", "goa", "og", "uniprot"]).near("goo")
['go', 'goa']
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final

_HIGHEST: Final = "\U0010ffff"
"""The last character of Unicode."""


class NearNames:
    """An index of names. Immutable, hence thread-safe."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = frozenset(names)
        self._names = sorted(self._known)

    def near(self, text: str) -> list[str]:
        """Return the names with one symbol more, less or different, or with two neighbours swapped, in order."""
        return sorted({name for name in self._variants(text) if name in self._known and name != text})

    def _variants(self, text: str) -> Iterator[str]:
        """Yield the texts one typo away, as long as names begin with the part before the typo."""
        start, end = 0, len(self._names)
        for at in range(len(text) + 1):
            before, rest = text[:at], text[at:]
            start = bisect_left(self._names, before, start, end)
            end = bisect_right(self._names, before, start, end, key=itemgetter(slice(at)))
            if start == end:
                return
            yield before + rest[1:]
            yield before + rest[1:2] + rest[:1] + rest[2:]
            for symbol in self._symbols_after(before, start, end):
                yield before + symbol + rest
                if rest:
                    yield before + symbol + rest[1:]

    def _symbols_after(self, before: str, start: int, end: int) -> Iterator[str]:
        """Yield the different symbols that follow a beginning, which the names from `start` to `end` have."""
        at = len(before)
        start += len(self._names[start]) == at  # the beginning itself is the first of these names
        while start < end:
            symbol = self._names[start][at]
            yield symbol
            if symbol == _HIGHEST:
                return
            start = bisect_left(self._names, before + chr(ord(symbol) + 1), start, end)
