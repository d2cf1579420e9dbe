"""Calls in several threads: their results, their deadline, and the first failure."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from coolid.aws import parallel_calls
from coolid.aws.parallel_calls import run_parallel
from coolid.deadlines import Deadline, current_deadline, limited


def test_results_have_the_order_of_the_values_and_calls_the_deadline_of_the_caller() -> None:
    deadline = Deadline(9, lambda: 0.0)
    with limited(deadline):
        assert run_parallel(lambda value: (value, current_deadline()), range(30)) == [
            (at, deadline) for at in range(30)
        ]


def test_after_a_failure_no_more_calls_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = Event()
    begun: list[int] = []

    class Pool(ThreadPoolExecutor):
        def shutdown(self, *arguments: Any, **named: Any) -> None:
            super().shutdown(*arguments, **named)
            if named.get("cancel_futures"):
                cancelled.set()

    def call(value: int) -> None:
        begun.append(value)
        if value == 0:
            raise OSError("the first one")
        assert cancelled.wait(60)

    monkeypatch.setattr(parallel_calls, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(parallel_calls, "THREADS", 1)
    with pytest.raises(OSError, match="the first one"):
        run_parallel(call, range(100))
    assert begun in ([0], [0, 1])
