"""Calls in several threads: their results, their deadline, and the first failure."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

from coolid.aws import parallel_calls
from coolid.aws.parallel_calls import THREADS, run_parallel, stream_parallel
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


class TestStreams:
    def test_a_stream_of_any_length_has_few_values_in_memory(self) -> None:
        taken = 0

        def values() -> Iterator[int]:
            nonlocal taken
            for number in range(1_000):
                taken += 1
                yield number

        deadline = Deadline(9, lambda: 0.0)
        with limited(deadline):
            for at, result in enumerate(stream_parallel(lambda value: (value, current_deadline()), values())):
                assert result == (at, deadline)
                assert taken - at <= THREADS
        assert taken == 1_000

    def test_its_calls_are_carried_out_at_a_time(self) -> None:
        together = Barrier(THREADS, timeout=60)
        assert len([*stream_parallel(lambda _: together.wait(), range(2 * THREADS))]) == 2 * THREADS

    def test_after_a_failure_no_call_is_carried_out_any_more(self) -> None:
        begun: list[int] = []

        def call(value: int) -> int:
            begun.append(value)
            if value == 5:
                raise OSError("the first one")
            return value

        yielded: list[int] = []
        with pytest.raises(OSError, match="the first one"):
            yielded.extend(stream_parallel(call, range(1_000)))
        assert yielded == [*range(5)]
        assert len(begun) <= 6 + THREADS
