"""Wires: what stands between the AWS clients of a drill, boto3's and our own, and the embedded backend.

Requests and answers go wrong here as they do in a network and at AWS, so that everything that bears with that takes
part: attempts, pauses, the translation of errors. A transaction that comes twice with one `ClientRequestToken` is
carried out once, as DynamoDB does (Amazon DynamoDB API Reference, TransactWriteItems), which moto does not.
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

from coolid.local.embedded_store import EmbeddedStore
from tests.drill.baton import Baton
from tests.drill.faults import (
    BROKEN_OFF,
    CONFLICT,
    FAILED,
    KEY,
    LOST,
    NONSENSE,
    STALLED,
    THROTTLED,
    TORN,
    UNHEARD,
    Faults,
)
from tests.drill.sites import Site
from tests.drill.worlds import taking_turns
from tests.support.stores import embedded
from tests.support.stores.in_process_stream import InProcessStream

Answer = tuple[int, dict[str, str], Any]
Ask = Callable[[Any], Answer]

_READS: Final = (THROTTLED, FAILED, STALLED, LOST, BROKEN_OFF)
_WRITES: Final = (THROTTLED, FAILED, STALLED, LOST, UNHEARD, UNHEARD)
_FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "GetItem": _READS,
    "Query": _READS,
    "BatchGetItem": (*_READS, TORN, TORN, TORN),
    "PutItem": _WRITES,
    "UpdateItem": (*_WRITES, BROKEN_OFF),
    "TransactWriteItems": (*_WRITES, CONFLICT),
}
_KEY_FAULTS: Final = (*KEY, NONSENSE)
_URL: Final = "https://dynamodb.us-east-1.amazonaws.com/"
_PATIENCE: Final = 4.0
"""Seconds after which no client waits any longer."""


class Wire:
    """Carries requests to a backend, faulty for those who are at a `Site`, and for nobody else."""

    def __init__(self) -> None:
        self._baton: Baton | None = None
        self._faults: Faults | None = None
        self._done: dict[str, Answer] = {}

    def belong_to(self, baton: Baton, faults: Faults) -> None:
        """Serve a run."""
        self._baton, self._faults = baton, faults
        self._done.clear()

    def faulty(self, ask: Ask) -> Ask:
        """The way to `ask` by this wire."""

        def carry(request: Any) -> Answer:
            task = self._baton.task if self._baton is not None else None
            if task is None or not isinstance(task.life, Site):
                return ask(request)
            return self._carry(task.life, request, ask)

        return carry

    def _carry(self, site: Site, request: Any, ask: Ask) -> Answer:
        assert self._faults is not None
        service, _, operation = _text(request.headers.get("X-Amz-Target", "")).partition(".")
        site.step()
        if not service.startswith("DynamoDB"):
            return self._to_key_service(site, request, ask)
        fault = self._faults.draw(_FAULTS[operation])
        if fault == CONFLICT and self._token(request) in self._done:
            fault = None  # DynamoDB knows it again by its token, and has nothing to decide
        if fault is not None:
            self._faults.count(fault)
        if (refusal := _refusal_of(fault, request)) is not None:
            return refusal
        match fault:
            case "request lost":
                raise ConnectionClosedError(endpoint_url=_URL)
            case "stalled":
                lasting = site.dice.uniform(0.1, 6)
                site.baton.sleep(lasting)
                if lasting > _PATIENCE:
                    self._once(request, ask)
                    raise ReadTimeoutError(endpoint_url=_URL)
            case "torn batch":
                answer = _torn(site, request, ask)
                site.step()
                return answer
        answer = self._once(request, ask)
        if fault == UNHEARD:
            raise ConnectionClosedError(endpoint_url=_URL)
        if fault == BROKEN_OFF:
            return _broken_off(answer)
        site.step()
        return answer

    def _once(self, request: Any, ask: Ask) -> Answer:
        """What came of the request; if it is a transaction that was carried out before, what came of it then."""
        token = self._token(request)
        if token is None:
            return ask(request)
        if token not in self._done:
            answer = ask(request)
            if answer[0] != 200:
                return answer
            self._done[token] = answer
        return self._done[token]

    def _token(self, request: Any) -> str | None:
        """What a transaction is known by."""
        if b"ClientRequestToken" not in request.body:
            return None
        token: str = json.loads(request.body)["ClientRequestToken"]
        return token

    def _to_key_service(self, site: Site, request: Any, ask: Ask) -> Answer:
        assert self._faults is not None
        throttled, failed, stalled, unheard = KEY
        fault = self._faults.draw(_KEY_FAULTS)
        if fault is not None:
            self._faults.count(fault)
        if fault == throttled:
            return _refusal(400, "ThrottlingException")
        if fault == failed:
            return _refusal(500, "KMSInternalException")
        if fault == stalled:
            site.baton.sleep(site.dice.uniform(0.1, 3))
        answer = ask(request)
        if fault == unheard:
            raise ReadTimeoutError(endpoint_url=_URL)
        if fault == NONSENSE:
            status, headers, body = answer
            told = json.loads(body)
            for name in {"Signature", "PublicKey"} & told.keys():
                told[name] = told[name][4:] + told[name][:4]
            return status, headers, json.dumps(told)
        site.step()
        return answer


@contextmanager
def running(baton_of: Wire) -> Iterator[None]:
    """An embedded backend, at the end of this wire."""
    serialized = EmbeddedStore.serialized
    answer = InProcessStream._answer

    def faulty(store: EmbeddedStore, ask: Any) -> Any:
        return baton_of.faulty(serialized(store, ask))

    def answer_as_sockets_do(line: InProcessStream) -> None:
        try:
            answer(line)
        except ReadTimeoutError as error:
            raise TimeoutError from error
        except HTTPClientError as error:
            raise ConnectionResetError from error

    with ExitStack() as ends:
        ends.enter_context(patch.object(EmbeddedStore, "serialized", faulty))
        ends.enter_context(patch.object(InProcessStream, "_answer", answer_as_sockets_do))
        ends.enter_context(embedded.running())
        yield


@contextmanager
def by_the_baton(baton: Baton) -> Iterator[None]:
    """As of `World.turns`: the clients wait and look at the clock as everything else does, too."""
    paused = SimpleNamespace(sleep=lambda _: baton.sleep(0.2))  # without the jitter that no seed decides
    with ExitStack() as ends:
        ends.enter_context(taking_turns(baton))
        ends.enter_context(patch("botocore.endpoint.time", paused))
        ends.enter_context(patch("coolid.aws.dynamodb_client.http_transport.sleep", lambda _: baton.sleep(0.03)))
        for module in ("aws.dynamodb_client.http_transport", "net.http_connection", "aws.dynamodb.table_reader"):
            ends.enter_context(patch(f"coolid.{module}.monotonic", lambda: baton.now))
        yield


def _refusal_of(fault: str | None, request: Any) -> Answer | None:
    """What DynamoDB answers if it refuses; None if it does not."""
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


def _torn(site: Site, request: Any, ask: Ask) -> Answer:
    """Some of the keys are answered, the others left out."""
    body = json.loads(request.body)
    ((table, asked),) = body["RequestItems"].items()
    keys = asked["Keys"]
    some = site.dice.randrange(len(keys))
    left = {table: {**asked, "Keys": keys[some:]}}
    if not some:
        return 200, {}, json.dumps({"Responses": {table: []}, "UnprocessedKeys": left})
    body["RequestItems"] = {table: {**asked, "Keys": keys[:some]}}
    headers: Any = request.headers
    fewer = AWSPreparedRequest(request.method, request.url, headers, json.dumps(body).encode(), False)
    status, told, text = ask(fewer)
    return status, told, json.dumps(json.loads(text) | {"UnprocessedKeys": left})


def _broken_off(answer: Answer) -> Answer:
    """Only the first half arrives; its checksum is that of all of it."""
    status, headers, body = answer
    octets = body.encode() if isinstance(body, str) else body
    return status, {**headers, "x-amz-crc32": str(crc32(octets))}, octets[: len(octets) // 2]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value
