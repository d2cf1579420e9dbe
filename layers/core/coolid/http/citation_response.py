"""A work's citation in a style of CSL, as text or as a page.

The resolve function on AWS has no processor of CSL. It redirects to `CITATIONS`, where the function with the processor
serves the same citation.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct, json

from coolid.citation_styles.style_names import STYLES
from coolid.http.accept import prefers_html
from coolid.http.errors import UnknownStyle
from coolid.http.formats.catalog import CITATION
from coolid.http.message import Request, Response
from coolid.http.parameters import CITATION_FORMAT, CitationStyle
from coolid.http.redirects import redirect

CITATIONS: Final = "/api/v1/citations/"
_FORWARDED: Final = ("version", "memento", "provider")


class CitedWork(Struct, frozen=True):
    """A cited work: an item of CSL data in JSON, its URL, and the encoded path of its identifier here."""

    item: str
    url: str
    path: str


def response(
    request: Request,
    work: CitedWork,
    style: CitationStyle,
    status: int,
    headers: Mapping[str, str],
    base_url: str,
) -> Response:
    """Return the citation as a page for browsers, else as text. Raises `UnknownStyle` for an unknown locale."""
    try:
        from coolid.citation_styles.processor import UnknownLocale, cite
    except ImportError:  # no such module in the layers of the resolve function
        return redirect(_elsewhere(request, work, style, base_url), 303, dict(headers))
    try:
        citation = cite(json.decode(work.item), style.name, style.locale)
    except UnknownLocale as error:
        raise UnknownStyle(CITATION_FORMAT, str(style.locale), error.available, "locale") from error
    headers = {**headers, "Content-Language": citation.locale}
    if not prefers_html(request.headers.get("accept")):
        return Response(status, {**headers, "Content-Type": f"{CITATION}; charset=utf-8"}, f"{citation.text}\n")
    from markupsafe import Markup

    from coolid.citation_styles.locales import locale_names
    from coolid.http.pages import render

    values = {
        "citation": Markup(citation.html),  # noqa: S704 - the processor escapes it
        "url": work.url,
        "address": f"{base_url}{CITATIONS}{work.path}",
        "parameters": _selection(request),
        "style": style.name,
        "styles": STYLES,
        "locale": citation.locale,
        "locales": locale_names(),
    }
    return render("citation.html", status, headers, base_url, **values)


def _elsewhere(request: Request, work: CitedWork, style: CitationStyle, base_url: str) -> str:
    """Return the address of the same citation at the function with the processor."""
    locale = [] if style.locale is None else [("locale", style.locale)]
    query = [("style", style.name), *locale, *_selection(request)]
    return f"{base_url}{CITATIONS}{work.path}?{urlencode(query)}"


def _selection(request: Request) -> list[tuple[str, str]]:
    """Return the parameters that select the cited version."""
    return [(name, value) for name in _FORWARDED if (value := request.parameter(name)) is not None]
