"""Groups of scattered rows, in bounded memory: more than `MAX_ROWS` of them are sorted in temporary files.

The values of one handle may be anywhere in a dump, because a database writes a changed row to a free place.

>>> list(grouped([("b", 1), ("a", 2), ("b", 3)]))
[('b', [1, 3]), ('a', [2])]
"""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby, islice
from operator import itemgetter
from tempfile import TemporaryFile
from typing import Any, Final

from msgspec import json

MAX_ROWS: Final = 50_000

Row = tuple[str, Any]
"""The key of a group, and a value of JSON."""


def grouped(rows: Iterable[Row]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each key once with its values, in their order.

    The keys are in the order of their first rows, or sorted if there are more than `MAX_ROWS` rows. The temporary files
    have no names, so that nobody else can open them.
    """
    remaining = iter(rows)
    first = list(islice(remaining, MAX_ROWS))
    following = list(islice(remaining, MAX_ROWS))
    if not following:
        groups: dict[str, list[Any]] = {}
        for key, value in first:
            groups.setdefault(key, []).append(value)
        yield from groups.items()
        return
    with ExitStack() as files:
        runs = []
        for run in (first, following, *iter(lambda: list(islice(remaining, MAX_ROWS)), [])):
            file = files.enter_context(TemporaryFile())
            file.writelines(json.encode(row) + b"\n" for row in sorted(run, key=itemgetter(0)))
            file.seek(0)
            runs.append(map(json.decode, file))
        for key, found in groupby(heapq.merge(*runs, key=itemgetter(0)), key=itemgetter(0)):
            yield key, [value for _, value in found]
