"""The home page, `GET /`, with a search box, and the mint page, `GET /pages/mint`.

With `?q=` the home page searches (`coolid.http.public.search`). On the mint page people mint by hand and generate
unregistered identifiers. Its scripts (`pages/static/mint.js` and `draw.js`) use the public API. So the page is the same
for everybody, and a key is sent only with the API request that needs it.
"""

from typing import Final

from msgspec import Struct

from coolid.errors import StoreUnavailable
from coolid.http.caching import NO_STORE, VARY, cache_control, with_staleness
from coolid.http.message import Request, Response
from coolid.http.public.api_manual import links
from coolid.http.routes import Route
from coolid.model.prefixes import ProviderPrefix, Synonym
from coolid.ports import Clock
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.store.reader import Reader

HOME: Final = "/"
MINT: Final = "/pages/mint"
MINT_CACHE_SECONDS: Final = 3600
CACHE_SECONDS: Final = 300
"""Short, because the prefix of an example may be registered at any time."""
EXAMPLES_TIMEOUT_SECONDS: Final = 1.0
"""The longest wait for the examples, because the page is useful without them."""

EXAMPLES: Final = {
    "uniprot": "uniprot:P0DP23",
    "doi": "doi:10.5281/zenodo.31780",
    "orcid": "orcid:0000-0002-1825-0097",
    "go": "go",
}
"""By prefix; not every system has all of them."""


class HomePage(Struct, frozen=True):
    """Serves both pages with `reader`; `base_url` begins every address, `directory` caches all prefixes."""

    reader: CachingReader
    clock: Clock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        return Route(HOME, {"GET": self.home}, vary=VARY), Route(MINT, {"GET": self.mint})

    def home(self, request: Request, _path: str) -> Response:
        """Return the page, or the result of a search."""
        typed = (request.parameter("q") or "").strip()
        if typed:
            from coolid.http.public.search import SearchEndpoint

            search = SearchEndpoint(self.reader, self.clock, self.base_url, self.directory, examples)
            return search.answer(request, typed)
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

    def mint(self, _request: Request, _path: str) -> Response:
        """Return the mint page."""
        from coolid.http.pages import render

        return render("mint.html", 200, {"Cache-Control": cache_control(MINT_CACHE_SECONDS)}, self.base_url)


def examples(reader: Reader) -> dict[str, str]:
    """Return those of `EXAMPLES` that probably resolve, by prefix; in a namespace only registered ones do."""
    rows = reader.prefixes(tuple(EXAMPLES))
    return {
        name: text
        for name, text in EXAMPLES.items()
        if isinstance(row := rows.get(name), Synonym) or (isinstance(row, ProviderPrefix) and row.providers)
    }
