"""The things to which a thing is related: DataCite's related identifiers and items, and the members of schema.org.

Source: DataCite Metadata Schema 4.6, properties 12 (RelatedIdentifier) and 20 (RelatedItem), appendix 1, tables 6 and
9; schema.org 29; DCMI Metadata Terms. The publication that contains the thing (`container`, `isPartOf`) is one of them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.datacite_terms import RELATION_TYPES, canonical
from coolid.http.formats.description.json_values import (
    Members,
    each_of,
    in_members,
    member,
    merged,
    text_of,
)
from coolid.http.formats.description.model import CONTAINERS, Related, TypedText
from coolid.http.formats.description.titles import titles_in
from coolid.http.formats.description.typed_identifiers import identifier_of
from coolid.http.formats.description.work_types import general_type
from coolid.http.formats.metadata_text import iso_date

_SCHEMA_ORG: Final = {
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
_DUBLIN_CORE: Final = {
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
MEMBERS: Final = frozenset((*_SCHEMA_ORG, *_DUBLIN_CORE, *_LISTS, *_CONTAINERS, *_POSITION))
"""The members that this module reads."""


def related(metadata: Members) -> tuple[Related, ...]:
    """Return the related things, those with the same relation and identifier or title joined."""
    return merged(_all(metadata), _keys)


def _all(metadata: Members) -> Iterator[Related]:
    for each in in_members(metadata, _LISTS):
        yield from _of_thing(each, "")
    for each in in_members(metadata, _CONTAINERS):
        yield from (_with_position(found, metadata) for found in _of_thing(each, _PUBLISHED_IN))
    # In a document of DataCite's API, `source` is the way in which the DOI was registered.
    unrelated = ("source",) if "datacite.org" in text_of(metadata.get("schemaVersion")) else ()
    for name, relation in (_SCHEMA_ORG | _DUBLIN_CORE).items():
        if name in unrelated:
            continue
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
        titles=tuple(titles_in(value, ("titles", "title", "name", "headline"))),
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


def _keys(each: Related) -> Iterator[tuple[str, ...]]:
    """Yield what identifies a related thing: its identifier, or its title if it has none or contains the thing."""
    if each.identifier:
        yield "identifier", each.relation, each.identifier
    if each.title and each.relation in CONTAINERS:  # the same publication, stated twice
        yield "container", each.title
    elif each.title and not each.identifier:
        yield "title", each.relation, each.title
