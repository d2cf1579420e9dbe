"""The kinds of stores of the transparency log. Each has a function that opens an empty one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from coolid.aws.dynamodb.log_rows import DynamoLogRows
from coolid.aws.entropy import SystemEntropy
from coolid.aws.s3_log_files import S3LogFiles
from coolid.sqlite.database import Database
from coolid.sqlite.log.folder import LogFolder
from coolid.sqlite.log.rows import SqliteLogRows
from coolid.store.log import LogFiles, LogRows
from coolid.wiring.boto_clients import LOG_FILES, WRITES, client, dynamodb
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import new_bucket, new_tables
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows


@contextmanager
def memory(_folder: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    yield MemoryLogRows(), MemoryLogFiles()


@contextmanager
def sqlite(folder: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    with Database.open(folder / "coolid.db", is_durable=False) as database:
        yield SqliteLogRows(database, FixedClock()), LogFolder(folder / "coolid.db.log")


@contextmanager
def aws(_folder: Path) -> Iterator[tuple[LogRows, LogFiles]]:
    """The table and the bucket in the embedded backend, which must run."""
    rows = DynamoLogRows(dynamodb(WRITES), new_tables()["LogTable"], SystemEntropy())
    yield rows, S3LogFiles(client("s3", LOG_FILES), new_bucket())


LOG_STORES: Final[dict[str, Callable[[Path], AbstractContextManager[tuple[LogRows, LogFiles]]]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "aws": aws,
}
