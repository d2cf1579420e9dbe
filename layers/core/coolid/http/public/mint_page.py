"""The mint page, where people mint by hand and generate unregistered identifiers.

Its scripts (`pages/static/mint.js` and `draw.js`) use the public API. So the page is the same for everybody, and a key
is sent only with the API request that needs it.
"""

from typing import Final

from msgspec import Struct

from coolid.http.caching import cache_control
from coolid.http.message import Request, Response
from coolid.http.routes import Route

MINT: Final = "/pages/mint"
CACHE_SECONDS: Final = 3600


class MintPage(Struct, frozen=True):
    """Serves the page; `base_url` begins every address in it."""

    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(MINT, {"GET": self.mint}),)

    def mint(self, _request: Request, _path: str) -> Response:
        """Return the page."""
        from coolid.http.pages import render

        return render("mint.html", 200, {"Cache-Control": cache_control(CACHE_SECONDS)}, self.base_url)
