"""Runs `coolid` in a pseudo-terminal, and returns its output."""

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from tests.support.servers.coolid_server import COMMAND

COLUMNS = 80
NOTHING: Mapping[str, str] = MappingProxyType({})


def at_terminal(
    *arguments: str,
    folder: Path | None = None,
    stdout: IO[Any] | None = None,
    meanwhile: Callable[[subprocess.Popen[bytes]], None] = lambda _: None,
    environment: Mapping[str, str] = NOTHING,
    answer: bytes = b"",
) -> tuple[int, str]:
    """The exit code, and all that came to a terminal of 80 columns; `stdout` is where answers go instead.

    `meanwhile` is given the process once it has written something; `answer` is typed then.
    """
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    cleared = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "COOLID_URL", "COOLID_KEY", "COOLID_STACK"}
    returned = {name: value for name, value in os.environ.items() if name not in cleared} | {"TERM": "xterm"}
    try:
        with default_interrupt():
            process = subprocess.Popen(
                [str(COMMAND), *arguments],
                stdin=follower,
                stdout=follower if stdout is None else stdout,
                stderr=follower,
                env=returned | dict(environment),
                cwd=folder,
                start_new_session=True,  # so that the terminal of the tests is not its terminal
            )
        os.close(follower)

        def once(started: subprocess.Popen[bytes]) -> None:
            os.write(leader, answer)
            meanwhile(started)

        return _watched(process, leader, once)
    finally:
        os.close(leader)


@contextmanager
def default_interrupt() -> Iterator[None]:
    """Let processes that begin in the block end at SIGINT, even if the shell ignores it (`nohup make test &`)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _watched(
    process: subprocess.Popen[bytes], leader: int, meanwhile: Callable[[subprocess.Popen[bytes]], None]
) -> tuple[int, str]:
    written = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            part = os.read(leader, 65536)
        except OSError:  # nobody holds the other end any more
            break
        if part and not written:
            meanwhile(process)
        written += part
    return process.wait(60), written.decode("utf-8", "replace").replace("\r\n", "\n")
