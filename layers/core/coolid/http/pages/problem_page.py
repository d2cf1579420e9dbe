"""What the page of a problem says: what was asked for, with its fault marked, and where to go from there.

Out of what the error carries and the request alone: the store may be what failed. What the kind of problem means, and
what to do then, is in `coolid.http.pages.problem_advice`; the sentences stand in the templates.

>>> from coolid.http.problems import describe
>>> told = describe(errors.UnknownPrefix("nope:1"), "https://id.example.org")
>>> page = page_of(told, Request("GET", "/nope:1"), "https://id.example.org")
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
from coolid.http.format_parameter import PAGE
from coolid.http.message import Request
from coolid.http.pages.marked_text import Piece, Slip, marked, named, plain, shortened, shown, slip
from coolid.http.pages.problem_advice import ADVICE, Advice
from coolid.http.pages.request_text import address_of, damage, reference_in, text_of
from coolid.model.prefixes import is_date_qualified, join, path_of

if TYPE_CHECKING:
    from coolid.http.problems import Problem

_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_MOST_NAMED: Final = 128
_ADDRESS: Final = re.compile("https?:/", re.IGNORECASE)


class PageLink(Struct, frozen=True):
    """Somewhere to go, and what it is called."""

    url: str
    text: str


class Suggestion(Struct, frozen=True):
    """An identifier that exists, under its prefix, and how it differs from the one that was asked for."""

    url: str
    slip: Slip


class Page(Struct, frozen=True):
    """What there is to say. Texts are as they are to be shown, but for `asked`, which goes into the box.

    `identifier` is what was asked for, in pieces; `place` counts its characters from 1, `symbol` is what stands there.
    `wait` is how long, in words. `links` are what can be had instead, and `terms` are what can only be named.
    """

    slug: str
    status: int
    title: str
    type_uri: str
    advice: Advice
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


def page_of(told: "Problem", request: Request | None, base_url: str) -> Page:
    """What the page of a problem says."""
    after = told.headers.get("Retry-After")
    page = Page(
        slug=told.kind.slug,
        status=told.status,
        title=told.kind.title,
        type_uri=told.type_uri,
        advice=ADVICE[told.kind.slug],
        detail=shown(told.detail),
        request=shown(str(told.members.get("request", ""))),
        asked=text_of(request),
        again=address_of(request, base_url),
        wait=_span(int(after)) if after is not None else "",
    )
    return _with_evidence(page, told.cause, request, base_url)


def beginning_of(text: str) -> str:
    """What stands where the prefix of an identifier would.

    >>> beginning_of("nope:1"), beginning_of("2021/06/nobody/x"), beginning_of("nope")
    ('nope', '2021/06/nobody', 'nope')
    """
    separators = [found.start() for found in re.finditer("[/:]", text)]
    which = 2 if is_date_qualified(text) else 0
    return text[: separators[which]] if which < len(separators) else text


def _with_evidence(page: Page, error: Exception | None, request: Request | None, base_url: str) -> Page:
    """With what the error carries."""
    match error:
        case errors.InvalidIdentifier():
            return _invalid(page, error, base_url)
        case errors.TooLong():
            return replace(page, identifier=plain(reference_in(request)), found=error.size, expected=error.limit)
        case errors.BadReference():
            return replace(page, identifier=damage(reference_in(request)))
        case errors.UnknownPrefix():
            return _unknown(page, error.text, base_url)
        case errors.UnregisteredIdentifier():
            near = _suggestions(error.prefix, error.identifier, error.suggestions, base_url)
            whole = plain(join(error.prefix, error.identifier)) if error.identifier else ()
            return replace(_with_prefix(page, error.prefix, base_url), identifier=whole, suggestions=near)
        case errors.NoProvider():
            return _with_prefix(page, error.prefix, base_url)
        case errors.UnknownProvider():
            return _provided(_with_prefix(page, error.prefix, base_url), error, request, base_url)
        case errors.NoLocation():
            terms, wait = tuple(map(shown, error.reasons)), error.seconds
            page = replace(page, record=error.pid, terms=terms, archives=error.archives)
            return replace(page, wait="" if wait is None else _span(wait))
        case errors.UnknownVersion():
            versions = f"{base_url}/timemap/{error.pid.removeprefix(base_url + '/')}"
            return replace(page, record=error.pid, versions=versions)
        case errors.InvalidInput():
            violations = tuple((shown(each.pointer), shown(each.reason)) for each in error.violations)
            return replace(page, violations=violations)
        case _:
            return _of_http(page, error, request, base_url)


def _of_http(page: Page, error: Exception | None, request: Request | None, base_url: str) -> Page:
    """With what a refusal carries that only HTTP knows."""
    here = address_of(request, base_url, with_query=False)
    match error:
        case web_errors.NoSuchForm():
            terms = tuple(shown(f"{name}={value}") for name, value in error.demands.items())
            return replace(page, terms=terms, record=error.pid)
        case web_errors.UnknownFormat():
            return replace(page, links=_forms(here, sorted(error.known, key=lambda name: name != PAGE)))
        case web_errors.UnknownStyle():
            return replace(page, links=_forms(here, error.known, form=error.name))
        case web_errors.NotAcceptable():
            has_page = HTML in error.offers
            return replace(page, terms=tuple(map(shown, dict.fromkeys(error.offers))), record=here if has_page else "")
        case web_errors.TooLongToPicture():
            return replace(page, links=(PageLink(here, here),) if here else ())
        case web_errors.MethodNotAllowed():
            return replace(page, terms=error.allowed)
        case web_errors.Unhealthy():
            return replace(page, report=error.report)
        case _:
            return page


def _invalid(page: Page, error: errors.InvalidIdentifier, base_url: str) -> Page:
    """With the rule that an identifier breaks, and the place where."""
    text = error.identifier
    page = replace(page, identifier=plain(text))
    if isinstance(error, errors.InvalidCharacter):
        at = error.position
        page = replace(page, identifier=marked(text, at, at + 1), place=at + 1, symbol=named(error.symbol))
        page = replace(page, terms=(shown(error.allowed),))
    elif isinstance(error, errors.InvalidLength):
        page = replace(page, found=error.found, expected=error.expected)
    elif isinstance(error, errors.InvalidPattern):
        page = replace(page, pattern=shown(error.pattern))
    if error.prefix is None:
        return page
    near = _suggestions(error.prefix, text, error.suggestions, base_url)
    return replace(_with_prefix(page, error.prefix, base_url), suggestions=near)


def _unknown(page: Page, text: str, base_url: str) -> Page:
    """With what stands where a prefix would, and where to look for one; the address of a web page has none."""
    browse = f"{base_url}/pages/prefixes"
    if _ADDRESS.match(text):
        return replace(page, identifier=plain(text), prefix_url=browse)
    name = beginning_of(text) or text
    browse += f"?{urlencode({'q': name[:_MOST_NAMED]}, errors='replace')}"
    whole = plain(text) if name == text else marked(text, 0, len(name))
    return replace(page, identifier=whole, prefix=shortened(name), prefix_url=browse)


def _with_prefix(page: Page, name: str, base_url: str) -> Page:
    return replace(page, prefix=shown(name), prefix_url=f"{base_url}/{path_of(name)}")


def _suggestions(prefix: str, written: str, found: Sequence[str], base_url: str) -> tuple[Suggestion, ...]:
    return tuple(Suggestion(f"{base_url}/{path_of(prefix, each)}", slip(each, written)) for each in found)


def _provided(page: Page, error: errors.UnknownProvider, request: Request | None, base_url: str) -> Page:
    """With the same from each of the providers that there are, and from whichever we choose."""
    if request is None or not page.again:
        return page
    if request.parameter("provider") is not None:
        here = address_of(request, base_url, with_query=False)
    else:  # it stood in front
        rest = reference_in(request).partition("/")[2]
        here = address_of(Request("GET", f"/{rest}"), base_url)
    links = tuple(PageLink(f"{here}?{urlencode({'provider': code})}", shown(code)) for code in error.known)
    return replace(page, again=here, links=links)


def _forms(here: str, known: Sequence[str], form: str | None = None) -> tuple[PageLink, ...]:
    """The same address in each of these formats, or in each of these styles of a form."""
    if not here:
        return ()
    asked = [{"format": each} if form is None else {"format": form, "style": each} for each in known]
    return tuple(PageLink(f"{here}?{urlencode(each)}", shown(name)) for each, name in zip(asked, known, strict=True))


def _span(seconds: int) -> str:
    """Return a duration in the largest unit that it fills, and at least one second.

    >>> _span(5), _span(7300), _span(90_000)
    ('5 seconds', '2 hours', '1 day')
    """
    number, unit = next(((seconds // size, unit) for unit, size in _UNITS if seconds >= size), (1, "second"))
    return f"{number} {unit}{'s' if number > 1 else ''}"
