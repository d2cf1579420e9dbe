"""`?format=`: what it asks for. A name of ours is a form of the record, a media type or file extension of the thing.

>>> format_of(Request("GET", "/", query=(("format", "Turtle"),)))
Format(name='turtle', media_type='text/turtle', is_ours=True)
>>> format_of(Request("GET", "/", query=(("format", "PDF"),)))
Format(name='pdf', media_type='application/pdf', is_ours=False)
>>> format_of(Request("GET", "/", query=(("format", "nonsense"),)), ("json", "html"))
Traceback (most recent call last):
...
coolid.web.errors.UnknownFormat: there is no format 'nonsense'; there are: json, html
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from coolid.web.errors import UnknownFormat
from coolid.web.message import Request
from coolid.web.negotiation import HTML, media_type_of

PAGE: Final = "html"
QR: Final = "qr"
"""A picture of the identifier itself, whatever is known of it."""
PICTURE: Final = "image/*"
JSON_INFLECTION: Final = "json"
"""`?json` is short for `?format=json`."""
_INFLECTIONS: Final = ("info", "?")


class Format(Struct, frozen=True):
    """The `name` as it was given, in lower case, and the media type that it means.

    `is_ours` says that it is a representation of the record, or its page; else only a location can be of that type.
    """

    name: str
    media_type: str
    is_ours: bool


def format_of(request: Request, known: Sequence[str] = ()) -> Format | None:
    """What the request asks for, if anything; `UnknownFormat`, which tells those `known`, for what is no format.

    Of a record all representations and its page are known.
    """
    written = request.parameter("format")
    if written is None:
        if not request.query or request.parameter(JSON_INFLECTION) is None:
            return None
        written = JSON_INFLECTION
    from coolid.web.representations.table import named

    name = written.lower()
    representation = named(name)
    if representation is not None:
        return Format(name, representation.media_type, is_ours=True)
    if name == PAGE:
        return Format(name, HTML, is_ours=True)
    if name == QR:
        return Format(name, PICTURE, is_ours=True)
    media_type = media_type_of(name)
    if media_type is None:
        raise UnknownFormat(name, known or names())
    return Format(name, media_type, is_ours=False)


def names() -> tuple[str, ...]:
    """All forms of a record."""
    from coolid.web.representations.table import REPRESENTATIONS

    return (*(each.name for each in REPRESENTATIONS), PAGE, QR)


def is_inflected(request: Request) -> bool:
    """Whether the request asks about the identifier instead of for the thing: `?info`, `??` (draft-kunze-ark).

    A bare `?` cannot be told from none: a request that comes through a gateway has then no parameters at all.

    >>> [is_inflected(Request("GET", "/", query=((name, ""),))) for name in ("?", "info", "information")]
    [True, True, False]
    """
    return any(request.parameter(name) is not None for name in _INFLECTIONS)
