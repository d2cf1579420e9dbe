"""The division of a repository's records into sitemaps, by the time of their last change.

A sitemap contains the records of a calendar period, a window: a month. If too many records changed in a month, there is
a sitemap for each of its days instead, and so on down to seconds. So the name of a sitemap always means the same
period, and a sitemap of the past only loses records.

>>> [each.name for each in windows_of(["2025-07-10T14:22:30Z"] * 2 + ["2025-08-01T00:00:00Z"], most=2)]
['2025-07', '2025-08']
>>> [each.name for each in windows_of(["2025-07-10T14:22:30Z"] * 2 + ["2025-07-11T00:00:00Z"], most=2)]
['2025-07-10', '2025-07-11']
>>> [*map(str, period_of("2025-02"))]
['2025-02-01 00:00:00+00:00', '2025-02-28 23:59:59+00:00']
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, groupby, islice
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


class UnorderedTimes(Exception):
    """Times are not in their order."""


def windows_of(times: Iterable[str], most: int = MAX_RECORDS) -> list[SitemapWindow]:
    """Return the windows of changes, the oldest first, given their times in order. Raises `UnorderedTimes`.

    Besides the windows, at most `most` times are in memory for each level of the division.
    """
    return list(_divide(_ordered(times), most, 0))


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


def _ordered(times: Iterable[str]) -> Iterator[str]:
    previous = ""
    for each in times:
        if each < previous:
            raise UnorderedTimes
        yield each
        previous = each


def _divide(times: Iterator[str], most: int, level: int) -> Iterator[SitemapWindow]:
    for name, group in groupby(times, lambda each: each[: _LENGTHS[level]]):
        members = iter(group)
        part = list(islice(members, most + 1))
        if level + 1 == len(_LENGTHS) or len(part) <= most:
            yield SitemapWindow(name, part[-1])
        else:
            yield from _divide(chain(part, members), most, level + 1)
