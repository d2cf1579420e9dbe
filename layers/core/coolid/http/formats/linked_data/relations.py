"""Related things in schema.org: the relations of DataCite 4.6 that schema.org has a property for, the others as roles.

>>> relations((Related("IsDerivedFrom", "https://doi.org/10.1000/182", "URL"),))
{'isBasedOn': [{'@id': 'https://doi.org/10.1000/182', '@type': 'CreativeWork'}]}
"""

from collections.abc import Sequence
from typing import Final

from coolid.http.formats.description.model import Related
from coolid.http.formats.linked_data.agents import ORGANIZATION, in_role, node_of
from coolid.http.formats.linked_data.nodes import Node, compact
from coolid.http.formats.metadata_terms import ANY, TYPES, letters_of
from coolid.http.formats.metadata_text import iso_date

_PROPERTIES: Final = {
    "IsPartOf": "isPartOf",
    "IsPublishedIn": "isPartOf",
    "HasPart": "hasPart",
    "Cites": "citation",
    "References": "citation",
    "IsDerivedFrom": "isBasedOn",
    "IsVersionOf": "exampleOfWork",
    "HasVersion": "workExample",
    "IsTranslationOf": "translationOfWork",
    "HasTranslation": "workTranslation",
    "Describes": "about",
    "Documents": "about",
    "IsDescribedBy": "subjectOf",
    "IsDocumentedBy": "subjectOf",
}
_IDENTICAL: Final = "IsIdenticalTo"
_MENTION: Final = "mentions"
PAGED: Final = frozenset({"Article", "Chapter", "ScholarlyArticle", "NewsArticle", "TechArticle", "Report", "Thesis"})
"""The types that have pages."""


def relations(related: Sequence[Related], kind: str = ANY) -> Node:
    """Return the properties that name the related things of a thing of this type, each with a list."""
    found: dict[str, list[Node | str]] = {}
    for each in related:
        if each.relation == _IDENTICAL and each.uri:
            found.setdefault("sameAs", []).append(each.uri)
            continue
        name = _PROPERTIES.get(each.relation)
        node = _contained(each, kind) if name == "isPartOf" else _thing(each)
        if name is None:
            name, node = _MENTION, in_role(_MENTION, each.relation, node) if each.relation else node
        found.setdefault(name, []).append(node)
        if name == "isPartOf" and kind in PAGED:
            found |= {key: [text] for key, text in _pages(each).items() if key not in found}
    return found


def type_of(each: Related) -> str:
    """Return the schema.org type of a related thing."""
    return TYPES.get(letters_of(each.schema_type or each.resource_type), ANY)


def _thing(each: Related) -> Node:
    own = each.identifier if each.uri is None else ""
    return compact(
        {
            "@id": each.uri,
            "@type": type_of(each),
            "name": [title.text for title in each.titles],
            "identifier": own and compact({"@type": "PropertyValue", "propertyID": each.type, "value": own}),
            "creator": [node_of(agent) for agent in each.creators],
            "contributor": [node_of(agent) for agent in each.contributors],
            "publisher": each.publisher and {"@type": ORGANIZATION, "name": each.publisher},
            "datePublished": iso_date(each.year) or "",
            "position": each.number,
            "version": each.edition,
            "schemaVersion": [text for text in (each.metadata_scheme, each.scheme_uri) if text],
        }
    )


def _contained(each: Related, kind: str) -> Node:
    """Return the publication that contains a thing, within its volume and issue."""
    node = _thing(each)
    if each.volume:
        node = {"@type": "PublicationVolume", "volumeNumber": each.volume, "isPartOf": node}
    pages = {} if kind in PAGED else _pages(each)
    if each.issue or (pages and not each.volume):
        node = compact({"@type": "PublicationIssue", "issueNumber": each.issue, "isPartOf": node})
    return {**node, **pages}


def _pages(each: Related) -> Node:
    return compact({"pageStart": each.first_page, "pageEnd": each.last_page})
