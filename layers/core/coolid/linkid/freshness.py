"""The freshness of responses of resolvers, by their headers (RFC 9111, section 4.2)."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

CLOCK_TOLERANCE_SECONDS: Final = 60.0
"""How far the clocks of a resolver and of the client may be apart, when the age of a response is computed."""
_SECONDS: Final = re.compile("[0-9]{1,9}")


def max_age_of(headers: Mapping[str, str]) -> int | None:
    """Return for how many seconds a shared cache may use a response; None if it must not.

    >>> max_age_of({"cache-control": "public, max-age=300, s-maxage=60", "age": "20"})
    40
    >>> max_age_of({"cache-control": "no-store"}), max_age_of({})
    (None, 0)
    """
    directives = _directives(headers)
    if "no-store" in directives or "private" in directives:
        return None
    if "no-cache" in directives:
        return 0
    lifetime = seconds_of(directives.get("s-maxage", directives.get("max-age", ""))) or 0
    return max(0, lifetime - (seconds_of(headers.get("age", "")) or 0))


def stale_seconds(headers: Mapping[str, str], now: float) -> float:
    """Return for how many seconds a response is stale for its client; 0 if it is fresh, or has no lifetime.

    `now` is in seconds since 1970.

    >>> stale_seconds({"cache-control": "max-age=300", "age": "1000"}, 0.0)
    640.0
    >>> stale_seconds({"cache-control": "no-store", "date": "Thu, 01 Jan 1970 00:00:00 GMT"}, 10.0)
    0.0
    """
    lifetime = _lifetime(headers)
    if lifetime is None:
        return 0.0
    age = float(seconds_of(headers.get("age", "")) or 0)
    sent_at = _time(headers.get("date"))
    if sent_at is not None:
        age = max(age, now - sent_at)
    return max(0.0, age - lifetime - CLOCK_TOLERANCE_SECONDS)


def seconds_of(text: str) -> int | None:
    """Return the number of seconds in a header or directive, or None if it has another form."""
    return int(text) if _SECONDS.fullmatch(text.strip()) else None


def _lifetime(headers: Mapping[str, str]) -> float | None:
    """Return the freshness lifetime for a private cache in seconds, or None if the response does not state one."""
    lifetime = seconds_of(_directives(headers).get("max-age", ""))
    if lifetime is not None:
        return lifetime
    expires, sent_at = _time(headers.get("expires")), _time(headers.get("date"))
    return max(0.0, expires - sent_at) if expires is not None and sent_at is not None else None


def _directives(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the directives of `Cache-Control`, their names in lower case."""
    return {
        name.strip().lower(): value.strip().strip('"')
        for name, _, value in (each.partition("=") for each in headers.get("cache-control", "").split(","))
    }


def _time(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None
