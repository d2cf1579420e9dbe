"""The text and URL that a request asks for, as a page shows them, fills in its form, or links again.

Requests are untrusted: they are decoded only to be shown, and URLs contain them percent-encoded after the base URL.

>>> request = Request("GET", "/resolve/mp%3Ax", query=(("format", "pdf"),))
>>> requested_text(request), requested_address(request, "https://id.example.org")
('mp:x', 'https://id.example.org/resolve/mp%3Ax?format=pdf')
>>> mark_damage("ucum:%zz")[1].text, mark_damage("x/a%ff")[1].text, mark_damage("a%0Ab")[1].text
('%zz', '%ff', '%0A')
"""

import re
from typing import Final
from urllib.parse import urlencode

from coolid.http.message import Request
from coolid.http.pages.marked_text import Piece, mark, unmarked
from coolid.http.routes import READS
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_SAFE
from coolid.registry.references import MAX_BYTES

_RESERVED_PATH: Final = re.compile(
    r"/(?:\.info|\.well-known|api|favicon\.ico|health|pages|problems|robots\.txt|sitemap\.xml|static)(?:/|$)"
    r"|/(?:resolve|timegate|timemap)/?$",
    re.ASCII,
)
"""Paths that are not identifiers (`coolid.wiring.resolve.OTHER_PATH_PREFIXES`)."""
_PATH_START: Final = re.compile("^/(?:resolve/|timegate/|timemap/)?")
_OCTETS: Final = re.compile("%[0-9A-Fa-f]{2}|.", re.DOTALL)
_BAD_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_CONTROL: Final = re.compile(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")


def reference_in(request: Request | None) -> str:
    """Return the part of the path that names an identifier, still encoded; empty for other paths."""
    if request is None or _RESERVED_PATH.match(request.path):
        return ""
    return _PATH_START.sub("", request.path)


def requested_text(request: Request | None) -> str:
    """Return the requested identifier as people type it; percent-encoded if it is not printable UTF-8."""
    written = reference_in(request)
    if len(written) > MAX_BYTES:
        return ""
    try:
        text = percent_encoding.decode(written).decode()
    except UnicodeError:
        return _encode(written)
    return text if text.isprintable() else _encode(written)


def requested_address(request: Request | None, base_url: str, *, with_query: bool = True) -> str:
    """Return the request's URL; empty if a link cannot repeat the request."""
    if request is None or request.method not in READS or len(request.path) > MAX_BYTES:
        return ""
    query = urlencode(request.query, errors="replace") if with_query else ""
    return f"{base_url}{_encode(request.path)}{'?' if query else ''}{query}"


def mark_damage(path: str) -> tuple[Piece, ...]:
    """Return a percent-encoded path with its fault marked: a bad escape, bytes that are not UTF-8, or a control."""
    span = _damaged_span(path)
    return mark(path, *span) if span else unmarked(path)


def _damaged_span(path: str) -> tuple[int, int] | None:
    bad = _BAD_ESCAPE.search(path)
    if bad:
        return bad.span()
    octets = bytearray()
    spans: list[tuple[int, int]] = []
    for found in _OCTETS.finditer(path):
        token = found[0]
        read = bytes.fromhex(token[1:]) if len(token) == 3 else token.encode(errors="surrogatepass")
        octets += read
        spans += [found.span()] * len(read)
    try:
        octets.decode()
    except UnicodeDecodeError as error:
        return spans[error.start][0], spans[error.end - 1][1]
    control = _CONTROL.search(octets)
    return (spans[control.start()][0], spans[control.end() - 1][1]) if control else None


def _encode(path: str) -> str:
    """Return the path with all but its percent escapes encoded."""
    return percent_encoding.encode(path.encode(errors="replace").decode(), f"%{PATH_SAFE}")
