"""Web archives: the URLs of archived copies of locations that are gone.

An archive has a URL prefix, followed by a moment (14 digits, UTC) and the archived URL. The archive redirects to its
copy nearest to the moment, as do the Wayback Machine and pywb ("Wayback CDX Server API", "URL structure").

>>> from datetime import UTC, datetime
>>> gone = datetime(2025, 7, 10, 14, 22, 30, tzinfo=UTC)
>>> archived_urls("https://web.archive.org/web/", [Location("https://a.example/")], gone, gone)
('https://web.archive.org/web/20250710142230/https://a.example/',)
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from coolid.model.locations import period_of
from coolid.model.records import Location, format_time

WAYBACK: Final = "https://web.archive.org/web/"
"""The default archive."""


def archived_url(archive: str, uri: str, moment: datetime) -> str:
    """Return the URL of an archive's copy of a URI nearest to a moment.

    >>> from datetime import UTC
    >>> archived_url(WAYBACK, "https://a.example/?b#c", datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC))
    'https://web.archive.org/web/20010203040506/https://a.example/?b#c'
    """
    return f"{archive}{re.sub('[^0-9]', '', format_time(moment))}/{uri}"


def archived_urls(
    archive: str | None, locations: Sequence[Location], written: datetime, now: datetime
) -> tuple[str, ...]:
    """Return archive URLs of the locations that began, dated by the end of their period or else by `written`."""
    if archive is None:
        return ()
    addresses = []
    for location in locations:
        begins, ends = period_of(location)
        if begins is None or begins <= now:
            moment = ends if ends is not None and ends <= now else written
            addresses.append(archived_url(archive, location.uri, moment))
    return tuple(addresses)
