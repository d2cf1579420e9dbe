"""Web archives: where a copy may be of what is no longer where it was.

An archive is known by how its addresses begin. Behind that comes a moment, as 14 digits in UTC, and the address that
was kept; the archive leads to its copy nearest to the moment. So do the Wayback Machine and all that run its software
or pywb ("Wayback CDX Server API", "URL structure").

>>> from datetime import UTC, datetime
>>> gone = datetime(2025, 7, 10, 14, 22, 30, tzinfo=UTC)
>>> archived("https://web.archive.org/web/", [Location("https://a.example/")], gone, gone)
('https://web.archive.org/web/20250710142230/https://a.example/',)
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from coolid.model.records import Location, format_time

WAYBACK: Final = "https://web.archive.org/web/"
"""Where most of the web is, for whoever names no archive of their own."""


def copy_of(archive: str, uri: str, moment: datetime) -> str:
    """The archive's address of its copy nearest to a moment of what was at the URI.

    >>> from datetime import UTC
    >>> copy_of(WAYBACK, "https://a.example/?b#c", datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC))
    'https://web.archive.org/web/20010203040506/https://a.example/?b#c'
    """
    return f"{archive}{re.sub('[^0-9]', '', format_time(moment))}/{uri}"


def archived(archive: str | None, locations: Sequence[Location], written: datetime, now: datetime) -> tuple[str, ...]:
    """Where copies may be of what was at the locations, before they were given up: when their period was over, or else
    when that they are was `written`. None without an archive, nor of what is still to come."""
    if archive is None:
        return ()
    told = []
    for location in locations:
        begins, ends = location.period()
        if begins is None or begins <= now:
            moment = ends if ends is not None and ends <= now else written
            told.append(copy_of(archive, location.uri, moment))
    return tuple(told)
