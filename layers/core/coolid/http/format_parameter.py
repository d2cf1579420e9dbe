"""`?format=`: what it asks for. A name of ours is a form of the record, a media type or file extension of the thing.

>>> format_of(Request("GET", "/", query=(("format", "Turtle"),)))
Format(name='turtle', media_type='text/turtle', is_ours=True)
>>> format_of(Request("GET", "/", query=(("format", "PDF"),)))
Format(name='pdf', media_type='application/pdf', is_ours=False)
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from coolid.http.accept import HTML, choose_format, media_type_of
from coolid.http.errors import NotAcceptable, UnknownFormat
from coolid.http.message import Request
from coolid.http.style_parameter import PICTURE, QR

PAGE: Final = "html"
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


def format_of(request: Request) -> Format | None:
    """Return the format of a record that the request names, or None. Raises `UnknownFormat`."""
    name = _name_in(request)
    if name is None:
        return None
    from coolid.http.formats.catalog import named

    representation = named(name)
    if representation is not None:
        return Format(name, representation.media_type, is_ours=True)
    if name == PAGE:
        return Format(name, HTML, is_ours=True)
    if name == QR:
        return Format(name, PICTURE, is_ours=True)
    media_type = media_type_of(name)
    if media_type is None:
        raise UnknownFormat(name, names())
    return Format(name, media_type, is_ours=False)


def one_of(request: Request, named: Mapping[str, str], offers: Sequence[str] = ()) -> str:
    """The media type that `?format=` names, else the one of the offers that `Accept` likes best, of what is no record.

    `offers` are all that are `named`, if not given. Raises `UnknownFormat`, `NotAcceptable`.

    >>> one_of(Request("GET", "/", headers={"accept": "text/*"}), {"json": "application/json", "html": "text/html"})
    'text/html'
    """
    name = _name_in(request)
    if name is not None:
        if name not in named:
            raise UnknownFormat(name, tuple(named))
        return named[name]
    offers = offers or tuple(named.values())
    chosen = choose_format(request.header("accept"), offers)
    if chosen is None:
        raise NotAcceptable(tuple(offers))
    return chosen


def _name_in(request: Request) -> str | None:
    """The form that the request names, in lower case."""
    if not request.query:
        return None
    written = request.parameter("format")
    if written is not None:
        return written.lower()
    return None if request.parameter(JSON_INFLECTION) is None else JSON_INFLECTION


def names() -> tuple[str, ...]:
    """All forms of a record."""
    from coolid.http.formats.catalog import REPRESENTATIONS

    return (*(each.name for each in REPRESENTATIONS), PAGE, QR)


def is_inflected(request: Request) -> bool:
    """Whether the request asks about the identifier instead of for the thing: `?info`, `??` (draft-kunze-ark).

    A bare `?` cannot be told from none: a request that comes through a gateway has then no parameters at all.

    >>> [is_inflected(Request("GET", "/", query=((name, ""),))) for name in ("?", "info", "information")]
    [True, True, False]
    """
    return bool(request.query) and any(request.parameter(name) is not None for name in _INFLECTIONS)
