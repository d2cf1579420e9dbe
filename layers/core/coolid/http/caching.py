"""HTTP caching (RFC 9110 section 8.8 and 13, RFC 9111, RFC 5861): how long answers live, and when they are the same.

>>> cache_control(300)
'public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400'
>>> is_known('W/"abc", "def"', '"def"')
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
"""Of what is said of records of ours, which have versions (`coolid.http.public.memento`)."""

# Not how long to keep it: that shrinks while the answer stays the same, and a 304 brings the new time.
_IDENTIFYING: Final = ("Location", "Link", "Content-Type")
_ABOUT_THE_BODY: Final = ("Content-Type", "Content-Security-Policy")

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")  # RFC 4648, section 5


def cache_control(ttl: int) -> str:
    """`ttl` in seconds, for browsers and shared caches alike; stale answers may bridge a revalidation or an outage."""
    return (
        f"public, max-age={ttl}, s-maxage={ttl}, "
        f"stale-while-revalidate={STALE_WHILE_REVALIDATE}, stale-if-error={STALE_IF_ERROR}"
    )


def cache_control_until(ttl: int, seconds: int) -> str:
    """The same for an answer that will be wrong in so many seconds: then it may not even bridge an outage.

    >>> cache_control_until(300, 20)
    'public, max-age=20, s-maxage=20, must-revalidate, stale-if-error=0'
    >>> cache_control_until(300, 90_000)
    'public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400'
    """
    if seconds >= ttl + STALE_IF_ERROR:
        return cache_control(ttl)
    kept = max(0, min(ttl, seconds))
    # CloudFront bridges outages with whatever it has, unless it is told not to in these very words.
    return f"public, max-age={kept}, s-maxage={kept}, must-revalidate, stale-if-error=0"


def cache_control_for(ttl: int, turning: datetime | None, now: datetime) -> str:
    """The one or the other: `turning` is when the answer will be wrong, None for never."""
    return cache_control(ttl) if turning is None else cache_control_until(ttl, int((turning - now).total_seconds()))


def stale_status(seconds: float) -> str:
    """`Cache-Status` (RFC 9211) of an answer that was due for renewal so long ago, when the store could not be asked.

    >>> stale_status(41.7)
    'coolid; fwd=stale; ttl=-41; detail=store-unavailable'
    """
    return f"coolid; fwd=stale; ttl=-{int(seconds)}; detail=store-unavailable"


def with_staleness(response: Response, seconds: float | None) -> Response:
    """The response, marked if something that it was made of was due for renewal so many seconds ago."""
    return response if seconds is None else response.with_headers(Cache_Status=stale_status(seconds))


def is_stale(response: Response) -> bool:
    """Whether memory answered because the store failed."""
    return "Cache-Status" in response.headers


def refusal_cache_control(seconds: int | None = None) -> str:
    """For 400, 404 and the like: long enough to calm a loop, short enough for a fresh mint to be seen.

    Where it is known that the refusal will be wrong in so many seconds, not beyond these; never to bridge an outage.
    """
    return f"public, max-age={REFUSAL_TTL if seconds is None else max(0, min(REFUSAL_TTL, seconds))}, stale-if-error=0"


@lru_cache(maxsize=1024)
def last_modified(moment: datetime) -> str:
    """An HTTP date (RFC 9110, section 5.6.7), of a moment in any zone.

    Not by `email.utils`, whose import takes longer than all the rest of a redirect. Kept, because most answers are of
    what was changed at one of a few moments.

    >>> last_modified(datetime.fromisoformat("2025-07-10T16:22:30+02:00"))
    'Thu, 10 Jul 2025 14:22:30 GMT'
    """
    at = moment.astimezone(UTC)
    day, month = _DAYS[at.weekday()], MONTHS[at.month - 1]
    return f"{day}, {at.day:02} {month} {at.year:04} {at.hour:02}:{at.minute:02}:{at.second:02} GMT"


def strong_etag(*parts: str, body: bytes = b"") -> str:
    """A strong entity tag of 132 bits that changes exactly when one of the parts does."""
    digest = sha256("\0".join(parts).encode() + body).digest()
    return f'"{b2a_base64(digest).translate(_URL_SAFE)[:22].decode()}"'


def etag_of(response: Response) -> str:
    """The tag of all that a client can tell the response by."""
    named = (response.headers.get(name, "") for name in _IDENTIFYING)
    if isinstance(response.body, bytes):
        return strong_etag(str(response.status), *named, "", body=response.body)
    return strong_etag(str(response.status), *named, response.body)


def is_known(if_none_match: str, etag: str) -> bool:
    """Whether `If-None-Match` names the tag; compared weakly, as RFC 9110 section 13.1.2 says."""
    if if_none_match == etag:  # what nearly all clients send
        return True
    names = (name.strip().removeprefix("W/") for name in if_none_match.split(","))
    return any(name in ("*", etag) for name in names)


def conditional(request: Request, response: Response) -> Response:
    """304 with the headers of the answer, where the client has it already."""
    known = request.header("if-none-match")
    etag = response.headers.get("ETag")
    if known is None or etag is None or response.status >= 400 or not is_known(known, etag):
        return response
    headers = dict(response.headers)
    for name in _ABOUT_THE_BODY:
        headers.pop(name, None)
    return Response(304, headers)
