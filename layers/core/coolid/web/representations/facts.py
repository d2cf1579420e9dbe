"""What a record's metadata says, in the few terms that other vocabularies share with it.

Metadata is whatever JSON the client gave. Read are the kernel's elements (who, what, when, how, type, license), and
under their own names those of DataCite (creators, titles, publicationYear, rightsList, ...) and schema.org; shapes
that say nothing here are passed over.

>>> list(texts([" A ", {"title": "B"}, None, 7, True], "title"))
['A', 'B', '7']
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.domain.prefixes import as_path
from coolid.domain.records import ACTIVE, Location, Record
from coolid.web.representations.types import TYPES
from coolid.web.representations.uris import person_uri, uri_of

_TITLES: Final = ("what", "title", "titles", "name")
_CREATORS: Final = ("who", "creator", "creators", "author", "authors")
_DATES: Final = ("when", "datePublished", "issued", "date", "dates", "publicationYear")
_TYPES: Final = ("type", "types", "resourceType", "resourceTypeGeneral")
_LICENSES: Final = ("license", "licence", "licenses", "rightsList", "rights")
_DESCRIPTIONS: Final = ("description", "descriptions")

# The members of an object that say its text.
_NAMES: Final = ("name", "creatorName", "title", "rights", "value", "@value")
_ADDRESSES: Final = (
    *("@id", "id", "uri", "url", "orcid", "rightsUri", "rightsURI", "sameAs", "identifier"),
    *("nameIdentifiers", "nameIdentifier", "value"),
)
_GENERAL: Final = ("schemaOrg", "resourceTypeGeneral", "resourceType", "@type", "name", "value")

_DATE: Final = (
    r"([0-9]{4})(?:-?(0[1-9]|1[0-2])(?:-?(0[1-9]|[12][0-9]|3[01])"
    r"(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
_NOT_A_LETTER: Final = "[^a-z]"


class Named(Struct, frozen=True):
    """A person, a body or a licence: by name, by URI or both."""

    name: str | None
    uri: str | None

    def __str__(self) -> str:
        return self.name or self.uri or ""


def titles(record: Record) -> tuple[str, ...]:
    """What it is called."""
    return _first(record, _TITLES, *_NAMES)


def descriptions(record: Record) -> tuple[str, ...]:
    """What it is about, at length."""
    return _first(record, _DESCRIPTIONS, "description", *_NAMES)


def dates(record: Record) -> tuple[str, ...]:
    """When it was made or published, as the client says it."""
    return _first(record, _DATES, "date", *_NAMES)


def hows(record: Record) -> tuple[str, ...]:
    """How: the kernel's fifth element."""
    return _first(record, ("how",), *_NAMES)


def iso_date(text: str) -> str | None:
    """A date of ISO 8601, from the year on, in its extended form; None if the text is not one.

    >>> iso_date("20081203"), iso_date("1952"), iso_date("spring 1952")
    ('2008-12-03', '1952', None)
    """
    found = re.fullmatch(_DATE, text)
    return "-".join(filter(None, found.group(1, 2, 3))) + (found[4] or "") if found else None


def creators(record: Record) -> tuple[Named, ...]:
    """Who made it, by the first member that says so."""
    return _first_named(record, _CREATORS)


def author_uris(record: Record) -> Iterator[str]:
    """Who made it, by all members, as far as they have a URI; one after the other, for there may be thousands."""
    return _uris(record, _CREATORS)


def licenses(record: Record) -> tuple[Named, ...]:
    """Under which terms it may be used."""
    return _first_named(record, _LICENSES)


def license_uris(record: Record) -> Iterator[str]:
    """The same, by all members, as far as they have a URI."""
    return _uris(record, _LICENSES)


def schema_type(record: Record) -> str | None:
    """What kind of thing it is, as a type of schema.org, if its metadata names one that has its like there."""
    for value in _said(record, _TYPES):
        for text in texts(value, *_GENERAL):
            word = text.lower()
            if word not in TYPES:
                word = re.sub(_NOT_A_LETTER, "", re.sub(r"^(https?://)?schema(\.org/|:)", "", word))
            if word in TYPES:
                return TYPES[word]
    return None


def items(record: Record) -> tuple[Location, ...]:
    """Where it is: the locations that are in use."""
    return tuple([location for location in record.records if location.status == ACTIVE])


def texts(value: Any, *members: str) -> Iterator[str]:
    """The texts that a value holds: itself, if it is one or a number, those in a list, and in an object's `members`."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each, *members)
    elif isinstance(value, Mapping):
        for member in members:
            yield from texts(value.get(member), *members)


def _said(record: Record, names: tuple[str, ...]) -> list[Any]:
    """The values of those members that there are: of most names there is none."""
    metadata = record.metadata
    return [metadata[name] for name in names if name in metadata] if metadata else []


def _first(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    found = (tuple(dict.fromkeys(texts(value, *members))) for value in _said(record, names))
    return next(filter(None, found), ())


def _first_named(record: Record, names: tuple[str, ...]) -> tuple[Named, ...]:
    found = (tuple(dict.fromkeys(_named(value))) for value in _said(record, names))
    return next(filter(None, found), ())


def _named(value: Any) -> Iterator[Named]:
    if isinstance(value, str):
        text = value.strip()
        if text:
            uri = person_uri(text)
            yield Named(None if uri else text, uri)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _named(each)
    elif isinstance(value, Mapping):
        uri = next(filter(None, map(person_uri, texts(value, *_ADDRESSES))), None)
        names = (text for text in texts(value, *_NAMES) if uri_of(text) is None)
        name = next(names, None) or " ".join(texts([value.get("givenName"), value.get("familyName")])) or None
        if name or uri:
            yield Named(name, uri)
    else:
        for text in texts(value):
            yield Named(text, None)  # a number


def _uris(record: Record, names: tuple[str, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for value in _said(record, names):
        for each in _named(value):
            if each.uri and each.uri not in seen:
                seen.add(each.uri)
                yield each.uri


def successor_uri(record: Record) -> str | None:
    """Where what took a tombstone's place is: a URL as it is, an identifier at the service that resolves it."""
    successor = record.withdrawn.successor if record.withdrawn else None
    if not successor:
        return None
    return uri_of(successor) or uri_of(f"{record.issuer}/{as_path(successor)}")
