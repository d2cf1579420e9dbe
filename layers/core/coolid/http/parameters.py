"""The query parameters that select a form: `?format=`, `?style=` and inflections (`?info`, `??`).

`?format=` is the name of a representation, a media type or file extension of a location, or `target` for any location.
`?style=` selects a variant of a form. The style of a citation may also be a parameter of `text/x-bibliography` in
`Accept` (DOI content negotiation, citation.doi.org/docs.html).

>>> format_of(Request("GET", "/", query=(("format", "Turtle"),)))
Format(name='turtle', media_type='text/turtle', is_ours=True)
>>> format_of(Request("GET", "/", query=(("format", "PDF"),)))
Format(name='pdf', media_type='application/pdf', is_ours=False)
"""

import re
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Final

from msgspec import Struct

from coolid.citation_styles.style_names import style_named, style_names
from coolid.http.accept import HTML, choose_format, client_preferences, media_type_of
from coolid.http.errors import NotAcceptable, UnknownFormat, UnknownStyle
from coolid.http.formats.catalog import CITATION, REPRESENTATIONS, for_name
from coolid.http.message import Request
from coolid.resolution.content_negotiation import ANYTHING

QR: Final = "qr"
"""A picture of the identifier itself."""
PICTURE: Final = "image/*"
TLOG_PROOF: Final = "tlog-proof"
"""A proof that the version is in the transparency log."""
INCLUSION_PROOF: Final = "text/plain;format=tlog-proof"
"""Stands for its media type, `text/plain`, which is also that of other forms."""
PAGE: Final = "html"
TARGET: Final = "target"
"""A location of any type, even if the PID leads to the record's page."""
JSON_INFLECTION: Final = "json"
"""`?json` is short for `?format=json`."""

CITATION_FORMAT: Final = "citation"
"""`?style=apa` is short for `?format=citation&style=apa`, for every style of CSL."""
CITATION_STYLES: Final = ("text", "bibtex", "ris", "csl")
"""A line of text, or the name of a representation."""
_STYLED_CITATION: Final = rf"{CITATION}[ \t]*(;.*)?"


class CitationStyle(Struct, frozen=True):
    """The name of a citation's style, one of `CITATION_STYLES` or of CSL, and its locale, None for the style's own."""

    name: str
    locale: str | None

    @property
    def is_csl(self) -> bool:
        """Whether a processor of CSL renders it."""
        return self.name not in CITATION_STYLES


class Format(Struct, frozen=True):
    """The `name` in lower case, and the media type that it means.

    If `is_ours`, it is a representation of the record or its page; else only a location can have that type.
    """

    name: str
    media_type: str
    is_ours: bool


def format_of(request: Request) -> Format | None:
    """Return the format that the request names, or None. Raises `UnknownFormat`."""
    name = _format_name(request)
    if name is None and request.query and style_named(request.parameter("style") or ""):
        name = CITATION_FORMAT
    if name is None:
        return None
    representation = for_name(name)
    if representation is not None:
        return Format(name, representation.media_type, is_ours=True)
    if name == PAGE:
        return Format(name, HTML, is_ours=True)
    if name == QR:
        return Format(name, PICTURE, is_ours=True)
    if name == TLOG_PROOF:
        return Format(name, INCLUSION_PROOF, is_ours=True)
    media_type = ANYTHING if name == TARGET else media_type_of(name)
    if media_type is None:
        raise UnknownFormat(name, format_names())
    return Format(name, media_type, is_ours=False)


def choose_media_type(request: Request, named: Mapping[str, str], offers: Sequence[str] = ()) -> str:
    """Return the media type that `?format=` names, else the offer that `Accept` prefers; not for records.

    `offers` are by default all that are `named`. Raises `UnknownFormat`, `NotAcceptable`.
    """
    name = _format_name(request)
    if name is not None:
        if name not in named:
            raise UnknownFormat(name, tuple(named))
        return named[name]
    offers = offers or tuple(named.values())
    chosen = choose_format(request.headers.get("accept"), offers)
    if chosen is None:
        raise NotAcceptable(tuple(offers))
    return chosen


def _format_name(request: Request) -> str | None:
    """Return the format name in the request, in lower case."""
    if not request.query:
        return None
    name = request.parameter("format")
    if name is not None:
        return name.lower()
    return None if request.parameter(JSON_INFLECTION) is None else JSON_INFLECTION


def format_names() -> tuple[str, ...]:
    """Return the names of all formats of a record."""
    return (*(each.name for each in REPRESENTATIONS), PAGE, QR)


def is_inflected(request: Request) -> bool:
    """Return whether the request is for information about the identifier: `?info`, `??` (draft-kunze-ark).

    A bare `?` does not count, because a request through a gateway has no parameters then.
    """
    return bool(request.query) and any(request.parameter(name) is not None for name in ("info", "?"))


def requested_style(request: Request, form: str, styles: Collection[str]) -> str | None:
    """Return the style of a form that `?style=` names, in lower case, or None. Raises `UnknownStyle`."""
    text = request.parameter("style")
    if text is not None and text.lower() not in styles:
        raise UnknownStyle(form, text, tuple(styles))
    return text and text.lower()


def citation_style(request: Request) -> CitationStyle:
    """Return the style that `?style=` and `?locale=` name, else the parameters of the media type. See `CitationStyle`.

    Raises `UnknownStyle` for `?style=`; an unknown style of the media type is the default one.
    """
    names = {name: request.parameter(name) for name in ("style", "locale")}
    types = client_preferences(request).types or ()
    ranges = [(each, weight) for each, weight in types if re.fullmatch(_STYLED_CITATION, each)]
    if ranges and request.parameter("format") is None:
        best = max(ranges, key=itemgetter(1))[0]
        for name in [name for name, value in names.items() if value is None]:
            match = re.search(rf';[ \t]*{name}="?([^;"]*)', best)
            names[name] = match and match[1]
    style = "text" if names["style"] is None else names["style"].lower()
    if style in CITATION_STYLES or style_named(style) is not None:
        return CitationStyle(style, names["locale"])
    if request.parameter("style") is None:  # other services have thousands of styles, so clients may send any
        return CitationStyle("text", None)
    raise UnknownStyle(CITATION_FORMAT, style, (*CITATION_STYLES, *style_names()))
