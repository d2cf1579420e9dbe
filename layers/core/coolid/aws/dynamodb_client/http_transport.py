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

from coolid.aws.dynamodb_client.connector import Dialler
from coolid.aws.dynamodb_client.credentials import Keyring, keyring_of
from coolid.aws.dynamodb_client.endpoints import Place, place_of
from coolid.aws.dynamodb_client.http_connection import Answer, Broken, Connection, Unheard
from coolid.aws.dynamodb_client.signing import Signer
from coolid.aws.dynamodb_client.transport import SHAPES, refusal
from coolid.aws.dynamodb_client.trust_store import Trust
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


class Patience(Struct, frozen=True):
    """Seconds: to connect, by TCP and by TLS each; for an answer; to pause. And how many attempts there are."""

    connect: float = 0.25
    answer: float = 0.5
    pause: float = 0.05
    attempts: int = 2

    @property
    def attempt(self) -> float:
        """How long an attempt may take in all, whatever happens in it."""
        return 2 * self.connect + self.answer


PATIENCE: Final = Patience()


class OwnAsker:
    """Implements `coolid.aws.dynamodb_client.transport.Asker`.

    Connections that are not in use are kept: one, if questions come one after the other.
    """

    def __init__(
        self,
        place: Place,
        keyring: Keyring,
        dialler: Dialler,
        patience: Patience = PATIENCE,
        clock: Callable[[], float] = time,
    ) -> None:
        self._place = place
        self._keyring = keyring
        self._dialler = dialler
        self._patience = patience
        self._clock = clock
        self._kept: list[Connection] = []
        self._signer: Signer | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str], patience: Patience = PATIENCE) -> "OwnAsker":
        """As an environment says. Raises `NotOurs` if it asks for what only boto3 can do."""
        dialler = Dialler(patience.connect, Trust.read(environment))
        return cls(place_of(environment), keyring_of(environment, dialler), dialler, patience)

    def __del__(self) -> None:
        """Connections are closed, not left to themselves."""
        for connection in self._kept:
            connection.close()

    def ask(self, operation: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """As of `Asker`."""
        body = encode(question)
        fresh = False  # whether no connection that was kept will do
        for left in reversed(range(self._patience.attempts)):
            deadline = monotonic() + self._patience.attempt
            try:
                signer = self._signed_by(deadline)
                answer = self._answer(signer.request(operation, body, self._clock()), deadline, fresh=fresh)
                if answer.status == 200:
                    return _read(operation, answer)
            except (OSError, Broken) as error:
                if not left:
                    raise StoreUnavailable("the store did not answer") from error
                fresh = True
            else:
                code = _code_of(answer)
                if left and code in _EXPIRED and self._keyring.renew(signer.credentials):
                    continue
                if not left or (code not in _PASSING and answer.status not in _PASSING_STATUSES):
                    raise refusal(code)
            self._pause()
        raise AssertionError("nobody asked")

    def _answer(self, request: bytes, deadline: float, *, fresh: bool) -> Answer:
        """By a connection that was kept; by a new one if none will do, or if it was closed while nobody asked."""
        kept = None if fresh else self._connection()
        if kept is not None:
            with suppress(Unheard):
                return self._exchange(kept, request, deadline)
        return self._exchange(Connection(self._dialler.dial(self._place.endpoint, deadline)), request, deadline)

    def _signed_by(self, deadline: float) -> Signer:
        credentials, signer = self._keyring.credentials(deadline), self._signer
        if signer is None or signer.credentials is not credentials:
            signer = self._signer = Signer(credentials, self._place.region, self._place.endpoint.authority)
        return signer

    def _connection(self) -> Connection | None:
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

    def _exchange(self, connection: Connection, request: bytes, deadline: float) -> Answer:
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


def _read(operation: str, answer: Answer) -> Mapping[str, Any]:
    """What a good answer says. Raises `Broken`."""
    if answer.checksum is not None and answer.checksum != b"%d" % crc32(answer.body):
        raise Broken("the answer is damaged")
    return answer.document(_SHAPED[operation])


def _code_of(answer: Answer) -> str:
    """DynamoDB's name for why it refuses, or the status if it gives none.

    >>> _code_of(Answer(400, b'{"__type": "com.amazonaws.dynamodb.v20120810#ValidationException"}', None))
    'ValidationException'
    >>> _code_of(Answer(502, b"<html>", None))
    '502'
    """
    kind = None
    with suppress(Broken):
        kind = answer.document().get("__type")
    return kind.rpartition("#")[2] if isinstance(kind, str) else str(answer.status)
