"""HTTP caching: lifetimes, entity tags and conditional requests (RFC 9110 sections 8.8 and 13, RFC 9111, RFC 5861).

>>> cache_control(300)
'public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400'
>>> matches_etag('W/"abc", "def"', '"def"')
True
"""

from binascii import b2a_base64
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final

from coolid.http.message import Request, Response

NO_STORE: Final = "no-store"
REFUSAL_TTL: Final = 10
STALE_WHILE_REVALIDATE: Final = 60
STALE_IF_ERROR: Final = 86_400
ACCEPT: Final = "Accept"
VARY: Final = f"{ACCEPT}, Accept-Language"
VARY_IN_TIME: Final = f"{VARY}, Accept-Datetime"
"""`Vary` of responses about records, which have versions (`coolid.http.public.memento`)."""

# Without Cache-Control, because the lifetime shrinks while the response stays the same; a 304 carries the new one.
_ETAG_HEADERS: Final = ("Location", "Link", "Content-Type")
_BODY_HEADERS: Final = ("Content-Type", "Content-Security-Policy")

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")  # RFC 4648, section 5


def cache_control(ttl: int) -> str:
    """Return a lifetime of `ttl` seconds for all caches, which may serve stale during a revalidation or an outage."""
    return (
        f"public, max-age={ttl}, s-maxage={ttl}, "
        f"stale-while-revalidate={STALE_WHILE_REVALIDATE}, stale-if-error={STALE_IF_ERROR}"
    )


def cache_control_until(ttl: int, seconds: int) -> str:
    """Return the same for a response that becomes wrong in `seconds`, and must not be served stale then.

    >>> cache_control_until(300, 20)
    'public, max-age=20, s-maxage=20, must-revalidate, stale-if-error=0'
    >>> cache_control_until(300, 90_000)
    'public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400'
    """
    if seconds >= ttl + STALE_IF_ERROR:
        return cache_control(ttl)
    lifetime = max(0, min(ttl, seconds))
    # CloudFront serves stale responses during outages unless it receives exactly these directives.
    return f"public, max-age={lifetime}, s-maxage={lifetime}, must-revalidate, stale-if-error=0"


def cache_control_for(ttl: int, expires: datetime | None, now: datetime) -> str:
    """Return the lifetime of a response that becomes wrong at `expires`, or never if it is None."""
    return cache_control(ttl) if expires is None else cache_control_until(ttl, int((expires - now).total_seconds()))


def stale_status(seconds: float) -> str:
    """Return the `Cache-Status` (RFC 9211) of a response that expired `seconds` ago while the store was unavailable.

    >>> stale_status(41.7)
    'coolid; fwd=stale; ttl=-41; detail=store-unavailable'
    """
    return f"coolid; fwd=stale; ttl=-{int(seconds)}; detail=store-unavailable"


def with_staleness(response: Response, seconds: float | None) -> Response:
    """Return the response, marked if one of its inputs expired `seconds` ago."""
    return response if seconds is None else response.with_headers(Cache_Status=stale_status(seconds))


def is_stale(response: Response) -> bool:
    """Return whether the response was made from stale cache entries because the store failed."""
    return "Cache-Status" in response.headers


def refusal_cache_control(seconds: int | None = None) -> str:
    """Return the lifetime of a 400 or 404: long enough to slow a loop, short enough for a new mint to appear.

    It is at most `seconds`, after which the refusal becomes wrong. A refusal is never served stale.
    """
    return f"public, max-age={REFUSAL_TTL if seconds is None else max(0, min(REFUSAL_TTL, seconds))}, stale-if-error=0"


@lru_cache(maxsize=1024)
def last_modified(moment: datetime) -> str:
    """Return a moment in any zone as an HTTP date (RFC 9110, section 5.6.7).

    It does without `email.utils`, whose import takes longer than the rest of a redirect. It is cached, because most
    responses share a few moments.

    >>> last_modified(datetime.fromisoformat("2025-07-10T16:22:30+02:00"))
    'Thu, 10 Jul 2025 14:22:30 GMT'
    """
    at = moment.astimezone(UTC)
    day, month = _DAYS[at.weekday()], MONTHS[at.month - 1]
    return f"{day}, {at.day:02} {month} {at.year:04} {at.hour:02}:{at.minute:02}:{at.second:02} GMT"


def strong_etag(*parts: str, body: bytes = b"") -> str:
    """Return a strong entity tag of 132 bits that changes exactly when one of the parts does."""
    digest = sha256("\0".join(parts).encode() + body).digest()
    return f'"{b2a_base64(digest).translate(_URL_SAFE)[:22].decode()}"'


def etag_of(response: Response) -> str:
    """Return the entity tag of the status, the body and the headers that identify the response."""
    values = (response.headers.get(name, "") for name in _ETAG_HEADERS)
    if isinstance(response.body, bytes):
        return strong_etag(str(response.status), *values, "", body=response.body)
    return strong_etag(str(response.status), *values, response.body)


def matches_etag(if_none_match: str, etag: str) -> bool:
    """Return whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2)."""
    if if_none_match == etag:  # what nearly all clients send
        return True
    names = (name.strip().removeprefix("W/") for name in if_none_match.split(","))
    return any(name in ("*", etag) for name in names)


def conditional(request: Request, response: Response) -> Response:
    """Return 304 with the headers of the response if the client has it already, else the response."""
    if_none_match = request.header("if-none-match")
    etag = response.headers.get("ETag")
    if if_none_match is None or etag is None or response.status >= 400 or not matches_etag(if_none_match, etag):
        return response
    headers = dict(response.headers)
    for name in _BODY_HEADERS:
        headers.pop(name, None)
    return Response(304, headers)
