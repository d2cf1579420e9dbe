"""An application: dispatches to its routes, turns errors into problems, adds what every answer has in common.

Each Lambda function holds one application with the endpoints that it serves (`coolid.aws.wiring`).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from msgspec import Struct

from coolid.errors import CoolidError
from coolid.http.caching import ACCEPT, conditional, etag_of
from coolid.http.errors import NoSuchAddress
from coolid.http.message import (
    LINK,
    MOST_HEADER_BYTES,
    MOST_LINK_BYTES,
    CacheableResponse,
    Request,
    Response,
    header_bytes,
)
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import READS, Deferred, Route, answer, find

Reporter = Callable[[Exception, Request], None]
"""What is told of errors that nobody foresaw."""

ErrorListener = Callable[[CoolidError], None]
"""What hears of every refusal, to count those that somebody should know of."""

Limit = Callable[[], AbstractContextManager[None]]
"""Returns a context in which one request is answered, such as one with a deadline."""

_TAGGED: Final = (200, 204, 300, 301, 302, 303, 307, 308, 410)
_COMMON: Final = {"X-Content-Type-Options": "nosniff"}
_EXPOSED: Final = (
    "Cache-Status, ETag, Link, Location, Memento-Datetime, Provider-Choice, Retry-After, THUMP-Status, Target-Warning"
)


def ignore_error(_error: CoolidError) -> None:
    """Count nothing."""


class Application(Struct, frozen=True):
    """`routes` are tried in order; `base_url` is the public one, the only source of absolute URLs.

    `public` if it serves what everybody may read, so that caches may keep its refusals for a moment; `ready` keeps its
    lasting answers; `limit` limits each request.
    """

    routes: tuple[Route | Deferred, ...]
    base_url: str
    report: Reporter
    heard: ErrorListener = ignore_error
    public: bool = False
    ready: ResponseCache | None = None
    limit: Limit | None = None

    def __call__(self, request: Request) -> Response:
        """Answer a request; never raises."""
        if self.limit is None:
            return self._answer(request)
        with self.limit():
            return self._answer(request)

    def _answer(self, request: Request) -> Response:
        kept = self.ready.get(request) if self.ready is not None else None
        return _as_wanted(request, kept or self._whole(request))

    def _whole(self, request: Request) -> Response:
        """The answer with all that every one has; to a read it is the whole one, which may be kept."""
        route = None
        try:
            route = self._route(request)
            response = answer(route, request)
        except Exception as error:  # noqa: BLE001 - the outermost frame: what nobody foresaw is reported, told as a bare 500
            response = self._refused(error, request, route)
        finished = _with_common_headers(request, response)
        if self.ready is not None and isinstance(response, CacheableResponse):
            self.ready.put(request, finished, response.grounds)
        return finished

    def _refused(self, error: Exception, request: Request, route: Route | None) -> Response:
        """The problem, and whoever should know of it told."""
        if isinstance(error, CoolidError):
            self.heard(error)
        else:
            self.report(error, request)
        try:
            return self.refuse(error, request, route.vary if route else ACCEPT)
        except Exception as another:  # noqa: BLE001 - telling of an error may fail, too; without wishes there is less that can
            self.report(another, request)
            return self.refuse(another)

    def refuse(self, error: Exception, request: Request | None = None, vary: str = ACCEPT) -> Response:
        """Return the problem for an error; `vary` names the request headers that answers at the address depend on."""
        from coolid.http import problem_responses, problems

        told = problems.describe(error, self.base_url, request.request_id if request else "")
        cacheable = self.public and request is not None and request.method in READS
        response = problem_responses.respond(told, request, self.base_url, cacheable=cacheable, vary=vary)
        return response.with_headers(**_COMMON) if request is None else response

    def _route(self, request: Request) -> Route:
        route = find(self.routes, request.path)
        if route is None:
            raise NoSuchAddress("there is nothing at this address of the API")
        return route


def _with_common_headers(request: Request, response: Response) -> Response:
    """Return the response with cross-origin headers, no longer than API Gateway permits, and an entity tag on reads."""
    headers = {**_COMMON, **response.headers}
    if request.method in READS or request.method == "OPTIONS":
        headers["Access-Control-Allow-Origin"] = "*"
        headers["Access-Control-Expose-Headers"] = _EXPOSED
    if header_bytes(headers) > MOST_HEADER_BYTES or len(headers.get(LINK, "")) > MOST_LINK_BYTES:
        from coolid.http.header_limits import fitted  # which few answers need

        headers = fitted(headers)
    whole = Response(response.status, headers, response.body)
    if request.method in READS and "ETag" not in headers and response.status in _TAGGED:
        headers["ETag"] = etag_of(whole)
    return whole


def _as_wanted(request: Request, whole: Response) -> Response:
    """What a read gets of the whole answer: nothing that it has already, and no body for `HEAD`."""
    if request.method not in READS:
        return whole
    answer = conditional(request, whole)
    return Response(answer.status, answer.headers) if request.method == "HEAD" else answer
