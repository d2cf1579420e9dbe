"""A transport that sends signed GetItem, BatchGetItem and Query requests over persistent connections.

A call makes two attempts, because many failures are temporary: the server closed an idle connection, or is busy. The
pause between them is random, so that processes that fail together do not retry together.
"""

from binascii import crc32
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic, sleep, time
from typing import Any, Final

from msgspec import Struct
from msgspec.json import Decoder, encode

from coolid.aws.dynamodb_client.connector import Connector, TrustStore
from coolid.aws.dynamodb_client.credentials import CredentialProvider, credential_provider
from coolid.aws.dynamodb_client.endpoints import ServiceLocation, service_location
from coolid.aws.dynamodb_client.signing import RequestSigner
from coolid.aws.dynamodb_client.transport import SHAPES, error_for_code
from coolid.errors import StoreUnavailable
from coolid.net.http_connection import BrokenResponse, HttpConnection, HttpResponse, NoResponse

_RETRYABLE: Final = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottledException",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
    }
)
_RETRYABLE_STATUSES: Final = frozenset({429, 500, 502, 503, 504, 509})
"""Failures that are retried, as in botocore."""

_DECODERS: Final[Mapping[str, Decoder[Mapping[str, Any]]]] = {
    operation: Decoder(shape) for operation, shape in SHAPES.items()
}

_EXPIRED: Final = frozenset({"ExpiredToken", "ExpiredTokenException"})


class Timeouts(Struct, frozen=True):
    """The limits of a call. `connect_seconds` applies to TCP and again to TLS."""

    connect_seconds: float = 0.25
    response_seconds: float = 0.5
    max_pause_seconds: float = 0.05
    attempts: int = 2

    @property
    def attempt_seconds(self) -> float:
        """The limit for a whole attempt."""
        return 2 * self.connect_seconds + self.response_seconds


DEFAULT_TIMEOUTS: Final = Timeouts()


class HttpTransport:
    """Implements `Transport`. Keeps idle connections open; sequential calls need only one."""

    def __init__(
        self,
        location: ServiceLocation,
        provider: CredentialProvider,
        connector: Connector,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        clock: Callable[[], float] = time,
    ) -> None:
        self._location = location
        self._provider = provider
        self._connector = connector
        self._timeouts = timeouts
        self._clock = clock
        self._idle: list[HttpConnection] = []
        self._signer: RequestSigner | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str], timeouts: Timeouts = DEFAULT_TIMEOUTS) -> "HttpTransport":
        """Return a transport as the environment configures it. Raises `UnsupportedConfiguration`."""
        connector = Connector(timeouts.connect_seconds, TrustStore.read(environment))
        return cls(service_location(environment), credential_provider(environment, connector), connector, timeouts)

    def __del__(self) -> None:
        """Close the idle connections."""
        for connection in self._idle:
            connection.close()

    def call(self, operation: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        body = encode(request)
        fresh = False
        for retries in reversed(range(self._timeouts.attempts)):
            deadline = monotonic() + self._timeouts.attempt_seconds
            try:
                signer = self._current_signer(deadline)
                answer = self._answer(signer.request(operation, body, self._clock()), deadline, fresh=fresh)
                if answer.status == 200:
                    return _read(operation, answer)
            except (OSError, BrokenResponse) as error:
                if not retries:
                    raise StoreUnavailable("the store did not answer") from error
                fresh = True
            else:
                code = _code_of(answer)
                if retries and code in _EXPIRED and self._provider.renew(signer.credentials):
                    continue
                if not retries or (code not in _RETRYABLE and answer.status not in _RETRYABLE_STATUSES):
                    raise error_for_code(code)
            self._pause()
        raise AssertionError("`attempts` is less than 1")

    def _answer(self, request: bytes, deadline: float, *, fresh: bool) -> HttpResponse:
        """Exchange a request over an idle connection, or over a new one if `fresh`, or if none is idle and open."""
        connection = None if fresh else self._idle_connection()
        if connection is not None:
            try:
                return self._exchange(connection, request, deadline)
            except NoResponse:  # the server closed it
                connection = None
        connection = HttpConnection(self._connector.open(self._location.endpoint, deadline))
        return self._exchange(connection, request, deadline)

    def _current_signer(self, deadline: float) -> RequestSigner:
        credentials, signer = self._provider.credentials(deadline), self._signer
        if signer is None or signer.credentials is not credentials:
            signer = self._signer = RequestSigner(credentials, self._location.region, self._location.endpoint.authority)
        return signer

    def _idle_connection(self) -> HttpConnection | None:
        """Remove and return an idle, open connection without pending data, or None."""
        idle = self._idle
        while idle:
            try:
                connection = idle.pop()
            except IndexError:  # another thread took it
                return None
            if not connection.has_pending_data():
                return connection
            connection.close()
        return None

    def _exchange(self, connection: HttpConnection, request: bytes, deadline: float) -> HttpResponse:
        try:
            return connection.exchange(request, min(self._timeouts.response_seconds, deadline - monotonic()))
        finally:
            if connection.is_reusable:
                self._idle.append(connection)
            else:
                connection.close()

    def _pause(self) -> None:
        from secrets import randbelow  # slow to import, and seldom needed

        sleep(self._timeouts.max_pause_seconds * randbelow(1001) / 1000)


def _read(operation: str, answer: HttpResponse) -> Mapping[str, Any]:
    """Return the document of a successful response. Raises `BrokenResponse`."""
    checksum = answer.header(b"x-amz-crc32")
    if checksum is not None and checksum != b"%d" % crc32(answer.body):
        raise BrokenResponse("the answer is damaged")
    return answer.document(_DECODERS[operation])


def _code_of(answer: HttpResponse) -> str:
    """Return DynamoDB's error code, or the status if the response has none."""
    kind = None
    with suppress(BrokenResponse):
        kind = answer.document().get("__type")
    return kind.rpartition("#")[2] if isinstance(kind, str) else str(answer.status)
