"""Lines of a file, in bounded memory: at most `MAX_LINE_BYTES` of a line at once.

A line ends with a line feed, as in JSON Lines. A longer line is reported as too long, without its content, and reading
continues on the next line.

>>> from io import BytesIO
>>> [(line.number, line.content, line.is_terminated) for line in read_lines(BytesIO(b"a\\n\\nb"))]
[(1, b'a', True), (2, b'', True), (3, b'b', False)]
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

from msgspec import Struct

MAX_LINE_BYTES: Final = 1_000_000
"""The most bytes of a line, or of a CSV row, without its end. A record has at most 400 KB, because DynamoDB does."""

PIECE_BYTES: Final = 65_536
"""The most bytes that are read at once from a line that is too long."""

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
TOO_LONG: Final = f"is longer than {MAX_LINE_BYTES:,} bytes"


class Line(Struct, frozen=True):
    """A line or CSV row of a file.

    `number` is the line that it begins on, from 1; `content` excludes the line end, and is empty if `is_too_long`.
    `is_terminated` is false if the file ends without a line feed. The next line begins `end` bytes after the position
    from which reading began.
    """

    number: int
    content: bytes
    is_too_long: bool = False
    is_terminated: bool = True
    end: int = 0


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """Return the lines of a file, from its current position."""
    number = end = 0
    while content := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        end += len(content)
        last = content
        is_too_long = len(content.removesuffix(b"\n")) > MAX_LINE_BYTES
        if is_too_long:
            content = b""
            while not last.endswith(b"\n") and (piece := file.readline(PIECE_BYTES)):
                last = piece
                end += len(piece)
        yield Line(number, content.removesuffix(b"\n"), is_too_long, last.endswith(b"\n"), end)
