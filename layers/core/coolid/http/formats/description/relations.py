"""The things to which a thing is related: DataCite's related identifiers and items, and the members of schema.org.

Source: DataCite Metadata Schema 4.6, properties 12 (RelatedIdentifier) and 20 (RelatedItem), appendix 1, tables 6 and
9; schema.org 29; DCMI Metadata Terms. The publication that contains the thing (`container`, `isPartOf`) is one of them.

"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.datacite_terms import IDENTIFIER_TYPES, RELATION_TYPES, TITLE_TYPES, canonical
from coolid.http.formats.description.model import CONTAINERS, Related, TypedText
from coolid.http.formats.description.values import (
    Members,
    each_of,
    in_members,
    last_segment,
    member,
    merged,
    term,
    text_of,
    texts_of,
)
from coolid.http.formats.description.work_types import KINDS
from coolid.http.formats.metadata_text import iso_date
from coolid.http.formats.uris import uri_of
from coolid.http.message import compiled
from coolid.identifiers import percent_encoding

SCHEMA_RELATIONS: Final = {
    "isPartOf": "IsPartOf",
    "hasPart": "HasPart",
    "citation": "Cites",
    "isBasedOn": "IsDerivedFrom",
    "exampleOfWork": "IsVersionOf",
    "workExample": "HasVersion",
    "translationOfWork": "IsTranslationOf",
    "workTranslation": "HasTranslation",
    "supersededBy": "IsObsoletedBy",
    "review": "IsReviewedBy",
    "itemReviewed": "Reviews",
    "subjectOf": "IsDescribedBy",
}
"""DataCite's relations by the properties of schema.org that mean the same."""
DUBLIN_CORE_RELATIONS: Final = {
    "references": "References",
    "isReferencedBy": "IsReferencedBy",
    "isVersionOf": "IsVersionOf",
    "hasVersion": "HasVersion",
    "isReplacedBy": "IsObsoletedBy",
    "replaces": "Obsoletes",
    "requires": "Requires",
    "isRequiredBy": "IsRequiredBy",
    "isFormatOf": "IsVariantFormOf",
    "hasFormat": "IsOriginalFormOf",
    "source": "IsDerivedFrom",
    "relation": "",
}
"""DataCite's relations by the terms of Dublin Core that mean the same; `relation` names none."""

_PUBLISHED_IN: Final = CONTAINERS[0]
_LISTS: Final = ("relatedIdentifiers", "related_identifiers", "relatedItems")
_CONTAINERS: Final = ("container", "container-title")
_POSITION: Final = (
    "volume",
    "volumeNumber",
    "issue",
    "issueNumber",
    "page",
    "pages",
    "pagination",
    "pageStart",
    "pageEnd",
)
_TYPES: Final = {name.lower(): name for name in IDENTIFIER_TYPES} | {"hdl": "Handle", "uri": "URL", "pubmed": "PMID"}
# The types of identifiers that are recognised without a name, and the part of them that stays.
_PATTERNS: Final = (
    ("DOI", r"(?i)(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9.]+/.+)"),
    ("ARK", r"(?i)(?:https?://[^/]+/)?(ark:/?[0-9a-z]+/.+)"),
    ("arXiv", r"(?i)((?:arxiv:\s*).+)"),
    ("URN", r"(?i)(urn:.+)"),
    ("Handle", r"(?i)(?:https?://hdl\.handle\.net/|hdl:\s*)(.+)"),
    ("PMID", r"(?i)pmid:\s*([0-9]+)"),
    ("ISSN", r"(?i)(?:issn:?\s*)?([0-9]{4}-[0-9]{3}[0-9X])"),
    ("ISBN", r"(?i)(?:isbn(?:-1[03])?:?\s*)((?:[0-9][ -]?){9,12}[0-9X])"),
)

MEMBERS: Final = frozenset((*SCHEMA_RELATIONS, *DUBLIN_CORE_RELATIONS, *_LISTS, *_CONTAINERS, *_POSITION))
"""The members that this module reads."""


def related(metadata: Members) -> tuple[Related, ...]:
    """Return the related things, those with the same relation and identifier or title joined."""
    return merged(_all(metadata), _keys)


def identifier_of(text: str, kind: str = "") -> tuple[str, str]:
    """Return an identifier and its type in DataCite's words, which may be unknown.

    >>> identifier_of("https://doi.org/10.1000/182"), identifier_of("x1", "accession")
    (('10.1000/182', 'DOI'), ('x1', 'accession'))
    """
    name = _TYPES.get(kind.lower(), kind)
    if name:
        pattern = dict(_PATTERNS).get(name) if name in ("DOI", "Handle", "PMID") else None
        found = compiled(pattern).fullmatch(text) if pattern else None
        return (_decoded(text, found[1]), name) if found else (text, name)
    for candidate, pattern in _PATTERNS:
        if found := compiled(pattern).fullmatch(text):
            return _decoded(text, found[1]), candidate
    return text, "URL" if uri_of(text) else ""


def _decoded(text: str, identifier: str) -> str:
    """Return an identifier as it is outside of the URL from which it comes."""
    if text == identifier or not text.lower().startswith("http"):
        return identifier
    return percent_encoding.decode(identifier).decode(errors="replace")


def _all(metadata: Members) -> Iterator[Related]:
    for each in in_members(metadata, _LISTS):
        yield from _of_thing(each, "")
    for each in in_members(metadata, _CONTAINERS):
        yield from (_with_position(found, metadata) for found in _of_thing(each, _PUBLISHED_IN))
    for name, relation in (SCHEMA_RELATIONS | DUBLIN_CORE_RELATIONS).items():
        for each in each_of(metadata.get(name)):
            if name != "hasVersion" or not isinstance(each, int | float):
                yield from _of_thing(each, relation)


def _of_thing(value: Any, relation: str) -> Iterator[Related]:
    """Yield the related thing of a text, an identifier or an object; `relation` holds if the value has none."""
    if not isinstance(value, Mapping):
        if text := text_of(value):
            identifier, kind = identifier_of(text)
            yield Related(relation, identifier, kind) if kind else Related(relation, titles=(TypedText(text),))
        return
    thing = _described(value)
    written = member(value, "relationType", "relation_type") or text_of(value.get("relation_type"), "id")
    thing = replace(thing, relation=canonical(written, RELATION_TYPES) or written or relation)
    if thing.titles or thing.identifier:
        yield thing
    if not thing.titles and isinstance(value.get("isPartOf"), Mapping | list):
        yield from (_joined(each, thing) for inner in each_of(value["isPartOf"]) for each in _of_thing(inner, relation))


def _joined(container: Related, inner: Related) -> Related:
    """Return schema.org's container with the volume and issue of the part of it that contains the thing."""
    return replace(
        container,
        volume=container.volume or inner.volume,
        issue=container.issue or inner.issue,
        first_page=container.first_page or inner.first_page,
        last_page=container.last_page or inner.last_page,
    )


def _described(value: Members) -> Related:
    """Return the thing of an object without its relation."""
    identifier, kind = _identifier(value)
    named = member(value, "resourceTypeGeneral", "relatedItemType", "@type", "type") or text_of(
        value.get("resource_type"), "id"
    )
    first, last = _pages(value)
    return Related(
        identifier=identifier,
        type=kind,
        resource_type=general_type(named),
        metadata_scheme=member(value, "relatedMetadataScheme"),
        scheme_uri=member(value, "schemeUri", "schemeURI"),
        schema_type=member(value, "schemeType"),
        titles=tuple(titles(value, ("titles", "title", "name", "headline"))),
        creators=tuple(agents([value.get(name) for name in ("creators", "creator", "author")])),
        contributors=tuple(agents(value.get("contributors"), "Other")),
        year=_year(member(value, "publicationYear", "datePublished")),
        publisher=text_of(value.get("publisher")),
        volume=member(value, "volume", "volumeNumber"),
        issue=member(value, "issue", "issueNumber"),
        number=member(value, "number"),
        number_type=member(value, "numberType"),
        first_page=first,
        last_page=last,
        edition=member(value, "edition", "bookEdition"),
    )


def _year(text: str) -> str:
    return (iso_date(text) or text)[:4] if text else ""


def _identifier(value: Members) -> tuple[str, str]:
    """Return the identifier of an object with its type."""
    item = value.get("relatedItemIdentifier")
    named = item if isinstance(item, Mapping) else value
    types = ("relatedItemIdentifierType", "relatedIdentifierType", "identifierType", "propertyID", "scheme")
    inner = next((each for each in each_of(value.get("identifier")) if isinstance(each, Mapping)), {})
    text = member(named, "relatedItemIdentifier", "relatedIdentifier", "doi", "DOI", "identifier", "@id", "id")
    text = (
        text
        or member(inner, "value", "identifier", "@id")
        or member(value, "url", "uri", "sameAs", "issn", "ISSN", "isbn")
    )
    if text.startswith(("_:", "#")):
        text = ""
    return identifier_of(text, member(named, *types) or member(inner, "propertyID", "scheme")) if text else ("", "")


def _pages(value: Members) -> tuple[str, str]:
    """Return the first and last page, which may be one text with a dash."""
    first = member(value, "firstPage", "pageStart", "first_page")
    last = member(value, "lastPage", "pageEnd", "last_page")
    if not first and (text := member(value, "pages", "page", "pagination")):
        first, last, *_ = *re.split(r"\s*[-\u2013\u2014]+\s*", text, maxsplit=1), ""
    return first, last


def _with_position(container: Related, metadata: Members) -> Related:
    """Return the container with the position that the metadata itself states, as CSL does."""
    first, last = _pages(metadata)
    volume, issue = member(metadata, "volume", "volumeNumber"), member(metadata, "issue", "issueNumber")
    return _joined(container, Related(volume=volume, issue=issue, first_page=first, last_page=last))


def titles(value: Members, names: tuple[str, ...], kind: str = "") -> Iterator[TypedText]:
    """Yield the titles in these members; `kind` is the type of those without one."""
    for item in in_members(value, names):
        written = term(item, "titleType", "type") if isinstance(item, Mapping) else ""
        written = canonical(written, TITLE_TYPES) or written
        yield from (TypedText(text, written or kind, lang) for text, lang in texts_of(item))


def general_type(text: str) -> str:
    """Return the general type of DataCite for a type of any vocabulary; empty for `Other`, which says nothing."""
    word = re.sub("[^a-z]", "", last_segment(text).lower())
    return KINDS[word].general if word in KINDS else ""


def _keys(each: Related) -> Iterator[tuple[str, ...]]:
    """Yield what identifies a related thing: its identifier, or its title if it has none or contains the thing."""
    if each.identifier:
        yield "identifier", each.relation, each.identifier
    if each.title and each.relation in CONTAINERS:  # the same publication, stated twice
        yield "container", each.title
    elif each.title and not each.identifier:
        yield "title", each.relation, each.title
