"""The table of a record's metadata representations, in order of preference. A new one is a module and a row here.

A record's page in HTML is not among them: people's pages are made by `coolid.http.pages`.

>>> named("turtle").media_type, for_media_type("application/json").name
('text/turtle', 'linkid')
>>> named("pdf") is None, for_media_type("text/html") is None
(True, True)
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from msgspec import Struct

from coolid.http.formats import jws, linkid
from coolid.http.formats.links import LINKS, LINKSET
from coolid.http.formats.representation import Representation, always
from coolid.model.records import Record

CITATION: Final = "text/x-bibliography"

# What takes long to import is imported when it writes: the header of a redirect needs nothing but the rows.


def _linkset(record: Record) -> str:
    """A link set tells of all the other representations, so it needs this table."""
    from coolid.http.formats import linkset

    return linkset.write(record, REPRESENTATIONS)


def _links(record: Record) -> str:
    from coolid.http.formats import link_values

    return link_values.write(record, REPRESENTATIONS)


def _jsonld(record: Record) -> str:
    from coolid.http.formats import jsonld

    return jsonld.write(record)


def _turtle(record: Record) -> str:
    from coolid.http.formats import turtle

    return turtle.write(record)


def _erc(record: Record) -> str:
    from coolid.http.formats import erc

    return erc.write(record)


def _csl(record: Record) -> str:
    from coolid.http.formats.citations import csl

    return csl.write(record)


def _bibtex(record: Record) -> str:
    from coolid.http.formats.citations import bibtex

    return bibtex.write(record)


def _ris(record: Record) -> str:
    from coolid.http.formats.citations import ris

    return ris.write(record)


def _datacite(record: Record) -> str:
    from coolid.http.formats.citations import datacite

    return datacite.write(record)


def _citation(record: Record) -> str:
    from coolid.http.formats.citations import bibliography

    return bibliography.write(record)


def _is_citable(record: Record) -> bool:
    from coolid.http.formats.citations.works import is_citable

    return is_citable(record)


def _cited(name: str, media_type: str, write: Callable[[Record], str], also: tuple[str, ...] = ()) -> Representation:
    """A row for what reference managers read."""
    return Representation(name, media_type, write, also=also, available=_is_citable, announced=False, of_metadata=True)


# Vocabularies, for the media types that leave it open what is said in them.
_SCHEMA_ORG: Final = "https://schema.org/"
_KERNEL: Final = "http://purl.org/kernel/elements/1.1/"

# What DOI content negotiation calls the same (citation.doi.org/docs.html).
_SCHEMA_ORG_JSON: Final = "application/vnd.schemaorg.ld+json"
_CITEPROC: Final = "application/citeproc+json"

REPRESENTATIONS: Final[tuple[Representation, ...]] = (
    Representation(
        "linkid",
        "application/linkid+json",
        linkid.write,
        aliases=("json",),
        also=("application/json",),
        is_whole=True,
    ),
    Representation("linkset", LINKSET, _linkset),
    Representation("links", LINKS, _links),
    Representation("jsonld", "application/ld+json", _jsonld, also=(_SCHEMA_ORG_JSON,), profile=_SCHEMA_ORG),
    Representation("ttl", "text/turtle", _turtle, aliases=("turtle",), profile=_SCHEMA_ORG),
    Representation("erc", "text/plain", _erc, aliases=("text",), profile=_KERNEL),
    Representation("jws", "application/jose", jws.write, available=jws.is_available),
    _cited("csl", "application/vnd.citationstyles.csl+json", _csl, also=(_CITEPROC,)),
    _cited("bibtex", "application/x-bibtex", _bibtex),
    _cited("ris", "application/x-research-info-systems", _ris),
    _cited("datacite", "application/vnd.datacite.datacite+json", _datacite),
    _cited("citation", CITATION, _citation),
)

_SOMETIMES: Final = tuple(each for each in REPRESENTATIONS if each.available is not always and not each.of_metadata)

_BY_NAME: Final = {name: each for each in REPRESENTATIONS for name in (each.name, *each.aliases)}
_BY_MEDIA_TYPE: Final = {media_type: each for each in REPRESENTATIONS for media_type in (each.media_type, *each.also)}


class Forms(Struct, frozen=True, eq=False):
    """The forms that a record can be had in; `offers` are their media types, each with those that it is an answer to.

    Those of the metadata are among them whether there is any or not. There is but one of each set.
    """

    representations: tuple[Representation, ...]
    offers: tuple[str, ...]


def forms(record: Record) -> Forms:
    """The forms of a record: one of few sets, each made once."""
    return _forms(tuple([each.available(record) for each in _SOMETIMES]))


@cache
def _forms(available: tuple[bool, ...]) -> Forms:
    missing = {each.name for each, is_there in zip(_SOMETIMES, available, strict=True) if not is_there}
    there = tuple(each for each in REPRESENTATIONS if each.name not in missing)
    return Forms(there, tuple(media_type for each in there for media_type in (each.media_type, *each.also)))


def named(name: str) -> Representation | None:
    """The representation that `?format=` calls so, by its name or an alias."""
    return _BY_NAME.get(name)


def for_media_type(media_type: str) -> Representation | None:
    """The representation that answers a media type, which is without parameters; its case does not matter."""
    return _BY_MEDIA_TYPE.get(media_type.lower())
