"""The manual: what the API can do, for people page by page, for programs as one document.

- `/api/openapi.json`, the description of the API (OpenAPI 3.1.1). It goes as `application/json`, which every tool
  takes; `application/openapi+json` is not registered yet (draft-ietf-httpapi-rest-api-mediatypes-09).
- `/.well-known/api-catalog` (RFC 9727) leads there by the relations of RFC 8631.
- `/pages/api` and the pages below it say the same to people; they are made of the same document.

>>> links("https://id.example.org").partition("; ")[0]
'<https://id.example.org/api/openapi.json>'
"""

from typing import Final

from msgspec import Struct

from coolid.http.accept import HTML, JSON
from coolid.http.caching import cache_control
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.strict_json import dump

API: Final = "/api/"
OPENAPI: Final = "/api/openapi.json"
CATALOG: Final = "/.well-known/api-catalog"
MANUAL: Final = "/pages/api"

LINKSET: Final = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
SECONDS: Final = 3600


class ApiManual(Struct, frozen=True):
    """Tells what the API is; `base_url` begins every address."""

    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """The description, the way to it, and its pages."""
        return (
            Route(OPENAPI, {"GET": self.description}),
            Route(CATALOG, {"GET": self.catalog}),
            Route(API, {"GET": self._nothing}),
            Route(MANUAL, {"GET": self.overview}),
            Route(f"{MANUAL}/", {"GET": self.page}, below=True),
        )

    def description(self, _request: Request, _path: str) -> Response:
        """The description of the API, of this service."""
        from coolid.http.pages.openapi import served

        return Response(200, self._headers(JSON), served(self.base_url))

    def catalog(self, _request: Request, _path: str) -> Response:
        """The one API that there is, and where it is described (RFC 9727, section 4)."""
        described = {
            "anchor": f"{self.base_url}/",
            "service-desc": [{"href": f"{self.base_url}{OPENAPI}", "type": JSON}],
            "service-doc": [{"href": f"{self.base_url}{MANUAL}", "type": HTML}],
            "status": [{"href": f"{self.base_url}/health", "type": JSON}],
        }
        return Response(200, self._headers(LINKSET), dump({"linkset": [described]}))

    def overview(self, _request: Request, _path: str) -> Response:
        """What the service is, how to ask, and all that can be asked."""
        return self._rendered("api.html", below="api/")

    def page(self, _request: Request, name: str) -> Response:
        """A group of operations, the schemas, or the headers; `NoSuchAddress`."""
        from coolid.http.pages.openapi import operations, tags
        from coolid.http.pages.openapi_components import ANSWERED, HEADERS, SENT

        if name in (SENT, ANSWERED):
            return self._rendered("api-schemas.html", below="", page=name)
        if name == HEADERS:
            return self._rendered("api-headers.html", below="")
        for tag in tags():
            if tag.name == name:
                return self._rendered("api-operations.html", below="", tag=tag, operations=operations(name))
        raise NoSuchAddress("the manual has no such page")

    def _nothing(self, _request: Request, _path: str) -> Response:
        """Where people try first, so they are told where to go."""
        raise NoSuchAddress(f"what the API can do is told at {self.base_url}{MANUAL}; there is nothing at its root")

    def _rendered(self, template: str, **values: object) -> Response:
        from coolid.http.pages import commonmark, curl_commands, openapi, openapi_components, render, schema_view

        tools = {
            "api": openapi,
            "command": curl_commands.command,
            "components": openapi_components,
            "mark": commonmark,
            "shape_of": schema_view.shape_of,
        }
        headers = self._headers(f"{HTML}; charset=utf-8")
        return render(template, 200, headers, self.base_url, **tools, **values)

    def _headers(self, media_type: str) -> dict[str, str]:
        """It changes with a new release only."""
        return {"Content-Type": media_type, "Cache-Control": cache_control(SECONDS), "Link": links(self.base_url)}


def links(base_url: str) -> str:
    """Where the service is described, for programs and for people (RFC 8631), as a `Link` header."""
    return (
        f'<{base_url}{OPENAPI}>; rel="service-desc"; type="{JSON}", '
        f'<{base_url}{MANUAL}>; rel="service-doc"; type="{HTML}", <{base_url}{CATALOG}>; rel="api-catalog"'
    )
