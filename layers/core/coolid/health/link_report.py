"""The link report: locations of a repository's records that are down, degraded or have moved.

It covers active records and their current locations only, because check states can be older than the record.

>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> sorted(kinds_of(CheckState(url="https://a.example/", state=DOWN, since=noon, checked=noon, moved="https://b.example/")))
['down', 'moved']
"""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.model.check_state import CheckState, record_key, repository_owner
from coolid.model.conditions import DEGRADED, DOWN, UP
from coolid.model.locations import is_valid_at, locations_of
from coolid.model.records import ACTIVE, Record
from coolid.model.repositories import Repository
from coolid.store.checks import CheckStateStore
from coolid.store.records import RecordReader

MOVED: Final = "moved"
KINDS: Final = (DOWN, DEGRADED, MOVED)
"""The states that a report lists; a link can have moved and be down too."""
PAGE_SIZE: Final = 100
MAX_STATES_READ: Final = 2_000
"""Check states read for a page. Few may match, so that a page can be short."""


class LinkProblem(Struct, frozen=True):
    """A location of `record` that has a problem, its `name` among the targets, and its check state."""

    name: str
    record: Record
    check_state: CheckState


def kinds_of(check_state: CheckState) -> frozenset[str]:
    """Return the states of a report (`KINDS`) that a check state shows."""
    moved = {MOVED} if check_state.moved is not None else set()
    return frozenset(moved if check_state.state == UP else {check_state.state, *moved})


def link_problems(
    repository: Repository,
    stored_records: RecordReader,
    check_states: CheckStateStore,
    now: datetime,
    *,
    kinds: AbstractSet[str],
    limit: int,
    after: str | None,
) -> tuple[list[LinkProblem], str | None]:
    """Return at most `limit` links with a problem of `kinds`, ordered by their records' keys, after the name `after`.

    The second value is the name to continue after, or None at the end. Raises `StoreUnavailable`.
    """
    found: list[LinkProblem] = []
    for _ in range(MAX_STATES_READ // PAGE_SIZE):
        page, after = check_states.ailing(repository_owner(repository.id), PAGE_SIZE, after)
        keys = sorted({record_key(subject.name) for subject, _ in page})
        records = stored_records.records(repository.id, keys) if keys else {}
        for subject, state in page:
            record = records.get(record_key(subject.name))
            if record is not None and kinds_of(state) & kinds and _leads_to(record, repository, state.url, now):
                found.append(LinkProblem(subject.name, record, state))
        if after is None or len(found) >= limit:
            break
    if len(found) > limit:  # the next page begins after the last one returned
        return found[:limit], found[limit - 1].name
    return found, after


def _leads_to(record: Record, repository: Repository, uri: str, now: datetime) -> bool:
    """Return whether the record leads to the URI now."""
    if record.status != ACTIVE:
        return False
    return any(each.uri == uri and is_valid_at(each, now) for each in locations_of(record, repository))
