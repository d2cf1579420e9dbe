"""Planning: what is due at a tick, as letters to those who look.

All prefixes are read, and of each repository what ails and the few records whose turn it is. Nothing is remembered but
how far a repository's records were gone through: planning a tick twice sends the same letters again, and the queue
takes them for the same. Each region plans what is written there (`coolid.registry.home_regions`), for what is found out is
written beside it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Protocol

from coolid.errors import InvalidIdentifier
from coolid.health.messages import MessageQueue, check_batches, shuffled
from coolid.health.schedule import (
    MOST_OF_A_HOST,
    MOST_STANDING,
    CheckCursor,
    CheckCursorStore,
    CheckSchedule,
    CheckTask,
    Standing,
    due,
    host_of,
    period,
    tasks_of_prefix,
    tasks_of_record,
)
from coolid.health.webhooks import WebhookStore
from coolid.model.check_state import CheckStateStore, CheckSubject, repository_owner
from coolid.model.conditions import UP
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.repositories import Repository
from coolid.registry.home_regions import ALONE, Region
from coolid.store.store import Store

_PAGE: Final = 1_000
_MOST_IN_ROUNDS: Final = MOST_OF_A_HOST - MOST_STANDING


class CheckerStore(Store, CheckStateStore, CheckCursorStore, WebhookStore, Protocol):
    """All that is read and written by whoever looks."""


class Planner:
    """Plans ticks of a pace over a store, in a region."""

    def __init__(self, store: CheckerStore, queue: MessageQueue, pace: CheckSchedule, region: Region = ALONE) -> None:
        self._store = store
        self._queue = queue
        self._region = region
        self.pace = pace

    def plan(self, tick: int) -> int:
        """Send what is due at a tick; how many errands these are. Raises `StoreUnavailable` and what the queue does."""
        at = tick * self.pace.seconds
        now = datetime.fromtimestamp(at, UTC)
        standing: list[Standing] = []
        repositories: dict[str, Repository] = {}
        for prefix in self._prefixes():
            if isinstance(prefix, Namespace):
                repositories[prefix.repository.id] = prefix.repository
            elif self._region.keeps_names():
                known = tasks_of_prefix(prefix)
                standing += [(errand, period(condition, now, self.pace)) for errand, condition in known.items()]
        owners = (
            sorted(filter(lambda each: self._is_here(repositories[each]), repositories)) if self.pace.targets else []
        )
        for repository_id in owners:
            standing += self._ailing(repository_id, now)
        errands: dict[CheckSubject, CheckTask] = {errand.subject: errand for errand in due(standing, tick)}
        rounds: dict[str, CheckCursor] = {}
        taken: Counter[str | None] = Counter()
        first = tick % len(owners) if owners else 0
        for repository_id in (*owners[first:], *owners[:first]):
            kept = self._walk(repositories[repository_id], tick, now, errands, taken)
            if kept is not None:
                rounds[repository_id] = kept
        self._queue.send([*check_batches(errands.values(), at)])
        for repository_id, kept in rounds.items():
            self._store.put_cursor(repository_id, kept)
        return len(errands)

    def _is_here(self, repository: Repository) -> bool:
        return self._region.home_of(repository) == self._region.name or not self._region.name

    def _prefixes(self) -> Iterator[Namespace | ProviderPrefix]:
        after: str | None = None
        while True:
            page, after = self._store.list_prefixes(_PAGE, after)
            yield from page
            if after is None:
                return

    def _ailing(self, repository_id: str, now: datetime) -> Iterator[Standing]:
        """What of a repository's targets was not well; what has moved is, and has its turn with its record."""
        after: str | None = None
        while True:
            page, after = self._store.ailing(repository_owner(repository_id), _PAGE, after)
            for subject, pulse in page:
                if pulse.state != UP:
                    yield CheckTask(subject, pulse.url), period(pulse.condition(), now, self.pace)
            if after is None:
                return

    def _walk(
        self,
        repository: Repository,
        tick: int,
        now: datetime,
        errands: dict[CheckSubject, CheckTask],
        taken: Counter[str | None],
    ) -> CheckCursor | None:
        """Add the targets of the next few records to the errands; how far that is. None where none has its turn.

        It stops before a record whose host has been taken often enough in this tick, and begins there in the next.
        """
        share = self.pace.share(tick, repository.id)
        if not share:
            return None
        kept = self._store.cursor(repository.id)
        kept = None if kept is None else kept.at(tick)
        if kept is None or kept.is_over(now):
            kept = CheckCursor(now)
        if kept.done:
            return None
        records, last = self._store.list_records(repository.id, share, kept.after or None)
        after = kept.after
        for record in records:
            with suppress(InvalidIdentifier):
                key = repository.rules.validate(record.id)
                found = _room_for(tasks_of_record(record, key, now), tick)
                asked = Counter(host_of(errand.url) for errand in found if errand.subject not in errands)
                if any(taken[host] and taken[host] + more > _MOST_IN_ROUNDS for host, more in asked.items()):
                    return CheckCursor(kept.began, after, tick=tick, before=kept.after)
                taken += asked
                errands |= {errand.subject: errand for errand in found}
                after = key
        return CheckCursor(kept.began, last or after, done=last is None, tick=tick, before=kept.after)


def _room_for(errands: Iterable[CheckTask], tick: int) -> list[CheckTask]:
    """Of a record's errands, as many of a host as a tick has room for: others each time."""
    taken: Counter[str | None] = Counter()
    found = []
    for errand in sorted(errands, key=lambda errand: shuffled(errand.subject, tick)):
        host = host_of(errand.url)
        if taken[host] < _MOST_IN_ROUNDS:
            taken[host] += 1
            found.append(errand)
    return found
