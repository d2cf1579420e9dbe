"""A lock and a thread pool for the product that cooperate with the scheduler.

A real lock held across a step would block for ever, because its owner may run only when the scheduler selects it.
"""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from tests.drill.scheduler import Killed, Scheduler, Task


class ScheduledLock:
    """A lock whose waiting threads let others run."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._held = False
        self._waiting: list[Task] = []

    def __enter__(self) -> Self:
        while self._held:
            task = self._scheduler.task
            assert task is not None
            self._waiting.append(task)
            self._scheduler.wait()
        self._held = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._held = False
        for task in self._waiting:
            self._scheduler.wake(task)
        self._waiting.clear()


class ScheduledPool:
    """Runs calls in a limited number of scheduled threads."""

    def __init__(self, scheduler: Scheduler, most: int) -> None:
        self._scheduler = scheduler
        self._most = most

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, action: Callable[[Any], Any], tracked_records: Iterable[Any]) -> list[Any]:
        """Return the results, in the order of the arguments."""
        wanted = list(tracked_records)
        results: list[Any] = [None] * len(wanted)
        left = iter(range(len(wanted)))

        def work() -> None:
            for at in left:
                results[at] = action(wanted[at])

        tasks = [self._scheduler.begin(work) for _ in range(min(self._most, len(wanted)))]
        self._scheduler.join(tasks)
        mine = self._scheduler.task
        if mine is not None and mine.lifetime is not None and mine.lifetime.over:
            raise Killed
        return results
