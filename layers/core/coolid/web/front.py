"""The front door, `GET /`: what this service is, and a box for whatever people have in their hands.

With `?q=` it leads there (`coolid.web.seeking`).
"""

from typing import Final

from msgspec import Struct

from coolid.domain.directory import Directory
from coolid.domain.errors import StoreUnavailable
from coolid.domain.ports import Clock
from coolid.domain.prefixes import ProviderPrefix, Synonym
from coolid.domain.reader import Reader
from coolid.domain.watching import Watchable
from coolid.web.caching import NO_STORE, VARY, cache_control, with_staleness
from coolid.web.manual import links
from coolid.web.message import Request, Response
from coolid.web.routes import Route

FRONT: Final = "/"
SECONDS: Final = 300
"""A prefix of an example may be registered at any time."""
PATIENCE: Final = 1.0
"""Seconds for which the examples are waited for: the page is of use without them."""

EXAMPLES: Final = {
    "uniprot": "uniprot:P0DP23",
    "doi": "doi:10.5281/zenodo.31780",
    "orcid": "orcid:0000-0002-1825-0097",
    "go": "go",
}
"""By their prefixes, which not everybody has."""


class Front(Struct, frozen=True):
    """Looks things up in `reader`; `base_url` begins every address, `directory` has all prefixes at once."""

    reader: Watchable
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
            from coolid.web.seeking import Seeking

            return Seeking(self.reader, self.clock, self.base_url, self.directory).answer(request, typed)
        from coolid.web.pages import render

        shown: dict[str, str] = {}
        caching, staleness = cache_control(SECONDS), None
        try:
            with self.reader.watch(patience=PATIENCE) as reader:
                shown = examples(reader)
                staleness = reader.staleness
        except StoreUnavailable:
            caching = NO_STORE
        headers = {"Cache-Control": caching, "Link": links(self.base_url), "Vary": VARY}
        values = {"typed": "", "told": None, "examples": shown}
        return with_staleness(render("home.html", 200, headers, self.base_url, **values), staleness)


def examples(reader: Reader) -> dict[str, str]:
    """Those of `EXAMPLES` that lead somewhere, by their prefixes."""
    rows = reader.prefixes(tuple(EXAMPLES))
    return {name: text for name, text in EXAMPLES.items() if _is_led(rows.get(name))}


def _is_led(row: object) -> bool:
    """Whether identifiers under it are likely to lead somewhere; under a namespace of ours not just any is there."""
    return isinstance(row, Synonym) or (isinstance(row, ProviderPrefix) and bool(row.providers))
