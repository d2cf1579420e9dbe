"""Asking by a client of our own: GetItem, BatchGetItem and Query, signed, over connections that are kept.

One attempt may fail for many reasons that say nothing of the next: a connection that was closed while a function slept,
a server that is busy. So there are two, with a pause between that differs each time, for those who fail together should
not come again together.
"""

from binascii import crc32
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic, sleep, time
from typing import Any, Final

from msgspec import Struct
from msgspec.json import Decoder, encode

from coolid.aws.dynamodb_client.connector import Connector
from coolid.aws.dynamodb_client.credentials import CredentialProvider, credential_provider
from coolid.aws.dynamodb_client.endpoints import ServiceLocation, service_location
from coolid.aws.dynamodb_client.http_connection import BrokenResponse, HttpConnection, NoResponse, RawResponse
from coolid.aws.dynamodb_client.signing import RequestSigner
from coolid.aws.dynamodb_client.transport import SHAPES, error_for_code
from coolid.aws.dynamodb_client.trust_store import TrustStore
from coolid.errors import StoreUnavailable

_PASSING: Final = frozenset(
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
_PASSING_STATUSES: Final = frozenset({429, 500, 502, 503, 504, 509})
"""What is tried again, as botocore does."""

_SHAPED: Final[Mapping[str, Decoder[Mapping[str, Any]]]] = {
    operation: Decoder(shape) for operation, shape in SHAPES.items()
}

_EXPIRED: Final = frozenset({"ExpiredToken", "ExpiredTokenException"})


class Timeouts(Struct, frozen=True):
    """Seconds: to connect, by TCP and by TLS each; for an answer; to pause. And how many attempts there are."""

    connect: float = 0.25
    answer: float = 0.5
    pause: float = 0.05
    attempts: int = 2

    @property
    def attempt(self) -> float:
        """How long an attempt may take in all, whatever happens in it."""
        return 2 * self.connect + self.answer


PATIENCE: Final = Timeouts()


class HttpTransport:
    """Implements `coolid.aws.dynamodb_client.transport.Transport`.

    Connections that are not in use are kept: one, if questions come one after the other.
    """

    def __init__(
        self,
        place: ServiceLocation,
        keyring: CredentialProvider,
        dialler: Connector,
        patience: Timeouts = PATIENCE,
        clock: Callable[[], float] = time,
    ) -> None:
        self._place = place
        self._keyring = keyring
        self._dialler = dialler
        self._patience = patience
        self._clock = clock
        self._kept: list[HttpConnection] = []
        self._signer: RequestSigner | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str], patience: Timeouts = PATIENCE) -> "HttpTransport":
        """As an environment says. Raises `UnsupportedConfiguration` if it asks for what only boto3 can do."""
        dialler = Connector(patience.connect, TrustStore.read(environment))
        return cls(service_location(environment), credential_provider(environment, dialler), dialler, patience)

    def __del__(self) -> None:
        """Connections are closed, not left to themselves."""
        for connection in self._kept:
            connection.close()

    def call(self, operation: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """As of `Transport`."""
        body = encode(question)
        fresh = False  # whether no connection that was kept will do
        for left in reversed(range(self._patience.attempts)):
            deadline = monotonic() + self._patience.attempt
            try:
                signer = self._signed_by(deadline)
                answer = self._answer(signer.request(operation, body, self._clock()), deadline, fresh=fresh)
                if answer.status == 200:
                    return _read(operation, answer)
            except (OSError, BrokenResponse) as error:
                if not left:
                    raise StoreUnavailable("the store did not answer") from error
                fresh = True
            else:
                code = _code_of(answer)
                if left and code in _EXPIRED and self._keyring.renew(signer.credentials):
                    continue
                if not left or (code not in _PASSING and answer.status not in _PASSING_STATUSES):
                    raise error_for_code(code)
            self._pause()
        raise AssertionError("nobody asked")

    def _answer(self, request: bytes, deadline: float, *, fresh: bool) -> RawResponse:
        """By a connection that was kept; by a new one if none will do, or if it was closed while nobody asked."""
        kept = None if fresh else self._connection()
        if kept is not None:
            with suppress(NoResponse):
                return self._exchange(kept, request, deadline)
        return self._exchange(HttpConnection(self._dialler.open(self._place.endpoint, deadline)), request, deadline)

    def _signed_by(self, deadline: float) -> RequestSigner:
        credentials, signer = self._keyring.credentials(deadline), self._signer
        if signer is None or signer.credentials is not credentials:
            signer = self._signer = RequestSigner(credentials, self._place.region, self._place.endpoint.authority)
        return signer

    def _connection(self) -> HttpConnection | None:
        """One that was kept and seems to be of use."""
        kept = self._kept
        while kept:
            try:
                connection = kept.pop()
            except IndexError:  # another thread took it
                return None
            if not connection.stirs():
                return connection
            connection.close()
        return None

    def _exchange(self, connection: HttpConnection, request: bytes, deadline: float) -> RawResponse:
        try:
            return connection.exchange(request, min(self._patience.answer, deadline - monotonic()))
        finally:
            if connection.lasts:
                self._kept.append(connection)
            else:
                connection.close()

    def _pause(self) -> None:
        from secrets import randbelow  # only now, when time does not matter

        sleep(self._patience.pause * randbelow(1001) / 1000)


def _read(operation: str, answer: RawResponse) -> Mapping[str, Any]:
    """What a good answer says. Raises `BrokenResponse`."""
    if answer.checksum is not None and answer.checksum != b"%d" % crc32(answer.body):
        raise BrokenResponse("the answer is damaged")
    return answer.document(_SHAPED[operation])


def _code_of(answer: RawResponse) -> str:
    """DynamoDB's name for why it refuses, or the status if it gives none.

    >>> _code_of(RawResponse(400, b'{"__type": "com.amazonaws.dynamodb.v20120810#ValidationException"}', None))
    'ValidationException'
    >>> _code_of(RawResponse(502, b"<html>", None))
    '502'
    """
    kind = None
    with suppress(BrokenResponse):
        kind = answer.document().get("__type")
    return kind.rpartition("#")[2] if isinstance(kind, str) else str(answer.status)
