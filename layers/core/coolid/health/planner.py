"""The planner: queues the check tasks that are due at a tick.

It reads all prefixes and, for each repository, the failing targets and the next few records. It stores only the check
cursor. Planning a tick twice sends identical messages, which the queue deduplicates. Each region plans what is written
there (`coolid.registry.home_regions`), because the results are written there. Afterwards the planner completes the
indexes by time of change of these repositories (`coolid.store.records.ChangeIndex`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Final

from coolid.health.messages import MessageQueue, check_batches, shuffle_key
from coolid.health.schedule import (
    MAX_PER_HOST,
    MAX_RECURRING,
    CheckSchedule,
    CheckTask,
    RecurringTask,
    due,
    host_of,
    period,
    tasks_of_prefix,
    tasks_of_record,
)
from coolid.model.check_state import CheckCursor, CheckSubject, repository_owner
from coolid.model.conditions import UP
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.store.pages import all_members
from coolid.store.store import Store

_MAX_INDEXED: Final = 30_000
"""The rows of earlier releases that are added to the index in a tick, which takes half a minute."""
_MAX_FROM_RECORDS: Final = MAX_PER_HOST - MAX_RECURRING


class Planner:
    """Plans the ticks of a check schedule, in a region."""

    def __init__(
        self, store: Store, queue: MessageQueue, schedule: CheckSchedule, region: Region = SINGLE_REGION
    ) -> None:
        self._store = store
        self._queue = queue
        self._region = region
        self.schedule = schedule

    def plan(self, tick: int) -> int:
        """Queue the tasks due at a tick; return their number. Raises `StoreUnavailable` and the queue's errors."""
        at = tick * self.schedule.seconds
        now = datetime.fromtimestamp(at, UTC)
        recurring: list[RecurringTask] = []
        repositories: dict[str, Repository] = {}
        for prefix in self._store.prefixes.all_prefixes():
            if isinstance(prefix, Namespace):
                repositories[prefix.repository.id] = prefix.repository
            elif self._region.writes_names():
                conditions = tasks_of_prefix(prefix)
                recurring += [(task, period(condition, now, self.schedule)) for task, condition in conditions.items()]
        owners = sorted(name for name, each in repositories.items() if self.schedule.targets and self._is_here(each))
        for repository_id in owners:
            recurring += self._failing(repository_id, now)
        tasks: dict[CheckSubject, CheckTask] = {task.subject: task for task in due(recurring, tick)}
        cursors: dict[str, CheckCursor] = {}
        taken: Counter[str | None] = Counter()
        first = tick % len(owners) if owners else 0
        for repository_id in (*owners[first:], *owners[:first]):
            cursor = self._add_records(repositories[repository_id], tick, now, tasks, taken)
            if cursor is not None:
                cursors[repository_id] = cursor
        self._queue.send([*check_batches(tasks.values(), at)])
        for repository_id, cursor in cursors.items():
            self._store.check_cursors.put_cursor(repository_id, cursor)
        self._complete_indexes(name for name, each in repositories.items() if self._is_here(each))
        return len(tasks)

    def _complete_indexes(self, repository_ids: Iterable[str]) -> None:
        """Add the next records of an earlier release to the index by time of change."""
        remaining = _MAX_INDEXED
        for repository_id in repository_ids:
            if remaining > 0:
                remaining -= self._store.changes.complete(repository_id, remaining)

    def _is_here(self, repository: Repository) -> bool:
        return self._region.home_of(repository) == self._region.name or not self._region.name

    def _failing(self, repository_id: str, now: datetime) -> Iterator[RecurringTask]:
        """Yield the failing targets of a repository. Moved ones that are up are checked with their record."""
        ailing = partial(self._store.check_states.ailing, repository_owner(repository_id))
        for subject, state in all_members(ailing):
            if state.state != UP:
                yield CheckTask(subject, state.url), period(state.condition(), now, self.schedule)

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
