"""The files that browsers request of every site: `/favicon.ico` and an OpenSearch description.

The description (OpenSearch 1.1) offers the search box of the home page as a search engine. Pages link to it with
`rel="search"`.
"""

from functools import cache
from html import escape
from typing import Final

from msgspec import Struct

from coolid.http import assets
from coolid.http.caching import cache_control
from coolid.http.message import Request, Response
from coolid.http.operator.identity import current
from coolid.http.routes import Route

FAVICON: Final = "/favicon.ico"
OPENSEARCH: Final = "/pages/opensearch.xml"
CACHE_SECONDS: Final = 86_400
_SHORT: Final = 16
"""The most characters of a short name (OpenSearch 1.1, "ShortName")."""


class BrowserFiles(Struct, frozen=True):
    """Serves the files; `base_url` begins every address."""

    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return Route(FAVICON, {"GET": self.favicon}), Route(OPENSEARCH, {"GET": self.opensearch})

    def favicon(self, _request: Request, _path: str) -> Response:
        """Return the icon in 16 and 32 pixels, or the operator's logo."""
        logo = current().logo
        if logo:
            headers = assets.image_headers(logo.media_type)
            return Response(200, headers | {"Cache-Control": cache_control(CACHE_SECONDS)}, logo.content)
        return Response(200, {"Content-Type": "image/x-icon", "Cache-Control": cache_control(CACHE_SECONDS)}, _icon())

    def opensearch(self, _request: Request, _path: str) -> Response:
        """Return the description of the search."""
        base_url = escape(self.base_url)
        icon = assets.address(self.base_url, current().icon)
        icon_type = "image/png" if icon.endswith(".png") else "image/svg+xml"
        name = current().name or self.base_url.partition("://")[2]
        body = f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{escape(name[:_SHORT])}</ShortName>
  <Description>Look up persistent identifiers at {escape(name)}</Description>
  <Url type="text/html" method="get" template="{base_url}/?q={{searchTerms}}"/>
  <Url type="application/opensearchdescription+xml" rel="self" template="{base_url}{OPENSEARCH}"/>
  <Image height="16" width="16" type="image/x-icon">{base_url}{FAVICON}</Image>
  <Image type="{icon_type}">{escape(icon)}</Image>
  <InputEncoding>UTF-8</InputEncoding>
</OpenSearchDescription>
"""
        media_type = "application/opensearchdescription+xml"
        return Response(200, {"Content-Type": media_type, "Cache-Control": cache_control(CACHE_SECONDS)}, body)


@cache
def _icon() -> bytes:
    from importlib.resources import files

    return (files("coolid.http") / "pages" / "favicon.ico").read_bytes()
