"""Generated files that are larger than memory should hold, and the memory that reading them takes."""

import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any, BinaryIO, cast


class GeneratedFile:
    """A file of these parts (bytes and their number of repetitions) with the methods `read` and `readline`.

    `largest_read` is the largest number of bytes that one read returned.
    """

    def __init__(self, *parts: tuple[bytes, int]) -> None:
        self._parts: Iterator[bytes] = chain.from_iterable(repeat(part, count) for part, count in parts)
        self._rest = b""
        self.largest_read = 0

    def read(self, limit: int) -> bytes:
        """Return the next bytes, fewer than `limit` at the end of a part."""
        piece = self._rest or next(self._parts, b"")
        self._rest = piece[limit:]
        return piece[:limit]

    def readline(self, limit: int) -> bytes:
        """Return the next line or, if that is longer, its first `limit` bytes."""
        assert limit > 0, "without a limit, the whole line is read"
        pieces: list[bytes] = []
        size = 0
        while size < limit:
            piece = self._rest or next(self._parts, b"")
            end = min(piece.find(b"\n") + 1 or len(piece), limit - size)
            pieces.append(piece[:end])
            self._rest = piece[end:]
            size += end
            if not piece or pieces[-1].endswith(b"\n"):
                break
        self.largest_read = max(self.largest_read, size)
        return b"".join(pieces)

    @property
    def binary(self) -> BinaryIO:
        """Return this file for a parameter that is any binary file."""
        return cast(BinaryIO, self)


def measure_peak(work: Callable[[], Any]) -> int:
    """Return the peak of bytes that Python's allocators held during this call."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
