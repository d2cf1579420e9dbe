"""Dumps as streams of bytes: plain, compressed with gzip (RFC 1952), or the only file of a ZIP archive.

The beginning of the file shows which it is, not its name.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO, Final, ParamSpec, TypeVar, cast
from zipfile import BadZipFile, ZipFile

from coolid.errors import UsageError

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGE: Final = (EOFError, gzip.BadGzipFile, zlib.error, BadZipFile, NotImplementedError)

_Parameters = ParamSpec("_Parameters")
_Item = TypeVar("_Item")


@contextmanager
def open_dump(path: Path) -> Iterator[BinaryIO]:
    """Open a dump to read it from its beginning. Raises `UsageError` for an archive that is not one file.

    Readers of damaged archives need `refusing_damage`.
    """
    with path.open("rb") as file:
        beginning = file.read(4)
        file.seek(0)
        if beginning.startswith(_GZIP):
            with gzip.open(file) as unzipped:
                yield cast(BinaryIO, BufferedReader(unzipped))
        elif beginning.startswith(_ZIP):
            with ZipFile(file) as archive:
                names = [each for each in archive.infolist() if not each.is_dir()]
                if len(names) != 1:
                    raise UsageError(f"{path} is an archive of {len(names)} files; extract the dump from it")
                if names[0].flag_bits & 1:
                    raise UsageError(f"{path} is encrypted; extract the dump from it")
                with archive.open(names[0]) as member:
                    yield cast(BinaryIO, BufferedReader(cast(RawIOBase, member)))
        else:
            yield file


def refusing_damage(
    read: Callable[_Parameters, Iterator[_Item]],
) -> Callable[_Parameters, Iterator[_Item]]:
    """Return a reader that raises `UsageError` where a compressed dump is damaged or truncated."""

    @wraps(read)
    def wrapper(*arguments: _Parameters.args, **named: _Parameters.kwargs) -> Iterator[_Item]:
        try:
            yield from read(*arguments, **named)
        except _DAMAGE as error:
            raise UsageError(f"the compressed dump is damaged: {error}") from error

    return wrapper
