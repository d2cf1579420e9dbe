"""An application: dispatches to its routes, turns errors into problems, adds what every answer has in common.

Each Lambda function holds one application with the endpoints that it serves (`coolid.aws.wiring`).
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.domain.errors import CoolidError
from coolid.web.caching import conditional, with_etag
from coolid.web.errors import NoSuchAddress
from coolid.web.message import Request, Response
from coolid.web.routes import READS, Deferred, Route, answer, find

Reporter = Callable[[Exception, Request], None]
"""What is told of errors that nobody foresaw."""

Listener = Callable[[CoolidError], None]
"""What hears of every refusal, to count those that somebody should know of."""

_EXPOSED: Final = "Cache-Status, ETag, Link, Location, Retry-After, THUMP-Status, Target-Warning"


def unheard(_error: CoolidError) -> None:
    """Count nothing."""


class Application(Struct, frozen=True):
    """`routes` are tried in order; `base_url` is the public one, the only source of absolute URLs.

    `public` if it serves what everybody may read, so that caches may keep its refusals for a moment.
    """

    routes: tuple[Route | Deferred, ...]
    base_url: str
    report: Reporter
    heard: Listener = unheard
    public: bool = False

    def __call__(self, request: Request) -> Response:
        """Answer a request; never raises."""
        try:
            response = self._dispatch(request)
        except CoolidError as error:
            self.heard(error)
            response = self.refuse(error, request)
        except Exception as error:  # noqa: BLE001 - the outermost frame: what nobody foresaw is reported, told as a bare 500
            self.report(error, request)
            response = self.refuse(error, request)
        return _finished(request, response)

    def refuse(self, error: Exception, request: Request | None = None) -> Response:
        """The problem that tells of an error."""
        from coolid.web import problem

        told = problem.describe(error, self.base_url, request.request_id if request else "")
        cacheable = self.public and request is not None and request.method in READS
        return problem.respond(told, request.header("accept") if request else None, cacheable=cacheable)

    def _dispatch(self, request: Request) -> Response:
        route = find(self.routes, request.path)
        if route is None:
            raise NoSuchAddress("there is nothing at this address of the API")
        return answer(route, request)


def _finished(request: Request, response: Response) -> Response:
    """Entity tag, condition, cross-origin headers; and no body for `HEAD`."""
    headers = {"X-Content-Type-Options": "nosniff", **response.headers}
    if request.method in (*READS, "OPTIONS"):
        headers |= {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": _EXPOSED}
    finished = replace(response, headers=headers)
    if request.method in READS:
        if "ETag" not in headers and response.status in (200, 300, 301, 302, 303, 307, 308, 410):
            finished = with_etag(finished)
        finished = conditional(request, finished)
    return replace(finished, body="") if request.method == "HEAD" else finished
