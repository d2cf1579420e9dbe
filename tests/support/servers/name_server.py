"""Names: a system whose name server stops answering, and answers again when a test wants."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

LONGEST = 5
"""Seconds after which a stalled look-up returns after all, so that a test of code without a deadline ends."""


class Names:
    """Resolves every name to this machine. `begun` and `ended` count the look-ups of names."""

    def __init__(self) -> None:
        self.answering = threading.Event()
        self.answering.set()
        self.begun = self.ended = 0
        self._resolve = socket.getaddrinfo

    def stall(self) -> None:
        """Answer no look-up from here on, and count anew."""
        self.answering.clear()
        self.begun = self.ended = 0

    def __call__(self, host: Any, port: Any, *more: Any, **named: Any) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else host
        if name[:1].isdigit() or ":" in name:
            return self._resolve(host, port, *more, **named)
        self.begun += 1
        self.answering.wait(LONGEST)
        self.ended += 1
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]


@contextmanager
def system_names() -> Iterator[Names]:
    """Names of the whole process, stalled or not."""
    names = Names()
    with patch("socket.getaddrinfo", names):
        try:
            yield names
        finally:
            names.answering.set()
