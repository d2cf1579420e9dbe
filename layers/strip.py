#!/usr/bin/env python3
"""Take out of the binaries of a layer what is never loaded: layers/strip.py FOLDER

Wheels bring tables for debuggers and linkers, httptools five times as much as what runs. These stand behind the last
segment of a shared object (System V ABI, "Object Files"), as does the table of sections that leads to them: both go.
The loader reads nothing but segments, which stay as they are. No tool of the machine that builds is needed, which often
has none for the other processor.
"""

import struct
import sys
from pathlib import Path

MAGIC = b"\x7fELF\x02\x01"  # of 64 bits, the lowest byte first: x86-64 and arm64 alike
TABLES, AT_TABLES = struct.Struct("<QQ"), 32  # where in the file the tables of segments and of sections begin
COUNTS, AT_COUNTS = struct.Struct("<6H"), 52  # bytes of this header; bytes and number of rows of either; one more row
SEGMENT = struct.Struct("<8xQ16xQ16x")  # where it begins in the file, and how long it is there


def loaded(content: bytes) -> bytes:
    """A shared object without what is behind its segments; anything else as it is."""
    if not content.startswith(MAGIC):
        return content
    table, _ = TABLES.unpack_from(content, AT_TABLES)
    header, row, rows, *_ = COUNTS.unpack_from(content, AT_COUNTS)
    segments = [SEGMENT.unpack_from(content, table + number * row) for number in range(rows)]
    end = max([table + rows * row, *(begin + size for begin, size in segments)])
    kept = bytearray(content[:end])
    TABLES.pack_into(kept, AT_TABLES, table, 0)
    COUNTS.pack_into(kept, AT_COUNTS, header, row, rows, 0, 0, 0)
    return bytes(kept)


def main(folder: str) -> None:
    """Do it to every shared object below."""
    for path in sorted(Path(folder).rglob("*.so")):
        path.write_bytes(loaded(path.read_bytes()))


if __name__ == "__main__":
    main(*sys.argv[1:])
