"""The home page, `GET /`: a description of the service and a search box.

With `?q=` it searches (`coolid.http.public.search`).
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
from coolid.resolution.caching_reader import RequestReaderFactory

HOME: Final = "/"
CACHE_SECONDS: Final = 300
"""Short, because the prefix of an example may be registered at any time."""
EXAMPLES_TIMEOUT_SECONDS: Final = 1.0
"""The longest wait for the examples, because the page is useful without them."""


class HomePage(Struct, frozen=True):
    """Serves the page with `reader`; `base_url` begins every address, `directory` caches all prefixes."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        """Return the one route."""
        return (Route(HOME, {"GET": self.home}, vary=VARY),)

    def home(self, request: Request, _path: str) -> Response:
        """Return the page, or the result of a search."""
        typed = (request.parameter("q") or "").strip()
        if typed:
            from coolid.http.public.search import SearchEndpoint

            return SearchEndpoint(self.reader, self.clock, self.base_url, self.directory).answer(request, typed)
        from coolid.http.pages import render

        shown: dict[str, str] = {}
        caching, staleness = cache_control(CACHE_SECONDS), None
        try:
            with self.reader.for_request(max_wait_seconds=EXAMPLES_TIMEOUT_SECONDS) as reader:
                shown = examples(reader)
                staleness = reader.staleness
        except StoreUnavailable:
            caching = NO_STORE
        headers = {"Cache-Control": caching, "Link": links(self.base_url), "Vary": VARY}
        values = {"typed": "", "result": None, "examples": shown}
        return with_staleness(render("home.html", 200, headers, self.base_url, **values), staleness)
