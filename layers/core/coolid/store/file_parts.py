"""Parts of a file, which stores write one by one."""

from collections.abc import Iterable, Iterator


def parts_of(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the same bytes in parts of `size` bytes, the last one shorter.

    >>> [len(part) for part in parts_of([b"x" * 100_000, b"", b"y" * 40_000], 1 << 16)]
    [65536, 65536, 8928]
    """
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= size:
            yield bytes(buffer[:size])
            del buffer[:size]
    if buffer:
        yield bytes(buffer)
