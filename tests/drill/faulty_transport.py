"""The connection between the AWS clients of a drill (boto3's and our own) and the embedded backend.

Requests and responses fail as in a network and at AWS, so a drill includes retries, pauses and the translation of
errors. A transaction that is repeated with the same `ClientRequestToken` is performed once, as in DynamoDB (Amazon
DynamoDB API Reference, TransactWriteItems). moto does not do this.
"""

import json
from binascii import crc32
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ConnectionClosedError, HTTPClientError, ReadTimeoutError

from tests.drill.backends import scheduled_waits
from tests.drill.faults import (
    CONFLICT,
    FAILED,
    KEY,
    LOST,
    PARTIAL_BATCH,
    RESPONSE_LOST,
    STALLED,
    THROTTLED,
    TRUNCATED,
    WRONG_SIGNATURE,
    Faults,
)
from tests.drill.hosts import Host
from tests.drill.scheduler import Scheduler
from tests.support.stores import moto_store
from tests.support.stores.in_process_stream import InProcessStream
from tests.support.stores.moto_store import MotoStore

Answer = tuple[int, dict[str, str], Any]
Send = Callable[[Any], Answer]

_READS: Final = (THROTTLED, FAILED, STALLED, LOST, TRUNCATED)
_WRITES: Final = (THROTTLED, FAILED, STALLED, LOST, RESPONSE_LOST, RESPONSE_LOST)
_FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "GetItem": _READS,
    "Query": _READS,
    "BatchGetItem": (*_READS, PARTIAL_BATCH, PARTIAL_BATCH, PARTIAL_BATCH),
    "PutItem": _WRITES,
    "UpdateItem": (*_WRITES, TRUNCATED),
    "TransactWriteItems": (*_WRITES, CONFLICT),
}
_KEY_FAULTS: Final = (*KEY, WRONG_SIGNATURE)
_URL: Final = "https://dynamodb.us-east-1.amazonaws.com/"
_TIMEOUT: Final = 4.0
"""Seconds after which every client has timed out."""


class FaultyTransport:
    """Forwards requests to a backend, with faults for threads of a `Host`."""

    def __init__(self) -> None:
        self._scheduler: Scheduler | None = None
        self._faults: Faults | None = None
        self._done: dict[str, Answer] = {}

    def attach(self, scheduler: Scheduler, faults: Faults) -> None:
        """Use the scheduler and the faults of a run."""
        self._scheduler, self._faults = scheduler, faults
        self._done.clear()

    def faulty(self, send: Send) -> Send:
        """Return `send` with faults."""

        def forward(request: Any) -> Answer:
            task = self._scheduler.task if self._scheduler is not None else None
            if task is None or not isinstance(task.lifetime, Host):
                return send(request)
            return self._forward(task.lifetime, request, send)

        return forward

    def _forward(self, host: Host, request: Any, send: Send) -> Answer:
        assert self._faults is not None
        service, _, operation = _text(request.headers.get("X-Amz-Target", "")).partition(".")
        host.step()
        if not service.startswith("DynamoDB"):
            return self._forward_to_key_service(host, request, send)
        fault = self._faults.draw(_FAULTS[operation])
        if fault == CONFLICT and self._token(request) in self._done:
            fault = None  # DynamoDB recognises the token, so no conflict is possible
        if fault is not None:
            self._faults.count(fault)
        if (refusal := _refusal_of(fault, request)) is not None:
            return refusal
        match fault:
            case "request lost":
                raise ConnectionClosedError(endpoint_url=_URL)
            case "stalled":
                lasting = host.rng.uniform(0.1, 6)
                host.scheduler.sleep(lasting)
                if lasting > _TIMEOUT:
                    self._once(request, send)
                    raise ReadTimeoutError(endpoint_url=_URL)
            case "partial batch":
                answer = _partial_batch(host, request, send)
                host.step()
                return answer
        answer = self._once(request, send)
        if fault == RESPONSE_LOST:
            raise ConnectionClosedError(endpoint_url=_URL)
        if fault == TRUNCATED:
            return _truncated(answer)
        host.step()
        return answer

    def _once(self, request: Any, send: Send) -> Answer:
        """Forward the request. Return the first response for a repeated transaction."""
        token = self._token(request)
        if token is None:
            return send(request)
        if token not in self._done:
            answer = send(request)
            if answer[0] != 200:
                return answer
            self._done[token] = answer
        return self._done[token]

    def _token(self, request: Any) -> str | None:
        """Return the token of a transaction, None for other requests."""
        if b"ClientRequestToken" not in request.body:
            return None
        token: str = json.loads(request.body)["ClientRequestToken"]
        return token

    def _forward_to_key_service(self, host: Host, request: Any, send: Send) -> Answer:
        assert self._faults is not None
        throttled, failed, stalled, unanswered = KEY
        fault = self._faults.draw(_KEY_FAULTS)
        if fault is not None:
            self._faults.count(fault)
        if fault == throttled:
            return _refusal(400, "ThrottlingException")
        if fault == failed:
            return _refusal(500, "KMSInternalException")
        if fault == stalled:
            host.scheduler.sleep(host.rng.uniform(0.1, 3))
        answer = send(request)
        if fault == unanswered:
            raise ReadTimeoutError(endpoint_url=_URL)
        if fault == WRONG_SIGNATURE:
            status, headers, body = answer
            decoded = json.loads(body)
            for name in {"Signature", "PublicKey"} & decoded.keys():
                decoded[name] = decoded[name][4:] + decoded[name][:4]
            return status, headers, json.dumps(decoded)
        host.step()
        return answer


@contextmanager
def running(transport: FaultyTransport) -> Iterator[None]:
    """Run an embedded backend behind this transport."""
    serialized = MotoStore.serialized
    answer = InProcessStream._answer

    def faulty(store: MotoStore, send: Any) -> Any:
        return transport.faulty(serialized(store, send))

    def answer_as_sockets_do(line: InProcessStream) -> None:
        try:
            answer(line)
        except ReadTimeoutError as error:
            raise TimeoutError from error
        except HTTPClientError as error:
            raise ConnectionResetError from error

    with ExitStack() as ends:
        ends.enter_context(patch.object(MotoStore, "serialized", faulty))
        ends.enter_context(patch.object(InProcessStream, "_answer", answer_as_sockets_do))
        ends.enter_context(moto_store.running())
        yield


@contextmanager
def scheduled_clients(scheduler: Scheduler) -> Iterator[None]:
    """Patch the waits and clocks of the AWS clients (`Backend.scheduled`)."""
    paused = SimpleNamespace(sleep=lambda _: scheduler.sleep(0.2))  # without jitter, which has no seed
    with ExitStack() as ends:
        ends.enter_context(scheduled_waits(scheduler))
        ends.enter_context(patch("botocore.endpoint.time", paused))
        ends.enter_context(patch("coolid.aws.dynamodb_client.http_transport.sleep", lambda _: scheduler.sleep(0.03)))
        for module in ("aws.dynamodb_client.http_transport", "net.http_connection", "aws.dynamodb.table_reader"):
            ends.enter_context(patch(f"coolid.{module}.monotonic", lambda: scheduler.now))
        yield


def _refusal_of(fault: str | None, request: Any) -> Answer | None:
    """Return DynamoDB's response to a refused request, None if the fault is no refusal."""
    match fault:
        case "throttled":
            return _refusal(400, "ProvisionedThroughputExceededException")
        case "answered 500":
            return _refusal(500, "InternalServerError")
        case "transaction conflict":
            items = len(json.loads(request.body)["TransactItems"])
            reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
            reasons += [{"Code": "None"}] * (items - 1)
            return _refusal(400, "TransactionCanceledException", CancellationReasons=reasons)
    return None


def _refusal(status: int, kind: str, **members: Any) -> Answer:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "no"} | members)
    return status, {"Content-Type": "application/x-amz-json-1.0"}, body


def _partial_batch(host: Host, request: Any, send: Send) -> Answer:
    """Return a response for some of the keys; the others are unprocessed."""
    body = json.loads(request.body)
    ((table, requested),) = body["RequestItems"].items()
    keys = requested["Keys"]
    some = host.rng.randrange(len(keys))
    left = {table: {**requested, "Keys": keys[some:]}}
    if not some:
        return 200, {}, json.dumps({"Responses": {table: []}, "UnprocessedKeys": left})
    body["RequestItems"] = {table: {**requested, "Keys": keys[:some]}}
    headers: Any = request.headers
    fewer = AWSPreparedRequest(request.method, request.url, headers, json.dumps(body).encode(), False)
    status, headers_received, text = send(fewer)
    return status, headers_received, json.dumps(json.loads(text) | {"UnprocessedKeys": left})


def _truncated(answer: Answer) -> Answer:
    """Return the first half of a response, with the checksum of all of it."""
    status, headers, body = answer
    octets = body.encode() if isinstance(body, str) else body
    return status, {**headers, "x-amz-crc32": str(crc32(octets))}, octets[: len(octets) // 2]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value
