"""The response cache: complete responses held in memory.

A public response depends only on the request's path, query, `Accept` and `Accept-Language`, on the reader cache, and
sometimes on the time. A response that does not depend on the time is a `CacheableResponse`. It is served for exactly
as long as its validity (`coolid.resolution.cache`) is current, so it never outlives the cached rows that it shows.
`HEAD` and `If-None-Match` are served from the same entry.

A flood of made-up queries evicts entries. Later requests then cost some work, but no request to the store.
"""

from sys import getsizeof
from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.http.message import Request, Response
from coolid.http.routes import READS
from coolid.resolution.cache import BoundedCache, CacheLimit, Validity

LIMIT: Final = CacheLimit(5_000, 16 << 20)
MAX_KEY_LENGTH: Final = 1_000
"""Characters of a cached request; longer ones are not cached. Typical requests have about 200."""

_DATETIME: Final = "accept-datetime"
"""It requests a version (RFC 7089), which is never cached."""

_ENTRY_BYTES: Final = 1_000  # bytes besides its texts; the names of headers are shared

Key = tuple[str, tuple[tuple[str, str], ...], str | None, str | None]


class _CachedResponse(Struct, frozen=True):
    response: Response
    validity: Validity


class ResponseCache:
    """Stores complete responses. Thread-safe."""

    def __init__(self, limit: CacheLimit = LIMIT) -> None:
        self._answers: BoundedCache[Key, _CachedResponse] = BoundedCache(limit)
        self._lock = Lock()

    def get(self, request: Request) -> Response | None:
        """Return the cached response to `GET` of the same, ignoring conditions, or None."""
        if request.method not in READS or _DATETIME in request.headers:
            return None
        entry = self._answers.get(_key_of(request))  # a single dictionary lookup, which needs no lock
        return entry.value.response if entry and entry.value.validity.is_current() else None

    def put(self, request: Request, response: Response, validity: Validity) -> None:
        """Cache the complete response to a read, unless it may be about the past."""
        if _DATETIME in request.headers:
            return
        key = _key_of(request)
        path, query, *headers = key
        texts = [path, *(text for pair in query for text in pair), *(text for text in headers if text)]
        if sum(map(len, texts)) > MAX_KEY_LENGTH:
            return
        size = _ENTRY_BYTES + sum(map(getsizeof, (*texts, *response.headers.values(), response.body)))
        with self._lock:
            self._answers.put(key, _CachedResponse(response, validity), 0, size + validity.size_in_memory())


def _key_of(request: Request) -> Key:
    """Return the parts of a request that the response to a read may depend on."""
    headers = request.headers
    return request.path, request.query, headers.get("accept"), headers.get("accept-language")
