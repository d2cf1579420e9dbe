"""Groups of scattered rows, in bounded memory: more than `MAX_ROWS` of them are sorted in temporary files.

The values of one handle may be anywhere in a dump, because a database writes a changed row to a free place.

>>> list(grouped([("b", 1), ("a", 2), ("b", 3)]))
[('b', [1, 3]), ('a', [2])]
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from tempfile import TemporaryFile
from typing import IO, Any, Final

from msgspec import json

MAX_ROWS: Final = 20_000
MAX_FILES: Final = 100

Row = tuple[str, Any]
"""The key of a group, and a value of JSON."""

_KEY: Final = itemgetter(0)


def grouped(rows: Iterable[Row]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each key once with its values, in their order.

    The keys are in the order of their first rows, or sorted if there are `MAX_ROWS` rows or more. The temporary files
    have no names, so that nobody else can open them.
    """
    remaining = iter(rows)
    first = list(islice(remaining, MAX_ROWS))
    if len(first) < MAX_ROWS:
        groups: dict[str, list[Any]] = {}
        for key, value in first:
            groups.setdefault(key, []).append(value)
        yield from groups.items()
        return
    runs = chain([first], iter(lambda: list(islice(remaining, MAX_ROWS)), []))
    del first
    files: list[IO[bytes]] = []
    try:
        for run in runs:
            files.append(_written(sorted(run, key=_KEY)))
            if len(files) == MAX_FILES:
                merged = _written(_merged(files))
                _close(files)
                files = [merged]
        for key, found in groupby(_merged(files), key=_KEY):
            yield key, [value for _, value in found]
    finally:
        _close(files)


def _written(rows: Iterable[Row]) -> IO[bytes]:
    """Return a temporary file of rows, at its beginning."""
    file = TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.writelines(json.encode(row) + b"\n" for row in rows)
    file.seek(0)
    return file


def _merged(files: Sequence[IO[bytes]]) -> Iterator[Row]:
    return heapq.merge(*(map(json.decode, file) for file in files), key=_KEY)


def _close(files: Iterable[IO[bytes]]) -> None:
    for file in files:
        file.close()
