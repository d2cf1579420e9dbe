"""What a record's metadata says, in the few terms that other vocabularies share with it: its members, and their links.

Metadata is whatever JSON the client gave. Read are the kernel's elements (who, what, when, how, type, license), and
under their own names those of DataCite (creators, titles, publicationYear, rightsList, relatedIdentifiers, ...) and
schema.org; shapes that say nothing here are passed over. Titles, names and dates are read by
`coolid.http.formats.metadata_text`.

>>> list(texts([" A ", {"title": "B"}, None, 7, True], "title"))
['A', 'B', '7']
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from coolid.http.formats.schemaorg_types import TYPES
from coolid.http.formats.uris import alternate_uri, escape, person_uri, uri_of
from coolid.http.tokens import compiled
from coolid.model.prefixes import as_path
from coolid.model.records import ACTIVE, Location, Record

CREATORS: Final = ("who", "creator", "creators", "author", "authors")
_TYPES: Final = ("type", "types", "resourceType", "resourceTypeGeneral")
LICENSES: Final = ("license", "licence", "licenses", "rightsList", "rights")
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
_ADDRESSED: Final = frozenset(ADDRESSES)
_GENERAL: Final = ("schemaOrg", "resourceTypeGeneral", "resourceType", "@type", "name", "value")

_NOT_A_LETTER: Final = "[^a-z]"
_CONTROLS: Final = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"


def author_uris(record: Record) -> Iterator[str]:
    """Who made it, by all members, as far as they have a URI; one after the other, for there may be thousands."""
    return _uris(record, CREATORS)


def license_uris(record: Record) -> Iterator[str]:
    """Under which terms it may be used, by all members, as far as they have a URI."""
    return _uris(record, LICENSES)


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
        text = without_controls(value).strip()
        if text:
            yield text
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each, *members)
    elif isinstance(value, Mapping):
        for member in members:
            if member in value:  # of which most are not
                yield from texts(value[member], *members)


def without_controls(text: str) -> str:
    r"""Return the text with a space for each run of control characters (C0, DEL, C1), except tabs and line ends.

    Every form of a record writes texts that went through this, whether it writes lines or JSON. Only the signed
    document (`coolid.http.formats.linkid`) has a record's texts as they were written.

    >>> without_controls("a\x00\x1b[31mb\x85c\nd")
    'a [31mb c\nd'
    """
    return text if text.isprintable() else compiled(_CONTROLS).sub(" ", text)


def objects(record: Record, *names: str) -> Iterator[Mapping[str, Any]]:
    """The objects that those members are, or list."""
    for value in said(record, names):
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, Mapping):
                yield each


def said(record: Record, names: tuple[str, ...]) -> list[Any]:
    """The values of those members that there are: of most names there is none."""
    metadata = record.metadata
    return [metadata[name] for name in names if name in metadata] if metadata else []


def address_of(value: Mapping[str, Any]) -> str | None:
    """The URI of whoever an object describes, if it has one."""
    if _ADDRESSED.isdisjoint(value):
        return None
    return next(filter(None, map(person_uri, texts(value, *ADDRESSES))), None)


def _uris(record: Record, names: tuple[str, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for value in said(record, names):
        for uri in _addresses(value):
            if uri not in seen:
                seen.add(uri)
                yield uri


def _addresses(value: Any) -> Iterator[str]:
    """The URIs that a text, an object or a list of them has."""
    if isinstance(value, str | Mapping):
        uri = person_uri(value.strip()) if isinstance(value, str) else address_of(value)
        if uri:
            yield uri
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _addresses(each)


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
    seen = {escape(record.pid)}
    for uri in chain(_addresses(record.metadata.get(relation)), _identified(record, relation.lower())):
        if uri and uri not in seen:
            seen.add(uri)
            yield uri


def _identified(record: Record, relation: str) -> Iterator[str | None]:
    """The URIs of what DataCite's related identifiers and items name by this relation, in lower case."""
    for each in objects(record, *_RELATED):
        if str(each.get("relationType")).lower() != relation:
            continue
        item = each.get("relatedItemIdentifier")
        name, named = ("relatedItemIdentifier", item) if isinstance(item, Mapping) else ("relatedIdentifier", each)
        identifier = next(texts(named.get(name)), "")
        yield alternate_uri(str(named.get(f"{name}Type")), identifier)
