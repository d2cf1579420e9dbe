"""What the work on a slice of a job needs."""

from collections.abc import Callable

from msgspec import Struct

from coolid.jobs.operations import Operation
from coolid.jobs.rows import RowSource
from coolid.jobs.session import JobSession
from coolid.model.clients import Client
from coolid.store.jobs import FileStore

Report = Callable[[Exception, str], None]
"""Receives an unexpected error and the id of its job."""


class JobParts(Struct, frozen=True):
    """The rows of a job, and the operation on them."""

    source: RowSource
    operation: Operation


class Task(Struct, frozen=True):
    """A job in the hands of a worker, for its `client`."""

    session: JobSession
    client: Client
    parts: JobParts
    files: FileStore
    report: Report
    seconds: Callable[[], float]
