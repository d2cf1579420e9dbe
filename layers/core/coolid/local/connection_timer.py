"""Time limits of a connection, so that slow clients cannot occupy connections for ever.

A client has `HEAD_SECONDS` to send the head of a request. The body may pause for at most `BODY_SECONDS`, and so may the
reading of a response. One timer for each connection looks at these times every few seconds, which costs less than a
timer for each request. uvicorn itself closes a connection that is idle after a response.
"""

from asyncio import AbstractEventLoop, TimerHandle, WriteTransport
from collections.abc import Callable
from typing import Final

from uvicorn.protocols.http.flow_control import FlowControl

HEAD_SECONDS: Final = 30.0
BODY_SECONDS: Final = 60.0
CHECK_SECONDS: Final = 5.0
"""The most seconds by which a limit is exceeded."""


class ConnectionTimer:
    """The timer of one connection. `on_timeout` is called if the client does not send a head or a body in time."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        transport: WriteTransport,
        flow: FlowControl,
        on_timeout: Callable[[], None],
    ) -> None:
        """Begin to wait for a head."""
        self._loop, self._transport, self._flow, self._on_timeout = loop, transport, flow, on_timeout
        self._limit: float | None = None
        self._since = 0.0
        self._unsent, self._unsent_since = 0, 0.0
        self._handle: TimerHandle | None = None
        self.await_head()
        self._schedule()

    def await_head(self) -> None:
        """Begin to wait for a head, unless it is awaited already."""
        if self._limit is None:
            self._limit, self._since = HEAD_SECONDS, self._loop.time()

    def await_body(self) -> None:
        """Begin to wait for a part of a body."""
        self._limit, self._since = BODY_SECONDS, self._loop.time()

    def await_nothing(self) -> None:
        """End the wait: a request is complete."""
        self._limit = None

    def cancel(self) -> None:
        """End the timer, when the connection is lost."""
        if self._handle:
            self._handle.cancel()

    def _schedule(self) -> None:
        self._handle = self._loop.call_later(min(CHECK_SECONDS, self._limit or CHECK_SECONDS), self._check)

    def _check(self) -> None:
        now, unsent = self._loop.time(), self._transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now
        elif now >= self._unsent_since + BODY_SECONDS:
            self._transport.abort()
            return
        if self._flow.read_paused:  # the service is not reading
            self._since = now
        elif self._limit is not None and now >= self._since + self._limit:
            self._limit = None
            self._on_timeout()
        self._schedule()
