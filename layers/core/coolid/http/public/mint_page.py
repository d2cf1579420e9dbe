"""The workshop: the page where people mint by hand, and draw identifiers that are registered nowhere.

All of it happens in their browser (`pages/static/mint.js` and `draw.js`), by the same API as programs use; so the page
itself is the same for everybody, and no key comes here but with the request that it is for.
"""

from typing import Final

from msgspec import Struct

from coolid.http.caching import cache_control
from coolid.http.message import Request, Response
from coolid.http.routes import Route

MINT: Final = "/pages/mint"
SECONDS: Final = 3600


class MintPage(Struct, frozen=True):
    """Shows the page; `base_url` begins every address in it."""

    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(MINT, {"GET": self.mint}),)

    def mint(self, _request: Request, _path: str) -> Response:
        """The page that mints and draws."""
        from coolid.http.pages import render

        return render("mint.html", 200, {"Cache-Control": cache_control(SECONDS)}, self.base_url)
