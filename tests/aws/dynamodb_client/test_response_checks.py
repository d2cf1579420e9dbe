"""An answer that is damaged or has another shape counts as a failed attempt, and never as "there is nothing"."""

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.transport import InvalidRequest
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.errors import Outdated, StoreUnavailable
from coolid.wiring.boto_clients import READS, WRITES, dynamodb
from coolid.wiring.write_access import open_store
from tests.aws.dynamodb_client.connections import QUESTION, environment
from tests.support.builders.samples import record
from tests.support.fixtures.system import environment_for, table_names
from tests.support.servers.scripted_server import Connection, answer, holding, repeat, scripted_server

FOUND = holding({"name": {"S": "mp"}, "longer": {"SS": ["mp/a"]}, "revision": {"N": "1"}})
NOTHING = {"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}
WHOLE = answer(FOUND)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: "
OK = b"200 OK"
NO = b"400 Bad Request"

BROKEN = {
    "damaged": answer(NOTHING).replace(b"0.5", b"0.6"),
    "damaged, and still empty": answer(NOTHING, OK, b"x-amz-crc32: 1", checked=False),
    "with a CRC that is none": answer(NOTHING, OK, b"x-amz-crc32: x", checked=False),
    "torn in its body": HEAD + b"100\r\nConnection: close\r\n\r\n" + b'{"ConsumedCapacity": {}',
    "empty": answer(b""),
    "not JSON": answer(b"<html>"),
    "JSON with something behind it": answer(b"{}{}"),
    "not UTF-8": answer(b'{"ConsumedCapacity": {}, "Item": {"name": {"S": "\xff"}}}'),
    "null": answer(b"null", OK, b"x-amzn-RequestId: 1"),
    "a number": answer(7),
    "a text": answer("x"),
    "a list": answer([]),
    "an item of null": answer({**NOTHING, "Item": None}),
    "an item that is a list": answer({**NOTHING, "Item": []}),
    "values that are none": answer({**NOTHING, "Item": {"a": "b"}}),
    "a set that is none": answer({**NOTHING, "Item": {"a": {"SS": True}}}),
    "a number that is none": answer({**NOTHING, "Item": {"a": {"N": 7}}}),
    "capacity that is none": answer({"ConsumedCapacity": {"CapacityUnits": "x"}}),
    "an abyss": answer(b'{"Item": ' + b"[" * 100_000),
    "a refusal of null": answer(b"null", NO),
    "a refusal that is a list": answer([], NO),
    "a refusal that is damaged": answer({"__type": "x#ValidationException"}, NO, b"x-amz-crc32: 1", checked=False),
    "a refusal of a type that is none": answer({"__type": 7}, NO),
    "a refusal for reasons that are none": answer({"__type": "x", "CancellationReasons": [None]}, NO),
    "a refusal that is not UTF-8": answer(b"<p>\xff", NO),
}


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts are not what is tested."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))


@pytest.fixture
def leads(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets AWS clients that are made from here on connect to a server of this machine."""

    def lead(port: int) -> None:
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)

    return lead


@pytest.mark.parametrize("config", [READS, WRITES], ids=["reads", "writes"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_broken_answer_is_a_failed_attempt(leads: Callable[[int], None], config: Any, broken: bytes) -> None:
    attempts: list[int] = []

    def script(connection: Connection) -> None:
        while True:
            connection.request()
            attempts.append(connection.number)
            connection.say(broken)
            if b"Connection: close" in broken:
                return

    with scripted_server(script) as port:
        leads(port)
        with pytest.raises(StoreUnavailable, match="did not answer"):
            BotoTransport(dynamodb(config)).call("GetItem", QUESTION)
    assert len(attempts) == config.retries["total_max_attempts"]


@pytest.mark.parametrize("config", [READS, WRITES], ids=["reads", "writes"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_another_attempt_may_have_the_response(leads: Callable[[int], None], config: Any, broken: bytes) -> None:
    answers = [broken, WHOLE]

    def script(connection: Connection) -> None:
        while answers:
            connection.request()
            reply = answers.pop(0)
            connection.say(reply)
            if b"Connection: close" in reply:
                return

    with scripted_server(script) as port:
        leads(port)
        assert BotoTransport(dynamodb(config)).call("GetItem", QUESTION) == FOUND


@pytest.mark.parametrize("found", [FOUND, NOTHING])
@pytest.mark.parametrize("checked", [True, False], ids=["with a CRC", "without"])
def test_a_whole_answer_is_taken(leads: Callable[[int], None], found: dict[str, Any], checked: bool) -> None:
    with scripted_server(repeat(answer(found, checked=checked))) as port:
        leads(port)
        assert BotoTransport(dynamodb(WRITES)).call("GetItem", QUESTION) == found


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (answer({"__type": "x#ValidationException", "Message": "no"}, NO), InvalidRequest),
        (answer({"__type": "x#AccessDeniedException", "message": None}, NO), StoreUnavailable),
        (answer(b"<html>", b"403 Forbidden", checked=False), StoreUnavailable),
        (answer(b"", b"403 Forbidden", checked=False), StoreUnavailable),
    ],
)
def test_a_refusal_stays_one(leads: Callable[[int], None], refusal: bytes, error: type[Exception]) -> None:
    visits: list[int] = []

    def script(connection: Connection) -> None:
        while True:
            connection.request()
            visits.append(connection.number)
            connection.say(refusal)

    with scripted_server(script) as port:
        leads(port)
        with pytest.raises(error):
            BotoTransport(dynamodb(WRITES)).call("GetItem", QUESTION)
    assert len(visits) == 1


def test_the_reasons_of_a_cancelled_transaction_arrive(leads: Callable[[int], None]) -> None:
    reasons = [{"Code": "ConditionalCheckFailed", "Message": "no", "Item": {"pid": {"S": "x"}}}, {"Code": "None"}]
    cancelled = {"__type": "x#TransactionCanceledException", "Message": "no", "CancellationReasons": reasons}

    def script(connection: Connection) -> None:
        while True:
            _, headers, _ = connection.request()
            is_write = headers["x-amz-target"].endswith("TransactWriteItems")
            connection.say(answer(cancelled, NO) if is_write else answer(NOTHING))

    with scripted_server(script) as port:
        leads(port)
        settings = Settings.read(os.environ | environment_for(table_names()), writes=True, also=[PULSE_TABLE])
        with pytest.raises(Outdated):
            open_store(settings).records.replace_record(record(version=2), record())
