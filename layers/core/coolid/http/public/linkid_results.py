"""The public resolution endpoint for programs: `GET /api/public/resolve/{identifier}`.

The identifier is a complete LinkID or its UUID. Every response is a resolution result in JSON, also errors. The draft's
reference implementation has this address (draft-linkgenetic-linkid-uri-01, appendix A), and its client uses it.
"""

from msgspec import Struct

from coolid.http.accept import JSON
from coolid.http.caching import VARY
from coolid.http.errors import NotAcceptable
from coolid.http.linkid.result_errors import ResultErrors
from coolid.http.linkid.result_requests import PUBLIC, excludes_json, linkid_reference
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.routes import Route


class PublicResultEndpoint(Struct, frozen=True):
    """Resolves LinkIDs by `resolution`."""

    resolution: ResolutionEndpoint

    def routes(self) -> tuple[Route, ...]:
        """Return the one route."""
        refuse = ResultErrors(self.resolution.base_url).refuse
        return (Route(PUBLIC, {"GET": self.get}, below=True, vary=VARY, refuse=refuse),)

    def get(self, request: Request, parameter: str) -> Response:
        """Return the result. Raises `InvalidIdentifier`, `NotAcceptable`, and the errors of `result`."""
        reference = linkid_reference(parameter)
        if excludes_json(request):
            raise NotAcceptable((JSON,))
        return self.resolution.result(request, reference).with_headers(Vary=VARY)
