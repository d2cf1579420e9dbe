"""The end of the service: by signals, of which the first ends it gracefully, the second at once; and of its threads.

SIGINT (Ctrl-C), SIGTERM (`kill`), SIGQUIT (Ctrl-Backslash) and SIGHUP (the terminal was closed). Under `nohup`, which
starts a program with SIGHUP ignored, SIGHUP stays ignored.
"""

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class StoppableThread(ABC):
    """Work in a thread of the service. `_run` does it, and ends soon after `_stopped` is set."""

    def __init__(self, name: str) -> None:
        self._stopped = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and wait for its end."""
        self._stopped.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None: ...


class ShutdownSignals:
    """The handlers of `SIGNALS`.

    During the start a signal raises `KeyboardInterrupt` (SIGINT) or `SystemExit` (the others, with the exit code that
    shells give, 128 and the signal's number). While the server runs, the first begins the shutdown. Another one ends
    the process at once with this exit code. It loses nothing, because acknowledged writes are already in the database.
    """

    def __init__(self, end: Callable[[int], object] = os._exit) -> None:
        """Use `end` to end the process with an exit code."""
        self._end = end
        self._begin: Callable[[], object] | None = None
        self._before_end: Callable[[], object] | None = None
        self._received = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Install the handlers, and restore the earlier ones at the end. Only the main thread can do this."""
        ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        numbers = [number for number in SIGNALS if not (ignored and number == signal.SIGHUP)]
        earlier = {number: signal.signal(number, self._receive) for number in numbers}
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)

    @contextmanager
    def handled_by(self, begin: Callable[[], object], before_end: Callable[[], object] | None = None) -> Iterator[None]:
        """During the block, the first signal calls `begin`, another one `before_end`. Later signals raise nothing."""
        self._begin, self._before_end = begin, before_end
        try:
            yield
        finally:
            self._before_end = None

    def begin(self) -> None:
        """Begin the shutdown without a signal. Any thread may call this, also repeatedly."""
        if self._begin:
            self._begin()

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self._received += 1
        if self._received > 1:
            if self._before_end:
                self._before_end()
            self._end(128 + number)
        elif self._begin:
            self._begin()
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)
