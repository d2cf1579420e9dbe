"""Updates of the conditions stored beside prefixes and records, and notices to webhooks about them.

Two batches may update one prefix at the same time. The check states are therefore read again after each write, and a
difference is written again, so that the last writer has read all states.

A condition is written only when its meaning changes, because each write invalidates all caches of its prefix or record.

>>> noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
>>> meaning({"ols": Condition("up", noon), "bioportal": Condition("down", noon, "it answered 500")})
{'bioportal': ('down', None, 'it answered ')}
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from msgspec import Struct

from coolid.errors import HomeElsewhere, HomeMoving
from coolid.health.messages import MessageQueue, WebhookNotice
from coolid.health.schedule import CheckTask, tasks_of_prefix, tasks_of_record
from coolid.health.webhook_notices import LinkChange, change_event
from coolid.model.check_state import CheckState, CheckSubject, prefix_owner, record_key, repository_owner
from coolid.model.conditions import UP, Condition, Health, truncated
from coolid.model.prefixes import ProviderPrefix
from coolid.ports import Clock
from coolid.records.minter import home_check
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.store.store import Store

_BATCH: Final = 100
_ROUNDS: Final = 3
_PREFIX: Final = prefix_owner("")
_REPOSITORY: Final = repository_owner("")
_NUMBERS: Final = re.compile(r"\d+")
_HEALTHY: Final = (UP, None, "")

Meaning = tuple[str, str | None, str]
"""State, the URL it moved to, and the reason without its numbers."""


class ConditionTarget(Struct, frozen=True):
    """A prefix, or a record with `repository` and `pid`: its tasks and `stored` conditions, and how to `write` them."""

    tasks: Mapping[str, CheckTask]
    stored: Health
    write: Callable[[Health], bool]
    repository: str = ""
    pid: str = ""


class ConditionUpdater:
    """Updates conditions in a store, in a region; queues the notices to webhooks."""

    def __init__(self, store: Store, queue: MessageQueue, clock: Clock, region: Region = SINGLE_REGION) -> None:
        self._store = store
        self._queue = queue
        self._clock = clock
        self._require_home = home_check(region, store.repositories, clock)

    def targets(self, tasks: Iterable[CheckTask]) -> Sequence[ConditionTarget]:
        """Return the current prefixes and records of the tasks; deleted ones are missing."""
        names: dict[str, None] = {}
        keys: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for subject in (task.subject for task in tasks):
            if subject.owner.startswith(_PREFIX):
                names[subject.owner.removeprefix(_PREFIX)] = None
            elif subject.owner.startswith(_REPOSITORY):
                keys[subject.owner.removeprefix(_REPOSITORY)][record_key(subject.name)] = None
        return [
            *self._prefix_targets([*names]),
            *(target for owner in keys for target in self._record_targets(owner, [*keys[owner]])),
        ]

    def _prefix_targets(self, names: Sequence[str]) -> Iterator[ConditionTarget]:
        for prefix in self._store.prefixes.prefixes(names, consistent=True).values() if names else ():
            if isinstance(prefix, ProviderPrefix):
                tasks = {task.subject.name: task for task in tasks_of_prefix(prefix)}
                yield ConditionTarget(
                    tasks,
                    prefix.health,
                    partial(self._store.conditions.set_prefix_condition, prefix.name, prefix.revision),
                )

    def _record_targets(self, repository: str, keys: Sequence[str]) -> Iterator[ConditionTarget]:
        now = self._clock.now()
        for key, record in self._store.records.records(repository, keys).items():
            tasks = {task.url: task for task in tasks_of_record(record, now)}
            write = partial(self._write_record, repository, key, record.version)
            yield ConditionTarget(tasks, record.health, write, repository, record.pid)

    def _write_record(self, repository: str, key: str, version: int, health: Health) -> bool:
        """Write, unless the repository's home is another region, whose writes this one could undo."""
        with suppress(HomeElsewhere, HomeMoving):
            self._require_home(repository)
            return self._store.conditions.set_record_condition(repository, key, version, health)
        return False

    def update(self, targets: Sequence[ConditionTarget], fresh: Mapping[CheckSubject, CheckState], at: int) -> None:
        """Write changed conditions, after the notices: after a failure, they are sent twice rather than never."""
        states = self._states(targets, fresh)
        current = [(target, _health(target, states)) for target in targets]
        changed = [(target, health) for target, health in current if meaning(health) != meaning(target.stored)]
        by_repository: defaultdict[str, list[LinkChange]] = defaultdict(list)
        for target, health in changed:
            if target.repository:
                by_repository[target.repository] += changes(target.pid, target.stored, health)
        notices = [self._notice(repository, links, at) for repository, links in by_repository.items() if links]
        self._queue.send([notice for notice in notices if notice is not None])
        for target, health in changed:
            self._write(target, health, fresh)

    def _write(self, target: ConditionTarget, health: Health, fresh: Mapping[CheckSubject, CheckState]) -> None:
        """Write conditions, and again if check states changed meanwhile."""
        for _ in range(_ROUNDS):
            if not target.write(health):
                return  # the prefix or record has changed since the check
            states = self._states([target], fresh)
            written, health = health, _health(target, states)
            if meaning(health) == meaning(written):
                return

    def _notice(self, repository: str, links: Sequence[LinkChange], at: int) -> WebhookNotice | None:
        if self._store.webhooks.webhook(repository) is None:
            return None
        moment = max(datetime.fromtimestamp(at, UTC), *(change.now.since for change in links))
        ordered = sorted(links, key=lambda change: (change.pid, change.uri))
        return WebhookNotice(at, repository, change_event(repository, ordered, moment))

    def _states(
        self, targets: Iterable[ConditionTarget], fresh: Mapping[CheckSubject, CheckState]
    ) -> Mapping[CheckSubject, CheckState]:
        """Return the stored states of the addresses of targets, or the fresh ones."""
        subjects = [*{task.subject: None for target in targets for task in target.tasks.values()}]
        found: dict[CheckSubject, CheckState] = {}
        for start in range(0, len(subjects), _BATCH):
            found |= self._store.check_states.check_states(subjects[start : start + _BATCH])
        return {**found, **fresh}


def _health(target: ConditionTarget, states: Mapping[CheckSubject, CheckState]) -> Health:
    """Return the conditions of a target's addresses, limited to what is stored; the rest would change at each check."""
    found = ((name, task, states.get(task.subject)) for name, task in target.tasks.items())
    matching = ((name, state) for name, task, state in found if state is not None and state.url == task.url)
    return truncated({name: state.condition() for name, state in matching})


def meaning(health: Health) -> Mapping[str, Meaning]:
    """Return the parts of conditions that a reader acts upon, without those that are healthy and have not moved."""
    found = {name: meaning_of(condition) for name, condition in health.items()}
    return {name: each for name, each in found.items() if each != _HEALTHY}


def meaning_of(condition: Condition | None) -> Meaning:
    """Return the meaning of one condition; an unchecked address counts as healthy."""
    if condition is None:
        return _HEALTHY
    return condition.state, condition.moved, _NUMBERS.sub("", condition.reason)


def changes(pid: str, previous: Health, current: Health) -> list[LinkChange]:
    """Return the locations of a record that changed their state or moved."""
    found = []
    for uri, now in current.items():
        before = previous.get(uri)
        if meaning_of(before)[:2] != meaning_of(now)[:2]:
            found.append(LinkChange(pid, uri, before.state if before else UP, now))
    return found
