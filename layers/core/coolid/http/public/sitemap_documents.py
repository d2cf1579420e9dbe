"""The XML of sitemaps, which are ResourceSync's lists at the same time.

Sources: Sitemaps XML format 0.90 (sitemaps.org); ResourceSync Framework 1.1 (ANSI/NISO Z39.99-2017), sections 8 to 10.
ResourceSync adds elements of its own namespace, which readers of sitemaps ignore.

>>> address("https://id.example.org", "r4k2-9m3x-62", "2025-07")
'https://id.example.org/sitemaps/r4k2-9m3x-62/2025-07.xml'
"""

from collections.abc import Iterable
from html import escape
from typing import Final

from msgspec import Struct

from coolid.http.caching import cache_control
from coolid.http.message import Response

INDEX: Final = "/sitemap.xml"
PATH: Final = "/sitemaps/"
SOURCE: Final = "/.well-known/resourcesync"
CAPABILITIES: Final = "capabilities"
CHANGES: Final = "changes"
MAX_ENTRIES: Final = 50_000
"""The most entries of a sitemap or an index (sitemaps.org)."""
CACHE_SECONDS: Final = 3600
_NAMESPACES: Final = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
)


class SitemapEntry(Struct, frozen=True):
    """An entry: an address, the time of its last change in the form of documents, and ResourceSync's members, if any.

    `capability` is the kind of a list, `change` is `created`, `updated` or `deleted`.
    """

    address: str
    changed: str = ""
    capability: str = ""
    change: str = ""


def address(base_url: str, repository: str, name: str = "") -> str:
    """Return the address of a repository's list with this name; without a name, of the index of its sitemaps."""
    return f"{base_url}{PATH}{repository}{'/' if name else ''}{name}.xml"


def document(
    entries: Iterable[SitemapEntry],
    capability: str,
    *,
    up: str = "",
    index: str = "",
    is_index: bool = False,
    **times: str,
) -> Response:
    """Return a list as a response.

    `capability` is the list's kind in ResourceSync, `up` and `index` are the addresses above it. `times` are those of
    the list: `at` of a list of resources, `from_` of a list of changes.
    """
    root, item = ("sitemapindex", "sitemap") if is_index else ("urlset", "url")
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {_NAMESPACES}>']
    lines += [f'<rs:ln rel="{rel}" href="{escape(href)}"/>' for rel, href in (("up", up), ("index", index)) if href]
    moments = "".join(f' {name.rstrip("_")}="{time}"' for name, time in times.items())
    lines.append(f'<rs:md capability="{capability}"{moments}/>')
    lines += [_item(item, each) for each in entries]
    lines.append(f"</{root}>\n")
    headers = {
        "Content-Type": "application/xml",
        "Cache-Control": cache_control(CACHE_SECONDS),
        "Access-Control-Allow-Origin": "*",
    }
    return Response(200, headers, "\n".join(lines))


def _item(name: str, entry: SitemapEntry) -> str:
    changed = f"<lastmod>{entry.changed}</lastmod>" if entry.changed else ""
    member = f'<rs:md capability="{entry.capability}"/>' if entry.capability else ""
    if entry.change:
        member = f'<rs:md change="{entry.change}" datetime="{entry.changed}"/>'
    return f"<{name}><loc>{escape(entry.address)}</loc>{changed}{member}</{name}>"
