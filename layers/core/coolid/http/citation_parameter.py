"""What a client wants who asks for a citation: in which style, and what else will do where there is nothing to cite.

DOI content negotiation (citation.doi.org/docs.html): the representation that the client likes best; 204 where it takes
none but those of metadata and there is no metadata. A style is a parameter of `text/x-bibliography`.

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

from coolid.http.accept import wishes_of
from coolid.http.formats.catalog import CITATION, REPRESENTATIONS, for_media_type, named
from coolid.http.formats.representation import Representation
from coolid.http.message import Request
from coolid.http.style_parameter import style_asked_for
from coolid.model.records import Record
from coolid.resolution.content_negotiation import ClientPreferences

TEXT: Final = "text"
STYLES: Final = (TEXT, "bibtex", "ris", "csl")
"""A line of text, or one of these representations."""

_STYLED: Final = rf"{CITATION}[ \t]*(;.*)?"
_STYLE: Final = r';[ \t]*style="?([^;"]*)'
_ANY: Final = (("*/*", 1.0),)


def style_of(request: Request) -> str:
    """The style that `?style=` asks for, else the parameter of the media type; of a style that is not ours the first.

    Raises `UnknownStyle` for a `?style=` that there is not.
    """
    style = style_asked_for(request, "citation", STYLES)
    if style is not None:
        return style
    ranges = [(each, weight) for each, weight in wishes_of(request).types or () if re.fullmatch(_STYLED, each)]
    if not ranges or request.parameter("format") is not None:
        return TEXT
    wanted = re.search(_STYLE, max(ranges, key=itemgetter(1))[0])
    return wanted[1] if wanted and wanted[1] in STYLES else TEXT


def styled(citation: Representation, request: Request) -> Representation:
    """What writes the citation in the style that the request asks for."""
    style = style_of(request)
    return citation if style == TEXT else named(style) or citation


def says(media_type: str, record: Record) -> bool:
    """Whether an offer has something to say of the record, as all but those of the metadata always have."""
    representation = for_media_type(media_type)
    return representation is None or not representation.of_metadata or representation.available(record)


def without_metadata(wishes: ClientPreferences) -> ClientPreferences:
    """The same wishes, but for the representations of metadata, which shall not be the answer."""
    needy = [media_type for each in REPRESENTATIONS if each.of_metadata for media_type in (each.media_type, *each.also)]
    kept = [each for each in wishes.types or _ANY if each[0].partition(";")[0].rstrip() not in needy]
    return replace(wishes, types=(*kept, *((media_type, 0.0) for media_type in needy)))
