"""The signals that end the server: whenever one arrives, the data is saved."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from coolid.local.shutdown import SIGNALS, ShutdownSignals


@pytest.fixture(autouse=True)
def _default_actions() -> Iterator[None]:
    """Start each test with the default actions, whatever the test run itself ignores."""
    earlier = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    yield
    for number, handler in earlier.items():
        signal.signal(number, handler)


@pytest.fixture
def shutdown() -> ShutdownSignals:
    return ShutdownSignals()


@pytest.mark.parametrize("number", SIGNALS)
class TestEverySignal:
    def test_during_the_start_it_unwinds_what_was_begun(self, shutdown: ShutdownSignals, number: int) -> None:
        ended = []

        @contextmanager
        def begun() -> Iterator[None]:
            try:
                yield
            finally:
                signal.raise_signal(number)  # an impatient user's second one does no harm
                ended.append(number)

        with pytest.raises((KeyboardInterrupt, SystemExit)) as raised, shutdown.installed(), begun():
            signal.raise_signal(number)
        assert ended == [number]
        if number == signal.SIGINT:
            assert raised.type is KeyboardInterrupt
        else:
            assert raised.value.args == (128 + number,)

    def test_while_the_server_runs_its_handler_is_called(self, shutdown: ShutdownSignals, number: int) -> None:
        received: list[int] = []
        with shutdown.installed(), shutdown.handled_by(lambda number, _: received.append(number)):
            signal.raise_signal(number)
            signal.raise_signal(number)
        assert received == [number, number]

    def test_while_the_data_is_saved_it_is_ignored(self, shutdown: ShutdownSignals, number: int) -> None:
        received: list[int] = []
        with shutdown.installed():
            with shutdown.handled_by(lambda number, _: received.append(number)):
                pass
            signal.raise_signal(number)
        assert received == []

    def test_afterwards_the_earlier_handler_is_back(self, shutdown: ShutdownSignals, number: int) -> None:
        with shutdown.installed():
            assert signal.getsignal(number) is not signal.SIG_DFL
        assert signal.getsignal(number) is signal.SIG_DFL


def test_under_nohup_a_closed_terminal_does_not_end_the_server(shutdown: ShutdownSignals) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    received: list[int] = []
    with shutdown.installed(), shutdown.handled_by(lambda number, _: received.append(number)):
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
    assert received == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
