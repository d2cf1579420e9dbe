"""Citation styles, and the fallback for records without metadata to cite.

See DOI content negotiation (citation.doi.org/docs.html). A client that accepts only metadata gets 204 if there is none.
A style is a parameter of `text/x-bibliography`.

>>> style_of(Request("GET", "/", headers={"accept": "text/x-bibliography; style=bibtex; locale=de-DE"}))
'bibtex'
>>> style_of(Request("GET", "/", query=(("style", "apa"),)))
Traceback (most recent call last):
...
coolid.http.errors.UnknownStyle: of 'citation' there is no style 'apa'; there are: text, bibtex, ris, csl
"""

import re
from operator import itemgetter
from typing import Final

from msgspec.structs import replace

from coolid.http.accept import client_preferences
from coolid.http.formats.catalog import CITATION, REPRESENTATIONS, for_media_type, for_name
from coolid.http.formats.representation import Representation
from coolid.http.message import Request
from coolid.http.style_parameter import requested_style
from coolid.model.records import Record
from coolid.resolution.content_negotiation import ClientPreferences

TEXT: Final = "text"
STYLES: Final = (TEXT, "bibtex", "ris", "csl")
"""A line of text, or the name of a representation."""

_STYLED: Final = rf"{CITATION}[ \t]*(;.*)?"
_STYLE: Final = r';[ \t]*style="?([^;"]*)'
_ANY: Final = (("*/*", 1.0),)


def style_of(request: Request) -> str:
    """Return the style of `?style=`, else that of the media type's parameter, else the first one.

    Raises `UnknownStyle` for an unknown `?style=`.
    """
    style = requested_style(request, "citation", STYLES)
    if style is not None:
        return style
    ranges = [(each, weight) for each, weight in client_preferences(request).types or () if re.fullmatch(_STYLED, each)]
    if not ranges or request.parameter("format") is not None:
        return TEXT
    match = re.search(_STYLE, max(ranges, key=itemgetter(1))[0])
    return match[1] if match and match[1] in STYLES else TEXT


def styled(citation: Representation, request: Request) -> Representation:
    """Return the representation that writes the citation in the requested style."""
    style = style_of(request)
    return citation if style == TEXT else for_name(style) or citation


def has_content(media_type: str, record: Record) -> bool:
    """Return whether an offer has content for the record; only offers of metadata may have none."""
    representation = for_media_type(media_type)
    return representation is None or not representation.of_metadata or representation.available(record)


def without_metadata(preferences: ClientPreferences) -> ClientPreferences:
    """Return the preferences, excluding all representations of metadata."""
    excluded = [name for each in REPRESENTATIONS if each.of_metadata for name in (each.media_type, *each.synonyms)]
    types = [each for each in preferences.types or _ANY if each[0].partition(";")[0].rstrip() not in excluded]
    return replace(preferences, types=(*types, *((media_type, 0.0) for media_type in excluded)))
