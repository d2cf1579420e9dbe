"""Calls of one function for many values, in several threads, within the deadline of the caller."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
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
