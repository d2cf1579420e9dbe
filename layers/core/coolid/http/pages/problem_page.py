"""The contents of a problem's page: the requested text with its fault marked, and links to continue.

They come from the error and the request only, because the store may have failed. `coolid.http.problem_kinds` explains
each kind of problem; other sentences are in the templates.

>>> from coolid.http.problems import describe
>>> problem = describe(errors.UnknownPrefix("nope:1"), "https://id.example.org")
>>> page = page_of(problem, Request("GET", "/nope:1"), "https://id.example.org")
>>> page.prefix, page.prefix_url, page.asked
('nope', 'https://id.example.org/pages/prefixes?q=nope', 'nope:1')
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from coolid import errors
from coolid.http import errors as web_errors
from coolid.http.accept import HTML
from coolid.http.message import Request
from coolid.http.pages.marked_text import Piece, TextDiff, character_name, compare, mark, printable, shorten, unmarked
from coolid.http.pages.request_text import mark_damage, reference_in, requested_address, requested_text
from coolid.http.parameters import PAGE
from coolid.model.prefixes import is_date_qualified, join, path_of

if TYPE_CHECKING:
    from coolid.http.problems import Problem

_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_MAX_QUERY_LENGTH: Final = 128
_ADDRESS: Final = re.compile("https?:/", re.IGNORECASE)


class PageLink(Struct, frozen=True):
    """A link of a page: its URL and text."""

    url: str
    text: str


class Suggestion(Struct, frozen=True):
    """The URL of an existing identifier, and its difference from the requested one."""

    url: str
    slip: TextDiff


class Page(Struct, frozen=True):
    """The values of the template. Texts are printable, except `asked`, which fills the input field.

    `identifier` is the requested one in pieces; `place` is the position of its fault, from 1, `symbol` the character
    there. `wait` is a duration in words. `links` are alternatives with a URL, `terms` those without one.
    """

    slug: str
    status: int
    title: str
    type_uri: str
    meaning: str
    action: str
    detail: str
    request: str = ""
    asked: str = ""
    again: str = ""
    wait: str = ""
    identifier: tuple[Piece, ...] = ()
    place: int | None = None
    symbol: str = ""
    found: int | None = None
    expected: int | None = None
    pattern: str = ""
    prefix: str = ""
    prefix_url: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    links: tuple[PageLink, ...] = ()
    terms: tuple[str, ...] = ()
    record: str = ""
    versions: str = ""
    archives: tuple[str, ...] = ()
    violations: tuple[tuple[str, str], ...] = ()
    report: dict[str, Any] = {}


def page_of(problem: "Problem", request: Request | None, base_url: str) -> Page:
    """Return the page of a problem."""
    retry_after = problem.headers.get("Retry-After")
    page = Page(
        slug=problem.kind.slug,
        status=problem.status,
        title=problem.kind.title,
        type_uri=problem.type_uri,
        meaning=problem.kind.meaning,
        action=problem.kind.action,
        detail=printable(problem.detail),
        request=printable(str(problem.members.get("request", ""))),
        asked=requested_text(request),
        again=requested_address(request, base_url),
        wait=_format_duration(int(retry_after)) if retry_after is not None else "",
    )
    return _with_details(page, problem.cause, request, base_url)


def prefix_part(text: str) -> str:
    """Return the part of a text where an identifier has its prefix.

    >>> prefix_part("nope:1"), prefix_part("2021/06/nobody/x"), prefix_part("nope")
    ('nope', '2021/06/nobody', 'nope')
    """
    separators = [found.start() for found in re.finditer("[/:]", text)]
    which = 2 if is_date_qualified(text) else 0
    return text[: separators[which]] if which < len(separators) else text


def _with_details(page: Page, error: Exception | None, request: Request | None, base_url: str) -> Page:
    """Add the details of the error."""
    match error:
        case errors.InvalidIdentifier():
            return _with_invalid_identifier(page, error, base_url)
        case errors.TooLong():
            return replace(page, identifier=unmarked(reference_in(request)), found=error.size, expected=error.limit)
        case errors.BadReference():
            return replace(page, identifier=mark_damage(reference_in(request)))
        case errors.UnknownPrefix():
            return _with_unknown_prefix(page, error.text, base_url)
        case errors.UnregisteredIdentifier():
            near = _suggestions(error.prefix, error.identifier, error.suggestions, base_url)
            whole = unmarked(join(error.prefix, error.identifier)) if error.identifier else ()
            return replace(_with_prefix(page, error.prefix, base_url), identifier=whole, suggestions=near)
        case errors.NoProvider():
            return _with_prefix(page, error.prefix, base_url)
        case errors.UnknownProvider():
            return _with_providers(_with_prefix(page, error.prefix, base_url), error, request, base_url)
        case errors.NoLocation():
            terms, wait = tuple(map(printable, error.reasons)), error.seconds
            page = replace(page, record=error.pid, terms=terms, archives=error.archives)
            return replace(page, wait="" if wait is None else _format_duration(wait))
        case errors.UnknownVersion():
            versions = f"{base_url}/timemap/{error.pid.removeprefix(base_url + '/')}"
            return replace(page, record=error.pid, versions=versions)
        case errors.InvalidInput():
            violations = tuple((printable(each.pointer), printable(each.reason)) for each in error.violations)
            return replace(page, violations=violations)
        case _:
            return _with_http_details(page, error, request, base_url)


def _with_http_details(page: Page, error: Exception | None, request: Request | None, base_url: str) -> Page:
    """Add the details of an error of the HTTP layer."""
    here = requested_address(request, base_url, with_query=False)
    match error:
        case web_errors.NoSuchForm():
            terms = tuple(printable(f"{name}={value}") for name, value in error.demands.items())
            return replace(page, terms=terms, record=error.pid)
        case web_errors.UnknownFormat():
            return replace(page, links=_format_links(here, sorted(error.available, key=lambda name: name != PAGE)))
        case web_errors.UnknownStyle():
            return replace(page, links=_format_links(here, error.available, form=error.name))
        case web_errors.NotAcceptable():
            terms = tuple(map(printable, dict.fromkeys(error.offers)))
            return replace(page, terms=terms, record=here if HTML in error.offers else "")
        case web_errors.TooLongToPicture():
            return replace(page, links=(PageLink(here, here),) if here else ())
        case web_errors.MethodNotAllowed():
            return replace(page, terms=error.allowed)
        case web_errors.Unhealthy():
            return replace(page, report=error.report)
        case _:
            return page


def _with_invalid_identifier(page: Page, error: errors.InvalidIdentifier, base_url: str) -> Page:
    """Add the rule that an identifier breaks, and the position."""
    text = error.identifier
    page = replace(page, identifier=unmarked(text))
    if isinstance(error, errors.InvalidCharacter):
        at = error.position
        page = replace(page, identifier=mark(text, at, at + 1), place=at + 1, symbol=character_name(error.symbol))
        page = replace(page, terms=(printable(error.allowed),))
    elif isinstance(error, errors.InvalidLength):
        page = replace(page, found=error.found, expected=error.expected)
    elif isinstance(error, errors.InvalidPattern):
        page = replace(page, pattern=printable(error.pattern))
    if error.prefix is None:
        return page
    near = _suggestions(error.prefix, text, error.suggestions, base_url)
    return replace(_with_prefix(page, error.prefix, base_url), suggestions=near)


def _with_unknown_prefix(page: Page, text: str, base_url: str) -> Page:
    """Add the unknown prefix and a link to search for it. The URL of a web page has no prefix."""
    browse = f"{base_url}/pages/prefixes"
    if _ADDRESS.match(text):
        return replace(page, identifier=unmarked(text), prefix_url=browse)
    name = prefix_part(text) or text
    browse += f"?{urlencode({'q': name[:_MAX_QUERY_LENGTH]}, errors='replace')}"
    whole = unmarked(text) if name == text else mark(text, 0, len(name))
    return replace(page, identifier=whole, prefix=shorten(name), prefix_url=browse)


def _with_prefix(page: Page, name: str, base_url: str) -> Page:
    return replace(page, prefix=printable(name), prefix_url=f"{base_url}/{path_of(name)}")


def _suggestions(prefix: str, written: str, identifiers: Sequence[str], base_url: str) -> tuple[Suggestion, ...]:
    return tuple(Suggestion(f"{base_url}/{path_of(prefix, each)}", compare(each, written)) for each in identifiers)


def _with_providers(page: Page, error: errors.UnknownProvider, request: Request | None, base_url: str) -> Page:
    """Add links to the same identifier at each provider, and at the default one."""
    if request is None or not page.again:
        return page
    if request.parameter("provider") is not None:
        here = requested_address(request, base_url, with_query=False)
    else:  # the provider preceded the prefix
        rest = reference_in(request).partition("/")[2]
        here = requested_address(Request("GET", f"/{rest}"), base_url)
    links = tuple(PageLink(f"{here}?{urlencode({'provider': code})}", printable(code)) for code in error.codes)
    return replace(page, again=here, links=links)


def _format_links(here: str, names: Sequence[str], form: str | None = None) -> tuple[PageLink, ...]:
    """Return links to the same URL in each of these formats, or in each of these styles of `form`."""
    if not here:
        return ()
    queries = [urlencode({"format": each} if form is None else {"format": form, "style": each}) for each in names]
    return tuple(PageLink(f"{here}?{query}", printable(name)) for query, name in zip(queries, names, strict=True))


def _format_duration(seconds: int) -> str:
    """Return a duration in the largest unit that it fills, and at least one second.

    >>> _format_duration(5), _format_duration(7300), _format_duration(90_000)
    ('5 seconds', '2 hours', '1 day')
    """
    number, unit = next(((seconds // size, unit) for unit, size in _UNITS if seconds >= size), (1, "second"))
    return f"{number} {unit}{'s' if number > 1 else ''}"
