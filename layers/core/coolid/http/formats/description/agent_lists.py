"""The creators, publishers and contributors of a thing, each once, whichever members name them.

A structured agent and a plain name of the same agent are one: the structured one remains, and its empty parts are
filled. Names are the same regardless of case, accents and order of their words, and with initials if only one matches.

>>> [each.name for each in creators({"who": ["Lee, A.", "CERN"], "creators": [{"name": "Ann Lee"}]})]
['Lee, Ann', 'CERN']
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from unicodedata import combining, normalize

from msgspec.structs import replace

from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.datacite_terms import CONTRIBUTOR_TYPES, OTHER, canonical
from coolid.http.formats.description.json_values import Members, in_members, text_of
from coolid.http.formats.description.model import EDITOR, Affiliation, Agent
from coolid.http.formats.metadata_terms import CREATORS

ROLES: Final = {
    "editor": EDITOR,
    "translator": "Translator",
    "producer": "Producer",
    "sponsor": "Sponsor",
    "copyrightHolder": "RightsHolder",
    "maintainer": "DataManager",
    "provider": "Distributor",
}
"""The roles of contributors by the properties of schema.org that mean the same."""

_ROLES: Final = ROLES | {"editors": EDITOR, "rightsHolder": "RightsHolder", "contactPoint": "ContactPerson"}
_PUBLISHERS: Final = ("publisher", "publishers")
_CONTRIBUTORS: Final = ("contributors", "contributor")
_MAX_COMPARED: Final = 20_000
"""The most pairs of agents that are compared by initials."""

MEMBERS: Final = frozenset((*CREATORS, *_PUBLISHERS, *_CONTRIBUTORS, *_ROLES))
"""The members that this module reads."""


def creators(metadata: Members) -> tuple[Agent, ...]:
    """Return the creators, in the order of the member that has most; of equally long ones the first."""
    lists = [[replace(each, role="") for each in agents(metadata.get(name))] for name in CREATORS]
    ordered = sorted(lists, key=len, reverse=True)
    return joined(ordered)


def publishers(metadata: Members) -> tuple[Agent, ...]:
    """Return the publishers; a text is the name of an organization, even if it has a comma."""
    return joined(
        [replace(each, role="") for item in in_members(metadata, [name]) for each in _whole(item)]
        for name in _PUBLISHERS
    )


def contributors(metadata: Members) -> tuple[Agent, ...]:
    """Return the contributors with their roles, by DataCite's names for those that it has."""
    groups = [list(agents(metadata.get(name), OTHER)) for name in _CONTRIBUTORS]
    groups += ([replace(each, role=role) for each in agents(metadata.get(name))] for name, role in _ROLES.items())
    return joined(
        [replace(each, role=canonical(each.role, CONTRIBUTOR_TYPES) or each.role) for each in group] for group in groups
    )


def joined(groups: Iterable[list[Agent]]) -> tuple[Agent, ...]:
    """Return the agents of all groups in order, joined with the same agents of earlier groups.

    Two people in one group stay two, even if they have one name; only exact repetitions are left out.
    """
    distinct: list[Agent] = []
    for group in groups:
        positions = {key: at for at, each in reversed(list(enumerate(distinct))) for key in _keys(each)}
        words = [set(_words(each.name)) for each in distinct]
        is_small = len(words) * len(group) <= _MAX_COMPARED
        free = set(range(len(distinct)))  # those that no other agent of this group has filled
        for agent in dict.fromkeys(group):
            same = (positions[key] for key in _keys(agent) if key in positions)
            at = next((at for at in same if at in free and _fits(agent, distinct[at])), None)
            if at is None and is_small:
                at = _abbreviated(agent, {at: distinct[at] for at in free}, words)
            if at is None:
                distinct.append(agent)
            else:
                distinct[at] = _richer(distinct[at], agent)
                free.discard(at)
    return tuple(distinct)


def _fits(first: Agent, second: Agent) -> bool:
    """Return whether no identifiers of one scheme contradict that two agents are the same."""
    mine, other = ({each.scheme: each.identifier for each in agent.identifiers} for agent in (first, second))
    return all(mine[scheme] == other[scheme] for scheme in mine.keys() & other.keys())


def _whole(value: object) -> Iterator[Agent]:
    """Yield the agents of an object, or one with the whole text as its name."""
    if isinstance(value, dict):
        for agent in agents(value):
            is_split = agent.family and not any(name in value for name in ("familyName", "family", "givenName"))
            yield replace(agent, name=text_of(value), family="", given="", kind="") if is_split else agent
    elif text := text_of(value):
        yield from ([Agent(text)] if "," in text or ";" in text else agents(text))


def _keys(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield the identifiers of an agent, and its name without case, accents, order and punctuation, with its role."""
    yield from ((agent.role, each.identifier) for each in agent.identifiers)
    yield agent.role, " ".join(sorted(_words(agent.name))) or agent.name


def _words(name: str) -> list[str]:
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    return re.findall(r"\w+", plain.casefold())


def _abbreviated(agent: Agent, others: Mapping[int, Agent], words: list[set[str]]) -> int | None:
    """Return the position of the only agent with the same words, some as initials, and no other identifier."""
    mine = set(_words(agent.name))
    found = [
        at
        for at, other in others.items()
        if agent.role == other.role
        and not (agent.identifiers and other.identifiers)
        and _differ_by_initials(mine, words[at])
    ]
    return found[0] if len(found) == 1 else None


def _differ_by_initials(mine: set[str], words: set[str]) -> bool:
    """Return whether the words that only one name has are initials of those that only the other has."""
    if not mine & words or len(mine) != len(words) or mine == words:
        return False
    pairs = zip(sorted(mine - words), sorted(words - mine), strict=True)
    return all(one[0] == two[0] and 1 in (len(one), len(two)) for one, two in pairs)


def _richer(first: Agent, second: Agent) -> Agent:
    """Return one agent with the parts of both; the name is the one with more letters, else that in parts."""
    better, other = sorted((first, second), key=_rank, reverse=True)
    if other.family and not better.family and better.name.endswith(f" {other.family}"):
        given = better.name.removesuffix(other.family).strip()
        better = replace(better, name=f"{other.family}, {given}", family=other.family, given=given)
    identifiers = {each.identifier: each for each in (*other.identifiers, *better.identifiers)}
    order = dict.fromkeys(each.identifier for each in (*better.identifiers, *other.identifiers))
    return replace(
        better,
        kind=better.kind or other.kind,
        lang=better.lang or other.lang,
        identifiers=tuple(identifiers[each] for each in order),
        affiliations=_affiliations(better, other),
    )


def _affiliations(better: Agent, other: Agent) -> tuple[Affiliation, ...]:
    """Return the affiliations of both, each name once, with its identifier if one of them has it."""
    found = {each.name: each for each in (*better.affiliations, *other.affiliations)}
    found |= {each.name: each for each in (*other.affiliations, *better.affiliations) if each.identifier}
    return tuple(found.values())


def _rank(agent: Agent) -> tuple[int, bool, int]:
    letters = sum(map(len, _words(agent.name))) if not agent.name.startswith("http") else 0
    return letters, bool(agent.family), len(agent.identifiers) + len(agent.affiliations)
