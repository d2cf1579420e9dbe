"""Whose turn it is."""

import threading
from time import monotonic

import pytest

from coolid.deadlines import Deadline
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.net.rate_limit import HostRateLimit


class Clock:
    """Goes on when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def manners(self) -> HostRateLimit:
        return HostRateLimit(1.0, self, self.sleep)

    def deadline(self, seconds: float = 10) -> Deadline:
        return Deadline(seconds, self)


def test_between_a_response_and_the_next_request_there_is_a_pause() -> None:
    clock = Clock()
    manners = clock.manners()
    for took in (0.25, 3.0, 0.0):
        with manners.turn("a.example", clock.deadline()):
            clock.now += took
    assert clock.slept == [1.0, 1.0]
    clock.now += 0.75
    with manners.turn("a.example", clock.deadline()):
        pass
    clock.now += 5
    with manners.turn("a.example", clock.deadline()):
        pass
    assert clock.slept == [1.0, 1.0, 0.25]


def test_other_hosts_do_not_wait() -> None:
    clock = Clock()
    manners = clock.manners()
    with manners.turn("a.example", clock.deadline()), manners.turn("b.example", clock.deadline()):
        pass
    assert clock.slept == []


def test_a_caller_that_would_be_too_late_does_not_wait() -> None:
    clock = Clock()
    manners = clock.manners()
    with manners.turn("a.example", clock.deadline()):
        pass
    with pytest.raises(RequestFailed, match="no time"), manners.turn("a.example", clock.deadline(0.5)):
        pytest.fail("that was no turn")
    assert clock.slept == []
    with manners.turn("a.example", clock.deadline()):
        pass
    assert clock.slept == [1.0]


def test_a_failure_counts_as_a_request_and_an_own_refusal_does_not() -> None:
    clock = Clock()
    manners = clock.manners()
    with pytest.raises(RequestRefused), manners.turn("a.example", clock.deadline()):
        raise RequestRefused("not there")
    with pytest.raises(RequestFailed), manners.turn("a.example", clock.deadline()):
        raise RequestFailed("it hangs")
    assert clock.slept == []
    with manners.turn("a.example", clock.deadline()):
        pass
    assert clock.slept == [1.0]


def test_only_one_thread_requests_a_host_at_a_time() -> None:
    manners = HostRateLimit(gap=0)
    asking, most, done = 0, 0, []

    def ask() -> None:
        nonlocal asking, most
        for _ in range(20):
            with manners.turn("a.example", Deadline(30, monotonic)):
                asking += 1
                most = max(most, asking)
                asking -= 1
        done.append(True)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, len(done)) == (1, 8)


def test_waiting_for_a_busy_host_times_out() -> None:
    manners = HostRateLimit(gap=0)
    with manners.turn("a.example", Deadline(30, monotonic)):
        with (
            pytest.raises(RequestFailed, match="no time") as failed,
            manners.turn("a.example", Deadline(0.01, monotonic)),
        ):
            pytest.fail("that was no turn")
        assert failed.value.verdict == "busy"


def test_hosts_are_removed_once_they_may_be_requested_again() -> None:
    clock = Clock()
    manners = clock.manners()
    for number in range(5_000):
        with manners.turn(f"{number}.example", clock.deadline()):
            clock.now += 0.01
    assert len(manners._ended) <= 1_001
