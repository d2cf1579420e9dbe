"""The signals that end the server: the first when its requests are answered, the second at once."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack

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
def ends() -> list[object]:
    """What happened, and the exit code of the process if it would have ended."""
    return []


@pytest.fixture
def shutdown(ends: list[object]) -> ShutdownSignals:
    return ShutdownSignals(ends.append)


@pytest.mark.parametrize("number", SIGNALS)
class TestEverySignal:
    def test_during_the_start_it_unwinds_what_was_begun(self, shutdown: ShutdownSignals, number: int) -> None:
        ended = []
        begun = ExitStack()
        begun.callback(lambda: ended.append(number))
        with pytest.raises((KeyboardInterrupt, SystemExit)) as raised, shutdown.installed(), begun:
            signal.raise_signal(number)
        assert ended == [number]
        if number == signal.SIGINT:
            assert raised.type is KeyboardInterrupt
        else:
            assert raised.value.args == (128 + number,)

    def test_while_the_server_runs_the_first_begins_the_shutdown_and_the_second_is_the_end(
        self, shutdown: ShutdownSignals, ends: list[object], number: int
    ) -> None:
        with (
            shutdown.installed(),
            shutdown.handled_by(lambda: ends.append("begun"), lambda: ends.append("before the end")),
        ):
            signal.raise_signal(number)
            assert ends == ["begun"]
            signal.raise_signal(number)
        assert ends == ["begun", "before the end", 128 + number]

    def test_when_the_shutdown_takes_long_another_one_is_the_end(
        self, shutdown: ShutdownSignals, ends: list[object], number: int
    ) -> None:
        with shutdown.installed():
            with shutdown.handled_by(lambda: None, lambda: ends.append("too late")):
                signal.raise_signal(number)
            signal.raise_signal(number)
        assert ends == [128 + number]

    def test_a_supervisor_that_ends_the_worker_as_well_does_not_cut_it_short(
        self, shutdown: ShutdownSignals, ends: list[object], number: int
    ) -> None:
        with shutdown.installed(), shutdown.handled_by(lambda: ends.append("begun")):
            shutdown.begin()
            signal.raise_signal(number)
        assert ends == ["begun", "begun"]

    def test_afterwards_the_earlier_handler_is_back(self, shutdown: ShutdownSignals, number: int) -> None:
        with shutdown.installed():
            assert signal.getsignal(number) is not signal.SIG_DFL
        assert signal.getsignal(number) is signal.SIG_DFL


def test_under_nohup_a_closed_terminal_does_not_end_the_server(shutdown: ShutdownSignals, ends: list[object]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with shutdown.installed(), shutdown.handled_by(lambda: ends.append("begun")):
        signal.raise_signal(signal.SIGHUP)
        assert ends == []
        signal.raise_signal(signal.SIGTERM)
    assert ends == ["begun"]
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
