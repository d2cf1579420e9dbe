"""Checks of the chain of a record's versions, each of which contains the digest of the one before.

An unbroken chain proves that no version was omitted, altered or inserted. Available versions must be consistent. A
transfer of custody (`version_links`), and nothing else, changes issuer, PID and repository.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from coolid.identifiers.schemes import linkid
from coolid.model.records import ACTIVE, WITHDRAWN
from coolid.proofs.verdicts import CheckOutcome, quoted
from coolid.proofs.version_links import VersionLink, transfer_contradictions

CHAIN: Final = "chain"
_IDENTITY: Final = ("pid", "id", "repository", "issuer", "created")


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
    yield from transfer_contradictions(link)


def _pair_contradictions(later: VersionLink, earlier: VersionLink) -> Iterator[str]:
    yield from _custody_contradictions(later, earlier)
    yield from _identity_contradictions(later, earlier)
    if later.updated < earlier.updated:  # same RFC 3339 form, so texts sort by time
        yield f"version {later.version} is of {later.updated}, before version {earlier.version} of {earlier.updated}"
    if later.version != earlier.version + 1:
        return
    if earlier.status == WITHDRAWN and later.status != ACTIVE and not _is_same_tombstone(later, earlier):
        yield (
            f"version {earlier.version} is a tombstone, which only a return to the public may follow; "
            f"version {later.version} is {later.status}"
        )
    if later.previous not in (None, earlier.digest):
        yield (
            f"version {later.version} says that the digest of the version before is {quoted(later.previous)}; "
            f"version {earlier.version} has {earlier.digest}"
        )
    if later.transfer and (earlier.custody.offer is None or earlier.custody.offer.to != later.transfer.recipient):
        yield (
            f"version {later.version} transfers the record to {quoted(later.transfer.recipient)}, "
            f"to whom version {earlier.version} does not offer it"
        )


def _custody_contradictions(later: VersionLink, earlier: VersionLink) -> Iterator[str]:
    """Yield what is wrong with the transfers between two versions, each of which is consistent with its own."""
    before, after = earlier.custody.transfers, later.custody.transfers
    if after[: len(before)] != before:
        yield f"the transfers in version {earlier.version} are not those in version {later.version}"
        return
    between = after[len(before) :]
    if any(transfer.version <= earlier.version for transfer in between):
        yield f"version {later.version} states a transfer that version {earlier.version} should state, too"
    if between and not before and between[0].sender != earlier.issuer:
        sender = quoted(between[0].sender)
        yield f"version {earlier.version} is of {quoted(earlier.issuer)}, not of {sender}, who transfers the record"


def _identity_contradictions(later: VersionLink, earlier: VersionLink) -> Iterator[str]:
    """Yield what may not change between two versions, as stated by each."""
    is_same_tenure = later.tenure == earlier.tenure
    for name in _IDENTITY if is_same_tenure else ("created",):
        old, new = getattr(earlier, name), getattr(later, name)
        if old != new:
            yield f"the {name} is {quoted(old)} in version {earlier.version}, {quoted(new)} in version {later.version}"
    if not is_same_tenure and linkid.compact(earlier.id) != linkid.compact(later.id):
        yield f"the LinkID is {quoted(earlier.id)} in version {earlier.version}, {quoted(later.id)} after its transfer"


def _is_same_tombstone(later: VersionLink, earlier: VersionLink) -> bool:
    """Return whether a version only changes the custody of a tombstone."""
    is_same = (later.status, later.withdrawn) == (WITHDRAWN, earlier.withdrawn)
    is_same = is_same and later.custody.state == earlier.custody.state
    return is_same and (later.custody != earlier.custody or later.tenure != earlier.tenure)


def _success_detail(newest: int, reached: int) -> str:
    if newest == 1:
        return "this is the first version"
    if reached == 1:
        return f"versions 1 to {newest} are a chain, each with the digest of the one before"
    if reached == newest:
        return f"version {newest - 1} is missing, so version {newest} is compared with none"
    return f"versions {reached} to {newest} are a chain; version {reached - 1} is missing, so it ends there"
