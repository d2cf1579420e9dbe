"""The members of a record's metadata that other vocabularies share, and the links in them.

Metadata is arbitrary JSON from the client. These functions read the kernel's elements (who, what, when, how, type,
license), and under their own names those of DataCite (creators, titles, publicationYear, rightsList,
relatedIdentifiers, ...) and schema.org. They ignore other shapes. They are all that the links of a redirect need;
`coolid.http.formats.description` reads the rest.

The types of schema.org are those below CreativeWork, and those of DataCite Metadata Schema 4.6, appendix 1, table 7
(resourceTypeGeneral) with an equivalent.

>>> list(texts([" A ", {"title": "B"}, None, 7, True], "title"))
['A', 'B', '7']
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from coolid.http.formats.uris import alternate_uri, escape, person_uri, uri_of
from coolid.http.message import compiled
from coolid.model.prefixes import as_path
from coolid.model.records import ACTIVE, Location, Record

CREATORS: Final = ("who", "creator", "creators", "author", "authors")
LICENSES: Final = ("license", "licence", "licenses", "rightsList", "rights")
_RELATED: Final = ("relatedIdentifiers", "relatedItems")
WHOLE: Final = "isPartOf"
PART: Final = "hasPart"
_RELATION_MEMBERS: Final = frozenset({WHOLE, PART, *_RELATED})

# The members of an object that contain its text.
NAMES: Final = ("name", "creatorName", "title", "rights", "value", "@value")
ADDRESSES: Final = (
    *("@id", "id", "uri", "url", "orcid", "rightsUri", "rightsURI", "sameAs", "identifier"),
    *("nameIdentifiers", "nameIdentifier", "value"),
)
_ADDRESSED: Final = frozenset(ADDRESSES)

ANY: Final = "CreativeWork"
_TYPES: Final = ("type", "types", "resourceType", "resource_type", "resourceTypeGeneral", "@type")
_TYPE_MEMBERS: Final = frozenset(_TYPES)

_SCHEMA_ORG: Final = """
    ArchiveComponent Article AudioObject Audiobook Blog BlogPosting Book Chapter Claim Collection Course
    CreativeWork DataCatalog DataDownload Dataset DefinedTermSet DigitalDocument Drawing
    EducationalOccupationalCredential Game HowTo ImageObject LearningResource Legislation Manuscript Map
    MathSolver MediaObject Movie MusicComposition MusicRecording NewsArticle Newspaper Painting Periodical
    Photograph Play Poster PresentationDigitalDocument PublicationIssue PublicationVolume Report Review
    ScholarlyArticle Sculpture SheetMusic SoftwareApplication SoftwareSourceCode SpreadsheetDigitalDocument Statue
    TechArticle TextDigitalDocument Thesis VideoObject VisualArtwork WebApplication WebPage WebSite
"""

_DATACITE: Final = {
    "audiovisual": "MediaObject",
    "bookchapter": "Chapter",
    "computationalnotebook": "SoftwareSourceCode",
    "conferencepaper": "ScholarlyArticle",
    "datapaper": "ScholarlyArticle",
    "dissertation": "Thesis",
    "image": "ImageObject",
    "journal": "Periodical",
    "journalarticle": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "presentation": "PresentationDigitalDocument",
    "software": "SoftwareSourceCode",
    "sound": "AudioObject",
    "text": "TextDigitalDocument",
}

TYPES: Final = {name.lower(): name for name in _SCHEMA_ORG.split()} | _DATACITE
"""The types by their names, reduced to lower-case letters."""


def schema_type(record: Record) -> str | None:
    """Return its schema.org type, or None if its metadata names no type with an equivalent there."""
    if _TYPE_MEMBERS.isdisjoint(record.metadata):
        return None
    plain = record.metadata.get("type")
    if isinstance(plain, str) and plain.lower() in TYPES:  # the most common form, and the first in order
        return TYPES[plain.lower()]
    return next((TYPES[word] for word in type_words(record) if word in TYPES), None)


def type_words(record: Record) -> Iterator[str]:
    """Yield its types as the metadata names them, each in lower case, then reduced to letters."""
    for value in values_of(record, _TYPES):
        for text in texts(value, "schemaOrg", "resourceTypeGeneral", "resourceType", "@type", "name", "value", "id"):
            word = text.lower()
            yield word
            yield letters_of(text)


def letters_of(text: str) -> str:
    """Return the name of a type in lower-case letters, without the vocabulary.

    >>> letters_of("https://schema.org/Dataset"), letters_of("Journal article")
    ('dataset', 'journalarticle')
    """
    word = re.sub(r"^(?:https?://)?(?:schema(?:\.org/|:)|purl\.org/dc/dcmitype/|dcmitype:)", "", text.lower())
    return re.sub("[^a-z]", "", word)


def items(record: Record) -> tuple[Location, ...]:
    """Return its active locations."""
    return tuple([location for location in record.records if location.status == ACTIVE])


def texts(value: Any, *members: str) -> Iterator[str]:
    """Yield the texts of a value: a text or number itself, those in a list, and those in an object's `members`."""
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
            if member in value:  # most are absent
                yield from texts(value[member], *members)


def without_controls(text: str) -> str:
    r"""Return the text with a space for each run of control characters (C0, DEL, C1), except tabs and line ends.

    Every representation of a record applies it, except the signed document.

    >>> without_controls("a\x00\x1b[31mb\x85c\nd")
    'a [31mb c\nd'
    """
    return text if text.isprintable() else compiled(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+").sub(" ", text)


def objects(record: Record, *names: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in these members, single or in lists."""
    for value in values_of(record, names):
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, Mapping):
                yield each


def values_of(record: Record, names: tuple[str, ...]) -> list[Any]:
    """Return the values of the members that exist."""
    metadata = record.metadata
    return [metadata[name] for name in names if name in metadata] if metadata else []


def address_of(value: Mapping[str, Any]) -> str | None:
    """Return the URI of the agent or thing that an object describes, or None."""
    if _ADDRESSED.isdisjoint(value):
        return None
    return next(filter(None, map(person_uri, texts(value, *ADDRESSES))), None)


def uris_in(record: Record, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the different URIs in these members, such as `CREATORS`; there may be thousands."""
    yielded: set[str] = set()
    for value in values_of(record, names):
        for uri in _addresses(value):
            if uri not in yielded:
                yielded.add(uri)
                yield uri


def _addresses(value: Any) -> Iterator[str]:
    """Yield the URIs of a text, an object or a list of them."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _addresses(each)
    elif uri := _address(value):
        yield uri


def _address(value: Any) -> str | None:
    """Return the URI of a text or an object, or None."""
    if isinstance(value, str):
        return person_uri(value.strip())
    return address_of(value) if isinstance(value, Mapping) else None


def successor_uri(record: Record) -> str | None:
    """Return the URI of a tombstone's successor, which is a URL or an identifier of the issuer, or None."""
    successor = record.withdrawn.successor if record.withdrawn else None
    if not successor:
        return None
    return uri_of(successor) or uri_of(f"{record.issuer}/{as_path(successor)}")


def related_uris(record: Record, relation: str) -> Iterator[str]:
    """Yield the URIs in the relation `WHOLE` or `PART` to it, by schema.org, Dublin Core and DataCite."""
    if _RELATION_MEMBERS.isdisjoint(record.metadata):
        return
    yielded = {escape(record.pid)}
    for uri in chain(_addresses(record.metadata.get(relation)), _identified(record, relation.lower())):
        if uri and uri not in yielded:
            yielded.add(uri)
            yield uri


def _identified(record: Record, relation: str) -> Iterator[str | None]:
    """Yield the URIs of DataCite's related identifiers and items of this relation, which is in lower case."""
    for each in objects(record, *_RELATED):
        if str(each.get("relationType")).lower() != relation:
            continue
        item = each.get("relatedItemIdentifier")
        name, named = ("relatedItemIdentifier", item) if isinstance(item, Mapping) else ("relatedIdentifier", each)
        identifier = next(texts(named.get(name)), "")
        yield alternate_uri(str(named.get(f"{name}Type")), identifier)
