"""The interface of a reader for one request, which reports whether stale rows were used.

::

    with readers.for_request() as reader:
        decision = resolve(reference, reader)
    if reader.staleness is not None:
        ...  # report it (RFC 9211, RFC 9111 section 4.2.4)

The implementation is `coolid.resolution.caching_reader`.
"""

from types import TracebackType
from typing import Protocol, Self

from coolid.resolution.request_budget import Budget
from coolid.resolution.validity import Validity
from coolid.store.reader import Reader


class RequestReader(Reader, Protocol):
    """Reads for one request, in one thread.

    As a context manager, it turns a `NotFound` or `InvalidIdentifier` that depends on stale rows into
    `StoreUnavailable`. Code that catches those errors inside must check `staleness` instead.
    """

    @property
    def staleness(self) -> float | None:
        """The most seconds by which a row that was used was stale; None if all were fresh."""

    def validity(self) -> Validity | None:
        """Return the cached rows that an answer made so far depends on.

        None unless all rows were cached and fresh: an answer from rows that are read once is not worth caching.
        """

    def __enter__(self) -> Self:
        """Return this reader."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Turn a refusal that depends on stale rows into `StoreUnavailable`."""


class RequestReaderFactory(Protocol):
    """Creates a reader for each request."""

    def for_request(
        self, *, stale: bool = True, max_wait_seconds: float = ..., budget: Budget | None = None
    ) -> RequestReader:
        """Return a reader for one request, which may use stale rows if `stale` is true and the store fails.

        It does not read the store again after a failure, nor after waiting `max_wait_seconds` in total. Each key read
        from the store is charged to `budget`, which raises `LineNotTried` if too few are left. Cached rows are free.
        """
