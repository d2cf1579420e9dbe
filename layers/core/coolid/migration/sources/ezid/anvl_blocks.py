"""EZID's batch download as ANVL: for each identifier a line `:: IDENTIFIER`, lines of elements, and an empty line.

>>> from io import BytesIO
>>> list(read_blocks(BytesIO(b":: ark:/99999/fk4gt78tq\\n_status: public\\n\\n")))
[(1, 'ark:/99999/fk4gt78tq', {'_status': 'public'})]
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

from coolid.http.dialects.ezid.anvl import InvalidAnvl, parse_elements
from coolid.migration.source_identifiers import UnreadableEntry
from coolid.migration.sources.ezid.element_blocks import MAX_BLOCK_BYTES, TOO_LARGE, ElementBlock
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, read_lines

_HEADER: Final = b"::"
_NO_HEADER: Final = "it has no line with two colons and an identifier before it"


def read_blocks(file: BinaryIO) -> Iterator[ElementBlock]:
    """Yield the blocks of a file. The position of a block is the number of its first line."""
    header, content, size, start = b"", bytearray(), 0, 1
    for line in read_lines(file):
        text = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
        if text.startswith(_HEADER):
            if header or size:
                yield _block(start, header, content, size)
            header, content, size, start = text, bytearray(), 0, line.number
        elif text.strip() or line.is_too_long:
            start = start if header or size else line.number
            size += MAX_BLOCK_BYTES + 1 if line.is_too_long else len(text) + 1
            if size <= MAX_BLOCK_BYTES:
                content += text + b"\n"
    if header or size:
        yield _block(start, header, content, size)


def _block(position: int, header: bytes, content: bytes | bytearray, size: int) -> ElementBlock:
    identifier = header.removeprefix(_HEADER).decode(errors="replace").strip()
    if not identifier:
        return UnreadableEntry(position, _NO_HEADER)
    if size > MAX_BLOCK_BYTES:
        return UnreadableEntry(position, TOO_LARGE, identifier)
    try:
        header.decode()
        return position, identifier, parse_elements(content.decode())
    except UnicodeDecodeError:
        return UnreadableEntry(position, "it is not UTF-8", identifier)
    except InvalidAnvl as error:
        return UnreadableEntry(position, f"its elements are not ANVL: {error}", identifier)
