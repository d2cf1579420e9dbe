"""The time limits of a connection, with a clock that the test moves."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from coolid.local.connection_timer import BODY_SECONDS, CHECK_SECONDS, HEAD_SECONDS, ConnectionTimer


def fake(**members: Any) -> Any:
    """Return an object with these members, in the place of one of asyncio or uvicorn."""
    return SimpleNamespace(**members)


def do_nothing() -> None:
    """Do nothing."""


class Connection:
    """A timer with an event loop and a transport that the test controls. `events` lists what the timer did."""

    def __init__(self) -> None:
        self.now, self.unsent, self.events = 0.0, 0, list[str]()
        self._due, self._callback = 0.0, do_nothing
        self.flow = fake(read_paused=False)
        loop = fake(time=lambda: self.now, call_later=self._call_later)
        transport = fake(get_write_buffer_size=lambda: self.unsent, abort=lambda: self.events.append("abort"))
        self.timer = ConnectionTimer(loop, transport, self.flow, lambda: self.events.append("timeout"))

    def wait(self, seconds: float) -> list[str]:
        """Let time pass, and return what the timer has done since the connection began."""
        end = self.now + seconds
        while self._due <= end and not self.events:
            self.now = self._due
            self._callback()
        self.now = end
        return self.events

    def _call_later(self, seconds: float, callback: Callable[[], None]) -> Any:
        self._due, self._callback = self.now + seconds, callback
        return fake(cancel=do_nothing)


def test_a_head_has_a_limit_from_the_beginning_of_the_connection() -> None:
    connection = Connection()
    assert connection.wait(HEAD_SECONDS - 1) == []
    connection.timer.await_head()  # its first byte
    assert connection.wait(1 + CHECK_SECONDS) == ["timeout"]


def test_a_body_may_take_long_but_not_pause_for_long() -> None:
    connection = Connection()
    for _ in range(10):
        connection.timer.await_body()
        assert connection.wait(BODY_SECONDS - 1) == []
    assert connection.wait(1 + CHECK_SECONDS) == ["timeout"]


def test_the_service_itself_and_a_connection_without_a_request_have_no_limit_here() -> None:
    connection = Connection()
    connection.timer.await_nothing()
    assert connection.wait(10 * HEAD_SECONDS) == []
    connection.timer.await_head()
    connection.flow.read_paused = True  # an earlier request is being answered
    assert connection.wait(10 * HEAD_SECONDS) == []
    connection.flow.read_paused = False
    assert connection.wait(HEAD_SECONDS - CHECK_SECONDS) == []
    assert connection.wait(2 * CHECK_SECONDS) == ["timeout"]


def test_a_response_that_nobody_reads_ends_the_connection() -> None:
    connection = Connection()
    connection.timer.await_nothing()
    for unsent in (100_000, 90_000, 80_000):
        connection.unsent = unsent
        assert connection.wait(BODY_SECONDS - CHECK_SECONDS) == []
    assert connection.wait(2 * CHECK_SECONDS) == ["abort"]
