"""Parts that several properties of DataCite have: agents, and texts with a type.

>>> agent_properties(Agent("Lee, Ann", "Personal", "Ann", "Lee"))
{'name': 'Lee, Ann', 'nameType': 'Personal', 'givenName': 'Ann', 'familyName': 'Lee'}
"""

from collections.abc import Mapping
from typing import Any

from coolid.http.formats.description.datacite_terms import CONTRIBUTOR_TYPES, OTHER, canonical
from coolid.http.formats.description.model import Affiliation, Agent, NameIdentifier, TypedText


def agent_properties(agent: Agent) -> dict[str, Any]:
    """Return an agent with all its properties."""
    members = {
        **brief_properties(agent),
        "nameIdentifiers": [_identifier(each) for each in agent.identifiers],
        "affiliation": [_affiliation(each) for each in agent.affiliations],
        "lang": agent.lang,
    }
    return without_empty(members)


def contributor_properties(agent: Agent) -> dict[str, Any]:
    """Return an agent with its role, which is `Other` if DataCite's list lacks it."""
    return {**agent_properties(agent), "contributorType": contributor_type(agent)}


def brief_properties(agent: Agent) -> dict[str, Any]:
    """Return the name of an agent and its parts, which is all that related items have."""
    members = {"nameType": agent.kind, "givenName": agent.given, "familyName": agent.family}
    return {"name": agent.name, **without_empty(members)}


def contributor_type(agent: Agent) -> str:
    """Return DataCite's type of a contributor."""
    return agent.role if agent.role in CONTRIBUTOR_TYPES else OTHER


def text_properties(each: TypedText, name: str, terms: tuple[str, ...]) -> dict[str, str]:
    """Return a title or description; a type that the list of terms lacks is `Other`."""
    kind = (canonical(each.type, terms) or OTHER) if each.type else ""
    return without_empty({name: each.text, f"{name}Type": kind, "lang": each.lang})


def without_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value}


def _identifier(each: NameIdentifier) -> dict[str, str]:
    members = {
        "nameIdentifier": each.identifier,
        "nameIdentifierScheme": each.scheme or ("URL" if each.uri else OTHER),
        "schemeUri": each.scheme_uri,
    }
    return without_empty(members)


def _affiliation(each: Affiliation) -> dict[str, str]:
    identifier = each.identifier
    members = {
        "name": each.name,
        "affiliationIdentifier": identifier and identifier.identifier,
        "affiliationIdentifierScheme": identifier and (identifier.scheme or ("URL" if identifier.uri else OTHER)),
        "schemeUri": identifier and identifier.scheme_uri,
    }
    return without_empty(members)
