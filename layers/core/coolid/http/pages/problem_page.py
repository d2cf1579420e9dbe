"""The contents of a problem's page: the requested text with its fault marked, and links to continue.

They come from the error and the request only, because the store may have failed. `coolid.http.problem_types` explains
each problem type; other sentences are in the templates.

>>> from coolid.http.problems import describe
>>> problem = describe(errors.UnknownPrefix("nope:1"), "https://id.example.org")
>>> page = page_of(problem, Request("GET", "/nope:1"), "https://id.example.org")
>>> page.prefix, page.prefix_url, page.requested
('nope', 'https://id.example.org/pages/prefixes?q=nope', 'nope:1')
"""

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from msgspec import Struct

from coolid import errors
from coolid.http import errors as http_errors
from coolid.http.accept import HTML
from coolid.http.message import Request
from coolid.http.pages.marked_text import Piece, TextDiff, compare, mark, printable, shorten, unmarked
from coolid.http.parameters import PAGE
from coolid.http.routes import READS
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_SAFE, as_path, is_date_qualified, join, path_of
from coolid.registry.references import MAX_BYTES

if TYPE_CHECKING:
    from coolid.http.problems import Problem

_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_MAX_QUERY_LENGTH: Final = 128
_ADDRESS: Final = re.compile("https?:/", re.IGNORECASE)
_RESERVED_PATH: Final = re.compile(
    r"/(?:\.info|\.well-known|api|docs|favicon\.ico|health|pages|problems|robots\.txt|sitemap\.xml|static)(?:/|$)"
    r"|/(?:resolve|timegate|timemap)/?$|/log/",
    re.ASCII,
)
"""Paths that are not identifiers (`coolid.wiring.resolve.OTHER_PATH_PREFIXES`)."""
_PATH_START: Final = re.compile("^/(?:resolve/|timegate/|timemap/)?")
_OCTETS: Final = re.compile("%[0-9A-Fa-f]{2}|.", re.DOTALL)
_BAD_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_CONTROL: Final = re.compile(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")

Links = tuple[tuple[str, str], ...]
"""URLs with their texts."""


class Page(Struct, frozen=True):
    """The values of the template. Texts are printable, except `requested`, which fills the input field.

    `identifier` is the requested one in pieces. `wait` is a duration in words. `suggestions` are the URLs of existing
    identifiers, each with its difference from the requested one. `links` are alternatives to the requested `url`.
    `record` is the URL of the record.
    """

    problem: "Problem"
    requested: str
    url: str
    wait: str
    identifier: tuple[Piece, ...]
    prefix: str
    prefix_url: str
    suggestions: tuple[tuple[str, TextDiff], ...]
    links: Links
    record: str


def page_of(problem: "Problem", request: Request | None, base_url: str) -> Page:
    """Return the page of a problem."""
    error, members = problem.cause, problem.members
    url, here = (requested_address(request, base_url, with_query=each) for each in (True, False))
    if isinstance(error, errors.UnknownProvider):
        url = here = _url_without_provider(request, base_url)
    prefix = members.get("prefix", "")
    prefix_url = f"{base_url}/{path_of(prefix)}" if prefix else ""
    if isinstance(error, errors.UnknownPrefix):
        prefix = prefix_part(error.text)
        search = f"?{urlencode({'q': prefix[:_MAX_QUERY_LENGTH]}, errors='replace')}" if prefix else ""
        prefix_url = f"{base_url}/pages/prefixes{search}"
    seconds = error.seconds if isinstance(error, errors.NoLocation) else problem.headers.get("Retry-After")
    offers_page = isinstance(error, http_errors.NotAcceptable) and HTML in error.offers
    return Page(
        problem=problem,
        requested=requested_text(request),
        url=url,
        wait="" if seconds is None else _format_duration(int(seconds)),
        identifier=_identifier(error, request),
        prefix=shorten(prefix),
        prefix_url=prefix_url,
        suggestions=_suggestions(error, base_url),
        links=_links(error, here),
        record=here if offers_page else members.get("pid", ""),
    )


def prefix_part(text: str) -> str:
    """Return the part of a text where an identifier has its prefix; empty for the URL of a web page.

    >>> prefix_part("nope:1"), prefix_part("2021/06/nobody/x"), prefix_part("nope"), prefix_part("https://a.example/")
    ('nope', '2021/06/nobody', 'nope', '')
    """
    if _ADDRESS.match(text):
        return ""
    separators = [found.start() for found in re.finditer("[/:]", text)]
    which = 2 if is_date_qualified(text) else 0
    return (text[: separators[which]] if which < len(separators) else text) or text


def _identifier(error: Exception | None, request: Request | None) -> tuple[Piece, ...]:
    """Return the identifier with its fault marked."""
    identifier: tuple[Piece, ...] = ()
    match error:
        case errors.InvalidCharacter():
            identifier = mark(error.identifier, error.position, error.position + 1)
        case errors.InvalidIdentifier():
            identifier = unmarked(error.identifier)
        case errors.TooLong():
            identifier = unmarked(reference_in(request))
        case errors.BadReference():
            identifier = mark_damage(reference_in(request))
        case errors.UnknownPrefix():
            size = len(prefix_part(error.text))
            identifier = mark(error.text, 0, size) if 0 < size < len(error.text) else unmarked(error.text)
        case errors.UnregisteredIdentifier() if error.identifier:
            identifier = unmarked(join(error.prefix, error.identifier))
    return identifier


def _suggestions(error: Exception | None, base_url: str) -> tuple[tuple[str, TextDiff], ...]:
    if isinstance(error, errors.ExtraneousText):  # whole identifiers
        urls = {f"{base_url}/{as_path(each)}": each for each in error.suggestions}
        return tuple((url, compare(each, each)) for url, each in urls.items())
    if not isinstance(error, errors.InvalidIdentifier | errors.UnregisteredIdentifier) or error.prefix is None:
        return ()
    urls = {f"{base_url}/{path_of(error.prefix, each)}": each for each in error.suggestions}
    return tuple((url, compare(each, error.identifier)) for url, each in urls.items())


def _links(error: Exception | None, here: str) -> Links:
    """Return links to the same URL with each possible value of a parameter."""
    queries: dict[str, dict[str, str]] = {}
    match error:
        case errors.UnknownProvider():
            queries = {each: {"provider": each} for each in error.codes}
        case http_errors.UnknownFormat():
            queries = {each: {"format": each} for each in sorted(error.available, key=lambda name: name != PAGE)}
        case http_errors.UnknownStyle():
            queries = {each: {"format": error.name, error.parameter: each} for each in error.available}
        case http_errors.TooLongToPicture():
            return ((here, here),) if here else ()
    return tuple((f"{here}?{urlencode(query)}", printable(text)) for text, query in queries.items() if here)


def _url_without_provider(request: Request | None, base_url: str) -> str:
    """Return the URL of a request without the provider, which is a parameter or precedes the prefix."""
    if request is None or not requested_address(request, base_url):
        return ""
    if request.parameter("provider") is None:
        request = Request("GET", f"/{reference_in(request).partition('/')[2]}")
    return requested_address(request, base_url, with_query=False)


def _format_duration(seconds: int) -> str:
    """Return a duration in the largest unit that it fills, and at least one second.

    >>> _format_duration(5), _format_duration(7300), _format_duration(90_000)
    ('5 seconds', '2 hours', '1 day')
    """
    number, unit = next(((seconds // size, unit) for unit, size in _UNITS if seconds >= size), (1, "second"))
    return f"{number} {unit}{'s' if number > 1 else ''}"


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
