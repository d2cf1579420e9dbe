"""Calls of one function for many values, in several threads, within the deadline of the caller."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar

THREADS: Final = 8

Given = TypeVar("Given")
Returned = TypeVar("Returned")


def run_parallel(function: Callable[[Given], Returned], values: Iterable[Given]) -> list[Returned]:
    """Return the results in the order of the values. Raises the first error; calls that have not begun are left out.

    >>> run_parallel(len, ["a", "bcd"])
    [1, 3]
    """
    calls: list[tuple[Any, Given]] = [(copy_context(), value) for value in values]  # a context runs once at a time
    if len(calls) < 2:
        return [function(value) for _, value in calls]
    with ThreadPoolExecutor(min(THREADS, len(calls))) as pool:
        futures = [pool.submit(context.run, function, value) for context, value in calls]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def stream_parallel(function: Callable[[Given], Returned], values: Iterable[Given]) -> Iterator[Returned]:
    """Yield the results in the order of the values, of which at most `THREADS` are in memory with their results.

    Raises the first error in that order, after the calls that have begun.

    >>> list(stream_parallel(len, ["a", "bcd"]))
    [1, 3]
    """
    pending: deque[Future[Returned]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for value in values:
                call: Callable[..., Returned] = copy_context().run
                pending.append(pool.submit(call, function, value))
                if len(pending) == THREADS:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
