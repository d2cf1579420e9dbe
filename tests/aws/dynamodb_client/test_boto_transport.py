"""The transport of boto3's clients: each attempt ends in time, and no call continues after the deadline of its request.

The tests' clock advances with every reading, or with every call of the server.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.config import Config

from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.transport import InvalidRequest
from coolid.aws.kms import KmsSigner
from coolid.deadlines import Deadline, limited
from coolid.errors import SignerUnavailable, StoreUnavailable
from coolid.net.name_resolution import REUSE_SECONDS, AddressInfo, NameResolver, stream_addresses
from coolid.wiring.boto_clients import client, dynamodb
from tests.aws.dynamodb_client.connections import QUESTION, environment
from tests.support.servers.certificates import Authority
from tests.support.servers.name_server import system_names
from tests.support.servers.scripted_server import Connection, answer, holding, repeat, scripted_server

FOUND = holding({"name": {"S": "mp"}})
WHOLE = answer(FOUND)
BUSY = {"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException"}


class Clock:
    """Moves by `step` seconds when it is read."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 1000.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def config(attempts: int = 1, **more: Any) -> Config:
    """Settings under which nothing fails for want of time on the real clock."""
    retries: Any = {"mode": "standard", "total_max_attempts": attempts}
    return Config(connect_timeout=30, read_timeout=30, retries=retries, **more)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What botocore would have paused."""
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=pauses.append))
    return pauses


@pytest.fixture
def leads(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets AWS clients that are made from here on connect to a server of this machine."""

    def lead(port: int, **where: Any) -> None:
        for name, value in environment(port, **where).items():
            monkeypatch.setenv(name, value)

    return lead


def dripping(before: bytes, dripped: bytes = WHOLE) -> Callable[[Connection], None]:
    """Sends the beginning at once, and the rest of an answer byte by byte, in pauses that are so short that it ends."""
    assert dripped.startswith(before)

    def drip(connection: Connection) -> None:
        connection.request()
        connection.say(before)
        for byte in dripped[len(before) :]:
            threading.Event().wait(0.002)
            connection.say(bytes([byte]))
        connection.wait()

    return drip


HEAD = WHOLE[: WHOLE.index(b"{")]


class TestDripping:
    @pytest.mark.parametrize("before", [b"", HEAD], ids=["head", "body"])
    def test_a_response_that_drips_ends_with_the_deadline(self, leads: Callable[..., None], before: bytes) -> None:
        with scripted_server(dripping(before)) as port:
            leads(port)
            asker = BotoTransport(dynamodb(config()))
            with limited(Deadline(12, Clock(step=1))), pytest.raises(StoreUnavailable, match="did not answer"):
                asker.call("GetItem", QUESTION)

    @pytest.mark.parametrize("before", [b"", HEAD], ids=["head", "body"])
    def test_without_a_deadline_it_ends_with_the_attempt(
        self, leads: Callable[..., None], monkeypatch: pytest.MonkeyPatch, before: bytes
    ) -> None:
        monkeypatch.setattr("coolid.aws.boto_time_limits.monotonic", Clock(step=10))
        with scripted_server(dripping(before)) as port:
            leads(port)
            asker = BotoTransport(dynamodb(config()))
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asker.call("GetItem", QUESTION)

    def test_it_ends_behind_tls_too(
        self,
        leads: Callable[..., None],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        authority = Authority(tmp_path_factory.mktemp("known"))
        monkeypatch.setenv("AWS_CA_BUNDLE", str(authority.file))
        with scripted_server(dripping(HEAD), authority.vouches("127.0.0.1")) as port:
            leads(port, secure=True)
            with limited(Deadline(12, Clock(step=1))), pytest.raises(StoreUnavailable, match="did not answer"):
                BotoTransport(dynamodb(config())).call("GetItem", QUESTION)
        with scripted_server(repeat(WHOLE), authority.vouches("127.0.0.1")) as port:
            leads(port, secure=True)
            asker = BotoTransport(dynamodb(config()))
            with limited(Deadline(12, Clock())):
                assert [asker.call("GetItem", QUESTION) for _ in range(2)] == [FOUND] * 2

    def test_it_ends_through_a_proxy_too(self, leads: Callable[..., None]) -> None:
        with scripted_server(dripping(HEAD)) as port:
            leads(1, host="store.example")
            asker = BotoTransport(dynamodb(config(proxies={"http": f"http://127.0.0.1:{port}"})))
            with limited(Deadline(12, Clock(step=1))), pytest.raises(StoreUnavailable, match="did not answer"):
                asker.call("GetItem", QUESTION)

    def test_a_response_in_many_parts_is_whole_in_time(self, leads: Callable[..., None]) -> None:
        with scripted_server(dripping(b"")) as port:
            leads(port)
            with limited(Deadline(12, Clock())):
                assert BotoTransport(dynamodb(config())).call("GetItem", QUESTION) == FOUND

    @pytest.mark.parametrize("service", ["kms", "sqs", "cloudfront"])
    def test_other_services_are_no_exception(self, leads: Callable[..., None], service: str) -> None:
        calls: dict[str, Callable[[Any], Any]] = {
            "kms": lambda made: made.sign(KeyId="a", Message=b"b", SigningAlgorithm="ECDSA_SHA_256"),
            "sqs": lambda made: made.get_queue_url(QueueName="a"),
            "cloudfront": lambda made: made.list_distributions(),
        }
        with scripted_server(dripping(HEAD)) as port:
            leads(port)
            made = client(service, config())
            with limited(Deadline(12, Clock(step=1))), pytest.raises(Exception, match=r"(?i)timeout|time is over"):
                calls[service](made)


class TestNames:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture(autouse=True)
    def resolver(self, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> NameResolver[AddressInfo]:
        """Nothing is left of what other tests resolved."""
        resolver = NameResolver(stream_addresses, reuse=REUSE_SECONDS, clock=clock)
        monkeypatch.setattr("coolid.aws.boto_time_limits.NAMES", resolver)
        return resolver

    def test_a_name_server_that_does_not_answer_is_not_waited_for(self, leads: Callable[..., None]) -> None:
        leads(1, host="store.example")
        asker = BotoTransport(dynamodb(Config(connect_timeout=0.02, retries={"total_max_attempts": 3})))
        with system_names() as names:
            names.stall()
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asker.call("GetItem", QUESTION)
            assert names.stalled() == (1, 0)

    def test_a_name_that_resolved_before_leads_to_its_earlier_address(
        self, leads: Callable[..., None], resolver: NameResolver[AddressInfo], clock: Clock
    ) -> None:
        with scripted_server(repeat(answer(FOUND, b"200 OK", b"Connection: close"))) as port, system_names() as names:
            leads(port, host="store.example")
            asker = BotoTransport(dynamodb(config()))
            assert asker.call("GetItem", QUESTION) == FOUND
            names.stall()
            resolver.resolve("store.example", port, 0)
            clock.now += 30  # so that no call waits for this lookup
            assert asker.call("GetItem", QUESTION) == FOUND
            assert names.stalled() == (1, 0)

    def test_an_unknown_host_name_is_no_defect_of_the_service(
        self, leads: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError(-2, "Name or service not known")

        monkeypatch.setattr("_socket.getaddrinfo", fail)
        leads(1, host="store.example")
        with pytest.raises(StoreUnavailable, match="did not answer"):
            BotoTransport(dynamodb(config())).call("GetItem", QUESTION)

    def test_of_several_addresses_one_that_answers_will_do(
        self, leads: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with scripted_server(repeat(WHOLE)) as port:
            found = [(2, 1, 6, "", (host, port)) for host in ("127.0.0.9", "127.0.0.1")]
            monkeypatch.setattr("_socket.getaddrinfo", lambda *_, **__: found)
            leads(port, host="store.example")
            assert BotoTransport(dynamodb(config())).call("GetItem", QUESTION) == FOUND


class TestDeadlines:
    """Each attempt takes 9 seconds of the clock, and fails."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def visits(self, leads: Callable[..., None], clock: Clock) -> Iterator[list[int]]:
        visits: list[int] = []

        def script(connection: Connection) -> None:
            while True:
                connection.request()
                visits.append(connection.number)
                clock.now += 9
                connection.say(answer(BUSY, b"400 Bad Request", *self.more))

        with scripted_server(script) as port:
            leads(port)
            yield visits

    more: tuple[bytes, ...] = ()

    def call(self, clock: Clock, seconds: float, asker: BotoTransport | None = None) -> None:
        with limited(Deadline(seconds, clock)), pytest.raises(StoreUnavailable):
            (asker or BotoTransport(dynamodb(config(attempts=8)))).call("GetItem", QUESTION)

    def test_no_attempt_begins_after_it(self, visits: list[int], clock: Clock) -> None:
        self.call(clock, 25)
        assert len(visits) == 3

    def test_no_pause_may_last_until_it(self, visits: list[int], clock: Clock, pauses: list[float]) -> None:
        self.call(clock, 10.5)
        assert (len(visits), len(pauses)) == (2, 1)
        self.call(clock, 10)
        assert (len(visits), len(pauses)) == (3, 1)

    def test_a_pause_that_the_store_wants_counts_as_one(
        self, visits: list[int], clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(self, "more", (b"x-amz-retry-after: 5000",))
        self.call(clock, 14.5)
        assert len(visits) == 1

    @pytest.mark.parametrize(
        ("reply", "error"),
        [
            (WHOLE, None),
            (answer({"__type": "x#ValidationException"}, b"400 Bad Request"), InvalidRequest),
            (answer({"__type": "x#AccessDeniedException"}, b"400 Bad Request"), StoreUnavailable),
        ],
    )
    def test_a_response_that_needs_no_retry_counts_until_it(
        self, leads: Callable[..., None], clock: Clock, reply: bytes, error: type[Exception] | None
    ) -> None:
        def script(connection: Connection) -> None:
            connection.request()
            clock.now += 8.5
            connection.say(reply)

        with scripted_server(script) as port:
            leads(port)
            asker = BotoTransport(dynamodb(config(attempts=8)))
            with limited(Deadline(9, clock)), pytest.raises(error, match="Exception") if error else nullcontext():
                assert asker.call("GetItem", QUESTION) == FOUND

    def test_no_call_begins_after_it(self, visits: list[int], clock: Clock) -> None:
        asker = BotoTransport(dynamodb(config()))
        with limited(Deadline(25, clock)):
            clock.now += 25
            for _ in range(2):
                with pytest.raises(StoreUnavailable, match="did not answer"):
                    asker.call("GetItem", QUESTION)
        assert visits == []

    def test_the_signing_key_is_not_used_after_it(self, visits: list[int], clock: Clock) -> None:
        signer = KmsSigner(client("kms", config()), "a-key")
        with limited(Deadline(25, clock)):
            clock.now += 25
            for call in (signer.public_key, lambda: signer.sign(b"a message")):
                with pytest.raises(SignerUnavailable):
                    call()
        assert visits == []

    def test_without_one_every_attempt_is_made(self, visits: list[int]) -> None:
        with pytest.raises(StoreUnavailable):
            BotoTransport(dynamodb(config(attempts=5))).call("GetItem", QUESTION)
        assert len(visits) == 5
