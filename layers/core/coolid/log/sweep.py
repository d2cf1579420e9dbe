"""The sweep: finds what has no entry in the log, although it should, and lets it wait.

Feeds can lose events, and earlier releases had no feed. The first pass examines everything, so it also adds what was
stored before there was a log. Later passes examine what has changed since the pass before, with an overlap. Only the
current version of a record is examined, because the sequencer adds the versions before it (`coolid.log.batches`).
What cannot be read, time and again, is skipped, and the next pass begins where this one began.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from coolid.errors import StoreUnavailable
from coolid.log.subject_entries import (
    client_entries,
    prefix_entries,
    public_key_entry,
    repository_entry,
    version_entry,
)
from coolid.ports import Clock
from coolid.store.log import LogRows, WaitingEntry
from coolid.store.store import Store

INTERVAL_SECONDS: Final = 900
"""The time between the begins of two passes."""
OVERLAP_SECONDS: Final = 3_600
"""How much earlier than the pass before a pass begins: clocks of several writers differ, and indexes lag."""
PAGE: Final = 500
"""How many states one call examines, about."""
ATTEMPTS: Final = 5
"""How often a page is read before it is skipped."""


class SweepPosition(Struct, frozen=True):
    """The state of a pass that began at `begun` and examines what has changed from `since`, None for everything.

    Both are in milliseconds since 1970. The pass continues in `stage` after the position `after`, and in its
    `repository` after the record at `after_record`. It is over if `stage` is `END`. `failures` counts the calls that
    could not read this page; `is_partial` says that the pass has skipped some.
    """

    begun: int
    since: int | None = None
    stage: str = "public_keys"
    after: str | None = None
    repository: str | None = None
    after_record: str | None = None
    failures: int = 0
    is_partial: bool = False


END: Final = "end"
STAGES: Final = ("public_keys", "prefixes", "clients", "repositories", END)
_POSITIONS: Final = json.Decoder(SweepPosition)


class Sweep:
    """Examines the states in `store`, and adds missing entries to `rows`. A pass begins every `interval` seconds."""

    def __init__(self, rows: LogRows, store: Store, clock: Clock, interval: int = INTERVAL_SECONDS) -> None:
        self._rows = rows
        self._store = store
        self._clock = clock
        self._interval = interval
        self._stages: Mapping[str, Callable[[SweepPosition], tuple[SweepPosition, int]]] = {
            "public_keys": self._examine_public_keys,
            "repositories": self._examine_repositories,
            "prefixes": self._examine_prefixes,
            "clients": self._examine_clients,
        }

    def run(self, limit: int = PAGE) -> bool:
        """Examine about `limit` states. Return whether the pass goes on. Raises `StoreUnavailable`.

        Does nothing until the next pass is due.
        """
        position = self._position()
        if position is None:
            return False
        while position.stage != END and limit > 0:
            try:
                position, examined = self._stages[position.stage](position)
            except StoreUnavailable:
                self._rows.set_sweep_position(json.encode(_after_failure(position)).decode())
                raise
            position = replace(position, failures=0)
            limit -= 1 + examined
        self._rows.set_sweep_position(json.encode(position).decode())
        return position.stage != END

    def _position(self) -> SweepPosition | None:
        """Return the position to continue at, a new pass's if the last one is over, or None if no pass is due."""
        now = self._clock.milliseconds()
        try:
            former = _POSITIONS.decode(self._rows.sweep_position() or "")
        except MsgspecError:  # none yet, or one of a later release
            return SweepPosition(now)
        if former.stage in self._stages:
            return former
        if former.begun <= now < former.begun + self._interval * 1000:
            return None
        begun = min(former.begun, now)  # the clock may have been ahead
        return SweepPosition(now, since=former.since if former.is_partial else begun - OVERLAP_SECONDS * 1000)

    def _examine_public_keys(self, position: SweepPosition) -> tuple[SweepPosition, int]:
        keys = self._store.public_keys.public_keys()
        now = _moment(self._clock.milliseconds())
        self._add(position, ((now, [public_key_entry(key, 0)]) for key in keys))
        return _next_stage(position), len(keys)

    def _examine_repositories(self, position: SweepPosition) -> tuple[SweepPosition, int]:
        """Examine a page of the records of a repository, or the next repository itself."""
        if position.repository is not None:
            return self._examine_records(position, position.repository)
        found, _ = self._store.repositories.list_repositories(1, position.after)
        if not found:
            return _next_stage(position), 0
        self._add(position, ((each.updated, [repository_entry(each, 0)]) for each in found))
        return replace(position, after=found[0].id, repository=found[0].id), 1

    def _examine_records(self, position: SweepPosition, repository: str) -> tuple[SweepPosition, int]:
        if position.since is None:
            found, after = self._store.records.list_records(repository, PAGE, position.after_record)
        else:
            since = _moment(position.since)
            found, after = self._store.changes.list_changed(repository, since, None, PAGE, position.after_record)
        entries = ((each.updated, version_entry(each, 0)) for each in found)
        self._add(position, ((updated, [entry]) for updated, entry in entries if entry))
        if after is not None:
            return replace(position, after_record=after), len(found)
        return replace(position, repository=None, after_record=None), len(found)

    def _examine_prefixes(self, position: SweepPosition) -> tuple[SweepPosition, int]:
        found, after = self._store.prefixes.list_prefixes(PAGE, position.after)
        self._add(position, ((each.updated, prefix_entries(each, 0)) for each in found))
        return _next_page(position, after), len(found)

    def _examine_clients(self, position: SweepPosition) -> tuple[SweepPosition, int]:
        found, after = self._store.clients.list_clients(PAGE, position.after)
        self._add(position, ((each.revoked or each.created, client_entries(each, 0)) for each in found))
        return _next_page(position, after), len(found)

    def _add(self, position: SweepPosition, states: Iterable[tuple[datetime, Sequence[WaitingEntry]]]) -> None:
        """Let the entries of states wait that have no row, given with the times of their changes.

        They wait from then on, so that an alarm shows a lost event. In the first pass they wait from now on.
        """
        now = self._clock.milliseconds()
        found: dict[str, WaitingEntry] = {}
        for changed, entries in states:
            milliseconds = round(changed.timestamp() * 1000)
            if position.since is None or milliseconds >= position.since:
                since = now if position.since is None else min(now, milliseconds)
                found |= {entry.name: replace(entry, since=since) for entry in entries}
        existing = self._rows.indexes([*found]) if found else {}
        missing = [entry for name, entry in found.items() if name not in existing]
        if missing:
            self._rows.add_entries(missing)


def _next_page(position: SweepPosition, after: str | None) -> SweepPosition:
    return _next_stage(position) if after is None else replace(position, after=after)


def _next_stage(position: SweepPosition) -> SweepPosition:
    stage = STAGES[STAGES.index(position.stage) + 1]
    return SweepPosition(position.begun, position.since, stage, is_partial=position.is_partial)


def _after_failure(position: SweepPosition) -> SweepPosition:
    """Return the position after a page that could not be read: the same, or the next repository or stage."""
    if position.failures + 1 < ATTEMPTS:
        return replace(position, failures=position.failures + 1)
    skipped = replace(position, failures=0, is_partial=True)
    if position.repository is None:
        return _next_stage(skipped)
    return replace(skipped, repository=None, after_record=None)


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC)
