"""Pure functions of the edge updater: digests, differences, batches, the choice of what fits, and token buckets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from coolid.edge.current_entries import Group
from coolid.edge.limits import MAX_STORE_BYTES
from coolid.edge.redirect_store import MAX_BATCH_KEYS, Allowance
from coolid.model.prefixes import ProviderPrefix

MAX_GROUP_KEYS: Final = MAX_BATCH_KEYS - 1
"""The most names of a prefix at the edge. All are written by one update, which also writes the state."""
RESERVED_BYTES: Final = 100_000
"""Bytes that a sweep leaves free for the changes until the next one."""

Changes = Mapping[str, str | None]
"""New values by their keys; None stands for a deletion."""


class AllowanceExhausted(Exception):
    """No call is left in the token bucket, or it owes calls."""


def digest_of(entries: Mapping[str, str]) -> str:
    """Return the digest of entries: SHA-256 in hexadecimal of their keys and values, in the order of the keys."""
    digest = sha256()
    for key in sorted(entries):
        digest.update(f"{len(key)} {key} {len(entries[key])} {entries[key]}\n".encode())
    return digest.hexdigest()


def size_of(entries: Mapping[str, str]) -> int:
    """Return the bytes of all keys and values, which are ASCII."""
    return sum(map(len, entries)) + sum(map(len, entries.values()))


def changed(entries: Mapping[str, str], changes: Changes) -> dict[str, str]:
    """Return the entries after some changes."""
    after = {**entries, **changes}
    return {key: value for key, value in after.items() if value is not None}


def differences(entries: Mapping[str, str], groups: Iterable[Group], excluded: frozenset[str]) -> Sequence[Changes]:
    """Return what each group must change in the entries. A group with too many or `excluded` names has no entries.

    A group that would make the store too large loses its entries, too, until a sweep makes room.
    """
    free = MAX_STORE_BYTES - size_of(entries)
    found = []
    for group in groups:
        is_out = len(group) > MAX_GROUP_KEYS or not excluded.isdisjoint(group)
        changes = _difference(entries, dict.fromkeys(group) if is_out else group)
        growth = _growth(entries, changes)
        if growth > max(free, 0):
            changes = _difference(entries, dict.fromkeys(group))
            growth = _growth(entries, changes)
        free -= growth
        if changes:
            found.append(changes)
    return found


def _difference(entries: Mapping[str, str], group: Group) -> Changes:
    return {key: value for key, value in group.items() if entries.get(key) != value}


def _growth(entries: Mapping[str, str], changes: Changes) -> int:
    before = {key: entries[key] for key in changes if key in entries}
    return size_of(changed(before, changes)) - size_of(before)


def batches(found: Iterable[Changes]) -> Iterator[Changes]:
    """Yield the changes in as few updates as possible. Those of one group are never in two."""
    batch: dict[str, str | None] = {}
    for changes in found:
        if len(batch.keys() | changes.keys()) > MAX_GROUP_KEYS:
            yield batch
            batch = {}
        batch = {**batch, **changes}
    if batch:
        yield batch


def excess(listed: Sequence[tuple[ProviderPrefix, Mapping[str, str]]]) -> frozenset[str]:
    """Return the names of the prefixes that do not fit into the store, with the entries of all.

    The first to stay out are deprecated ones, then those with the largest entries, so that most prefixes fit.
    """
    sized = sorted((prefix.deprecated, size_of(entries), prefix.name) for prefix, entries in listed if entries)
    free = MAX_STORE_BYTES - RESERVED_BYTES
    out = set()
    for _, size, name in sized:
        if size <= free:
            free -= size
        else:
            out.add(name)
    return frozenset(out)


def spent(allowance: Allowance, calls: int, now: int, capacity: int, calls_an_hour: int) -> Allowance:
    """Return the bucket after some calls at the time `now` (seconds). It owes calls if it has fewer.

    A bucket that was never used is full. A clock that was set back adds nothing.

    >>> spent(Allowance(0.5, 3600), 1, 3600 + 360, 60, 10)
    Allowance(calls=0.5, at=3960)
    """
    gained = max(now - allowance.at, 0) * calls_an_hour / 3600
    left = min(allowance.calls + gained, capacity) if allowance.at else capacity
    return Allowance(left - calls, now)
