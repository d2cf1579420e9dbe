"""The signals that end the server. Each ends it gracefully, so that its data is saved.

SIGINT (Ctrl-C), SIGTERM (`kill`), SIGQUIT (Ctrl-Backslash) and SIGHUP (the terminal was closed). Under `nohup`, which
starts a program with SIGHUP ignored, SIGHUP stays ignored.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

SIGNALS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)

Handler = Callable[[int, FrameType | None], Any]


class ShutdownSignals:
    """Handlers of these signals, from before the start of the server until its data is saved.

    During the start a signal raises `KeyboardInterrupt` (SIGINT) or `SystemExit` (the others, with the exit code that
    shells give, 128 and the signal's number). While the server runs, its own handler is called. During the shutdown
    further signals are ignored, because the default action would end the process before everything is saved.
    """

    def __init__(self) -> None:
        self._handler: Handler = self._end_start

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
    def handled_by(self, handler: Handler) -> Iterator[None]:
        """Call this handler while the block runs; what follows is the shutdown."""
        self._handler = handler
        try:
            yield
        finally:
            self._handler = _ignore

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._handler(number, frame)

    def _end_start(self, number: int, _: FrameType | None) -> None:
        self._handler = _ignore
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the server is already ending."""
