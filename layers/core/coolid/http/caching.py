"""HTTP caching: lifetimes, entity tags, conditional requests and cache tags.

See RFC 9110 (sections 8.8 and 13), RFC 9111 and RFC 5861. `Cache-Tag` names what a response shows, so that a CDN can
invalidate it: a record has too many addresses to list, such as spellings, aliases, pasted URLs and variants for each
`Accept`. Tags are separated by commas, of at most 256 visible ASCII characters each, at most 50 to a response, and
case-insensitive (Amazon CloudFront Developer Guide, "Invalidating content by cache tags").

>>> cache_control(300)
'public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400'
>>> record_tag("r4k2-9m3x-62", "tw0tywdj94"), repository_of("record:r4k2-9m3x-62/tw0tywdj94")
('record:r4k2-9m3x-62/tw0tywdj94', 'r4k2-9m3x-62')
"""

import re
from binascii import b2a_base64
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from string import ascii_letters, digits
from typing import Final

from coolid.http.message import Request, Response
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record
from coolid.model.repositories import Repository

NO_STORE: Final = "no-store"
REFUSAL_TTL: Final = 10
STALE_WHILE_REVALIDATE: Final = 60
STALE_IF_ERROR: Final = 86_400
ACCEPT: Final = "Accept"
VARY: Final = f"{ACCEPT}, Accept-Language"
VARY_IN_TIME: Final = f"{VARY}, Accept-Datetime"
"""`Vary` of responses about records, which have versions (`coolid.http.public.memento`)."""

PEERS_UNAVAILABLE: Final = "peers-unavailable"
"""The detail in `Cache-Status` of a stale record of another resolver."""
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")  # RFC 4648, section 5

CACHE_TAG: Final = "Cache-Tag"
KEYS_TAG: Final = "keys"
"""The tag of the public keys."""
_RECORD: Final = "record:"
_PLAIN: Final = f"._:/-{ascii_letters}{digits}"
_MAX_PLAIN: Final = 64


@lru_cache(maxsize=64)
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


def ttl_of(record: Record, repository: Repository) -> int:
    """Return the lifetime of responses about a record, in seconds: the record's, or else the repository's."""
    return repository.ttl if record.ttl is None else record.ttl


def cache_control_for(ttl: int, expires: datetime | None, now: datetime) -> str:
    """Return the lifetime of a response that becomes wrong at `expires`, or never if it is None."""
    return cache_control(ttl) if expires is None else cache_control_until(ttl, int((expires - now).total_seconds()))


def with_staleness(response: Response, seconds: float | None) -> Response:
    """Return the response, with `Cache-Status` (RFC 9211) if one of its inputs expired `seconds` ago."""
    if seconds is None:
        return response
    return response.with_headers(Cache_Status=f"coolid; fwd=stale; ttl=-{int(seconds)}; detail=store-unavailable")


def is_stale(response: Response) -> bool:
    """Return whether the response was made from stale cache entries because the store failed."""
    status = response.headers.get("Cache-Status")
    return status is not None and "fwd=stale" in status and PEERS_UNAVAILABLE not in status


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
    """
    at = moment.astimezone(UTC)
    day, month = _DAYS[at.weekday()], MONTHS[at.month - 1]
    return f"{day}, {at.day:02} {month} {at.year:04} {at.hour:02}:{at.minute:02}:{at.second:02} GMT"


def strong_etag(*parts: str, body: bytes = b"") -> str:
    """Return a strong entity tag of 132 bits that changes exactly when one of the parts does."""
    digest = sha256("\0".join(parts).encode() + body).digest()
    return f'"{b2a_base64(digest).translate(_URL_SAFE)[:22].decode()}"'


def etag_of(response: Response) -> str:
    """Return the entity tag of the status, the body and the headers that identify the response.

    `Cache-Control` is not among them, because the lifetime shrinks while the response stays the same; a 304 has the new
    one.
    """
    find, body = response.headers.get, response.body
    parts = str(response.status), find("Location", ""), find("Link", ""), find("Content-Type", "")
    return strong_etag(*parts, "", body=body) if isinstance(body, bytes) else strong_etag(*parts, body)


def matches_etag(if_none_match: str, etag: str) -> bool:
    """Return whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2)."""
    if if_none_match == etag:  # what nearly all clients send
        return True
    names = (name.strip().removeprefix("W/") for name in if_none_match.split(","))
    return any(name in ("*", etag) for name in names)


def conditional(request: Request, response: Response) -> Response:
    """Return 304 with the headers of the response if the client has it already, else the response."""
    if_none_match = request.headers.get("if-none-match")
    etag = response.headers.get("ETag")
    if if_none_match is None or etag is None or response.status >= 400 or not matches_etag(if_none_match, etag):
        return response
    headers = dict(response.headers)
    for name in ("Content-Type", "Content-Security-Policy"):
        headers.pop(name, None)
    return Response(304, headers)


def cache_tags_of(prefix: Namespace | ProviderPrefix, record: Record | None = None) -> str:
    """Return the `Cache-Tag` of a response about a prefix or a record; its repository's covers all its records."""
    if not isinstance(prefix, Namespace):
        return prefix_tag(prefix.name)
    tags = _namespace_tags(prefix.name, prefix.repository.id)
    return tags if record is None else f"{tags},{record_tag(prefix.repository.id, record.key)}"


@lru_cache(maxsize=256)
def _namespace_tags(name: str, repository: str) -> str:
    """Return the tags of a namespace and its repository; cached for the usual ones."""
    return f"{prefix_tag(name)},{repository_tag(repository)}"


def record_tag(repository: str, key: str) -> str:
    """Return the tag of every response that shows the record."""
    return f"{_RECORD}{_repository_text(repository)}/{_tag_text(key)}"


def repository_tag(repository: str) -> str:
    """Return the tag of every response that shows a record of the repository or describes one of its prefixes."""
    return f"repository:{_tag_text(repository)}"


def prefix_tag(name: str) -> str:
    """Return the tag of every response found under the prefix; `name` is never a synonym.

    >>> prefix_tag("2021/06/mp"), prefix_tag("größe")
    ('prefix:2021/06/mp', 'prefix:sha256-d353a2671b67afff0941ae456e5c76e9')
    """
    return f"prefix:{_tag_text(name)}"


def repository_of(tag: str) -> str | None:
    """Return the repository in a record's tag, None for another tag."""
    return tag.removeprefix(_RECORD).partition("/")[0] if tag.startswith(_RECORD) else None


def is_tag(text: str) -> bool:
    """Return whether the text is one valid tag."""
    return re.fullmatch(r"[!-+\--~]{1,256}", text) is not None


def _tag_text(text: str) -> str:
    """Return the text, or its digest if it is long or has other characters, because escapes might be decoded."""
    is_plain = 0 < len(text) <= _MAX_PLAIN and not text.strip(_PLAIN)
    return text if is_plain else f"sha256-{sha256(text.encode()).hexdigest()[:32]}"


_repository_text: Final = lru_cache(maxsize=256)(_tag_text)
"""The same for repositories, of which there are few."""
