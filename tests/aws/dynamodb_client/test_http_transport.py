"""Our own client of DynamoDB: a response is complete and belongs to its request, or it is an error.

`tests/aws/dynamodb/test_failures.py` tests the failures of all transports.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from socket import socket
from typing import Any

import pytest

from coolid.aws.dynamodb_client.connector import Connector, TrustStore
from coolid.aws.dynamodb_client.credentials import credential_provider
from coolid.aws.dynamodb_client.endpoints import service_location
from coolid.aws.dynamodb_client.http_transport import DEFAULT_TIMEOUTS, HttpTransport, Timeouts
from coolid.aws.dynamodb_client.transport import InvalidRequest
from coolid.errors import StoreUnavailable
from coolid.net.http_connection import MAX_HEAD_BYTES, MAX_RESPONSE_BYTES
from coolid.net.name_resolution import REUSE_SECONDS, NameResolver, stream_addresses
from coolid.net.tcp_stream import open_socket
from tests.aws.dynamodb_client.connections import HASTY, MOST_SECRET, PATIENT, QUESTION, asker, environment
from tests.support.servers.name_server import system_names
from tests.support.servers.scripted_server import Connection, answer, holding, repeat, scripted_server, silent

FOUND = holding({"name": {"S": "mp"}})
WHOLE = answer(FOUND)
REFUSED = {"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "no"}


def echo(connection: Connection) -> None:
    """Answers each question with itself."""
    while True:
        _, _, question = connection.request()
        connection.say(answer(holding(question["Key"])))


def test_a_question_arrives_as_dynamodb_wants_it_and_its_response_comes_back() -> None:
    heard: list[Any] = []

    def script(connection: Connection) -> None:
        heard.append(connection.request())
        connection.say(WHOLE)

    with scripted_server(script) as port:
        assert asker(port).call("GetItem", QUESTION) == FOUND
    ((first, headers, question),) = heard
    assert (first, question) == (b"POST / HTTP/1.1", QUESTION)
    assert headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
    assert headers["host"] == f"127.0.0.1:{port}"
    assert MOST_SECRET not in str(heard)


BODY = WHOLE.partition(b"\r\n\r\n")[2]
GOOD = {
    "in one piece": [WHOLE],
    "byte by byte": [bytes([byte]) for byte in WHOLE],
    "in chunks": [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\n%b\r\n" % BODY[:4],
        b"%x\r\n%b \r\n0\r\nA-Trailer: x\r\n\r\n" % (len(BODY) - 3, BODY[4:]),
    ],
    "after others that were provisional": [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nLink: x\r\n\r\n", WHOLE],
    "after another that was provisional, together with it": [b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE],
    "without a CRC": [answer(FOUND, checked=False)],
    "with headers of any case, folded by nobody": [WHOLE.replace(b"x-amz-crc32", b"X-AMZ-Crc32")],
}


@pytest.mark.parametrize("parts", GOOD.values(), ids=GOOD)
def test_a_response_may_come_as_http_allows_and_one_connection_does_for_many(parts: list[bytes]) -> None:
    visitors: list[Connection] = []

    def script(connection: Connection) -> None:
        visitors.append(connection)
        repeat(*parts)(connection)

    with scripted_server(script) as port:
        asking = asker(port)
        assert [asking.call("GetItem", QUESTION) for _ in range(5)] == [FOUND] * 5
    assert len(visitors) == 1


def test_a_response_of_megabytes_is_taken_whole() -> None:
    found = holding({"name": {"S": "\u00e9" * 5_000_000}})
    with scripted_server(repeat(answer(found))) as port:
        assert asker(port).call("GetItem", QUESTION) == found


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: "
BAD = {
    "torn in its body": [WHOLE[:-1]],
    "torn in its head": [WHOLE[:30]],
    "torn before its body": [WHOLE[: WHOLE.index(b"{")]],
    "torn in a chunk": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{}"],
    "without the last chunk": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"],
    "without a length": [b"HTTP/1.1 200 OK\r\n\r\n{}"],
    "with two lengths": [HEAD + b"2\r\nContent-Length: 3\r\n\r\n{} "],
    "with a length and chunks": [HEAD + b"2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"],
    "of a length that is none": [HEAD + b"-2\r\n\r\n{}"],
    "damaged": [WHOLE.replace(b'"mp"', b'"pm"')],
    "with a CRC that is none": [answer(FOUND, b"200 OK", b"x-amz-crc32: x", checked=False)],
    "empty": [answer(b"")],
    "not JSON": [answer(b"<html>")],
    "JSON with something behind it": [answer(b"{}{}")],
    "not UTF-8": [answer(b'{"ConsumedCapacity": {}, "Item": {"name": {"S": "\xff"}}}')],
    "a list": [answer([])],
    "garbage": [b"\x16\x03\x01\x02\x00garbage\r\n\r\n" * 10],
    "of another protocol": [b"220 mail.example ESMTP\r\n"],
    "compressed, unasked": [answer(b"\x1f\x8b\x08\x00", b"200 OK", b"Content-Encoding: gzip")],
    "an upgrade": [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    "provisional for ever": [b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000],
    "a flood of headers": [b"HTTP/1.1 200 OK\r\n", *[b"X-Header: and another one\r\n" * 1000] * 1000],
    "a header that does not end": [b"HTTP/1.1 200 OK\r\nX-Header: ", *[b"x" * MAX_HEAD_BYTES] * 100],
    "a flood of trailers": [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
        *[b"X-Header: and another one\r\n" * 1000] * 1000,
    ],
    "longer than the longest": [
        HEAD + b"%d\r\n\r\n" % (MAX_RESPONSE_BYTES * 2),
        *[b" " * 2**20] * (MAX_RESPONSE_BYTES // 2**20 + 8),
    ],
}


@pytest.mark.parametrize("parts", BAD.values(), ids=BAD)
def test_what_is_no_whole_answer_is_never_taken_for_one(parts: list[bytes]) -> None:
    """Twice the same, and the store is unavailable; nothing is said of what might not exist."""
    visitors: list[Connection] = []

    def script(connection: Connection) -> None:
        visitors.append(connection)
        connection.request()
        connection.say(*parts)

    with scripted_server(script) as port, pytest.raises(StoreUnavailable, match="did not answer"):
        asker(port).call("GetItem", QUESTION)
    assert len(visitors) == 2


@pytest.mark.parametrize("parts", BAD.values(), ids=BAD)
def test_after_it_another_attempt_may_have_the_response(parts: list[bytes]) -> None:
    def script(connection: Connection) -> None:
        connection.request()
        connection.say(*(parts if connection.number == 0 else [WHOLE]))

    with scripted_server(script) as port:
        assert asker(port).call("GetItem", QUESTION) == FOUND


EMPTY: dict[str, dict[str, Any]] = {
    "GetItem": {"ConsumedCapacity": {}},
    "BatchGetItem": {"Responses": {"t": []}},
    "Query": {"Items": []},
}
SHAPELESS: dict[str, Any] = {
    "nothing": {},
    "a refusal": {"message": "Forbidden"},
    "null": {"Item": None, "Responses": None, "Items": None, "ConsumedCapacity": {}},
    "a text": {"Item": "x", "Responses": "x", "Items": "x", "ConsumedCapacity": {}},
    "rows that are none": {"Item": [None], "Responses": {"t": [None]}, "Items": [None], "ConsumedCapacity": {}},
    "values that are none": {
        "Item": {"a": "b"},
        "Responses": {"t": [{"a": "b"}]},
        "Items": [{"a": "b"}],
        "ConsumedCapacity": {},
    },
    "an abyss": b"[" * 900 + b"]" * 900,
}


@pytest.mark.parametrize("operation", EMPTY)
def test_a_response_without_anything_is_one_if_it_has_the_shape(operation: str) -> None:
    with scripted_server(repeat(answer(EMPTY[operation]))) as port:
        assert asker(port).call(operation, QUESTION) == EMPTY[operation]


@pytest.mark.parametrize("operation", EMPTY)
@pytest.mark.parametrize("shape", SHAPELESS)
def test_a_response_of_another_shape_is_none(operation: str, shape: str) -> None:
    with scripted_server(repeat(answer(SHAPELESS[shape]))) as port, pytest.raises(StoreUnavailable):
        asker(port).call(operation, QUESTION)


def test_a_response_as_deep_as_none_can_be_read_is_none() -> None:
    with scripted_server(repeat(answer(b"[" * 100_000))) as port, pytest.raises(StoreUnavailable):
        asker(port).call("GetItem", QUESTION)


class TestWaiting:
    """The servers here go on for ever: that there is an end to it at all is what is shown."""

    @pytest.mark.parametrize(
        "beginning",
        [b"", WHOLE[:-20], b"HTTP/1.1 200 OK\r\nX-Header: "],
        ids=["at first", "in the body", "in the head"],
    )
    def test_a_response_that_drips_is_not_waited_for(self, beginning: bytes) -> None:
        over = threading.Event()

        def drip(connection: Connection) -> None:
            connection.request()
            connection.say(beginning)
            while not over.wait(0.01):
                connection.say(b"x" if beginning else b"\r\n")

        with scripted_server(drip) as port:
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asker(port, HASTY).call("GetItem", QUESTION)
            over.set()

    def test_a_server_that_does_not_take_connections_is_not_waited_for(self) -> None:
        with silent() as port, pytest.raises(StoreUnavailable, match="did not answer"):
            asker(port, HASTY).call("GetItem", QUESTION)

    def test_of_several_addresses_one_that_answers_will_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A share of the time for each; here the dead ones use up nothing of theirs."""
        shares: list[tuple[int, float]] = []

        def connect(family: int, address: tuple[str, int], seconds: float, kind: type[socket]) -> socket:
            shares.append((address[1], seconds))
            return open_socket(family, address, seconds if address[1] == port else 0.001, kind)

        with silent() as dead, silent() as dead_too, scripted_server(echo) as port:
            addresses = [(2, 1, 6, "", ("127.0.0.1", each)) for each in (dead, dead_too, port)]
            monkeypatch.setattr("_socket.getaddrinfo", lambda *_, **__: addresses)
            monkeypatch.setattr("coolid.aws.dynamodb_client.connector.open_socket", connect)
            assert asker(port).call("GetItem", QUESTION) == holding(QUESTION["Key"])
        assert [number for number, _ in shares] == [dead, dead_too, port]
        assert shares[0][1] <= PATIENT.connect_seconds / 3

    def test_several_that_are_dead_take_no_longer_than_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with silent() as dead:
            monkeypatch.setattr("_socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", dead))] * 1000)
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asker(dead, HASTY).call("GetItem", QUESTION)

    def test_an_unknown_host_name_is_no_defect_of_the_service(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(*_: object, **__: object) -> None:
            raise OSError(-2, "Name or service not known")

        monkeypatch.setattr("_socket.getaddrinfo", unknown)
        with pytest.raises(StoreUnavailable, match="did not answer"):
            asker(1).call("GetItem", QUESTION)

    def test_a_name_server_that_does_not_answer_is_not_waited_for(self) -> None:
        asking = HttpTransport.read(environment(1, host="store.example"), HASTY)
        with system_names() as names:
            names.stall()
            for _ in range(3):
                with pytest.raises(StoreUnavailable, match="did not answer"):
                    asking.call("GetItem", QUESTION)
            assert names.stalled() == (1, 0)

    def test_a_name_that_resolved_before_leads_to_its_earlier_address(self) -> None:
        with scripted_server(repeat(answer(FOUND, b"200 OK", b"Connection: close"))) as port, system_names() as names:
            now = [1000.0]
            resolver = NameResolver(stream_addresses, reuse=REUSE_SECONDS, clock=lambda: now[0])
            connector = Connector(PATIENT.connect_seconds, TrustStore(), resolver)
            variables = environment(port, host="store.example")
            provider = credential_provider(variables, connector)
            asking = HttpTransport(service_location(variables), provider, connector, PATIENT)
            assert asking.call("GetItem", QUESTION) == FOUND
            names.stall()
            resolver.resolve("store.example", port, 0)
            now[0] += PATIENT.connect_seconds  # so that no call waits for this lookup
            assert [asking.call("GetItem", QUESTION) for _ in range(3)] == [FOUND] * 3
            assert names.stalled() == (1, 0)

    def test_pauses_differ_and_are_short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pauses: list[float] = []
        monkeypatch.setattr("coolid.aws.dynamodb_client.http_transport.sleep", pauses.append)
        with scripted_server(repeat(answer(REFUSED, b"400 Bad Request"))) as port:
            asking = asker(port, Timeouts(connect_seconds=30, response_seconds=30))
            for _ in range(20):
                with pytest.raises(StoreUnavailable):
                    asking.call("GetItem", QUESTION)
        assert len(pauses) == 20
        assert len(set(pauses)) > 1
        assert all(0 <= pause <= DEFAULT_TIMEOUTS.max_pause_seconds for pause in pauses)


SURPLUS = {
    "a second answer": answer(holding({"name": {"S": "another"}})),
    "half of one": b"HTTP/1.1 200 OK\r\n",
    "a provisional one": b"HTTP/1.1 100 Continue\r\n\r\n",
    "garbage": b"garbage",
}


class TestKeptConnections:
    def test_one_that_was_closed_meanwhile_is_replaced(self) -> None:
        visitors: list[int] = []
        gone = threading.Semaphore(0)

        def script(connection: Connection) -> None:
            visitors.append(connection.number)
            connection.request()
            connection.say(WHOLE)
            connection.leave()
            gone.release()

        with scripted_server(script) as port:
            asking = asker(port)
            for _ in range(3):
                assert asking.call("GetItem", QUESTION) == FOUND
                gone.acquire()
        assert visitors == [0, 1, 2]

    def test_a_connection_that_was_closed_is_replaced_without_using_an_attempt(self) -> None:
        """It is closed by who has the question already; then two attempts may still fail, and the second succeeds."""
        visitors: list[int] = []

        def script(connection: Connection) -> None:
            visitors.append(connection.number)
            connection.request()
            connection.say(WHOLE if connection.number != 1 else answer(REFUSED, b"400 Bad Request"))
            connection.request()
            if connection.number == 1:
                connection.say(WHOLE)

        with scripted_server(script) as port:
            asking = asker(port)
            assert asking.call("GetItem", QUESTION) == FOUND
            assert asking.call("GetItem", QUESTION) == FOUND
        assert visitors == [0, 1]

    def test_that_is_done_once_a_question(self) -> None:
        visitors: list[int] = []

        def script(connection: Connection) -> None:
            visitors.append(connection.number)
            connection.request()
            if connection.number == 0:
                connection.say(WHOLE)
                connection.request()

        with scripted_server(script) as port:
            asking = asker(port)
            asking.call("GetItem", QUESTION)
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asking.call("GetItem", QUESTION)
        assert visitors == [0, 1, 2]

    def test_one_that_the_server_wants_to_end_is_ended(self) -> None:
        visitors: list[int] = []

        def script(connection: Connection) -> None:
            visitors.append(connection.number)
            repeat(answer(FOUND, b"200 OK", b"Connection: close"))(connection)

        with scripted_server(script) as port:
            asking = asker(port)
            assert [asking.call("GetItem", QUESTION) for _ in range(2)] == [FOUND] * 2
        assert visitors == [0, 1]

    @pytest.mark.parametrize("surplus", SURPLUS.values(), ids=SURPLUS)
    def test_bytes_after_a_response_are_not_part_of_the_next_one(self, surplus: bytes) -> None:
        visitors: list[int] = []

        def script(connection: Connection) -> None:
            visitors.append(connection.number)
            while True:
                _, _, question = connection.request()
                connection.say(answer(holding(question["Key"])) + surplus)

        with scripted_server(script) as port:
            asking = asker(port)
            for name in ("a", "b", "c"):
                key = {"name": {"S": name}}
                assert asking.call("GetItem", {"TableName": "t", "Key": key}) == holding(key)
        assert visitors == [0, 1, 2]

    @pytest.mark.parametrize("surplus", SURPLUS.values(), ids=SURPLUS)
    def test_bytes_without_a_request_are_not_part_of_a_response(self, surplus: bytes) -> None:
        said = threading.Semaphore(0)
        ask_on = threading.Event()

        def script(connection: Connection) -> None:
            while True:
                _, _, question = connection.request()
                connection.say(answer(holding(question["Key"])))
                ask_on.wait()
                connection.say(surplus)
                said.release()

        with scripted_server(script) as port:
            asking = asker(port)
            for name in ("a", "b", "c"):
                key = {"name": {"S": name}}
                ask_on.clear()
                assert asking.call("GetItem", {"TableName": "t", "Key": key}) == holding(key)
                ask_on.set()
                said.acquire()


class TestRefusals:
    def test_an_invalid_request_is_a_defect_of_the_service(self) -> None:
        heard: list[Any] = []

        def script(connection: Connection) -> None:
            while True:
                heard.append(connection.request())
                connection.say(answer({"__type": "com.amazon.coral.validate#ValidationException"}, b"400 Bad Request"))

        with scripted_server(script) as port, pytest.raises(InvalidRequest):
            asker(port).call("GetItem", {"TableName": ""})
        assert len(heard) == 1

    @pytest.mark.parametrize(
        ("status", "kind", "attempts"),
        [
            (400, "ProvisionedThroughputExceededException", 2),
            (400, "ThrottlingException", 2),
            (400, "RequestLimitExceeded", 2),
            (500, "InternalServerError", 2),
            (500, "InternalFailure", 2),
            (429, "TooManyRequests", 2),
            (503, "ServiceUnavailable", 2),
            (400, "AccessDeniedException", 1),
            (400, "ResourceNotFoundException", 1),
            (400, "UnrecognizedClientException", 1),
            (400, "ExpiredTokenException", 1),
            (403, "Forbidden", 1),
        ],
    )
    def test_only_transient_errors_are_retried_over_the_same_connection(
        self, status: int, kind: str, attempts: int
    ) -> None:
        visitors: list[int] = []

        def script(connection: Connection) -> None:
            while True:
                connection.request()
                visitors.append(connection.number)
                connection.say(answer({"__type": kind}, b"%d No" % status))

        with scripted_server(script) as port, pytest.raises(StoreUnavailable, match=f"refused: {kind}") as refused:
            asker(port).call("GetItem", QUESTION)
        assert visitors == [0] * attempts
        assert MOST_SECRET not in repr(refused.value.__dict__)

    @pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"__type": 7}'])
    def test_an_error_without_a_name_is_reported_by_its_status(self, body: bytes) -> None:
        there = scripted_server(repeat(answer(body, b"404 Not Found")))
        with there as port, pytest.raises(StoreUnavailable, match="refused: 404"):
            asker(port).call("GetItem", QUESTION)


def test_each_of_many_threads_gets_its_own_response() -> None:
    """Some connections end in between, some answers are refused, some come in pieces."""

    def script(connection: Connection) -> None:
        for turn in range(1 + connection.number % 7):
            _, _, question = connection.request()
            if (turn + connection.number) % 5 == 4:
                connection.say(answer(REFUSED, b"400 Bad Request"))
                _, _, question = connection.request()
            returned = answer(holding(question["Key"]))
            connection.say(returned[:50], returned[50:])

    with scripted_server(script) as port, ThreadPoolExecutor(16) as threads:
        asking = asker(port)

        def ask(number: int) -> tuple[Any, Any]:
            key = {"name": {"S": f"name {number}"}}
            try:
                return key, asking.call("GetItem", {"TableName": "t", "Key": key})
            except StoreUnavailable:
                return key, None

        answers = list(threads.map(ask, range(600)))
    given = [(key, returned) for key, returned in answers if returned is not None]
    assert all(returned == holding(key) for key, returned in given)
    assert len(given) > 300


def test_there_are_as_many_connections_as_concurrent_requests() -> None:
    visitors: list[int] = []
    together = threading.Barrier(4)

    def script(connection: Connection) -> None:
        visitors.append(connection.number)
        while True:
            connection.request()
            together.wait()
            connection.say(WHOLE)

    with scripted_server(script) as port, ThreadPoolExecutor(4) as threads:
        asking = asker(port)
        for _ in range(5):
            assert list(threads.map(lambda _: asking.call("GetItem", QUESTION), range(4))) == [FOUND] * 4
    assert len(visitors) == 4
