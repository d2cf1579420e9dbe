"""Watching: a reader for one request, that can tell afterwards whether it had to answer with what is out of date.

::

    with readers.watch() as reader:
        decision = resolve(reference, reader)
    if reader.staleness is not None:
        ...  # say so (RFC 9211, RFC 9111 section 4.2.4)

The implementation is `coolid.resolution.caching_reader`.
"""

from types import TracebackType
from typing import Protocol, Self

from coolid.resolution.request_budget import Budget
from coolid.resolution.validity import Validity
from coolid.store.reader import Reader


class RequestReader(Reader, Protocol):
    """Reads for one request, in one thread.

    As a context manager it sees to it that nothing is refused on stale knowledge: a `NotFound` or
    `InvalidIdentifier` raised inside becomes `StoreUnavailable` where anything stale was used. Whoever catches those
    inside, one by one, has to look at `staleness` instead.
    """

    @property
    def staleness(self) -> float | None:
        """By how many seconds the stalest thing that was used had outlived its time; None if nothing had."""

    def validity(self) -> Validity | None:
        """What an answer rests on that was made of all that was told so far.

        None unless all of it was remembered and fresh: what is asked for but once is not worth keeping an answer for.
        """

    def __enter__(self) -> Self:
        """Itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Turn a refusal that rests on stale knowledge into `StoreUnavailable`."""


class RequestReaderFactory(Protocol):
    """What gives each request a reader of its own."""

    def for_request(self, *, stale: bool = True, patience: float = ..., budget: Budget | None = None) -> RequestReader:
        """A reader for one request, which gets stale answers in need unless it is not to have any.

        Once the store has failed it is not asked again, nor once it has been waited for for `patience` seconds in all.
        The reader charges `budget` for every key before it reads it from the store, and raises `LineNotTried` where
        the budget has too few left; what is cached costs nothing.
        """
