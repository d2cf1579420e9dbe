"""A cooperative scheduler: of many threads one runs at a time, chosen at random by a seed, which determines the run.

The threads are real, so thread-local data and locks take part. They switch only at `step`, which every call of the
store, the key service and the clock passes. The scheduler has its own time: it advances with the steps, and when all
threads sleep it jumps to the first wake-up.

>>> from random import Random
>>> def run(seed):
...     scheduler, output = Scheduler(Random(seed)), []
...     def count(name):
...         for number in range(3):
...             scheduler.step()
...             output.append(name + str(number))
...     scheduler.run([lambda name=name: count(name) for name in "abc"])
...     return output
>>> run(1) == run(1), run(1) == run(2), sorted(run(1)) == sorted(run(2))
(True, False, True)
"""

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from random import Random
from threading import Lock, Thread, get_ident
from typing import Any

Action = Callable[[], Any]


class Killed(BaseException):
    """The process of this thread was killed: nothing may run any more, not even cleanup."""


class Aborted(BaseException):
    """Another thread failed, so the run is over."""


class Lifetime:
    """The lifetime of a process, until it is `over`."""

    over = False


class Task:
    """A thread; `lifetime` is that of its current process, `activity` the purpose of its current request."""

    def __init__(self, action: Action, lifetime: Lifetime | None, activity: str) -> None:
        self.action = action
        self.lifetime = lifetime
        self.activity = activity
        self.turn = Lock()
        self.turn.acquire()
        self.waits = False
        self.ended = False
        self.awaited_by: list[Task] = []
        self.read_keys = 0
        """The number of keys that the current request has read from the store."""


class Scheduler:
    """Runs threads. `now` is the time in seconds since the start. Other threads than its own never wait."""

    STEP = 0.004
    """The maximal seconds of one step."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.now = 0.0
        self.switches = 0
        self._has: Task | None = None
        self._ready: list[Task] = []
        self._sleeping: list[tuple[float, int, Task]] = []
        self._number = 0
        self._error: BaseException | None = None
        self._alive = 0
        self._over = Lock()
        self._threads: dict[int, Task] = {}

    @property
    def task(self) -> Task | None:
        """Return the running task if this thread is one, else None."""
        return self._has if self._has is not None and get_ident() in self._threads else None

    def run(self, actions: Iterable[Action]) -> None:
        """Run all actions concurrently, and raise the first error."""
        self._over.acquire()
        for action in actions:
            self.begin(action)
        self._run_next()
        self._over.acquire()
        self._over.release()
        if self._error is not None:
            raise self._error

    def begin(self, action: Action) -> Task:
        """Start another action, in a thread of its own, with the lifetime of the current one."""
        mine = self.task
        task = Task(action, mine.lifetime if mine else None, mine.activity if mine else "")
        self._alive += 1
        self._ready.append(task)
        Thread(target=self._thread, args=(task,), daemon=True).start()
        return task

    def join(self, tasks: Sequence[Task]) -> None:
        """Wait until all tasks have ended."""
        mine = self.task
        assert mine is not None
        for task in tasks:
            while not task.ended:
                task.awaited_by.append(mine)
                self.wait()

    def step(self) -> None:
        """Advance the time, and run any ready thread."""
        mine = self.task
        if mine is None:
            return
        self.now += self.rng.random() * self.STEP
        self._wake_sleepers()
        chosen = self._ready[int(self.rng.random() * len(self._ready))]
        if chosen is not mine:
            self._switch_to(chosen)
            mine.turn.acquire()
        self._require_lifetime(mine)

    def sleep(self, seconds: float) -> None:
        """Wait for a time while others run."""
        mine = self.task
        if mine is None:
            self.now += seconds
            return
        self._number += 1
        heappush(self._sleeping, (self.now + seconds, self._number, mine))
        self.wait()

    def wait(self) -> None:
        """Wait until another thread calls `wake`."""
        mine = self.task
        assert mine is not None
        mine.waits = True
        self._ready.remove(mine)
        self._run_next()
        mine.turn.acquire()
        self._require_lifetime(mine)

    def wake(self, task: Task) -> None:
        """Make a waiting task ready."""
        if task.waits:
            task.waits = False
            self._ready.append(task)

    def _thread(self, task: Task) -> None:
        self._threads[get_ident()] = task
        task.turn.acquire()
        try:
            self._require_lifetime(task)
            task.action()
        except (Killed, Aborted):
            pass
        except BaseException as error:  # noqa: BLE001 - whatever it is, the run is over and says it
            self._error = self._error or error
        task.ended = True
        del self._threads[get_ident()]
        self._alive -= 1
        self._ready.remove(task)
        for waiting in task.awaited_by:
            self.wake(waiting)
        if self._alive:
            self._run_next()
        else:
            self._has = None
            self._over.release()

    def _require_lifetime(self, mine: Task) -> None:
        if self._error is not None:
            raise Aborted
        if mine.lifetime is not None and mine.lifetime.over:
            raise Killed

    def _wake_sleepers(self) -> None:
        while self._sleeping and self._sleeping[0][0] <= self.now:
            self.wake(heappop(self._sleeping)[2])

    def _run_next(self) -> None:
        """Run another task."""
        self._wake_sleepers()
        if self._error is not None:  # all tasks must end
            for task in list(self._threads.values()):
                self.wake(task)
        while not self._ready:
            assert self._sleeping, "all threads wait for each other"
            self.now = max(self.now, self._sleeping[0][0])
            self._wake_sleepers()
        self._switch_to(self._ready[int(self.rng.random() * len(self._ready))])

    def _switch_to(self, task: Task) -> None:
        self.switches += 1
        self._has = task
        task.turn.release()
