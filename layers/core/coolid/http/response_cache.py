"""Ready-made answers: what was answered a moment ago, whole, for whoever asks the same again.

An answer of the public side depends on nothing but the path, the query, `Accept` and `Accept-Language` of its request,
on what memory tells, and sometimes on the time of day. Those on which the time has no bearing come as `CacheableResponse`, with
their grounds (`coolid.resolution.validity`), and are given again for exactly as long as these hold: an answer never outlives
what memory believes, nor what it is told to forget. `HEAD` and `If-None-Match` are served from the same answer.

A flood of made-up queries pushes answers out; that costs those who ask next some work, and no question to the store.
"""

from sys import getsizeof
from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.http.message import Request, Response
from coolid.http.routes import READS
from coolid.resolution.bounded_cache import BoundedCache, CacheLimit
from coolid.resolution.validity import Validity

ROOM: Final = CacheLimit(5_000, 16 << 20)
MOST_ASKED: Final = 1_000
"""Characters of a request above which its answer is not kept: people's and programs' requests have about 200."""

_DATETIME: Final = "accept-datetime"
"""Those who send it ask for a version (RFC 7089), which is read for them anew."""

_OF_AN_ANSWER: Final = 1_000  # bytes that hold its texts together; the names of headers are shared by all

Key = tuple[str, tuple[tuple[str, str], ...], str | None, str | None]


class _CachedResponse(Struct, frozen=True):
    response: Response
    grounds: Validity


class ResponseCache:
    """Keeps finished answers. Safe between threads."""

    def __init__(self, room: CacheLimit = ROOM) -> None:
        self._answers: BoundedCache[Key, _CachedResponse] = BoundedCache(room)
        self._lock = Lock()

    def get(self, request: Request) -> Response | None:
        """The answer to `GET` of the same, without regard to conditions."""
        if request.method not in READS or _DATETIME in request.headers:
            return None
        kept = self._answers.get(_key_of(request))  # one look into a dictionary, which needs no lock
        return kept.value.response if kept and kept.value.grounds.is_current() else None

    def put(self, request: Request, response: Response, grounds: Validity) -> None:
        """Keep the finished form of a lasting answer to a read, unless it may be one about the past."""
        if _DATETIME in request.headers:
            return
        key = _key_of(request)
        path, query, *headers = key
        texts = [path, *(text for pair in query for text in pair), *(text for text in headers if text)]
        if sum(map(len, texts)) > MOST_ASKED:
            return
        size = _OF_AN_ANSWER + sum(map(getsizeof, (*texts, *response.headers.values(), response.body)))
        with self._lock:
            self._answers.put(key, _CachedResponse(response, grounds), 0, size + grounds.weigh())


def _key_of(request: Request) -> Key:
    """All of a request that the answer to a read may depend on."""
    headers = request.headers
    return request.path, request.query, headers.get("accept"), headers.get("accept-language")
