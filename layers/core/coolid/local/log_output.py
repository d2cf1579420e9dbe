"""Log lines on a file descriptor, written by a thread, so that a reader that stops reading delays no response.

A pipe holds 64 KiB. After that a write blocks until its reader continues. Lines wait in a bounded queue meanwhile.
Lines that do not fit are dropped, and one later line contains their number.
"""

import atexit
import os
from collections import deque
from datetime import UTC, datetime
from threading import Condition, Thread
from typing import Final

from coolid.strict_json import dump

MAX_WAITING_BYTES: Final = 1 << 20
"""The most bytes of lines that wait for the reader."""
_BATCH_BYTES: Final = 4096
"""The most bytes of several lines in one write. POSIX does not mix writes of this size to one pipe (`PIPE_BUF`)."""
_END_SECONDS: Final = 1.0
"""The most seconds that the end of the process waits for the reader."""


class LogOutput:
    """Writes lines to a descriptor in a thread of its own. Any thread may call `write`, which never blocks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._changed = Condition()
        self._lines: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._dropped = 0
        self._is_writing = False
        Thread(target=self._run, name="log", daemon=True).start()
        atexit.register(self.finish)

    def write(self, line: str) -> None:
        """Put a line into the queue, or drop it if the queue is full."""
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._changed:
            if self._waiting_bytes + len(data) > MAX_WAITING_BYTES:
                self._dropped += 1
                return
            self._waiting_bytes += len(data)
            self._lines.append(data)
            self._changed.notify_all()

    def finish(self) -> None:
        """Wait until all lines are written, for at most `_END_SECONDS`."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._lines or self._is_writing), _END_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                self._is_writing = True
                data = self._next_batch()
            self._write(data)

    def _next_batch(self) -> bytes:
        """Remove the first line from the queue, and further ones while they fit into a batch."""
        batch = self._lines.popleft()
        while self._lines and len(batch) + len(self._lines[0]) <= _BATCH_BYTES:
            batch += self._lines.popleft()
        self._waiting_bytes -= len(batch)
        if self._dropped and not self._lines:
            batch += _dropped_line(self._dropped)
            self._dropped = 0
        return batch

    def _write(self, data: bytes) -> None:
        """Write all bytes. A failure is ignored, because a full disk must not stop redirects."""
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            return


def _dropped_line(lines: int) -> bytes:
    """Return the log line that contains the number of dropped lines."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
    return dump({"timestamp": time, "level": "WARN", "service": "serve", "dropped": lines}).encode() + b"\n"
