"""What a record's metadata says, in the few terms that other vocabularies share with it.

Metadata is whatever JSON the client gave. Read are the kernel's elements (who, what, when, how, type, license), and
under their own names those of DataCite (creators, titles, publicationYear, rightsList, relatedIdentifiers, ...) and
schema.org; shapes that say nothing here are passed over.

>>> list(texts([" A ", {"title": "B"}, None, 7, True], "title"))
['A', 'B', '7']
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from msgspec import Struct

from coolid.domain.prefixes import as_path
from coolid.domain.records import ACTIVE, Location, Record
from coolid.web.representations.types import TYPES
from coolid.web.representations.uris import alternate_uri, escape, person_uri, uri_of
from coolid.web.syntax import compiled

_TITLES: Final = ("what", "title", "titles", "name")
CREATORS: Final = ("who", "creator", "creators", "author", "authors")
_DATES: Final = ("when", "datePublished", "issued", "date", "dates", "publicationYear")
_TYPES: Final = ("type", "types", "resourceType", "resourceTypeGeneral")
_LICENSES: Final = ("license", "licence", "licenses", "rightsList", "rights")
_DESCRIPTIONS: Final = ("description", "descriptions")
_RELATED: Final = ("relatedIdentifiers", "relatedItems")
_WHOLE: Final = "isPartOf"
_PART: Final = "hasPart"
_TELLING: Final = frozenset({_WHOLE, _PART, *_RELATED})

# The members of an object that say its text.
NAMES: Final = ("name", "creatorName", "title", "rights", "value", "@value")
ADDRESSES: Final = (
    *("@id", "id", "uri", "url", "orcid", "rightsUri", "rightsURI", "sameAs", "identifier"),
    *("nameIdentifiers", "nameIdentifier", "value"),
)
_GENERAL: Final = ("schemaOrg", "resourceTypeGeneral", "resourceType", "@type", "name", "value")

_DATE: Final = (
    r"([0-9]{4})(?:-?(0[1-9]|1[0-2])(?:-?(0[1-9]|[12][0-9]|3[01])"
    r"(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
_NOT_A_LETTER: Final = "[^a-z]"

# White space of every script, controls, and what stands for the end of a line somewhere.
_BLANKS: Final = r"[\s\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]+"
# What stands for a value that there is not (DataCite Metadata Schema, appendix 3; the kernel's, 9.3).
_CODE: Final = r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|tbd|etal)\)?"


class Named(Struct, frozen=True):
    """A person, a body or a licence: by name, by URI or both."""

    name: str | None
    uri: str | None

    def __str__(self) -> str:
        return self.name or self.uri or ""


def titles(record: Record) -> tuple[str, ...]:
    """What it is called."""
    return first(record, _TITLES, *NAMES)


def descriptions(record: Record) -> tuple[str, ...]:
    """What it is about, at length."""
    return first(record, _DESCRIPTIONS, "description", *NAMES)


def dates(record: Record) -> tuple[str, ...]:
    """When it was made or published, as the client says it."""
    return first(record, _DATES, "date", *NAMES)


def hows(record: Record) -> tuple[str, ...]:
    """How: the kernel's fifth element."""
    return first(record, ("how",), *NAMES)


def iso_date(text: str) -> str | None:
    """A date of ISO 8601, from the year on, in its extended form; None if the text is not one.

    >>> iso_date("20081203"), iso_date("1952"), iso_date("spring 1952")
    ('2008-12-03', '1952', None)
    """
    found = re.fullmatch(_DATE, text)
    return "-".join(filter(None, found.group(1, 2, 3))) + (found[4] or "") if found else None


def creators(record: Record) -> tuple[Named, ...]:
    """Who made it, by the first member that says so."""
    return _first_named(record, CREATORS)


def author_uris(record: Record) -> Iterator[str]:
    """Who made it, by all members, as far as they have a URI; one after the other, for there may be thousands."""
    return _uris(record, CREATORS)


def licenses(record: Record) -> tuple[Named, ...]:
    """Under which terms it may be used."""
    return _first_named(record, _LICENSES)


def license_uris(record: Record) -> Iterator[str]:
    """The same, by all members, as far as they have a URI."""
    return _uris(record, _LICENSES)


def collection_uris(record: Record) -> Iterable[str]:
    """What it is part of, as far as that has a URI, by schema.org, Dublin Core and DataCite."""
    return _related(record, _WHOLE)


def part_uris(record: Record) -> Iterable[str]:
    """What is part of it, by the same."""
    return _related(record, _PART)


def schema_type(record: Record) -> str | None:
    """What kind of thing it is, as a type of schema.org, if its metadata names one that has its like there."""
    if not record.metadata:
        return None
    plain = record.metadata.get("type")
    if isinstance(plain, str) and plain.lower() in TYPES:  # as most say it, and nothing is said before it
        return TYPES[plain.lower()]
    return next((TYPES[word] for word in type_words(record) if word in TYPES), None)


def type_words(record: Record) -> Iterator[str]:
    """What kind of thing it is, in the metadata's own words: each in lower case, then in letters alone."""
    for value in said(record, _TYPES):
        for text in texts(value, *_GENERAL):
            word = text.lower()
            yield word
            yield re.sub(_NOT_A_LETTER, "", re.sub(r"^(https?://)?schema(\.org/|:)", "", word))


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


def line(text: str) -> str:
    """The text on one line; empty if it is a code for a value that is missing.

    >>> line(" Tea\\r\\nfor\\u2028two "), line("(:unav)"), line(":unkn")
    ('Tea for two', '', '')
    """
    told = compiled(_BLANKS).sub(" ", text).strip()
    return "" if ":" in told and compiled(_CODE).fullmatch(told) else told


def said(record: Record, names: tuple[str, ...]) -> list[Any]:
    """The values of those members that there are: of most names there is none."""
    metadata = record.metadata
    return [metadata[name] for name in names if name in metadata] if metadata else []


def first(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    """The different texts of the first of those members that has some; `texts` says what `members` are."""
    found = (tuple(dict.fromkeys(texts(value, *members))) for value in said(record, names))
    return next(filter(None, found), ())


def _first_named(record: Record, names: tuple[str, ...]) -> tuple[Named, ...]:
    found = (tuple(dict.fromkeys(_named(value))) for value in said(record, names))
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
        uri = next(filter(None, map(person_uri, texts(value, *ADDRESSES))), None)
        names = (text for text in texts(value, *NAMES) if uri_of(text) is None)
        name = next(names, None) or " ".join(texts([value.get("givenName"), value.get("familyName")])) or None
        if name or uri:
            yield Named(name, uri)
    else:
        for text in texts(value):
            yield Named(text, None)  # a number


def _uris(record: Record, names: tuple[str, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for value in said(record, names):
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


def _related(record: Record, relation: str) -> Iterable[str]:
    """What stands in the relation to it, but for itself; most records say nothing of the kind."""
    return () if _TELLING.isdisjoint(record.metadata) else _related_uris(record, relation)


def _related_uris(record: Record, relation: str) -> Iterator[str]:
    own = (each.uri for each in _named(record.metadata.get(relation)))
    others = (_identified(value, relation.lower()) for value in said(record, _RELATED))
    seen = {escape(record.pid)}
    for uri in chain(own, chain.from_iterable(others)):
        if uri and uri not in seen:
            seen.add(uri)
            yield uri


def _identified(value: Any, relation: str) -> Iterator[str | None]:
    """The URIs of what DataCite's related identifiers and items name by this relation, in lower case."""
    for each in value if isinstance(value, list | tuple) else (value,):
        if not isinstance(each, Mapping) or str(each.get("relationType")).lower() != relation:
            continue
        item = each.get("relatedItemIdentifier")
        name, named = ("relatedItemIdentifier", item) if isinstance(item, Mapping) else ("relatedIdentifier", each)
        identifier = next(texts(named.get(name)), "")
        yield alternate_uri(str(named.get(f"{name}Type")), identifier)
