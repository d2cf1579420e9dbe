"""The division of a repository's records into sitemaps, by the time of their last change.

A sitemap contains the records of a calendar period, a window: a month. If too many records changed in a month, there is
a sitemap for each of its days instead, and so on down to seconds. So the name of a sitemap always means the same
period, and a sitemap of the past only loses records.

>>> [each.name for each in windows_of({"2025-07-10T14:22:30Z": 2, "2025-08-01T00:00:00Z": 1}, most=2)]
['2025-07', '2025-08']
>>> [each.name for each in windows_of({"2025-07-10T14:22:30Z": 2, "2025-07-11T00:00:00Z": 1}, most=2)]
['2025-07-10', '2025-07-11']
>>> [*map(str, period_of("2025-02"))]
['2025-02-01 00:00:00+00:00', '2025-02-28 23:59:59+00:00']
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final

from msgspec import Struct

MAX_RECORDS: Final = 1_000
"""The records of a window that is not divided; a second is never divided."""
_LENGTHS: Final = (7, 10, 13, 16, 19)
"""The characters of a time up to its month, day, hour, minute and second."""
_UNITS: Final = (timedelta(days=31), timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
_BEGINNING: Final = "0001-01-01T00:00:00"
_NAME: Final = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d(:\d\d(:\d\d)?)?)?)?")


class SitemapWindow(Struct, frozen=True):
    """A period with its name, and the time of the last change in it, in the form of documents."""

    name: str
    last: str


def windows_of(counts: Mapping[str, int], most: int = MAX_RECORDS) -> list[SitemapWindow]:
    """Return the windows of changes, the oldest first, from the numbers of changes in each second."""
    return list(_divide(sorted(counts.items()), most, 0))


def period_of(name: str) -> tuple[datetime, datetime] | None:
    """Return the first and the last second of a window, or None for another name."""
    if not _NAME.fullmatch(name):
        return None
    try:
        first = datetime.fromisoformat(name + _BEGINNING[len(name) :]).replace(tzinfo=UTC)
        after = first + _UNITS[_LENGTHS.index(len(name))]
    except (ValueError, OverflowError):
        return None
    if len(name) == _LENGTHS[0]:
        after = after.replace(day=1)
    return first, after - timedelta(seconds=1)


def _divide(seconds: list[tuple[str, int]], most: int, level: int) -> Iterator[SitemapWindow]:
    for name, group in groupby(seconds, lambda each: each[0][: _LENGTHS[level]]):
        part = list(group)
        if level + 1 == len(_LENGTHS) or sum(count for _, count in part) <= most:
            yield SitemapWindow(name, part[-1][0])
        else:
            yield from _divide(part, most, level + 1)
