"""The baton: many threads, of which one goes on at a time, and dice that say which. The same seed gives the same run.

Threads are real ones, so that whatever is local to a thread or locked between threads takes part; but they only change
at `step`, which every call of the store, of the key service and of the clock passes. Time is made here as well: it goes
by with the steps, and when all threads sleep it jumps to when the first wakes.

>>> from random import Random
>>> def run(seed):
...     baton, said = Baton(Random(seed)), []
...     def count(name):
...         for number in range(3):
...             baton.step()
...             said.append(name + str(number))
...     baton.run([lambda name=name: count(name) for name in "abc"])
...     return said
>>> run(1) == run(1), run(1) == run(2), sorted(run(1)) == sorted(run(2))
(True, False, True)
"""

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from random import Random
from threading import Lock, Thread, get_ident
from typing import Any

Deed = Callable[[], Any]


class Killed(BaseException):
    """The process in which this was going on is no more: nothing of it may go on, not even to tidy up."""


class Aborted(BaseException):
    """Another thread failed; the run is over."""


class Life:
    """What threads go on in: a process, until it is `over`."""

    over = False


class Task:
    """A thread; `life` is the process that it is in at the moment, `doing` what for."""

    def __init__(self, deed: Deed, life: Life | None, doing: str) -> None:
        self.deed = deed
        self.life = life
        self.doing = doing
        self.turn = Lock()
        self.turn.acquire()
        self.waits = False
        self.ended = False
        self.awaited_by: list[Task] = []
        self.read_keys = 0
        """Keys that the request under way has read from the store."""


class Baton:
    """`now` is the time, in seconds since the run began. Whoever has no thread of ours is never made to wait."""

    STEP = 0.004
    """Seconds that a step takes at the most."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
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
        """The one that is at work, if whoever asks is one."""
        return self._has if self._has is not None and get_ident() in self._threads else None

    def run(self, deeds: Iterable[Deed]) -> None:
        """Do all of it at once, and raise the first error there is."""
        self._over.acquire()
        for deed in deeds:
            self.begin(deed)
        self._pass_on()
        self._over.acquire()
        self._over.release()
        if self._error is not None:
            raise self._error

    def begin(self, deed: Deed) -> Task:
        """Do this, too, in a thread of its own, in the life that this one is in."""
        mine = self.task
        task = Task(deed, mine.life if mine else None, mine.doing if mine else "")
        self._alive += 1
        self._ready.append(task)
        Thread(target=self._thread, args=(task,), daemon=True).start()
        return task

    def join(self, tasks: Sequence[Task]) -> None:
        """Wait until they have ended."""
        mine = self.task
        assert mine is not None
        for task in tasks:
            while not task.ended:
                task.awaited_by.append(mine)
                self.wait()

    def step(self) -> None:
        """Let some time go by, and whoever's turn it is go on."""
        mine = self.task
        if mine is None:
            return
        self.now += self.dice.random() * self.STEP
        self._wake_sleepers()
        chosen = self._ready[int(self.dice.random() * len(self._ready))]
        if chosen is not mine:
            self._hand_to(chosen)
            mine.turn.acquire()
        self._demand_life(mine)

    def sleep(self, seconds: float) -> None:
        """Wait for a time that others use."""
        mine = self.task
        if mine is None:
            self.now += seconds
            return
        self._number += 1
        heappush(self._sleeping, (self.now + seconds, self._number, mine))
        self.wait()

    def wait(self) -> None:
        """Wait until somebody calls `wake`."""
        mine = self.task
        assert mine is not None
        mine.waits = True
        self._ready.remove(mine)
        self._pass_on()
        mine.turn.acquire()
        self._demand_life(mine)

    def wake(self, task: Task) -> None:
        """Let one that waits go on when its turn comes."""
        if task.waits:
            task.waits = False
            self._ready.append(task)

    def _thread(self, task: Task) -> None:
        self._threads[get_ident()] = task
        task.turn.acquire()
        try:
            self._demand_life(task)
            task.deed()
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
            self._pass_on()
        else:
            self._has = None
            self._over.release()

    def _demand_life(self, mine: Task) -> None:
        if self._error is not None:
            raise Aborted
        if mine.life is not None and mine.life.over:
            raise Killed

    def _wake_sleepers(self) -> None:
        while self._sleeping and self._sleeping[0][0] <= self.now:
            self.wake(heappop(self._sleeping)[2])

    def _pass_on(self) -> None:
        """Give the turn away."""
        self._wake_sleepers()
        if self._error is not None:  # everybody is to end
            for task in list(self._threads.values()):
                self.wake(task)
        while not self._ready:
            assert self._sleeping, "all threads wait for each other"
            self.now = max(self.now, self._sleeping[0][0])
            self._wake_sleepers()
        self._hand_to(self._ready[int(self.dice.random() * len(self._ready))])

    def _hand_to(self, task: Task) -> None:
        self.switches += 1
        self._has = task
        task.turn.release()
