"""Links that rot: which locations of a repository's records are dead, failing, or have moved, as it was last seen.

What is told is of records that are active now, and of locations that they lead to now: a pulse that is older than the
record is news of nothing.

>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> sorted(kinds_of(CheckState(url="https://a.example/", state=DOWN, since=noon, checked=noon, moved="https://b.example/")))
['down', 'moved']
"""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.model.check_state import CheckState, CheckStateStore, key_of, repository_owner
from coolid.model.conditions import DEGRADED, DOWN, UP
from coolid.model.locations import locations_of
from coolid.model.records import ACTIVE, Record
from coolid.model.repositories import Repository
from coolid.store.reader import Reader

MOVED: Final = "moved"
KINDS: Final = (DOWN, DEGRADED, MOVED)
"""What may ail a link; one that moved may be so besides."""
AT_ONCE: Final = 100
MOST_LOOKED_THROUGH: Final = 2_000
"""Pulses, of which few may be wanted; then the page ends, though it is short."""


class LinkProblem(Struct, frozen=True):
    """A location of `record` that is not well or has moved, its `name` among the targets, and its `pulse`."""

    name: str
    record: Record
    pulse: CheckState


def kinds_of(pulse: CheckState) -> frozenset[str]:
    """What ails it, of `KINDS`."""
    moved = {MOVED} if pulse.moved is not None else set()
    return frozenset(moved if pulse.state == UP else {pulse.state, *moved})


def ailing(
    repository: Repository,
    reader: Reader,
    pulses: CheckStateStore,
    now: datetime,
    *,
    wanted: AbstractSet[str],
    limit: int,
    after: str | None,
) -> tuple[list[LinkProblem], str | None]:
    """At most `limit` links with one of the kinds that are wanted, in the order of their records' keys, behind `after`.

    And the name to go on behind, or None at the end. `StoreUnavailable`.
    """
    found: list[LinkProblem] = []
    for _ in range(MOST_LOOKED_THROUGH // AT_ONCE):
        some, after = pulses.ailing(repository_owner(repository.id), AT_ONCE, after)
        keys = sorted({key_of(subject.name) for subject, _ in some})
        records = reader.records(repository.id, keys) if keys else {}
        for subject, pulse in some:
            record = records.get(key_of(subject.name))
            if record is not None and kinds_of(pulse) & wanted and _leads(record, repository, pulse.url, now):
                found.append(LinkProblem(subject.name, record, pulse))
        if after is None or len(found) >= limit:
            break
    if len(found) > limit:  # the next page begins behind the last that is told
        return found[:limit], found[limit - 1].name
    return found, after


def _leads(record: Record, repository: Repository, uri: str, now: datetime) -> bool:
    """Whether the record leads there now."""
    if record.status != ACTIVE:
        return False
    return any(each.uri == uri and each.is_valid_at(now) for each in locations_of(record, repository))
