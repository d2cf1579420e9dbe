"""Agents: the people and organizations in a record's metadata, with the parts of their names if these are known.

The input is DataCite's creators (`name`, `nameType`, `givenName`, `familyName`, `nameIdentifiers`, `affiliation`),
schema.org's (`@type`, `@id`), CSL's (`family`, `given`) and plain texts. A text with one comma is a person's name, the
family name first, as in the kernel's `who`. Without a comma the name stays whole, because its parts are unknown.

>>> for agent in agents(["Lee, Ann", "Acme, Inc.", {"name": "CERN", "nameType": "Organizational"}]):
...     print(agent.family, agent.given, agent.name)
Lee Ann Lee, Ann
None None Acme, Inc.
None None CERN
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.formats.metadata_terms import NAMES, address_of, texts
from coolid.http.formats.metadata_text import line
from coolid.http.formats.uris import person_uri, uri_of

_KINDS: Final = ("nameType", "@type", "type")
_ORGANIZATIONS: Final = ("organizational", "organization", "organisation")
# Suffixes that follow a comma and are no given name.
_SUFFIX: Final = r"(?i)(inc|incorporated|ltd|limited|llc|llp|plc|gmbh|ag|kg|corp|co|s\.?a|e\.?v|jr|sr|ph\.?d|m\.?d)\.?"


class Agent(Struct, frozen=True):
    """A person or organization; `name` is `Family, Given` if the parts are known."""

    name: str
    family: str | None = None
    given: str | None = None
    uri: str | None = None
    is_organization: bool = False
    affiliations: tuple[str, ...] = ()


def agents(value: Any) -> Iterator[Agent]:
    """Yield the agents that a value names, in its order."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from agents(each)
    elif isinstance(value, Mapping):
        yield from _from_object(value)
    elif isinstance(value, str):
        yield from _from_text(line(value))
    else:
        for text in texts(value):
            yield Agent(text)


def _from_text(text: str) -> Iterator[Agent]:
    """Yield the agents of a text; split it at semicolons only if all parts look like names of people."""
    several = [_person(part) for part in map(line, text.split(";")) if part]
    people = [each for each in several if each]
    if people and len(people) == len(several):
        yield from people
    elif text:
        yield Agent(text, uri=person_uri(text))


def _person(name: str) -> Agent | None:
    """Return a person if the name consists of two parts separated by a comma, else None."""
    family, _, given = (part.strip() for part in name.partition(","))
    if not family or not given or "," in given or re.fullmatch(_SUFFIX, given) or uri_of(name):
        return None
    return Agent(f"{family}, {given}", family, given)


def _from_object(value: Mapping[str, Any]) -> Iterator[Agent]:
    """Yield the agent of an object if it has a name or a URI."""
    uri = address_of(value)
    family, given = _part(value, ("familyName", "family")), _part(value, ("givenName", "given"))
    is_organization = any(text.lower().rpartition("/")[2] in _ORGANIZATIONS for text in texts(value, *_KINDS))
    affiliations = tuple(dict.fromkeys(filter(None, map(line, texts(value.get("affiliation"), "name")))))
    if family and not is_organization:
        agent = Agent(f"{family}, {given}" if given else family, family, given or None)
    else:
        named = filter(None, (line(text) for text in texts(value, *NAMES) if uri_of(text) is None))
        name = next(named, "") or given or family
        agent = (None if is_organization else _person(name)) or Agent(name or uri or "")
    if agent.name:
        yield replace(agent, uri=uri, is_organization=is_organization, affiliations=affiliations)


def _part(value: Mapping[str, Any], members: tuple[str, ...]) -> str:
    return next(filter(None, (line(text) for member in members for text in texts(value.get(member)))), "")
