"""Time limits for boto3's clients, so that each attempt of a call ends in time.

botocore's timeouts apply to single steps, such as a connection to one address, or one read. Name resolution has none,
and a server that sends single bytes slowly blocks a call for ever. `limit_calls` therefore gives a client connections
that resolve names within the connect timeout (`coolid.net.name_resolution`), and sockets that shorten each wait to the
remaining time. An attempt takes at most twice the connect timeout (TCP, TLS) and once the read timeout.

If a request has a deadline (`coolid.deadlines`), no call or attempt begins after it or exceeds it.

botocore has no setting for most of this, so `limit_calls` replaces internal parts of a client.
"""

import socket
import ssl
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from botocore import awsrequest
from botocore.exceptions import BotoCoreError
from botocore.retries.standard import DEFAULT_MAX_ATTEMPTS, RetryEventAdapter, StandardRetryConditions
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from coolid.aws.clock import monotonic_seconds
from coolid.deadlines import Deadline, current_deadline, limited
from coolid.net.name_resolution import REUSE_SECONDS, AddressInfo, NameResolver, stream_addresses
from coolid.net.tcp_stream import connect_to_first, open_socket

NAMES: Final[NameResolver[AddressInfo]] = NameResolver(stream_addresses, reuse=REUSE_SECONDS, clock=monotonic_seconds())

_MAX_PAUSE_SECONDS: Final = 20.0
"""The longest pause in seconds between two attempts."""

Check = Callable[[awsrequest.AWSPreparedRequest, awsrequest.AWSResponse], None]
"""Checks the response to a request. Raises a `BotoCoreError` for a damaged one."""


class DeadlineExceeded(BotoCoreError):
    """The deadline of the request has passed. The call was not sent or not repeated. botocore does not retry it."""

    fmt = "The time for the request to {endpoint_url} is over"


def limit_calls(client: Any, check: Check | None = None) -> Any:
    """Limit the calls of a low-level boto3 client, make `check` inspect its responses, and return it."""
    endpoint, events, config = client._endpoint, client.meta.events, client.meta.config
    session = endpoint.http_session
    session._pool_classes_by_scheme = session._manager.pool_classes_by_scheme = _POOLS
    endpoint.http_session = BoundedSession(session, 2 * config.connect_timeout + config.read_timeout, check)
    service = client.meta.service_model.service_id.hyphenize()
    events.register_first(f"before-call.{service}", _require_time)
    if config.retries.get("mode") != "legacy":
        guard = _RetryGuard(config.retries.get("total_max_attempts", DEFAULT_MAX_ATTEMPTS))
        events.register_first(f"needs-retry.{service}", guard)
    return client


class BoundedSession:
    """Sends requests by a `botocore.httpsession.URLLib3Session`, each within `seconds` and the request's deadline."""

    def __init__(self, session: Any, seconds: float, check: Check | None) -> None:
        self._session = session
        self._seconds = seconds
        self._check = check
        self.close = session.close

    def send(self, request: awsrequest.AWSPreparedRequest) -> awsrequest.AWSResponse:
        """Return the complete response. Raises botocore's `HTTPClientError`, and `DeadlineExceeded`."""
        deadline = current_deadline()
        try:
            attempt = deadline.within(self._seconds) if deadline else Deadline(self._seconds, monotonic)
            attempt.remaining_seconds()
        except TimeoutError:
            raise DeadlineExceeded(endpoint_url=request.url) from None
        with limited(attempt):
            answer: awsrequest.AWSResponse = self._session.send(request)
        if self._check is not None:
            self._check(request, answer)
        return answer


class BoundedSocket(socket.socket):
    """A socket whose waits end at its timeout (`limit`) or at the deadline, whichever is earlier."""

    limit: float | None = None

    def settimeout(self, value: float | None) -> None:
        self.limit = value
        super().settimeout(value)

    def recv_into(self, *arguments: Any, **named: Any) -> int:
        self._shorten()
        return super().recv_into(*arguments, **named)

    def send(self, *arguments: Any, **named: Any) -> int:
        self._shorten()
        return super().send(*arguments, **named)

    def sendall(self, *arguments: Any, **named: Any) -> None:
        self._shorten()
        super().sendall(*arguments, **named)

    def _shorten(self) -> None:
        deadline = current_deadline()
        if deadline is not None:
            left = deadline.remaining_seconds()
            super().settimeout(left if self.limit is None else min(left, self.limit))


class BoundedTlsSocket(BoundedSocket, ssl.SSLSocket):
    """A `BoundedSocket` with TLS. All waits of a handshake together have the limit of one wait."""

    def do_handshake(self, *arguments: Any, **named: Any) -> None:
        self._shorten()
        super().do_handshake(*arguments, **named)


class _ConnectionFactory:
    """Makes the connections of urllib3's `HTTPConnection`."""

    def _new_conn(self: Any) -> socket.socket:
        """Return a TCP connection to the first address that accepts, within the connect timeout."""
        deadline = current_deadline() or Deadline(self.timeout, monotonic)
        try:
            deadline = deadline.within(self.timeout)
            addresses = NAMES.resolve(self._dns_host.strip("[]"), self.port, deadline.remaining_seconds())
            connection: socket.socket = connect_to_first(addresses, self._open, deadline.remaining_seconds)
            connection.settimeout(self.timeout)
            return connection
        except TimeoutError as error:
            raise ConnectTimeoutError(self, f"Connection to {self.host} timed out: {error}") from error
        except (OSError, ValueError) as error:
            raise NewConnectionError(self, f"Failed to establish a new connection: {error}") from error

    def _open(self: Any, address: AddressInfo, seconds: float) -> socket.socket:
        return open_socket(address[0], address[4], seconds, BoundedSocket, self.socket_options or ())


class _PlainConnection(_ConnectionFactory, awsrequest.AWSHTTPConnection):  # type: ignore[misc] # as in botocore
    """A connection without TLS."""


class _TlsConnection(_ConnectionFactory, awsrequest.AWSHTTPSConnection):  # type: ignore[misc]
    """A connection with TLS."""

    def connect(self) -> None:
        assert self.ssl_context is not None
        self.ssl_context.sslsocket_class = BoundedTlsSocket
        super().connect()


class _PlainPool(awsrequest.AWSHTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(awsrequest.AWSHTTPSConnectionPool):
    ConnectionCls = _TlsConnection


_POOLS: Final = {"http": _PlainPool, "https": _TlsPool}


def _require_time(params: dict[str, Any], **_: Any) -> None:
    """Raise `DeadlineExceeded` for a call after the deadline (botocore's event `before-call`)."""
    deadline = current_deadline()
    if deadline is not None:
        try:
            deadline.remaining_seconds()
        except TimeoutError:
            raise DeadlineExceeded(endpoint_url=params["url"]) from None


class _RetryGuard:
    """Prevents a retry if its pause may last until the deadline (botocore's event `needs-retry`).

    botocore's `standard` mode pauses, in seconds, at most 2 to the power of the retries so far, and up to 5 more if the
    response has `x-amz-retry-after` (in milliseconds). Its `legacy` mode pauses for some milliseconds.
    """

    def __init__(self, attempts: int) -> None:
        self._conditions = StandardRetryConditions(attempts)

    def __call__(self, attempts: int, response: Any, caught_exception: Exception | None, **event: Any) -> None:
        """Raise the error of the attempt, or `DeadlineExceeded`, instead of a retry that would begin too late.

        botocore emits the event also for responses that it does not retry, so its own conditions are evaluated first.
        A handler can prevent a retry only by an exception, because releases differ in the return value.
        """
        deadline = current_deadline()
        pause = min(2.0 ** (attempts - 1), _MAX_PAUSE_SECONDS)
        if response is not None and "x-amz-retry-after" in response[0].headers:
            pause += 5
        if deadline is None or deadline.exceeds(pause):
            return
        event |= {"attempts": attempts, "response": response, "caught_exception": caught_exception}
        if self._conditions.is_retryable(RetryEventAdapter().create_retry_context(**event)):
            raise caught_exception or DeadlineExceeded(endpoint_url=event["request_dict"]["url"])
