"""People and organizations in schema.org: creators, publishers, contributors and funders.

>>> node_of(Agent("Lee, Ann", family="Lee", given="Ann"))
{'@type': 'Person', 'name': 'Lee, Ann', 'givenName': 'Ann', 'familyName': 'Lee'}
"""

from collections.abc import Iterable
from typing import Final

from coolid.http.formats.description.model import (
    PERSONAL,
    Affiliation,
    Agent,
    Description,
    Funding,
    NameIdentifier,
)
from coolid.http.formats.linked_data.nodes import Node, compact
from coolid.http.formats.uris import uri_of

ORGANIZATION: Final = "Organization"
PERSON: Final = "Person"

_PROPERTIES: Final = {
    "Distributor": "provider",
    "Editor": "editor",
    "HostingInstitution": "provider",
    "Producer": "producer",
    "RightsHolder": "copyrightHolder",
    "Sponsor": "sponsor",
    "Translator": "translator",
}
"""The properties of CreativeWork for types of contributors; the other types become roles."""


def attributions(thing: Description) -> Node:
    """Return the properties that name the agents of a thing."""
    found: dict[str, list[Node]] = {
        "creator": [node_of(each) for each in thing.creators],
        "publisher": [node_of(each, ORGANIZATION) for each in thing.publishers],
    }
    for each in thing.contributors:
        name = _PROPERTIES.get(each.role, "contributor")
        node = node_of(each)
        if name == "contributor" and each.role and each.role != "Other":
            node = in_role(name, each.role, node)
        found.setdefault(name, []).append(node)
    grants = [_grant(each) for each in thing.funding]
    return {**found, "funder": _distinct(each["funder"] for each in grants), "funding": grants}


def node_of(agent: Agent, default: str | None = None) -> Node:
    """Return the node of an agent, of the `default` type if it may be a person or an organization."""
    kind = _kind(agent) or default
    uris = list(dict.fromkeys(filter(None, (each.uri for each in agent.identifiers))))
    affiliations = [_affiliation(each) for each in agent.affiliations]
    return compact(
        {
            "@id": agent.uri,
            "@type": kind,
            "name": agent.name,
            "givenName": agent.given,
            "familyName": agent.family,
            "identifier": [_property_value(each) for each in agent.identifiers if each.uri is None],
            "sameAs": uris,
            "parentOrganization" if kind == ORGANIZATION else "affiliation": affiliations,
        }
    )


def in_role(name: str, role: str, node: Node) -> Node:
    """Return the value of a property with a role, by schema.org's pattern: the role repeats the property."""
    return {"@type": "Role", "roleName": role, name: node}


def _kind(agent: Agent) -> str | None:
    if agent.is_organization:
        return ORGANIZATION
    is_person = agent.kind == PERSONAL or agent.family or agent.orcid or agent.affiliations
    return PERSON if is_person else None


def _affiliation(each: Affiliation) -> Node:
    identifier = each.identifier
    uri = identifier.uri if identifier else None
    own = _property_value(identifier) if identifier and uri is None else None
    return compact({"@id": uri, "@type": ORGANIZATION, "name": each.name, "identifier": own, "sameAs": uri})


def _property_value(identifier: NameIdentifier) -> Node:
    return compact({"@type": "PropertyValue", "propertyID": identifier.scheme, "value": identifier.identifier})


def _grant(each: Funding) -> Node:
    uri = uri_of(each.identifier)
    own = None
    if each.identifier and uri is None:
        own = compact({"@type": "PropertyValue", "propertyID": each.identifier_type, "value": each.identifier})
    funder = {"@id": uri, "@type": ORGANIZATION, "name": each.name, "identifier": own, "sameAs": uri}
    award = uri_of(each.award_uri)
    return compact(
        {
            "@id": award,
            "@type": "Grant",
            "name": each.award_title,
            "identifier": each.award_number and {"@type": "PropertyValue", "value": each.award_number},
            "url": award,
            "funder": compact(funder),
        }
    )


def _distinct(nodes: Iterable[Node]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        if node not in found:
            found.append(node)
    return found
