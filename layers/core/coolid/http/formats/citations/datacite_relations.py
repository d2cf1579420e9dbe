"""Related things in the properties of DataCite: related identifiers, and related items, which have titles.

A thing with an identifier of a type in DataCite's list is a related identifier. A thing with titles, or with another
identifier, is a related item. Thus a thing may be both. An unknown relation is `References`, the most general one.
"""

from collections.abc import Iterator
from typing import Any, Final

from coolid.http.formats.citations.datacite_parts import (
    brief_properties,
    contributor_type,
    text_properties,
    without_empty,
)
from coolid.http.formats.description.datacite_terms import (
    IDENTIFIER_TYPES,
    NUMBER_TYPES,
    OTHER,
    RELATION_TYPES,
    TITLE_TYPES,
    canonical,
)
from coolid.http.formats.description.model import Agent, Related
from coolid.http.formats.uris import uri_of

_UNKNOWN_RELATION: Final = "References"


def related_identifiers(related: tuple[Related, ...]) -> Iterator[dict[str, str]]:
    """Yield the things that have an identifier of a type in the list."""
    for each in related:
        if kind := _identifier_type(each):
            members = {
                "relatedIdentifier": each.identifier,
                "relatedIdentifierType": kind,
                "relationType": _relation(each),
                "relatedMetadataScheme": each.metadata_scheme,
                "schemeUri": each.scheme_uri,
                "schemeType": each.schema_type,
                "resourceTypeGeneral": each.resource_type,
            }
            yield without_empty(members)


def related_items(related: tuple[Related, ...]) -> Iterator[dict[str, Any]]:
    """Yield the things that have titles, or an identifier that only an item can have."""
    for each in related:
        if each.titles or not _identifier_type(each):
            yield _item(each)


def _item(each: Related) -> dict[str, Any]:
    members = {
        "relatedItemType": each.resource_type or OTHER,
        "relationType": _relation(each),
        "relatedItemIdentifier": _item_identifier(each),
        "creators": [brief_properties(agent) for agent in each.creators],
        "titles": [text_properties(title, "title", TITLE_TYPES) for title in each.titles]
        or [{"title": each.identifier}],
        "publicationYear": each.year,
        "volume": each.volume,
        "issue": each.issue,
        "number": each.number,
        "numberType": each.number and each.number_type and (canonical(each.number_type, NUMBER_TYPES) or OTHER),
        "firstPage": each.first_page,
        "lastPage": each.last_page,
        "publisher": each.publisher,
        "edition": each.edition,
        "contributors": [_contributor(agent) for agent in each.contributors],
    }
    return without_empty(members)


def _item_identifier(each: Related) -> dict[str, str]:
    members = {
        "relatedItemIdentifier": each.identifier,
        "relatedItemIdentifierType": _identifier_type(each),
        "relatedMetadataScheme": each.metadata_scheme,
        "schemeUri": each.scheme_uri,
        "schemeType": each.schema_type,
    }
    return without_empty(members) if each.identifier and each.titles else {}


def _contributor(agent: Agent) -> dict[str, Any]:
    return {**brief_properties(agent), "contributorType": contributor_type(agent)}


def _identifier_type(each: Related) -> str:
    """Return the type of the identifier by DataCite's list, or an empty text."""
    kind = each.type if each.type in IDENTIFIER_TYPES else ""
    return kind or ("URL" if each.identifier and uri_of(each.identifier) else "")


def _relation(each: Related) -> str:
    return each.relation if each.relation in RELATION_TYPES else _UNKNOWN_RELATION
