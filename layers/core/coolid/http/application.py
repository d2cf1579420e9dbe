"""The application: dispatches requests to routes, turns errors into problems, adds the common headers, limits headers.

Each Lambda function holds one application with the endpoints that it serves (`coolid.wiring`).

API Gateway passes 10,240 bytes of header names and values, its own headers included ("Quotas for configuring and
running a REST API"). It adds about 300 bytes: `Date`, `Content-Length`, `Connection`, `x-amzn-RequestId`,
`x-amz-apigw-id` and `X-Amzn-Trace-Id`. Responses have at most `coolid.http.message.MAX_HEADER_BYTES`, plus an `ETag` of
34 bytes. Links are left out first, from the end, because the most important links come first. Then go the last members
of `Target-Warning` and `Provider-Choice`, which are lists, too. No other header is that long: a `Location` has at most
9,000 bytes (`coolid.http.redirects`).

>>> members('<https://a.example/,b>; rel="item"; title="x, <y", <https://b.example/>; rel="item"')
['<https://a.example/,b>; rel="item"; title="x, <y"', '<https://b.example/>; rel="item"']
>>> shortened_headers({"Link": '<a>; rel="canonical", <b>; rel="item"'}, 40)
{'Link': '<a>; rel="canonical"'}
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Final

from msgspec import Struct

from coolid.errors import CoolidError, IntegrityFailure
from coolid.http.caching import ACCEPT, conditional, etag_of
from coolid.http.message import LINK, MAX_HEADER_BYTES, MAX_LINK_BYTES, CacheableResponse, Request, Response
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import READS, DeferredRoutes, Route, answer, find
from coolid.ports import Count

Reporter = Callable[[Exception, Request], None]
"""Reports an unexpected error, or a stored record that failed verification."""

ErrorListener = Callable[[CoolidError], None]
"""Receives every `CoolidError`, to count those that an operator watches."""

ResponseListener = Callable[[Request | None, Response, float], None]
"""Called after each response with the request (None for a malformed event), the response and its seconds."""

Limit = Callable[[], AbstractContextManager[None]]
"""Returns a context in which one request is answered, such as one with a deadline."""

_TAGGED: Final = (200, 204, 300, 301, 302, 303, 307, 308, 410)
_LISTS: Final = (LINK, "Target-Warning", "Provider-Choice")
"""The headers that may lose members, in the order in which they lose them."""
_SEPARATOR: Final = ", "
_MEMBER: Final = r'(?:[^,"<]|<[^>]*>|"(?:[^"\\]|\\.)*"|["<])+'
_COMMON: Final = {"X-Content-Type-Options": "nosniff"}
_CROSS_ORIGIN: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Cache-Status, ETag, Link, Location, Memento-Datetime, Provider-Choice, Retry-After, THUMP-Status, "
        "Target-Warning"
    ),
}


def ignore_error(_error: CoolidError) -> None:
    """Do nothing."""


class Listeners(Struct, frozen=True):
    """Receive what a function reports: counted events, unexpected errors, and responses."""

    count: Count
    report: Reporter
    on_response: ResponseListener


class Application(Struct, frozen=True):
    """`routes` are tried in order; `base_url` is the public one, the only source of absolute URLs.

    `public` applications serve what everybody may read, so that caches may store their refusals briefly. `cache`
    stores cacheable responses; `limit` limits each request.
    """

    routes: tuple[Route | DeferredRoutes, ...]
    base_url: str
    report: Reporter
    on_error: ErrorListener = ignore_error
    public: bool = False
    cache: ResponseCache | None = None
    limit: Limit | None = None

    def __call__(self, request: Request) -> Response:
        """Answer a request; never raises."""
        if self.limit is None:
            return self._answer(request)
        with self.limit():
            return self._answer(request)

    def _answer(self, request: Request) -> Response:
        cached = self.cache.get(request) if self.cache is not None else None
        return _conditional_response(request, cached or self._complete_response(request))

    def _complete_response(self, request: Request) -> Response:
        """Return the complete response, which may be cached if the request is a read."""
        route = None
        try:
            route = find(self.routes, request.path)
            response = answer(route, request)
        except Exception as error:  # noqa: BLE001 - unexpected errors are reported and answered with a bare 500
            response = self._error_response(error, request, route)
        finished = with_common_headers(request, response)
        if self.cache is not None and isinstance(response, CacheableResponse):
            self.cache.put(request, finished, response.validity)
        return finished

    def _error_response(self, error: Exception, request: Request, route: Route | None) -> Response:
        """Return the response for an error and notify the listener or the reporter."""
        if isinstance(error, CoolidError):
            self.on_error(error)
        if not isinstance(error, CoolidError) or isinstance(error, IntegrityFailure):
            self.report(error, request)
        try:
            refusal = route.refuse(error, request) if route is not None and route.refuse is not None else None
            if refusal is not None:
                return refusal
            return self.refuse(error, request, route.vary if route else ACCEPT)
        except Exception as another:  # noqa: BLE001 - without the request less can fail
            self.report(another, request)
            return self.refuse(another)

    def refuse(self, error: Exception, request: Request | None = None, vary: str = ACCEPT) -> Response:
        """Return the problem for an error; `vary` names the request headers that answers at the address depend on."""
        from coolid.http import problem_responses, problems

        problem = problems.describe(error, self.base_url, request.request_id if request else "")
        cacheable = self.public and request is not None and request.method in READS
        response = problem_responses.respond(problem, request, self.base_url, cacheable=cacheable, vary=vary)
        return response.with_headers(**_COMMON) if request is None else response


def with_common_headers(request: Request, response: Response) -> Response:
    """Return the response with cross-origin headers, no longer than API Gateway permits, and an entity tag on reads."""
    is_read = request.method in READS
    if is_read or request.method == "OPTIONS":
        headers = {**_COMMON, **response.headers, **_CROSS_ORIGIN}
    else:
        headers = {**_COMMON, **response.headers}
    if header_bytes(headers) > MAX_HEADER_BYTES or len(headers.get(LINK, "")) > MAX_LINK_BYTES:
        headers = shortened_headers(headers)
    whole = Response(response.status, headers, response.body, response.stream, response.cookies)
    if is_read and "ETag" not in headers and response.status in _TAGGED:
        headers["ETag"] = etag_of(whole)
    return whole


def _conditional_response(request: Request, response: Response) -> Response:
    """Return the response, as 304 if a read has it already, and without a body for `HEAD`."""
    if request.method not in READS:
        return response
    answer = conditional(request, response)
    return Response(answer.status, answer.headers, cookies=answer.cookies) if request.method == "HEAD" else answer


def header_bytes(headers: Mapping[str, str]) -> int:
    """Return the size in bytes of ASCII headers as sent: names, values, `: ` and line breaks."""
    return len("".join([*headers, *headers.values()])) + 4 * len(headers)


def shortened_headers(headers: Mapping[str, str], limit: int = MAX_HEADER_BYTES) -> dict[str, str]:
    """Return the headers in `limit` bytes, without the last list members, and `Link` in `MAX_LINK_BYTES`."""
    shortened = dict(headers)
    for name in _LISTS:
        value = shortened.pop(name, None)
        if value is None:
            continue
        remaining = limit - header_bytes({**shortened, name: ""})
        shorter = _first_members(value, min(remaining, MAX_LINK_BYTES) if name == LINK else remaining)
        if shorter:
            shortened[name] = shorter
    return shortened


def members(value: str) -> list[str]:
    """Return the members of a list (RFC 9110, section 5.6.1), not split at commas in quotes or angle brackets."""
    return [member.strip() for member in re.findall(_MEMBER, value) if member.strip()]


def _first_members(value: str, remaining: int) -> str:
    """Return the list with the members that fit into `remaining` bytes, in order."""
    if len(value) <= remaining:
        return value
    chosen: list[str] = []
    for member in members(value):
        length = len(member) + (len(_SEPARATOR) if chosen else 0)
        if length <= remaining:
            chosen.append(member)
            remaining -= length
    return _SEPARATOR.join(chosen)
