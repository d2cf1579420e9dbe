"""Routes: addresses and the endpoints behind them. Each side of the system lists its own, as `Reading.routes` does.

`template.yaml` sends requests to functions by the same addresses.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final

from msgspec import Struct

from coolid.http.errors import MethodNotAllowed
from coolid.http.message import Request, Response

READS: Final = ("GET", "HEAD")

Endpoint = Callable[[Request, str], Response]
"""What answers a route: gets the request and the part of its path behind the route's, still encoded."""


class Route(Struct, frozen=True):
    """An address and its endpoints by method.

    `path` stands for itself, or with `below` for everything that begins with it and goes on; `elsewhere` are methods
    that another function serves under the same address, listed in `Allow`. `vary` names the request headers that the
    route's refusals depend on: the same as its other answers, so that a cache does not give a refusal to a request that
    another value of such a header would have answered (RFC 9110, section 12.5.5).
    """

    path: str
    endpoints: Mapping[str, Endpoint]
    below: bool = False
    elsewhere: tuple[str, ...] = ()
    vary: str = "Accept"

    def matches(self, path: str) -> bool:
        """Whether a request's path falls under it."""
        if self.below:
            return path.startswith(self.path) and len(path) > len(self.path)
        return path == self.path

    def allowed(self) -> tuple[str, ...]:
        """The methods that are possible here, `HEAD` with `GET`, `OPTIONS` always."""
        methods = (*self.endpoints, *self.elsewhere)
        return (*dict.fromkeys((*READS, *methods) if "GET" in methods else methods), "OPTIONS")


class Deferred(Struct, frozen=True):
    """Routes that are made when somebody asks for one of them: what they need takes long to load.

    Their paths begin with one of `beginnings`, as others may, too, or are `exactly` one of these. `make` is called
    whenever one may be meant, and is to remember what it made.
    """

    beginnings: tuple[str, ...]
    make: Callable[[], tuple[Route, ...]]
    exactly: Container[str] = ()


def find(routes: Sequence[Route | Deferred], path: str) -> Route | None:
    """The first route that a path falls under.

    >>> find([Deferred(("/api/",), lambda: (Route("/api/v1", {}),)), Route("/", {}, below=True)], "/api/v2").path
    '/'
    """
    for each in routes:
        if isinstance(each, Route):
            if each.matches(path):
                return each
        elif (path.startswith(each.beginnings) or path in each.exactly) and (found := find(each.make(), path)):
            return found
    return None


def answer(route: Route, request: Request) -> Response:
    """What the route's endpoint for the method says; `OPTIONS` is answered here, `MethodNotAllowed` raised."""
    method = "GET" if request.method == "HEAD" else request.method
    endpoint = route.endpoints.get(method)
    if endpoint:
        return endpoint(request, request.path[len(route.path) :])
    allowed = route.allowed()
    if request.method == "OPTIONS":
        return Response(
            204, {"Allow": ", ".join(allowed), "Cache-Control": "public, max-age=86400", **_preflight(allowed)}
        )
    raise MethodNotAllowed(request.method, allowed)


def _preflight(allowed: tuple[str, ...]) -> dict[str, str]:
    """What a browser asks before a cross-origin request: reads are open to every origin, writes to none."""
    reads = [method for method in allowed if method in READS]
    return {"Access-Control-Allow-Methods": ", ".join(reads), "Access-Control-Allow-Headers": "*"} if reads else {}
