"""Calls of a store from many threads at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from coolid.errors import CoolidError


def at_once(calls: Sequence[Any]) -> list[Any]:
    """Make all calls at once. Return what each returned, or the error that it raised."""

    def outcome(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except CoolidError as error:
            return error

    with ThreadPoolExecutor(16) as threads:
        return list(threads.map(outcome, calls))
