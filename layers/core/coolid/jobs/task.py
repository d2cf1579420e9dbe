"""What the work on a slice of a job needs."""

from collections.abc import Callable

from msgspec import Struct

from coolid.errors import CoolidError
from coolid.jobs.operations import RowOperation
from coolid.jobs.rows import RowSource
from coolid.jobs.session import JobSession
from coolid.model.clients import Client
from coolid.ports import Count, Seconds
from coolid.store.jobs import FileStore


class JobListeners(Struct, frozen=True):
    """`report` receives unexpected errors with the ids of their jobs, `on_error` others; `count` adds to metrics."""

    report: Callable[[Exception, str], None]
    on_error: Callable[[CoolidError], None]
    count: Count


class JobParts(Struct, frozen=True):
    """The rows of a job, and the operation on them."""

    source: RowSource
    operation: RowOperation


class Task(Struct, frozen=True):
    """A job in the hands of a worker, for its `client`."""

    session: JobSession
    client: Client
    parts: JobParts
    files: FileStore
    listeners: JobListeners
    seconds: Seconds
