"""Probing on this machine: the probe function's own parts in a thread, with a queue in this process."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from os import environ
from threading import Event, Thread
from time import monotonic, time
from typing import Final

from coolid.aws.wiring.probe import NETWORKS, build_check_function
from coolid.errors import StoreUnavailable
from coolid.health.checker import OutOfTime
from coolid.health.messages import Letter, name_of

LETTER: Final = 60.0
"""Seconds that are spent on a letter before its rest becomes another."""


class LocalQueue:
    """Implements `coolid.health.messages.Queue` in this process; what is waiting is not sent twice."""

    def __init__(self) -> None:
        self._letters: deque[Letter] = deque()

    def __len__(self) -> int:
        return len(self._letters)

    def send(self, letters: Sequence[Letter]) -> None:
        """As of `Queue`."""
        waiting = set(map(name_of, self._letters))
        self._letters += [letter for letter in letters if name_of(letter) not in waiting]

    def take(self) -> Letter:
        """The one that has waited longest."""
        return self._letters.popleft()


class _Told:
    """A log for people: of what goes well they see the results."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """Nothing to say."""

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """As of `Log`; why, where that is known."""
        reason = extra.get("reason")
        self._complain(f"looking at providers and targets: {message}" + (f": {reason}" if reason else ""))

    error = warning


class BackgroundChecks:
    """Looks at what is due every so many seconds, first at once. `networks` may be asked beside the public Internet."""

    def __init__(self, seconds: int, networks: Sequence[str], complain: Callable[[str], None]) -> None:
        self._interval = seconds
        self._complain = complain
        self._stop = Event()
        self._queue = LocalQueue()
        told = {**environ, NETWORKS: ",".join(networks) or environ.get(NETWORKS, "")}
        self._probe = build_check_function(told, self._queue, tick=seconds, seconds=self._seconds, log=_Told(complain))
        self._thread = Thread(target=self._run, name="probe", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, as soon as the hosts that are being asked have answered, or their time is up."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            now = time()
            try:
                self._probe.tick(datetime.fromtimestamp(now, UTC))
                for _ in range(len(self._queue)):
                    self._work()
            except StoreUnavailable as error:
                self._complain(f"nothing could be looked at, will try again: {error}")
            self._stop.wait(max(self._interval - (time() - now), 1))

    def _work(self) -> None:
        letter = self._queue.take()
        done = self._stop.is_set()
        try:
            done = done or self._probe.work(letter, monotonic() + LETTER)
        except OutOfTime:
            return  # it will have its turn again
        finally:
            if not done:
                self._queue.send([letter])

    def _seconds(self) -> float:
        """The time is over for everything that has not begun when this ends."""
        return inf if self._stop.is_set() else monotonic()
