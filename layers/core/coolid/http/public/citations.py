"""Citations: `/api/v1/citations/{reference}?style=apa&locale=de-DE` returns that of what the reference identifies.

The answer is that of `/{reference}?format=citation` with the same parameters. On AWS another function serves this
address, which has the processor of CSL that the resolve function lacks (`coolid.http.citation_response`).
"""

from msgspec import Struct
from msgspec.structs import replace

from coolid.http import caching
from coolid.http.citation_response import CITATIONS
from coolid.http.message import Request, Response
from coolid.http.parameters import CITATION_FORMAT
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.routes import Route


class CitationEndpoint(Struct, frozen=True):
    """Cites what `resolution` resolves."""

    resolution: ResolutionEndpoint

    def routes(self) -> tuple[Route, ...]:
        """Return the route of all citations."""
        return (Route(CITATIONS, {"GET": self.get}, below=True, vary=caching.VARY_IN_TIME),)

    def get(self, request: Request, path: str) -> Response:
        """Return the citation in the requested style."""
        query = [(name, value) for name, value in request.query if name != "format"]
        return self.resolution.answer(replace(request, query=(*query, ("format", CITATION_FORMAT))), path)
