"""Turns: what the product waits and works by, a lock and a pool of threads, so that they go by the baton.

A real lock that is held across a step would never be let go: whoever holds it may go on only when it is their turn.
"""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from tests.drill.baton import Baton, Killed, Task


class TurnLock:
    """A lock that is waited for without keeping the turn."""

    def __init__(self, baton: Baton) -> None:
        self._baton = baton
        self._held = False
        self._waiting: list[Task] = []

    def __enter__(self) -> Self:
        while self._held:
            task = self._baton.task
            assert task is not None
            self._waiting.append(task)
            self._baton.wait()
        self._held = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._held = False
        for task in self._waiting:
            self._baton.wake(task)
        self._waiting.clear()


class Pool:
    """Does things at once, at most so many, in threads that take turns."""

    def __init__(self, baton: Baton, most: int) -> None:
        self._baton = baton
        self._most = most

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, deed: Callable[[Any], Any], things: Iterable[Any]) -> list[Any]:
        """What came of each, in their order."""
        wanted = list(things)
        results: list[Any] = [None] * len(wanted)
        left = iter(range(len(wanted)))

        def work() -> None:
            for at in left:
                results[at] = deed(wanted[at])

        tasks = [self._baton.begin(work) for _ in range(min(self._most, len(wanted)))]
        self._baton.join(tasks)
        mine = self._baton.task
        if mine is not None and mine.life is not None and mine.life.over:
            raise Killed
        return results
