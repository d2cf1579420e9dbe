"""The table of a record's metadata representations, in order of preference. A new one is a module and a row here.

A record's page in HTML is not among them: people's pages are made by `coolid.web.pages`.

>>> named("turtle").media_type, for_media_type("application/json").name
('text/turtle', 'linkid')
>>> named("pdf") is None, for_media_type("text/html") is None
(True, True)
"""

from functools import cache
from typing import Final

from msgspec import Struct

from coolid.domain.records import Record
from coolid.web.representations import jws, linkid
from coolid.web.representations.links import LINKSET
from coolid.web.representations.representation import Representation

# What takes long to import is imported when it writes: the header of a redirect needs nothing but the rows.


def _linkset(record: Record) -> str:
    """A link set tells of all the other representations, so it needs this table."""
    from coolid.web.representations import linkset

    return linkset.write(record, REPRESENTATIONS)


def _jsonld(record: Record) -> str:
    from coolid.web.representations import jsonld

    return jsonld.write(record)


def _turtle(record: Record) -> str:
    from coolid.web.representations import turtle

    return turtle.write(record)


def _erc(record: Record) -> str:
    from coolid.web.representations import erc

    return erc.write(record)


REPRESENTATIONS: Final[tuple[Representation, ...]] = (
    Representation("linkid", "application/linkid+json", linkid.write, aliases=("json",), also=("application/json",)),
    Representation("linkset", LINKSET, _linkset),
    Representation("jsonld", "application/ld+json", _jsonld),
    Representation("ttl", "text/turtle", _turtle, aliases=("turtle",)),
    Representation("erc", "text/plain", _erc, aliases=("text",)),
    Representation("jws", "application/jose", jws.write, available=jws.is_available),
)

_BY_NAME: Final = {name: each for each in REPRESENTATIONS for name in (each.name, *each.aliases)}
_BY_MEDIA_TYPE: Final = {media_type: each for each in REPRESENTATIONS for media_type in (each.media_type, *each.also)}


class Forms(Struct, frozen=True, eq=False):
    """The forms that a record can be had in; `offers` are their media types, each with those that it is an answer to.

    There is but one of each set.
    """

    representations: tuple[Representation, ...]
    offers: tuple[str, ...]


def forms(record: Record) -> Forms:
    """The forms of a record: one of few sets, each made once."""
    return _forms(tuple([each.available(record) for each in REPRESENTATIONS]))


@cache
def _forms(available: tuple[bool, ...]) -> Forms:
    there = tuple(each for each, is_there in zip(REPRESENTATIONS, available, strict=True) if is_there)
    return Forms(there, tuple(media_type for each in there for media_type in (each.media_type, *each.also)))


def named(name: str) -> Representation | None:
    """The representation that `?format=` calls so, by its name or an alias."""
    return _BY_NAME.get(name)


def for_media_type(media_type: str) -> Representation | None:
    """The representation that answers a media type, which is without parameters; its case does not matter."""
    return _BY_MEDIA_TYPE.get(media_type.lower())
