"""The API manual, as pages for people and one document for programs.

- `/api/openapi.json`: the description of the API (OpenAPI 3.1.1). It is sent as `application/json`, which every tool
  accepts; `application/openapi+json` is not registered yet (draft-ietf-httpapi-rest-api-mediatypes-09).
- `/.well-known/api-catalog` (RFC 9727): links to it with the relations of RFC 8631.
- `/pages/api` and the pages below it: the same for people, generated from the same document.

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
CACHE_SECONDS: Final = 3600


class ApiManual(Struct, frozen=True):
    """Serves the manual; `base_url` begins every address."""

    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(OPENAPI, {"GET": self.description}),
            Route(CATALOG, {"GET": self.catalog}),
            Route(API, {"GET": self._not_found}),
            Route(MANUAL, {"GET": self.overview}),
            Route(f"{MANUAL}/", {"GET": self.page}, below=True),
        )

    def description(self, _request: Request, _path: str) -> Response:
        """Return the OpenAPI description of this service."""
        from coolid.http.pages.openapi import served_document

        return Response(200, self._headers(JSON), served_document(self.base_url))

    def catalog(self, _request: Request, _path: str) -> Response:
        """Return the catalog of the one API (RFC 9727, section 4)."""
        described = {
            "anchor": f"{self.base_url}/",
            "service-desc": [{"href": f"{self.base_url}{OPENAPI}", "type": JSON}],
            "service-doc": [{"href": f"{self.base_url}{MANUAL}", "type": HTML}],
            "status": [{"href": f"{self.base_url}/health", "type": JSON}],
        }
        return Response(200, self._headers(LINKSET), dump({"linkset": [described]}))

    def overview(self, _request: Request, _path: str) -> Response:
        """Return the overview page with all operations."""
        return self._render("api.html", below="api/")

    def page(self, _request: Request, name: str) -> Response:
        """Return the page of a group of operations, the schemas, or the headers. Raises `NoSuchAddress`."""
        from coolid.http.pages.openapi import COMPONENT_PAGES, HEADERS, operations, tags

        if name == HEADERS:
            return self._render("api-headers.html", below="")
        if name in COMPONENT_PAGES:
            return self._render("api-schemas.html", below="", page=name)
        for tag in tags():
            if tag.name == name:
                return self._render("api-operations.html", below="", tag=tag, operations=operations(name))
        raise NoSuchAddress("the manual has no such page")

    def _not_found(self, _request: Request, _path: str) -> Response:
        """Raise `NoSuchAddress` with the address of the manual, because people try this path first."""
        raise NoSuchAddress(f"nothing is at the root of the API; its manual is at {self.base_url}{MANUAL}")

    def _render(self, template: str, **values: object) -> Response:
        from coolid.http.pages import commonmark, curl_commands, openapi, render, schema_view

        tools = {
            "api": openapi,
            "command": curl_commands.command,
            "mark": commonmark,
            "shape_of": schema_view.shape_of,
        }
        headers = self._headers(f"{HTML}; charset=utf-8")
        return render(template, 200, headers, self.base_url, **tools, **values)

    def _headers(self, media_type: str) -> dict[str, str]:
        """Return the headers; the content changes only with a release."""
        return {"Content-Type": media_type, "Cache-Control": cache_control(CACHE_SECONDS), "Link": links(self.base_url)}


def links(base_url: str) -> str:
    """Return a `Link` header to the descriptions of the service for programs and people (RFC 8631)."""
    return (
        f'<{base_url}{OPENAPI}>; rel="service-desc"; type="{JSON}", '
        f'<{base_url}{MANUAL}>; rel="service-doc"; type="{HTML}", <{base_url}{CATALOG}>; rel="api-catalog"'
    )
