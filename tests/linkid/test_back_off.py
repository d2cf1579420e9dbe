"""Back-offs: one request per pause, pauses that double, and no effect of requests that began earlier."""

from hypothesis import given
from hypothesis import strategies as st

from coolid.linkid.back_off import MAX_PAUSE_SECONDS, MAX_SERVICES, PAUSE_SECONDS, BackOff, BackOffs


class Clock:
    """A clock of seconds that stands still until it is advanced."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@given(failures=st.integers(1, 12))
def test_an_offline_service_gets_one_request_per_pause_which_doubles(failures: int) -> None:
    clock = Clock()
    back_off = BackOff(clock)
    expected = PAUSE_SECONDS
    for _ in range(failures):
        token = back_off.begin()
        assert token is not None
        assert back_off.is_open is (token > 0)
        if token:
            assert back_off.begin() is None
        back_off.failed(token)
        clock.seconds += expected - 0.5
        assert back_off.begin() is None
        clock.seconds += 0.5
        expected = min(expected * 2, MAX_PAUSE_SECONDS)
    back_off.succeeded()
    assert back_off.begin() == back_off.begin() == 0


def test_requests_that_failed_together_count_once() -> None:
    clock = Clock()
    back_off = BackOff(clock)
    tokens = [back_off.begin() for _ in range(16)]
    for token in tokens:
        back_off.failed(token)
    clock.seconds = PAUSE_SECONDS
    assert back_off.begin() == 1


def test_a_request_without_a_result_leaves_the_service_for_another_pause() -> None:
    clock = Clock()
    back_off = BackOff(clock)
    back_off.failed(back_off.begin())
    clock.seconds = PAUSE_SECONDS
    assert back_off.begin() is not None
    assert back_off.begin() is None
    clock.seconds += PAUSE_SECONDS
    assert back_off.begin() is not None


@given(seconds=st.floats(0, 1e9))
def test_a_service_may_ask_for_a_longer_pause_within_the_maximum(seconds: float) -> None:
    clock = Clock()
    back_off = BackOff(clock)
    back_off.failed(back_off.begin(), seconds)
    clock.seconds = min(max(seconds, PAUSE_SECONDS), MAX_PAUSE_SECONDS) - 0.01
    assert back_off.begin() is None
    clock.seconds = MAX_PAUSE_SECONDS
    assert back_off.begin() == 1


def test_services_have_back_offs_of_their_own_and_their_number_is_bounded() -> None:
    back_offs = BackOffs(Clock())
    first = back_offs.of("https://0.example")
    first.failed(first.begin())
    assert back_offs.of("https://1.example").begin() == 0
    assert back_offs.of("https://0.example") is first
    for number in range(MAX_SERVICES):
        back_offs.of(f"https://{number + 1}.example")
    assert back_offs.of("https://0.example") is not first
