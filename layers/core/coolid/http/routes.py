"""Routes: paths and their endpoints. Each endpoint class lists its own, such as `ResolutionEndpoint.routes`.

`template.yaml` sends requests to functions by the same paths.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final

from msgspec import Struct

from coolid.http.errors import MethodNotAllowed, NoSuchAddress
from coolid.http.message import Request, Response

READS: Final = ("GET", "HEAD")

Endpoint = Callable[[Request, str], Response]
"""Responds to a request; the second argument is the rest of its path after the route's, still encoded."""


class Route(Struct, frozen=True):
    """A path and its endpoints by method.

    With `below`, `path` matches every longer path that begins with it. `other_methods` are served by another function
    at the same path and listed in `Allow`. `vary` names the request headers that refusals depend on. They are those of
    the other responses, so that a cache does not serve a refusal for another value (RFC 9110, section 12.5.5).
    `refuse` responds to errors in another form than problems, or returns None.
    """

    path: str
    endpoints: Mapping[str, Endpoint]
    below: bool = False
    other_methods: tuple[str, ...] = ()
    vary: str = "Accept"
    refuse: Callable[[Exception, Request], Response | None] | None = None

    def matches(self, path: str) -> bool:
        """Return whether the route matches a request's path."""
        if self.below:
            return path.startswith(self.path) and len(path) > len(self.path)
        return path == self.path

    def allowed(self) -> tuple[str, ...]:
        """Return the supported methods, `HEAD` with `GET`, `OPTIONS` always."""
        methods = (*self.endpoints, *self.other_methods)
        return (*dict.fromkeys((*READS, *methods) if "GET" in methods else methods), "OPTIONS")


class DeferredRoutes(Struct, frozen=True):
    """Routes that are created on first use, because their modules are slow to load.

    Their paths begin with one of `path_prefixes`, perhaps like those of others, or are one of `paths`. `make` is called
    for each such request, and must cache its result.
    """

    path_prefixes: tuple[str, ...]
    make: Callable[[], tuple[Route, ...]]
    paths: Container[str] = ()


def find(routes: Sequence[Route | DeferredRoutes], path: str) -> Route | None:
    """Return the first route that matches a path, or None."""
    for each in routes:
        if isinstance(each, Route):
            if each.matches(path):
                return each
        elif (path.startswith(each.path_prefixes) or path in each.paths) and (found := find(each.make(), path)):
            return found
    return None


def answer(route: Route | None, request: Request) -> Response:
    """Return the response of the route's endpoint, or to `OPTIONS`. Raises `NoSuchAddress`, `MethodNotAllowed`."""
    if route is None:
        raise NoSuchAddress("there is nothing at this address of the API")
    method = "GET" if request.method == "HEAD" else request.method
    endpoint = route.endpoints.get(method)
    if endpoint:
        return endpoint(request, request.path[len(route.path) :])
    allowed = route.allowed()
    if request.method == "OPTIONS":
        headers = {"Allow": ", ".join(allowed), "Cache-Control": "public, max-age=86400"}
        reads = ", ".join(method for method in allowed if method in READS)
        if reads:  # every origin may read, none may write
            headers |= {"Access-Control-Allow-Methods": reads, "Access-Control-Allow-Headers": "*"}
        return Response(204, headers)
    raise MethodNotAllowed(request.method, allowed)
