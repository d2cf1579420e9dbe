"""`coolid` with a look inside: four times a second it writes down what is in use of its memory, into a file.

What the operating system tells of a process is a tide mark: memory that was freed stays with it, and a leak fills that
first. In use are Python's blocks (objects of up to 512 bytes, counted), and what else was asked of the C library and
not given back (bytes; glibc 2.33 and later can tell). The commands themselves are those of coolid, unchanged; with a
leak, so many bytes of each request are kept for good, to show that the soak finds one.
Run as a program: python -m scripts.soak.served FILE LEAK serve --port 0
"""

import ctypes
import os
import sys
from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep
from typing import Any, Final

from coolid import cli
from coolid.local.server import Server
from scripts.soak.watching import EVERY

_MEMBERS: Final = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _Told(ctypes.Structure):
    """The result of `mallinfo2` (mallinfo(3)): used are `uordblks` and, in maps of their own, `hblkhd` bytes."""

    _fields_ = [(name, ctypes.c_size_t) for name in _MEMBERS.split()]


def asked_of_malloc() -> Callable[[], int]:
    """What tells the bytes that malloc gave and did not get back; always 0 where it cannot be told.

    >>> asked_of_malloc()() >= 0
    True
    """
    told = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if told is None:
        return lambda: 0
    told.restype = _Told

    def in_use() -> int:
        found: Any = told()
        return int(found.uordblks + found.hblkhd)

    return in_use


def look(file: str) -> None:
    """Write time, blocks and bytes, repeatedly."""
    malloc = asked_of_malloc()
    with open(file, "w", encoding="ascii", buffering=1) as lines:  # noqa: PTH123 - line by line
        while True:
            lines.write(f"[{monotonic()},{sys.getallocatedblocks()},{malloc()}]\n")
            sleep(EVERY)


def leaking(size: int) -> None:
    """Leak this number of bytes with each request from now on."""
    kept: list[bytes] = []
    answer = Server.__call__

    async def leak(server: Server, scope: Any, receive: Any, send: Any) -> None:
        kept.append(os.urandom(size))
        await answer(server, scope, receive, send)

    Server.__call__ = leak  # type: ignore[assignment,method-assign]


def main() -> None:
    """Observe the memory, leak if requested, and run `coolid` with the other arguments."""
    file, leak = sys.argv.pop(1), int(sys.argv.pop(1))
    if leak:
        leaking(leak)
    Thread(target=look, args=(file,), daemon=True).start()
    cli.main()


if __name__ == "__main__":
    main()
