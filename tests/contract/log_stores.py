"""The kinds of stores of the transparency log. Each has a function that opens an empty one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from coolid.sqlite.database import Database
from coolid.sqlite.log.folder import LogFolder
from coolid.sqlite.log.rows import SqliteLogRows
from coolid.store.log import LogFiles, LogRows
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows


@contextmanager
def memory(_folder: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    yield MemoryLogRows(), MemoryLogFiles()


@contextmanager
def sqlite(folder: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    with Database.open(folder / "coolid.db", is_durable=False) as database:
        yield SqliteLogRows(database, FixedClock()), LogFolder(folder / "coolid.db.log")


LOG_STORES: Final[dict[str, Callable[[Path], AbstractContextManager[tuple[LogRows, LogFiles]]]]] = {
    "memory": memory,
    "sqlite": sqlite,
}
