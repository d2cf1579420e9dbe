"""Checks of the chain of a record's versions, each of which contains the digest of the one before.

An unbroken chain proves that no version was omitted, altered or inserted. Available versions must be consistent.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from coolid.model.records import ACTIVE, WITHDRAWN
from coolid.proofs.verdicts import CheckOutcome, quoted

CHAIN: Final = "chain"


class VersionLink(Struct, frozen=True):
    """The chained members of a version; `previous` is the digest that it states for the version before."""

    pid: str
    id: str
    repository: str
    version: int
    created: str
    updated: str
    status: str
    digest: str
    previous: str | None


def check_chain(newest: VersionLink, older: Iterable[VersionLink]) -> tuple[tuple[CheckOutcome, ...], bool]:
    """Return the checks of a chain from its newest version, and whether it reaches version 1."""
    by_version = {newest.version: newest}
    contradictions = []
    for link in older:
        if link.version > newest.version:
            contradictions.append(f"version {link.version} is newer than the record itself, version {newest.version}")
        elif by_version.setdefault(link.version, link).digest != link.digest:
            contradictions.append(f"there are two different versions {link.version}: the history forks")
    links = [by_version[version] for version in sorted(by_version, reverse=True)]
    contradictions += [text for link in links for text in _link_contradictions(link)]
    contradictions += [text for later, earlier in pairwise(links) for text in _pair_contradictions(later, earlier)]
    if contradictions:
        return tuple(CheckOutcome(CHAIN, False, text) for text in contradictions), False
    reached = newest.version
    while reached - 1 in by_version:
        reached -= 1
    return (CheckOutcome(CHAIN, True, _success_detail(newest.version, reached)),), reached == 1


def _link_contradictions(link: VersionLink) -> Iterator[str]:
    if link.version == 1 and link.previous is not None:
        yield "version 1 names a version before it, which cannot exist"
    if link.version > 1 and link.previous is None:
        yield f"version {link.version} does not name the digest of the version before it"


def _pair_contradictions(later: VersionLink, earlier: VersionLink) -> Iterator[str]:
    for name in ("pid", "id", "repository", "created"):
        old, new = getattr(earlier, name), getattr(later, name)
        if old != new:
            yield f"the {name} is {quoted(old)} in version {earlier.version}, {quoted(new)} in version {later.version}"
    if later.updated < earlier.updated:  # same RFC 3339 form, so texts sort by time
        yield f"version {later.version} is of {later.updated}, before version {earlier.version} of {earlier.updated}"
    is_next = later.version == earlier.version + 1
    if is_next and earlier.status == WITHDRAWN and later.status != ACTIVE:
        yield (
            f"version {earlier.version} is a tombstone, which only a return to the public may follow; "
            f"version {later.version} is {later.status}"
        )
    if is_next and later.previous not in (None, earlier.digest):
        yield (
            f"version {later.version} says that the digest of the version before is {quoted(later.previous)}; "
            f"version {earlier.version} has {earlier.digest}"
        )


def _success_detail(newest: int, reached: int) -> str:
    if newest == 1:
        return "this is the first version"
    if reached == 1:
        return f"versions 1 to {newest} are a chain, each with the digest of the one before"
    if reached == newest:
        return f"version {newest - 1} is missing, so version {newest} is compared with none"
    return f"versions {reached} to {newest} are a chain; version {reached - 1} is missing, so it ends there"
