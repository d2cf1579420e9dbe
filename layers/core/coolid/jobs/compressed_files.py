"""Files in the forms gzip and ZIP, joined from parts that were compressed one by one.

A part consists of whole blocks of the format deflate, without a last block, so that parts can be appended to each other
(RFC 1951, section 3.2.3). The checksum of the whole is carried on from part to part.

Specification: RFC 1952 (gzip); PKWARE, "APPNOTE.TXT", 6.3.10, sections 4.3 and 4.5.3 (ZIP, and Zip64 for large files).

>>> import gzip
>>> text = b"ark:/99999/fk4test\\n" * 9
>>> parts = [compress(text[:40]), compress(text[40:])]
>>> gzip.decompress(b"".join(gzip_file(parts, b"end", zlib.crc32(text), len(text)))) == text + b"end"
True
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

_LEVEL: Final = 6
_RAW: Final = -15
_32_BITS: Final = 0xFFFFFFFF
_GZIP_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_VERSION: Final = 45
"""The version of ZIP that has Zip64."""
_FLAGS: Final = 0x0808
"""The sizes follow the data, and names are UTF-8."""
_DEFLATE: Final = 8
_TIME: Final = (0, 0x21)
"""Midnight of 1980-01-01, because a date would make repeated files differ."""
_ZIP64: Final = 1


def compress(content: bytes) -> bytes:
    """Return whole blocks that contain the content."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return compressor.compress(content) + compressor.flush(zlib.Z_FULL_FLUSH)


def gzip_file(parts: Iterable[bytes], end: bytes, checksum: int, size: int) -> Iterator[bytes]:
    """Yield the file of parts of `size` bytes before compression and of that CRC-32, and of more bytes, `end`."""
    yield _GZIP_HEADER
    yield from parts
    yield _last_blocks(end)
    yield struct.pack("<II", zlib.crc32(end, checksum), (size + len(end)) & _32_BITS)


def zip_file(name: str, parts: Iterable[bytes], end: bytes, checksum: int, size: int) -> Iterator[bytes]:
    """Yield the same as an archive with one file of that name."""
    encoded, size, checksum = name.encode(), size + len(end), zlib.crc32(end, checksum)
    extra = struct.pack("<HHQQ", _ZIP64, 16, 0, 0)
    common = struct.pack("<HHHHH", _VERSION, _FLAGS, _DEFLATE, *_TIME)
    local = (
        b"PK\3\4" + common + struct.pack("<IIIHH", 0, _32_BITS, _32_BITS, len(encoded), len(extra)) + encoded + extra
    )
    yield local
    compressed = 0
    for part in parts:
        compressed += len(part)
        yield part
    last = _last_blocks(end)
    compressed += len(last)
    yield last + b"PK\7\x08" + struct.pack("<IQQ", checksum, compressed, size)
    start = len(local) + compressed + 24
    extra = struct.pack("<HHQQ", _ZIP64, 16, size, compressed)
    central = b"PK\1\2" + struct.pack("<H", _VERSION) + common
    central += struct.pack("<IIIHHHHHII", checksum, _32_BITS, _32_BITS, len(encoded), len(extra), 0, 0, 0, 0, 0)
    central += encoded + extra
    yield central
    yield b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, _VERSION, _VERSION, 0, 0, 1, 1, len(central), start)
    yield b"PK\6\7" + struct.pack("<IQI", 0, start + len(central), 1)
    yield b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), min(start, _32_BITS), 0)


def _last_blocks(content: bytes) -> bytes:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return compressor.compress(content) + compressor.flush(zlib.Z_FINISH)
