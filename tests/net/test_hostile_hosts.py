"""Slow, endless, broken or hostile hosts: checks end in time, and read a limited part of any response."""

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.deadlines import Deadline
from coolid.health.address_check import AddressChecker
from coolid.model.check_state import BAD, BUSY, GOOD, CheckResult
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.failures import TOO_SLOW, RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.http_connection import MAX_HEAD_BYTES
from coolid.net.http_exchange import ResponseHead, encode_request, exchange
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import parse_target
from tests.support.servers.certificates import Authority
from tests.support.servers.checked_hosts import PUBLIC, ObservedChecks, ReceivedRequest, hosting, saying
from tests.support.servers.loopback import nobody
from tests.support.servers.name_server import system_names

SOON = 0.1


def dripping(over: threading.Event, *parts: bytes) -> Iterator[bytes]:
    """Something, and then a byte every now and then, for ever."""
    yield from parts
    while not over.wait(0.01):
        yield b"a"


@pytest.mark.parametrize("begin", [b"HTTP/1.1 200 ", b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: "])
def test_a_host_that_drips_is_given_up_in_time(begin: bytes) -> None:
    over = threading.Event()
    with hosting(lambda _: dripping(over, begin)) as host:
        sight = ObservedChecks(seconds=SOON).look(host.url(name=PUBLIC), None)
        over.set()
    assert (sight.verdict, sight.reason) == (BAD, TOO_SLOW)


def test_a_host_that_did_not_answer_in_time_may_answer_the_next_request() -> None:
    with hosting(lambda _: saying(200)) as host:
        assert ObservedChecks(deaf=1).look(host.url(), None).verdict == GOOD
        assert ObservedChecks(deaf=2).look(host.url(), None).reason == TOO_SLOW
    # The client does not wait for the host's answer to HEAD, so the host may read the GET of the next connection first.
    assert sorted(host.methods) == ["GET", "GET", "HEAD", "HEAD"]


def test_a_check_as_a_whole_ends_in_time_too() -> None:
    over = threading.Event()
    with hosting(lambda _: dripping(over)) as host:
        checks = ObservedChecks()
        sight = AddressChecker(client=checks.visitor, seconds=SOON).check(host.url(), None)
        over.set()
    assert sight.verdict in (BAD, BUSY)


def test_a_name_server_that_says_nothing_holds_nobody_up() -> None:
    over = threading.Event()

    def resolve(*_: object) -> list[str]:
        over.wait(5)
        return []

    visitor = GuardedClient(
        connector=GuardedConnector(AddressPolicy(), resolve), rate_limit=HostRateLimit(gap=0), seconds=SOON
    )
    sight = AddressChecker(client=visitor).check("http://a.example/", None)
    over.set()
    assert (sight.verdict, sight.reason) == (BUSY, "its host name cannot be looked up in time")


def test_a_name_server_that_says_nothing_costs_one_thread_for_each_name() -> None:
    visitor = GuardedClient(rate_limit=HostRateLimit(gap=0), seconds=0.01)
    with system_names() as names:
        names.stall()
        for _ in range(3):
            assert AddressChecker(client=visitor).check("http://stalled.example/", None).verdict == BUSY
        assert names.stalled() == (1, 0)


@pytest.mark.parametrize("headers", [{}, {"content_length": "1000000000"}, {"transfer_encoding": "chunked"}])
def test_of_a_body_without_end_nothing_is_waited_for(headers: dict[str, str]) -> None:
    def answer(_: ReceivedRequest) -> Iterator[bytes]:
        yield saying(200, content_encoding="gzip", **headers)
        while True:
            yield b"x" * 65_536

    checks = ObservedChecks()
    with hosting(lambda requested: saying(405) if requested.method == "HEAD" else answer(requested)) as host:
        assert checks.look(host.url(), None).verdict == GOOD
    assert max(line.heard for line in checks.lines) <= MAX_HEAD_BYTES


@pytest.mark.parametrize(
    "line", [b"X: " + b"x" * 4_000 + b"\r\n", b"X: x\r\n" * 500, b"x" * 4_000], ids=["long", "many", "one"]
)
def test_a_head_without_end_is_not_read_to_its_end(line: bytes) -> None:
    def answer(_: ReceivedRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        while True:
            yield line

    checks = ObservedChecks()
    with hosting(answer) as host:
        sight = checks.look(host.url(), None)
    assert (sight.verdict, sight.reason) == (BAD, "the head of its answer is too long")
    assert [line.heard for line in checks.lines] == [MAX_HEAD_BYTES, MAX_HEAD_BYTES]


def test_provisional_responses_without_end_are_not_received_to_their_end() -> None:
    def answer(_: ReceivedRequest) -> Iterator[bytes]:
        while True:
            yield b"HTTP/1.1 100 Continue\r\n\r\n" * 100

    checks = ObservedChecks()
    with hosting(answer) as host:
        assert checks.look(host.url(), None).verdict == BAD
    assert [line.heard for line in checks.lines] == [MAX_HEAD_BYTES, MAX_HEAD_BYTES]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        b'HTTP/1.1 103 Early Hints\r\nLocation: /x\r\nETag: "a"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
        b"HTTP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.1 200\r\n\r\n",
        b"HTTP/1.1 200 OK\nServer: of old\n\n",
        b"HTTP/1.1 200 OK\r\nX: \x01\xff\x80\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nzzz",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nmore than that",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk",
    ],
)
def test_what_browsers_bear_with_is_borne_with(answer: bytes) -> None:
    with hosting(lambda _: answer) as host:
        assert ObservedChecks().look(host.url(), None) == CheckResult(GOOD, "", 200)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "it closed the connection without an answer"),
        (b"HTTP/1.1 200 OK\r\nX: ", "it broke off its answer"),
        (b"<html>\r\n\r\n", "its answer is not HTTP"),
        (b"220 mail.example ESMTP\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "its answer is not HTTP"),
    ],
)
def test_another_text_is_a_bad_response(answer: bytes, reason: str) -> None:
    with hosting(lambda _: answer) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.reason) == (BAD, reason)
    assert host.methods == ["HEAD", "GET"]


def test_an_absent_host_is_bad_after_two_requests() -> None:
    checks = ObservedChecks()
    with nobody() as url:
        sight = checks.look(url.replace("127.0.0.1", "a.example"), None)
    assert (sight.verdict, sight.reason) == (BAD, "it refuses the connection")
    assert len(checks.connected) == 2


@given(st.binary(max_size=200) | st.binary(max_size=200).map(b"HTTP/1.1 ".__add__))
def test_any_bytes_are_a_response_or_a_failure(heard: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(heard)
        theirs.shutdown(socket.SHUT_WR)
        with suppress(RequestFailed):
            answer = exchange(ours, b"", Deadline(5, monotonic))
            assert isinstance(answer, ResponseHead)
            assert 200 <= answer.status <= 999


@given(st.text(max_size=50).map("http://".__add__) | st.text(max_size=50), st.text(max_size=20))
def test_a_check_never_raises(url: str, address: str) -> None:
    def connect(*_: object) -> socket.socket:
        raise ConnectionResetError

    dialler = GuardedConnector(AddressPolicy(["0.0.0.0/0", "::/0"]), lambda *_: [address], connect)
    sight = AddressChecker(client=GuardedClient(connector=dialler, rate_limit=HostRateLimit(gap=0))).check(url, None)
    assert sight.verdict == BAD
    assert re.fullmatch(r"it[a-z]* [A-Za-z ]{5,80}", sight.reason)


@pytest.mark.parametrize(
    "header", [{"X": "a\r\nY: b"}, {"X\r\n": "a"}, {"host": "b"}, {"X Y": "a"}, {"X": "é"}, {"": ""}]
)
def test_no_header_smuggles_another_in(header: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="a header that cannot be sent"):
        encode_request("GET", parse_target("http://a.example/"), header)


# TLS.


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def trust(authority: Authority) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authority.file)
    return context


def test_a_name_is_sent_to_the_server_and_verified(authority: Authority, trust: ssl.SSLContext) -> None:
    proof = authority.vouches("a.example")
    returned: list[str | None] = []
    proof.sni_callback = lambda _, name, __: returned.append(name)
    with hosting(lambda _: saying(200), proof) as host:
        for name in ("a.example", "a.example."):
            assert ObservedChecks(trust=trust).look(host.url(name=name, scheme="https"), None).verdict == GOOD
    assert returned == ["a.example", "a.example"]


def test_an_address_is_verified_too(authority: Authority, trust: ssl.SSLContext) -> None:
    with hosting(lambda _: saying(200), authority.vouches("8.8.8.8")) as host:
        assert ObservedChecks(trust=trust).look(host.url(name="8.8.8.8", scheme="https"), None).verdict == GOOD
        sight = ObservedChecks(trust=trust).look(host.url(name="8.8.4.4", scheme="https"), None)
    assert (sight.verdict, sight.reason) == (BAD, "its certificate is for another address")


@pytest.mark.parametrize(
    ("name", "until", "reason"),
    [
        ("b.example", timedelta(days=1), "its certificate is for another name"),
        ("a.example", timedelta(days=-1), "its certificate has expired"),
    ],
)
def test_a_bad_certificate_is_bad(
    authority: Authority, trust: ssl.SSLContext, name: str, until: timedelta, reason: str
) -> None:
    with hosting(lambda _: saying(200), authority.vouches(name, until=until)) as host:
        sight = ObservedChecks(trust=trust).look(host.url(scheme="https"), None)
    assert (sight.verdict, sight.reason, host.requested) == (BAD, reason, [])


def test_a_certificate_of_nobody_who_is_known_is_bad(authority: Authority, tmp_path: Path) -> None:
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    other.load_verify_locations(Authority(tmp_path).file)
    with hosting(lambda _: saying(200), authority.vouches("a.example")) as host:
        for trust in (other, None):  # None: what the system trusts
            sight = ObservedChecks(trust=trust).look(host.url(scheme="https"), None)
            assert sight.verdict == BAD
            assert sight.reason.startswith("its certificate authority is unknown")
    assert host.requested == []


def test_a_host_that_does_not_speak_tls_is_bad_where_it_should(trust: ssl.SSLContext) -> None:
    with hosting(lambda _: saying(200)) as host:
        sight = ObservedChecks(trust=trust).look(host.url(scheme="https"), None)
    assert (sight.verdict, sight.reason) == (BAD, "a secure connection to it fails")


def test_a_handshake_that_never_ends_is_given_up_in_time(trust: ssl.SSLContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the kernel takes the connection, and nobody answers
        url = f"https://{PUBLIC}:{silent.getsockname()[1]}/"
        checks = ObservedChecks(trust=trust, seconds=SOON)
        sight = checks.look(url, None)
    assert (sight.verdict, sight.reason) == (BAD, TOO_SLOW)
    assert max(line.patience for line in checks.lines) <= SOON


def test_a_way_that_is_not_secure_all_along_is_gone_but_not_believed_for_ever(
    authority: Authority, trust: ssl.SSLContext
) -> None:
    with (
        hosting(lambda _: saying(200)) as plain,
        hosting(lambda _: saying(301, location=plain.url("/new")), authority.vouches("a.example")) as secure,
    ):
        down = ObservedChecks(trust=trust).look(secure.url(scheme="https"), None)
    assert (down.verdict, down.moved) == (GOOD, None)
    with (
        hosting(lambda _: saying(200), authority.vouches("a.example")) as secure,
        hosting(lambda _: saying(301, location=secure.url("/new", scheme="https"))) as plain,
    ):
        up = ObservedChecks(trust=trust).look(plain.url(), None)
    assert (up.verdict, up.moved) == (GOOD, secure.url("/new", scheme="https"))
