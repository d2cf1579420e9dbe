"""The kinds of stores of jobs that the fixture `job_access` makes. Each has a function that opens an empty one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from coolid.aws.settings import JOB_BUCKET, Settings
from coolid.sqlite.database import Database
from coolid.sqlite.job_files import SqliteFiles
from coolid.sqlite.jobs import SqliteJobs
from coolid.store.jobs import JobAccess
from coolid.wiring.dynamodb_access import open_jobs
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import environment_for, new_bucket, new_tables
from tests.support.stores.memory_jobs import MemoryFiles, MemoryJobs, MemoryQueue


@contextmanager
def memory(_folder: Path) -> Iterator[JobAccess]:
    yield JobAccess(MemoryJobs(), MemoryFiles(), MemoryQueue())


@contextmanager
def sqlite(folder: Path) -> Iterator[JobAccess]:
    with Database.open(folder / "coolid.db", is_durable=False) as database:
        yield JobAccess(SqliteJobs(database), SqliteFiles(database, FixedClock()), MemoryQueue())


@contextmanager
def aws(_folder: Path) -> Iterator[JobAccess]:
    """The table and the bucket in the embedded backend, which must run."""
    settings = Settings.read({**environment_for(new_tables()), JOB_BUCKET: new_bucket()}, writes=True)
    access = open_jobs(settings)
    yield JobAccess(access.jobs, access.files, MemoryQueue())


JOB_STORES: Final[dict[str, Callable[[Path], AbstractContextManager[JobAccess]]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "aws": aws,
}
