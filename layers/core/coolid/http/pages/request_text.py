"""Asking: what a request asked for, as a page may show it, fill it into the box, or lead there again.

All of it is foreign. It is decoded for people only, and goes into an address percent-encoded, behind the base URL.

>>> request = Request("GET", "/resolve/mp%3Ax", query=(("format", "pdf"),))
>>> text_of(request), address_of(request, "https://id.example.org")
('mp:x', 'https://id.example.org/resolve/mp%3Ax?format=pdf')
>>> damage("ucum:%zz")[1].text, damage("x/a%ff")[1].text, damage("a%0Ab")[1].text
('%zz', '%ff', '%0A')
"""

import re
from typing import Final
from urllib.parse import urlencode

from coolid.http.message import Request
from coolid.http.pages.marked_text import Piece, marked, plain
from coolid.http.routes import READS
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_KEEPS
from coolid.registry.references import MOST_BYTES

_OURS: Final = re.compile(
    r"/(?:\.info|\.well-known|api|favicon\.ico|health|pages|problems|robots\.txt|sitemap\.xml|static)(?:/|$)"
    r"|/(?:resolve|timegate|timemap)/?$",
    re.ASCII,
)
"""How addresses begin that are none of identifiers (`coolid.aws.wiring.resolve.APART`)."""
_BEFORE: Final = re.compile("/(?:resolve/|timegate/|timemap/)?")
_OCTETS: Final = re.compile("%[0-9A-Fa-f]{2}|.", re.DOTALL)
_BAD_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_CONTROL: Final = re.compile(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")


def reference_in(request: Request | None) -> str:
    """The part of the path that stands for an identifier, as it came; nothing if none does."""
    if request is None or _OURS.match(request.path):
        return ""
    before = _BEFORE.match(request.path)
    return request.path[before.end() :] if before else request.path


def text_of(request: Request | None) -> str:
    """The identifier that was asked for, as somebody would type it; as it came where it cannot be typed."""
    written = reference_in(request)
    if len(written) > MOST_BYTES:
        return ""
    try:
        text = percent_encoding.decode(written).decode()
    except UnicodeError:
        return _encoded(written)
    return text if text.isprintable() else _encoded(written)


def address_of(request: Request | None, base_url: str, *, with_query: bool = True) -> str:
    """Where the request went; nothing if following a link is not the same."""
    if request is None or request.method not in READS or len(request.path) > MOST_BYTES:
        return ""
    query = urlencode(request.query, errors="replace") if with_query else ""
    return f"{base_url}{_encoded(request.path)}{'?' if query else ''}{query}"


def damage(path: str) -> tuple[Piece, ...]:
    """A percent-encoded path with what cannot be read in it marked: a bad escape, octets, a control character."""
    span = _damage(path)
    return marked(path, *span) if span else plain(path)


def _damage(path: str) -> tuple[int, int] | None:
    bad = _BAD_ESCAPE.search(path)
    if bad:
        return bad.span()
    octets = bytearray()
    places: list[tuple[int, int]] = []
    for found in _OCTETS.finditer(path):
        token = found[0]
        read = bytes.fromhex(token[1:]) if len(token) == 3 else token.encode(errors="surrogatepass")
        octets += read
        places += [found.span()] * len(read)
    try:
        octets.decode()
    except UnicodeDecodeError as error:
        return places[error.start][0], places[error.end - 1][1]
    control = _CONTROL.search(octets)
    return (places[control.start()][0], places[control.end() - 1][1]) if control else None


def _encoded(path: str) -> str:
    """The path as it came, whatever else than its escapes is in it encoded."""
    return percent_encoding.encode(path.encode(errors="replace").decode(), f"%{PATH_KEEPS}")
