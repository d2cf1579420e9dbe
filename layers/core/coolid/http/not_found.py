"""Reserved paths that match no route. They answer 404 without a lookup, because nobody can register a prefix under them
(`coolid.registry.registration.RESERVED_NAMES`). A page's path with trailing slashes redirects to the page.
The beginnings of EZID's addresses answer as EZID does.

>>> page = Route("/pages/mint", {"GET": lambda request, path: Response(200)})
>>> not_found = NotFoundEndpoint((page,), "https://id.example.org")
>>> request = Request("GET", "/pages/mint/", (("a", "b"),))
>>> find(not_found.routes(), request.path).endpoints["GET"](request, "").headers["Location"]
'https://id.example.org/pages/mint?a=b'
"""

from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from coolid.http.caching import NO_STORE, cache_control
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.redirects import redirect
from coolid.http.routes import Route, find

NAMES: Final = ("api", "health", "pages", "problems", "static", "timegate", "timemap")
"""The first segments of reserved paths."""
OTHERS: Final = ("/resolve", "/resolve/", "/sitemap.xml")
"""Whole paths; references follow `/resolve/`."""

EZID_REASONS: Final = {"/id": "invalid identifier", "/shoulder": "no such shoulder"}
"""Paths of EZID's API without the identifier or shoulder that follows, and EZID's reasons of the refusal."""
CACHE_SECONDS: Final = 3600


class NotFoundEndpoint(Struct, frozen=True):
    """Serves the reserved paths that `other_routes` do not match; `base_url` begins every address."""

    other_routes: tuple[Route, ...]
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of all reserved paths. They come last, because other routes overlap them."""
        endpoints = {"GET": self._not_found}
        exact = (*OTHERS, *(f"/{name}" for name in NAMES), *(f"/{name}/" for name in NAMES))
        below = (Route(f"/{name}/", endpoints, below=True) for name in NAMES)
        refused = dict.fromkeys(("GET", "POST", "PUT", "DELETE", "PATCH"), self._no_identifier)
        ezid = (Route(path + end, refused) for path in EZID_REASONS for end in ("", "/"))
        return (*(Route(path, endpoints) for path in exact), *below, *ezid)

    def _not_found(self, request: Request, _path: str) -> Response:
        """Return 308 to the page without trailing slashes. Raises `NoSuchAddress` if there is none."""
        path = request.path.rstrip("/")
        page = find(self.other_routes, path) if path != request.path else None
        if page is None or page.below or "GET" not in page.endpoints:
            raise NoSuchAddress("no identifier begins with this path")
        query = urlencode(request.query, errors="replace")
        location = f"{self.base_url}{path}{'?' if query else ''}{query}"
        return redirect(location, 308, {"Cache-Control": cache_control(CACHE_SECONDS)})

    def _no_identifier(self, request: Request, _path: str) -> Response:
        """Return the line of text that clients of EZID's API expect."""
        headers = {"Content-Type": "text/plain; charset=UTF-8", "Cache-Control": NO_STORE}
        return Response(400, headers, f"error: bad request - {EZID_REASONS[request.path.rstrip('/')]}")
