"""The transparency log's rows and files in memory. `tests/contract` tests them like the others."""

from collections.abc import Mapping, Sequence
from threading import RLock

from coolid.errors import Outdated
from coolid.log.tiles import CHECKPOINT
from coolid.store.log import STAGING, LogHead, WaitingEntry, staged_size


class MemoryLogRows:
    """Implements `LogRows`."""

    def __init__(self) -> None:
        self.waiting: dict[str, WaitingEntry] = {}
        self.settled: dict[str, int] = {}
        self.current: LogHead | None = None
        self.position: str | None = None
        self.lock = RLock()

    def waiting_entries(self, limit: int) -> Sequence[WaitingEntry]:
        with self.lock:
            return sorted(self.waiting.values(), key=lambda entry: entry.since)[:limit]

    def add_entries(self, entries: Sequence[WaitingEntry]) -> None:
        with self.lock:
            for entry in entries:
                if entry.name not in self.settled:
                    self.waiting.setdefault(entry.name, entry)

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        with self.lock:
            return {name: self.settled.get(name) for name in names if name in self.settled or name in self.waiting}

    def settle(self, indexes: Mapping[str, int]) -> None:
        with self.lock:
            self.settled |= indexes
            for name in indexes:
                self.waiting.pop(name, None)

    def head(self) -> LogHead | None:
        return self.current

    def replace_head(self, head: LogHead, replaced: LogHead | None) -> None:
        with self.lock:
            if self.current != replaced:
                raise Outdated("the log's head")
            self.current = head

    def sweep_position(self) -> str | None:
        return self.position

    def set_sweep_position(self, position: str) -> None:
        self.position = position


class MemoryLogFiles:
    """Implements `LogFiles`."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.lock = RLock()

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        with self.lock:
            return {path: self.contents[path] for path in paths if path in self.contents}

    def write(self, files: Mapping[str, bytes]) -> None:
        with self.lock:
            self.contents |= files

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        with self.lock:
            if self.contents.get(CHECKPOINT) != replaced:
                raise Outdated("the log's checkpoint")
            self.contents[CHECKPOINT] = checkpoint

    def discard_staging(self, size: int) -> None:
        with self.lock:
            for path in [path for path in self.contents if path.startswith(STAGING) and staged_size(path) < size]:
                del self.contents[path]
