"""Agents: the people and organizations in a record's metadata, with the parts of their names if these are known.

The input is DataCite's creators (`name`, `nameType`, `givenName`, `familyName`, `nameIdentifiers`, `affiliation`),
schema.org's (`@type`, `@id`, `sameAs`), CSL's (`family`, `given`), InvenioRDM's (`person_or_org`) and plain texts. A
text with one comma is a person's name, the family name first, as in the kernel's `who`. Without a comma the name stays
whole, because its parts are unknown.

>>> for agent in agents(["Lee, Ann", "Acme, Inc.", {"name": "CERN", "nameType": "Organizational"}]):
...     print(agent.name, agent.kind, agent.family, sep="|")
Lee, Ann|Personal|Lee
Acme, Inc.||
CERN|Organizational|
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from coolid.http.formats.description.json_values import Members, each_of, language_of, last_segment, member, text_of
from coolid.http.formats.description.model import ORGANIZATIONAL, PERSONAL, Affiliation, Agent
from coolid.http.formats.description.name_identifiers import identified, identifiers_of
from coolid.http.formats.metadata_terms import NAMES, texts
from coolid.http.formats.metadata_text import line
from coolid.http.formats.uris import uri_of
from coolid.http.message import compiled

_KINDS: Final = ("nameType", "@type", "type")
_ORGANIZATIONS: Final = """
    organizational organization organisation collegeoruniversity consortium corporation educationalorganization
    fundingagency fundingscheme governmentorganization group library libraryorganization museum ngo
    newsmediaorganization project researchorganization researchproject
"""
_KIND_OF: Final = {"personal": PERSONAL, "person": PERSONAL} | dict.fromkeys(_ORGANIZATIONS.split(), ORGANIZATIONAL)
_ROLE_MEMBERS: Final = ("contributorType", "roleName", "role")
# The parts of names (DataCite and schema.org, CSL, InvenioRDM), of which one is used, with those that CSL separates.
_FAMILY: Final = ("familyName", "family", "family_name")
_GIVEN: Final = ("givenName", "given", "given_name")
# Members of an object that contains the agent: schema.org's `Role`, and InvenioRDM's creators.
_INNER: Final = ("person_or_org", "contributor", "creator", "author", "editor", "agent")
# Suffixes that follow a comma and are no given name.
_SUFFIX: Final = r"(?i)(inc|incorporated|ltd|limited|llc|llp|plc|gmbh|ag|kg|corp|co|s\.?a|e\.?v|jr|sr|ph\.?d|m\.?d)\.?"
_WITH_ORCID: Final = (
    r"(.*?\S)[\s(,;\[]+(?:(?i:orcid)(?: iD)?[: ]*)?(?:https?://orcid\.org/)?((?:[0-9]{4}-){3}[0-9]{3}[0-9X])[)\]]?"
)


def agents(value: Any, role: str = "") -> Iterator[Agent]:
    """Yield the agents that a value names, in its order; `role` is that of agents without one."""
    for item in each_of(value):
        found = _from_object(item) if isinstance(item, dict) else _from_text(text_of(item))
        yield from (agent if agent.role or not role else replace(agent, role=role) for agent in found)


def _from_text(text: str) -> Iterator[Agent]:
    """Yield the agents of a text; split it at semicolons only if all parts look like names of people."""
    several = [_person(part) for part in map(line, text.split(";")) if part]
    people = [each for each in several if each]
    if people and len(people) == len(several):
        yield from people
    elif text:
        identifier = identified(text)
        yield Agent(text, identifiers=(identifier,) if identifier and identifier.uri else ())


def _person(text: str) -> Agent | None:
    """Return a person if the name consists of two parts separated by a comma, else None; an ORCID iD may follow."""
    with_orcid = compiled(_WITH_ORCID).fullmatch(text)
    identifier = identified(with_orcid[2], "ORCID") if with_orcid else None
    name = with_orcid[1] if with_orcid and identifier and identifier.uri else text
    family, _, given = (part.strip() for part in name.partition(","))
    is_parted = bool(family and given) and "," not in given and not re.fullmatch(_SUFFIX, given) and not uri_of(name)
    own = (identifier,) if identifier and name != text else ()
    if is_parted:
        return Agent(f"{family}, {given}", PERSONAL, given, family, own)
    return Agent(name, PERSONAL, identifiers=own) if own else None


def _from_object(value: Members) -> Iterator[Agent]:
    """Yield the agent of an object if it has a name or an identifier, once for each of its roles."""
    inner = next((value[name] for name in _INNER if isinstance(value.get(name), dict | list)), None)
    roles = [role for name in _ROLE_MEMBERS for role in _roles(value.get(name))] or [""]
    affiliations = tuple(_affiliations(value))
    if inner is not None:
        found = [each if each.affiliations else replace(each, affiliations=affiliations) for each in agents(inner)]
    else:
        agent = _named(value)
        found = [replace(agent, affiliations=affiliations)] if agent else []
    yield from (agent if not role else replace(agent, role=role) for agent in found for role in roles)


def _named(value: Members) -> Agent | None:
    """Return the agent of an object without its roles and affiliations, or None if nothing names it."""
    family = _parts(value, ("non-dropping-particle",), _FAMILY)
    given = _parts(value, _GIVEN, ("dropping-particle",), ("suffix",))
    kind = next(filter(None, (_KIND_OF.get(last_segment(text).lower()) for text in texts(value, *_KINDS))), "")
    identifiers = identifiers_of(value)
    if family and kind != ORGANIZATIONAL:
        agent = Agent(f"{family}, {given}" if given else family, PERSONAL, given, family)
    else:
        named = filter(None, (line(text) for text in texts(value, *NAMES, "literal") if uri_of(text) is None))
        name = next(named, "") or given or family
        person = _person(name) if kind != ORGANIZATIONAL else None
        agent = person or Agent(name or next((each.identifier for each in identifiers), ""), kind)
    if not agent.name:
        return None
    own = tuple(dict.fromkeys((*agent.identifiers, *identifiers)))
    return replace(agent, identifiers=own, lang=language_of(value))


def _parts(value: Members, *names: tuple[str, ...]) -> str:
    """Return the parts of a name, each in the first of its members, separated by spaces."""
    return " ".join(filter(None, (member(value, *each) for each in names)))


def _roles(value: Any) -> Iterator[str]:
    """Yield the names of roles: texts, or objects with an `id` or a name."""
    for item in each_of(value):
        if text := text_of(item, "id", *NAMES):
            name = last_segment(text) if uri_of(text) else text
            yield name[0].upper() + name[1:]


def _affiliations(value: Members) -> Iterator[Affiliation]:
    """Yield the different organizations to which an agent belongs."""
    found: dict[str, Affiliation] = {}
    for item in each_of([value.get(name) for name in ("affiliation", "affiliations", "worksFor", "memberOf")]):
        identifiers = identifiers_of(item) if isinstance(item, dict) else ()
        name = text_of(item, *NAMES)
        if name or identifiers:
            affiliation = Affiliation(name or identifiers[0].identifier, next(iter(identifiers), None))
            found.setdefault(affiliation.name, affiliation)
    yield from found.values()
