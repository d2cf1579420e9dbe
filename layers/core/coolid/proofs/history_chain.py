"""Histories: the versions of a record as a chain, each naming the digest of the one before.

A chain says more than its links: that nothing between was left out, altered or put in later. Where versions are
missing, what is there must still fit together.

>>> from msgspec.structs import replace
>>> first = VersionLink("https://id.example.org/a", "a", "r", 1, "2025-07-10T14:22:30Z", "2025-07-10T14:22:30Z", "active",
...              "sha-256=:1:", None)
>>> second = replace(first, version=2, digest="sha-256=:2:", previous="sha-256=:1:")
>>> (check,), complete = follow(second, [first])
>>> check.detail, complete
('versions 1 to 2 are a chain, each with the digest of the one before', True)
>>> (check,), complete = follow(second, [])
>>> check.detail, complete
('version 1 was not given; version 2 by itself contradicts nothing', False)
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from coolid.model.records import WITHDRAWN
from coolid.proofs.verdicts import CheckOutcome, shown

CHAIN: Final = "chain"
_CONSTANT: Final = ("pid", "id", "repository", "created")


class VersionLink(Struct, frozen=True):
    """What of a version takes part in the chain; `digest` is its own, `previous` what it says of the one before."""

    pid: str
    id: str
    repository: str
    version: int
    created: str
    updated: str
    status: str
    digest: str
    previous: str | None


def follow(newest: VersionLink, older: Iterable[VersionLink]) -> tuple[tuple[CheckOutcome, ...], bool]:
    """The checks of a chain that begins at its newest version, and whether it reaches the first."""
    by_version = {newest.version: newest}
    contradictions = []
    for link in older:
        if link.version > newest.version:
            contradictions.append(f"version {link.version} is newer than the record itself, version {newest.version}")
        elif by_version.setdefault(link.version, link).digest != link.digest:
            contradictions.append(f"there are two different versions {link.version}: the history forks")
    links = [by_version[version] for version in sorted(by_version, reverse=True)]
    contradictions += [said for link in links for said in _of_one(link)]
    contradictions += [said for later, earlier in pairwise(links) for said in _of_two(later, earlier)]
    if contradictions:
        return tuple(CheckOutcome(CHAIN, False, said) for said in contradictions), False
    reached = newest.version
    while reached - 1 in by_version:
        reached -= 1
    return (CheckOutcome(CHAIN, True, _how_far(newest.version, reached)),), reached == 1


def _of_one(link: VersionLink) -> Iterator[str]:
    if link.version == 1 and link.previous is not None:
        yield "version 1 names a version before it; there can be none"
    if link.version > 1 and link.previous is None:
        yield f"version {link.version} does not name the digest of the version before it"


def _of_two(later: VersionLink, earlier: VersionLink) -> Iterator[str]:
    for member in _CONSTANT:
        was, now = getattr(earlier, member), getattr(later, member)
        if was != now:
            yield f"the {member} is {shown(was)} in version {earlier.version}, {shown(now)} in version {later.version}"
    if later.updated < earlier.updated:  # both in one form (RFC 3339, UTC, whole seconds), in which order is time
        yield f"version {later.version} is of {later.updated}, before version {earlier.version} of {earlier.updated}"
    if earlier.status == WITHDRAWN:
        yield f"version {earlier.version} is a tombstone, which nothing may follow; version {later.version} does"
    if later.version == earlier.version + 1 and later.previous not in (None, earlier.digest):
        yield (
            f"version {later.version} says that the digest of the version before is {shown(later.previous)}; "
            f"version {earlier.version} has {earlier.digest}"
        )


def _how_far(newest: int, reached: int) -> str:
    if newest == 1:
        return "this is the first version"
    if reached == 1:
        return f"versions 1 to {newest} are a chain, each with the digest of the one before"
    if reached == newest:
        return f"version {newest - 1} was not given; version {newest} by itself contradicts nothing"
    return f"versions {reached} to {newest} are a chain; version {reached - 1} was not given, so it ends there"
