"""The front door, `GET /`: what this service is, and a box for whatever people have in their hands.

With `?q=` it leads there (`coolid.http.public.search`).
"""

from typing import Final

from msgspec import Struct

from coolid.errors import StoreUnavailable
from coolid.http.caching import NO_STORE, VARY, cache_control, with_staleness
from coolid.http.message import Request, Response
from coolid.http.public.api_manual import links
from coolid.http.public.examples import examples
from coolid.http.routes import Route
from coolid.ports import Clock
from coolid.registry.directory import Directory
from coolid.resolution.request_reader import RequestReaderFactory

FRONT: Final = "/"
SECONDS: Final = 300
"""A prefix of an example may be registered at any time."""
PATIENCE: Final = 1.0
"""Seconds for which the examples are waited for: the page is of use without them."""


class HomePage(Struct, frozen=True):
    """Looks things up in `reader`; `base_url` begins every address, `directory` has all prefixes at once."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(FRONT, {"GET": self.home}, vary=VARY),)

    def home(self, request: Request, _path: str) -> Response:
        """The page, or what was typed there led to where it belongs."""
        typed = (request.parameter("q") or "").strip()
        if typed:
            from coolid.http.public.search import SearchEndpoint

            return SearchEndpoint(self.reader, self.clock, self.base_url, self.directory).answer(request, typed)
        from coolid.http.pages import render

        shown: dict[str, str] = {}
        caching, staleness = cache_control(SECONDS), None
        try:
            with self.reader.for_request(patience=PATIENCE) as reader:
                shown = examples(reader)
                staleness = reader.staleness
        except StoreUnavailable:
            caching = NO_STORE
        headers = {"Cache-Control": caching, "Link": links(self.base_url), "Vary": VARY}
        values = {"typed": "", "told": None, "examples": shown}
        return with_staleness(render("home.html", 200, headers, self.base_url, **values), staleness)
