"""The `?format=` parameter: a representation of the record by name, or a media type or file extension of a location.

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
    """The `name` in lower case, and the media type that it means.

    If `is_ours`, it is a representation of the record or its page; else only a location can have that type.
    """

    name: str
    media_type: str
    is_ours: bool


def format_of(request: Request) -> Format | None:
    """Return the format that the request names, or None. Raises `UnknownFormat`."""
    name = _format_name(request)
    if name is None:
        return None
    from coolid.http.formats.catalog import for_name

    representation = for_name(name)
    if representation is not None:
        return Format(name, representation.media_type, is_ours=True)
    if name == PAGE:
        return Format(name, HTML, is_ours=True)
    if name == QR:
        return Format(name, PICTURE, is_ours=True)
    media_type = media_type_of(name)
    if media_type is None:
        raise UnknownFormat(name, format_names())
    return Format(name, media_type, is_ours=False)


def choose_media_type(request: Request, named: Mapping[str, str], offers: Sequence[str] = ()) -> str:
    """Return the media type that `?format=` names, else the offer that `Accept` prefers; not for records.

    `offers` are by default all that are `named`. Raises `UnknownFormat`, `NotAcceptable`.

    >>> named = {"json": "application/json", "html": "text/html"}
    >>> choose_media_type(Request("GET", "/", headers={"accept": "text/*"}), named)
    'text/html'
    """
    name = _format_name(request)
    if name is not None:
        if name not in named:
            raise UnknownFormat(name, tuple(named))
        return named[name]
    offers = offers or tuple(named.values())
    chosen = choose_format(request.header("accept"), offers)
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
    from coolid.http.formats.catalog import REPRESENTATIONS

    return (*(each.name for each in REPRESENTATIONS), PAGE, QR)


def is_inflected(request: Request) -> bool:
    """Return whether the request is for information about the identifier: `?info`, `??` (draft-kunze-ark).

    A bare `?` does not count, because a request through a gateway has no parameters then.

    >>> [is_inflected(Request("GET", "/", query=((name, ""),))) for name in ("?", "info", "information")]
    [True, True, False]
    """
    return bool(request.query) and any(request.parameter(name) is not None for name in _INFLECTIONS)
