"""Telling: conditions beside prefixes and records, made of all of their pulses, and news to those who want to hear it.

Two letters may concern one prefix at the same time. So its pulses are read again after something was told, and if they
say something else by then, that is told: whoever tells last has seen everything.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from msgspec import Struct

from coolid.errors import HomeElsewhere, HomeMoving
from coolid.health.change_filter import changes, meaning
from coolid.health.messages import MessageQueue, WebhookNotice
from coolid.health.planner import CheckerStore
from coolid.health.schedule import CheckTask, tasks_of_prefix, tasks_of_record
from coolid.health.webhooks import LinkChange, event
from coolid.model.check_state import CheckState, CheckSubject, key_of, prefix_owner, repository_owner
from coolid.model.conditions import Health, fitting
from coolid.model.prefixes import ProviderPrefix
from coolid.ports import Clock
from coolid.registry.home_regions import ALONE, HomeRegions, Region

_BATCH: Final = 100
_ROUNDS: Final = 3
_PREFIX: Final = prefix_owner("")
_REPOSITORY: Final = repository_owner("")


class ConditionTarget(Struct, frozen=True):
    """A prefix or record: its errands by the names of their conditions, what stands beside it, and how to tell it.

    `repository` and `pid` are of a record alone.
    """

    errands: Mapping[str, CheckTask]
    known: Health
    tell: Callable[[Health], bool]
    repository: str = ""
    pid: str = ""


class ConditionUpdater:
    """Tells by a store, in a region; notices to webhooks go into the queue."""

    def __init__(self, store: CheckerStore, queue: MessageQueue, clock: Clock, region: Region = ALONE) -> None:
        self._store = store
        self._queue = queue
        self._clock = clock
        self._homes = HomeRegions(region, store, clock)

    def rows(self, errands: Iterable[CheckTask]) -> Sequence[ConditionTarget]:
        """The prefixes and records that the errands are of, as they are now; what is gone is missing."""
        names: dict[str, None] = {}
        keys: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for subject in (errand.subject for errand in errands):
            if subject.owner.startswith(_PREFIX):
                names[subject.owner.removeprefix(_PREFIX)] = None
            elif subject.owner.startswith(_REPOSITORY):
                keys[subject.owner.removeprefix(_REPOSITORY)][key_of(subject.name)] = None
        return [
            *self._prefix_rows([*names]),
            *(row for owner in keys for row in self._record_rows(owner, [*keys[owner]])),
        ]

    def _prefix_rows(self, names: Sequence[str]) -> Iterator[ConditionTarget]:
        for prefix in self._store.prefixes(names, consistent=True).values() if names else ():
            if isinstance(prefix, ProviderPrefix):
                errands = {errand.subject.name: errand for errand in tasks_of_prefix(prefix)}
                yield ConditionTarget(
                    errands, prefix.health, partial(self._store.set_prefix_condition, prefix.name, prefix.revision)
                )

    def _record_rows(self, repository: str, keys: Sequence[str]) -> Iterator[ConditionTarget]:
        now = self._clock.now()
        for key, record in self._store.records(repository, keys).items():
            errands = {errand.url: errand for errand in tasks_of_record(record, key, now)}
            tell = partial(self._tell_record, repository, key, record.version)
            yield ConditionTarget(errands, record.health, tell, repository, record.pid)

    def _tell_record(self, repository: str, key: str, version: int, health: Health) -> bool:
        """Nothing where its repository is not at home, or no longer: a write of ours might undo one from there."""
        with suppress(HomeElsewhere, HomeMoving):
            self._homes.demand(repository)
            return self._store.set_record_condition(repository, key, version, health)
        return False

    def update(self, rows: Sequence[ConditionTarget], fresh: Mapping[CheckSubject, CheckState], at: int) -> None:
        """Tell what changed, the webhooks first: should the rest fail, they hear of it twice rather than never."""
        pulses = self._pulses([each.subject for row in rows for each in row.errands.values()], fresh)
        found = [(row, _health(row, pulses)) for row in rows]
        changed = [(row, health) for row, health in found if meaning(health) != meaning(row.known)]
        told: defaultdict[str, list[LinkChange]] = defaultdict(list)
        for row, health in changed:
            if row.repository:
                told[row.repository] += changes(row.pid, row.known, health)
        notices = [self._notice(repository, news, at) for repository, news in told.items() if news]
        self._queue.send([notice for notice in notices if notice is not None])
        for row, health in changed:
            self._settle(row, health, fresh)

    def _settle(self, row: ConditionTarget, health: Health, fresh: Mapping[CheckSubject, CheckState]) -> None:
        """Tell conditions, and again if others were found out meanwhile."""
        for _ in range(_ROUNDS):
            if not row.tell(health):
                return  # it is not what was looked at any more
            pulses = self._pulses([each.subject for each in row.errands.values()], fresh)
            told, health = health, _health(row, pulses)
            if meaning(health) == meaning(told):
                return

    def _notice(self, repository: str, news: Sequence[LinkChange], at: int) -> WebhookNotice | None:
        if self._store.webhook(repository) is None:
            return None
        moment = max(datetime.fromtimestamp(at, UTC), *(change.now.since for change in news))
        ordered = sorted(news, key=lambda change: (change.pid, change.uri))
        return WebhookNotice(at, repository, event(repository, ordered, moment))

    def _pulses(
        self, subjects: Iterable[CheckSubject], fresh: Mapping[CheckSubject, CheckState] | None = None
    ) -> Mapping[CheckSubject, CheckState]:
        asked = [*dict.fromkeys(subjects)]
        found: dict[CheckSubject, CheckState] = {}
        for start in range(0, len(asked), _BATCH):
            found |= self._store.check_states(asked[start : start + _BATCH])
        return {**found, **(fresh or {})}


def _health(row: ConditionTarget, pulses: Mapping[CheckSubject, CheckState]) -> Health:
    """What the pulses say of a row's addresses, as much as the row has room for: more would be news at each look."""
    found = ((name, errand, pulses.get(errand.subject)) for name, errand in row.errands.items())
    seen = ((name, pulse) for name, errand, pulse in found if pulse is not None and pulse.url == errand.url)
    return fitting({name: pulse.condition() for name, pulse in seen})
