"""The planner: queues the check tasks that are due at a tick.

It reads all prefixes and, for each repository, the failing targets and the next few records. It stores only the check
cursors and where the reading of failing targets stopped. Planning a tick twice sends identical messages, which the
queue deduplicates. Each region plans what is written there (`coolid.registry.home_regions`), because the results are
written there. Afterwards the planner completes the indexes by time of change of these repositories
(`coolid.store.records.ChangeIndex`).

Lists are read page by page, and the tasks of a tick are limited, so that memory is bounded.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from math import inf
from time import monotonic
from typing import Final

from coolid.health.ailing_targets import AilingTargets
from coolid.health.due_tasks import DueTasks
from coolid.health.messages import MessageQueue, check_batches, shuffle_key
from coolid.health.schedule import (
    MAX_PER_HOST,
    MAX_RECURRING,
    CheckSchedule,
    CheckTask,
    host_of,
    period,
    tasks_of_prefix,
    tasks_of_record,
)
from coolid.model.check_state import CheckCursor, CheckSubject
from coolid.model.conditions import UP
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.ports import Seconds
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.store.pages import all_members
from coolid.store.store import Store

_MAX_INDEXED: Final = 30_000
"""The rows of earlier releases that are added to the index in a tick, which takes half a minute."""
_MAX_FROM_RECORDS: Final = MAX_PER_HOST - MAX_RECURRING
_MAX_RECORD_TASKS: Final = 5_000
"""The tasks from records after which the other repositories wait for the next tick."""
_MESSAGES: Final = 100
"""The most messages that are built before they are sent."""


class Planner:
    """Plans the ticks of a check schedule, in a region."""

    def __init__(
        self,
        store: Store,
        queue: MessageQueue,
        schedule: CheckSchedule,
        region: Region = SINGLE_REGION,
        seconds: Seconds = monotonic,
    ) -> None:
        self._store = store
        self._queue = queue
        self._region = region
        self._seconds = seconds
        self.schedule = schedule

    def plan(self, tick: int, until: float = inf) -> int:
        """Queue the tasks due at a tick; return their number. Raises `StoreUnavailable` and the queue's errors.

        Reading failing targets stops at `until` (of `seconds`), and the next tick continues there.
        """
        at = tick * self.schedule.seconds
        now = datetime.fromtimestamp(at, UTC)
        due = DueTasks(tick)
        repositories = self._read_prefixes(due, now)
        owners = sorted(name for name, each in repositories.items() if self.schedule.targets and self._is_here(each))
        store = self._store
        ailing = AilingTargets(store.check_states, store.check_cursors, tick, lambda: self._seconds() >= until)
        for subject, state, window in ailing.read(owners):
            if state.state != UP:  # moved ones that are up are checked with their record
                due.add(CheckTask(subject, state.url), period(state.condition(), now, self.schedule), window)
        tasks: dict[CheckSubject, CheckTask] = {task.subject: task for task in due.tasks()}
        cursors: dict[str, CheckCursor] = {}
        taken: Counter[str | None] = Counter()
        first = tick % len(owners) if owners else 0
        for repository_id in (*owners[first:], *owners[:first]):
            if taken.total() >= _MAX_RECORD_TASKS:
                break
            cursor = self._add_records(repositories[repository_id], tick, now, tasks, taken)
            if cursor is not None:
                cursors[repository_id] = cursor
        batches = check_batches(tasks.values(), at)
        while messages := [*islice(batches, _MESSAGES)]:
            self._queue.send(messages)
        for repository_id, cursor in cursors.items():
            store.check_cursors.put_cursor(repository_id, cursor)
        ailing.save()
        self._complete_indexes(name for name, each in repositories.items() if self._is_here(each))
        return len(tasks)

    def _read_prefixes(self, due: DueTasks, now: datetime) -> dict[str, Repository]:
        """Add the providers of all prefixes to the tasks; return the repositories by their ids."""
        repositories: dict[str, Repository] = {}
        for prefix in all_members(self._store.prefixes.list_prefixes):
            if isinstance(prefix, Namespace):
                repositories[prefix.repository.id] = prefix.repository
            elif self._region.writes_names():
                for task, condition in tasks_of_prefix(prefix).items():
                    due.add(task, period(condition, now, self.schedule))
        return repositories

    def _complete_indexes(self, repository_ids: Iterable[str]) -> None:
        """Add the next records of an earlier release to the index by time of change."""
        remaining = _MAX_INDEXED
        for repository_id in repository_ids:
            if remaining > 0:
                remaining -= self._store.changes.complete(repository_id, remaining)

    def _is_here(self, repository: Repository) -> bool:
        return self._region.home_of(repository) == self._region.name or not self._region.name

    def _add_records(
        self,
        repository: Repository,
        tick: int,
        now: datetime,
        tasks: dict[CheckSubject, CheckTask],
        taken: Counter[str | None],
    ) -> CheckCursor | None:
        """Add the targets of the next few records to the tasks. Return the new cursor, or None if no record is due.

        It stops before a record whose host has reached its limit in this tick; the next tick continues there.
        """
        share = self.schedule.share(tick, repository.id)
        if not share:
            return None
        cursor = self._store.check_cursors.cursor(repository.id)
        cursor = None if cursor is None else cursor.at(tick)
        if cursor is None or cursor.is_over(now):
            cursor = CheckCursor(now)
        if cursor.done:
            return None
        records, last = self._store.records.list_records(repository.id, share, cursor.after or None)
        after = cursor.after
        for record in records:
            found = _limited(tasks_of_record(record, now), tick)
            added = Counter(host_of(task.url) for task in found if task.subject not in tasks)
            if any(taken[host] and taken[host] + more > _MAX_FROM_RECORDS for host, more in added.items()):
                return CheckCursor(cursor.began, after, tick=tick, before=cursor.after)
            taken += added
            tasks |= {task.subject: task for task in found}
            after = record.key
        return CheckCursor(cursor.began, last or after, done=last is None, tick=tick, before=cursor.after)


def _limited(tasks: Iterable[CheckTask], tick: int) -> list[CheckTask]:
    """Return a record's tasks up to the limit for each host; which ones differs at each tick."""
    taken: Counter[str | None] = Counter()
    found = []
    for task in sorted(tasks, key=lambda task: shuffle_key(task.subject, tick)):
        host = host_of(task.url)
        if taken[host] < _MAX_FROM_RECORDS:
            taken[host] += 1
            found.append(task)
    return found
