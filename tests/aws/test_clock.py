"""The monotonic clock of caches never goes back, and continues while a function is frozen."""

from coolid.aws.clock import monotonic_seconds


def test_it_goes_as_the_wall_clock_does_and_continues_when_that_one_is_put_back() -> None:
    wall = iter([100.0, 160.0, 130.0, 159.0, 161.5])
    tick = monotonic_seconds(lambda: next(wall))
    assert [tick() for _ in range(5)] == [100.0, 160.0, 160.0, 189.0, 191.5]
