"""Determinism: a clock, random numbers, signatures and threads that are the same in every recording.

`install` replaces the sources of the whole process before the package is imported. Random numbers and pauses are
replaced only for calls that come from the package: libraries draw and wait as often as they like without changing an
answer. Connections to the store have no timeouts.
"""

import concurrent.futures
import hashlib
import os
import random
import secrets
import socket
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Final, ParamSpec, TypeVar

PACKAGE: Final = "coolid"
START: Final = 1_752_157_350
"""The first moment: 2025-07-10T14:22:30Z, in seconds since 1970."""
STEP: Final = 0.5
"""Seconds between two requests."""
SLOT: Final = 100_000
"""Seconds between the beginnings of two groups: a request more in one does not move those of the next."""
_NANOSECONDS: Final = 1_000_000_000
_BETWEEN: Final = (__name__, os.__name__, random.__name__, secrets.__name__, uuid.__name__)
"""Modules between a draw and the module that it is for."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_urandom = os.urandom


class Clock:
    """A clock that moves between requests, and by the pauses of the package within one.

    The next request begins when it would have begun without pauses, unless they were longer than the step: whether a
    read had to be repeated does not change the time of all requests after it.
    """

    def __init__(self) -> None:
        self.nanoseconds = self._next = START * _NANOSECONDS

    def advance(self, seconds: float) -> None:
        """Move forward, to the time of the next request."""
        self._next += round(seconds * _NANOSECONDS)
        self.nanoseconds = max(self.nanoseconds, self._next)

    def begin(self, group: int) -> None:
        """Move forward to the beginning of a group, by its number."""
        self._next = max(self._next, (START + group * SLOT) * _NANOSECONDS)
        self.nanoseconds = max(self.nanoseconds, self._next)

    def pause(self, seconds: float) -> None:
        """Move forward within a request."""
        self.nanoseconds += round(seconds * _NANOSECONDS)

    def seconds(self) -> float:
        """Return the seconds since 1970."""
        return self.nanoseconds / _NANOSECONDS


class Entropy:
    """Random bytes that depend on the request and the number of the draw within the request."""

    def __init__(self) -> None:
        self._request = ""
        self._draws = 0

    def begin(self, request: str) -> None:
        """Start the draws of a request, by its name."""
        self._request, self._draws = request, 0

    def draw(self, size: int) -> bytes:
        """Return so many bytes."""
        self._draws += 1
        text = f"{self._request}/{self._draws}/{size}"
        return hashlib.shake_256(text.encode()).digest(size)


class InlineExecutor(Executor):
    """An executor that runs each call at once, in the caller's thread: the order of calls is always the same."""

    def __init__(self, *_arguments: Any, **_options: Any) -> None:
        pass

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Run the call and return its finished future."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - a future holds whatever the call raised
            future.set_exception(error)
        return future


def install(clock: Clock, entropy: Entropy) -> None:
    """Replace the sources of this process, for good. Raises `RuntimeError` if the package was imported before."""
    if PACKAGE in sys.modules:
        raise RuntimeError(f"{PACKAGE} was imported before its clock could be replaced")
    _replace_time(clock)
    _replace_random(entropy)
    _replace_signatures()
    _remove_timeouts()
    concurrent.futures.ThreadPoolExecutor = InlineExecutor  # type: ignore[assignment,misc]
    concurrent.futures.thread.ThreadPoolExecutor = InlineExecutor  # type: ignore[assignment,misc]


def _replace_time(clock: Clock) -> None:
    def pause(seconds: Any, /) -> None:
        if _caller() == PACKAGE:
            clock.pause(seconds)

    time.time = clock.seconds
    time.time_ns = lambda: clock.nanoseconds
    time.monotonic = clock.seconds
    time.monotonic_ns = lambda: clock.nanoseconds
    time.sleep = pause


def _replace_random(entropy: Entropy) -> None:
    def urandom(size: int, /) -> bytes:
        return entropy.draw(size) if _caller() == PACKAGE else _urandom(size)

    os.urandom = urandom
    random._urandom = urandom  # type: ignore[attr-defined]


def _replace_signatures() -> None:
    """Make ECDSA deterministic (RFC 6979), where a caller does not say otherwise."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA

    ECDSA.__init__.__defaults__ = (True,)


def _remove_timeouts() -> None:
    """Let connections wait for the store without limit: on a busy machine an answer may take its time."""
    set_option, set_timeout = socket.socket.setsockopt, socket.socket.settimeout

    def setsockopt(connection: socket.socket, level: int, name: int, *value: Any) -> None:
        if name not in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            set_option(connection, level, name, *value)

    def settimeout(connection: socket.socket, seconds: float | None) -> None:
        set_timeout(connection, None if seconds else seconds)

    socket.socket.setsockopt = setsockopt  # type: ignore[assignment,method-assign]
    socket.socket.settimeout = settimeout  # type: ignore[assignment,method-assign]


def _caller() -> str:
    """Return the top-level package that a replaced function is called for."""
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__") in _BETWEEN and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
