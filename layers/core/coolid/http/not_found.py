"""Nowhere: addresses that begin as the service's own do, and are none. Nobody can register such a prefix
(`coolid.registry.registration.RESERVED_NAMES`), so that nothing needs to be looked up.

What has a slash too many leads to the page that was meant.

>>> nowhere = NotFoundEndpoint((Route("/pages/mint", {"GET": lambda request, path: Response(200)}),), "https://id.example.org")
>>> asked = Request("GET", "/pages/mint/", (("a", "b"),))
>>> find(nowhere.routes(), asked.path).endpoints["GET"](asked, "").headers["Location"]
'https://id.example.org/pages/mint?a=b'
"""

from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from coolid.http.caching import cache_control
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.redirects import redirect
from coolid.http.routes import Route, find

NAMES: Final = ("api", "health", "pages", "problems", "static", "timegate", "timemap")
"""What such addresses begin with."""
OTHERS: Final = ("/resolve", "/resolve/", "/sitemap.xml")
"""Whole addresses: `/resolve/` is what references stand behind."""

MOVED: Final = 308
SECONDS: Final = 3600


class NotFoundEndpoint(Struct, frozen=True):
    """What is left over by `known`, the routes that there are; `base_url` begins every address."""

    known: tuple[Route, ...]
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Everything that begins so. They come last, since others begin so, too."""
        endpoints = {"GET": self._nothing}
        alone = (*OTHERS, *(f"/{name}" for name in NAMES), *(f"/{name}/" for name in NAMES))
        below = (Route(f"/{name}/", endpoints, below=True) for name in NAMES)
        return (*(Route(path, endpoints) for path in alone), *below)

    def _nothing(self, request: Request, _path: str) -> Response:
        """308 to the page without the slashes at its end; `NoSuchAddress`."""
        path = request.path.rstrip("/")
        page = find(self.known, path) if path != request.path else None
        if page is None or page.below or "GET" not in page.endpoints:
            raise NoSuchAddress("no identifier begins like this")
        query = urlencode(request.query, errors="replace")
        location = f"{self.base_url}{path}{'?' if query else ''}{query}"
        return redirect(location, MOVED, {"Cache-Control": cache_control(SECONDS)})
