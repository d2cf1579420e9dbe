"""Name resolution ends in time, starts no more threads than it may, and falls back to earlier addresses."""

import socket
from collections.abc import Iterator, Sequence
from threading import Event, Semaphore

import pytest

from coolid.net.name_resolution import ABANDONED_SECONDS, NameResolver

SOON = 0.02
PATIENT = 30.0
FOUND = ("192.0.2.1",)


class NameServer:
    """A look-up that a test stalls, breaks and lets go on; `calls` has the names that it looked up."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.begun = Semaphore(0)
        self.answers: Event = Event()
        self.answers.set()
        self.ended = Event()
        self.found: Sequence[str] = FOUND
        self.error: Exception | None = None

    def __call__(self, host: str, port: int) -> Sequence[str]:
        found, error = self.found, self.error
        self.calls.append((host, port))
        self.begun.release()
        self.answers.wait()
        self.ended.set()
        if error is not None:
            raise error
        return found


@pytest.fixture
def server() -> Iterator[NameServer]:
    server = NameServer()
    yield server
    server.answers.set()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_name_resolves_to_what_the_lookup_returns(server: NameServer) -> None:
    assert NameResolver(server).resolve("a.example", 443, PATIENT) == FOUND
    assert server.calls == [("a.example", 443)]


@pytest.mark.parametrize("host", ["192.0.2.7", "2001:db8::1"])
def test_an_address_is_not_looked_up_in_a_thread(server: NameServer, host: str) -> None:
    assert NameResolver(server, threads=0).resolve(host, 443, 0) == FOUND


def test_a_stalled_lookup_times_out(server: NameServer) -> None:
    server.answers.clear()
    with pytest.raises(TimeoutError, match="not resolved in time"):
        NameResolver(server).resolve("a.example", 443, SOON)
    assert not server.ended.is_set()


def test_one_lookup_of_a_name_is_in_progress_however_often_it_is_wanted(server: NameServer) -> None:
    resolver = NameResolver(server)
    server.answers.clear()
    for _ in range(5):
        with pytest.raises(TimeoutError):
            resolver.resolve("a.example", 443, 0)
    server.answers.set()
    assert resolver.resolve("a.example", 443, PATIENT) == FOUND
    assert server.calls == [("a.example", 443)]


def test_no_more_names_are_looked_up_at_once_than_there_are_threads_for(server: NameServer) -> None:
    resolver = NameResolver(server, threads=2)
    server.answers.clear()
    for host in ("a.example", "b.example"):
        with pytest.raises(TimeoutError, match="not resolved in time"):
            resolver.resolve(host, 443, 0)
    with pytest.raises(TimeoutError, match="too many"):
        resolver.resolve("c.example", 443, PATIENT)
    for _ in range(2):
        server.begun.acquire()
    assert {host for host, _ in server.calls} == {"a.example", "b.example"}


def test_a_lost_lookup_is_replaced_after_a_while(server: NameServer) -> None:
    """As after a function was frozen: the thread may wait for an answer that arrived meanwhile."""
    clock = Clock()
    resolver = NameResolver(server, clock=clock)
    server.answers.clear()
    for seconds in (0, ABANDONED_SECONDS - 1, 1):
        clock.now += seconds
        with pytest.raises(TimeoutError):
            resolver.resolve("a.example", 443, 0)
    for _ in range(2):
        server.begun.acquire()
    assert len(server.calls) == 2


def test_a_process_without_threads_fails_in_time(server: NameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    resolver = NameResolver(server)
    with monkeypatch.context() as without_threads:
        without_threads.setattr("coolid.net.name_resolution.Thread.start", refuse)
        with pytest.raises(TimeoutError):
            resolver.resolve("a.example", 443, PATIENT)
    assert resolver.resolve("a.example", 443, PATIENT) == FOUND


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "no"), UnicodeError("label too long")])
def test_the_error_of_a_lookup_is_raised(server: NameServer, error: Exception) -> None:
    server.error = error
    with pytest.raises(type(error)) as raised:
        NameResolver(server).resolve("a.example", 443, PATIENT)
    assert raised.value is error


class TestEarlierAddresses:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def resolver(self, server: NameServer, clock: Clock) -> NameResolver[str]:
        resolver = NameResolver(server, reuse=3600, clock=clock)
        assert resolver.resolve("a.example", 443, PATIENT) == FOUND
        return resolver

    def test_they_replace_those_of_a_lookup_that_stalls(self, server: NameServer, resolver: NameResolver[str]) -> None:
        server.answers.clear()
        server.ended.clear()
        assert resolver.resolve("a.example", 443, SOON) == FOUND
        assert not server.ended.is_set()

    def test_a_lookup_that_took_its_time_already_is_not_waited_for(
        self, server: NameServer, resolver: NameResolver[str], clock: Clock
    ) -> None:
        """With 30 seconds of patience: it would not end if it waited."""
        server.answers.clear()
        assert resolver.resolve("a.example", 443, SOON) == FOUND
        clock.now += PATIENT
        assert resolver.resolve("a.example", 443, PATIENT) == FOUND
        for _ in range(2):
            server.begun.acquire()
        assert len(server.calls) == 2

    @pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_AGAIN, "no"), OSError("no")])
    def test_they_replace_those_of_a_lookup_that_fails(
        self, server: NameServer, resolver: NameResolver[str], error: Exception
    ) -> None:
        server.error = error
        assert resolver.resolve("a.example", 443, PATIENT) == FOUND

    def test_they_do_without_a_thread(
        self, server: NameServer, resolver: NameResolver[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resolver, "_threads", 0)
        assert resolver.resolve("a.example", 443, PATIENT) == FOUND
        assert len(server.calls) == 1

    def test_newer_ones_win(self, server: NameServer, resolver: NameResolver[str]) -> None:
        server.found = ("192.0.2.2",)
        assert resolver.resolve("a.example", 443, PATIENT) == ("192.0.2.2",)
        server.error = OSError("no")
        assert resolver.resolve("a.example", 443, PATIENT) == ("192.0.2.2",)

    def test_they_are_not_used_for_ever(self, server: NameServer, resolver: NameResolver[str], clock: Clock) -> None:
        clock.now += 3600
        server.error = OSError("no")
        with pytest.raises(OSError, match="no"):
            resolver.resolve("a.example", 443, PATIENT)

    @pytest.mark.parametrize(("host", "port"), [("b.example", 443), ("a.example", 80)])
    def test_they_are_of_their_host_and_port_alone(
        self, server: NameServer, resolver: NameResolver[str], host: str, port: int
    ) -> None:
        server.error = OSError("no")
        with pytest.raises(OSError, match="no"):
            resolver.resolve(host, port, PATIENT)

    def test_without_a_time_for_reuse_there_are_none(self, server: NameServer) -> None:
        resolver = NameResolver(server)
        assert resolver.resolve("a.example", 443, PATIENT) == FOUND
        server.error = OSError("no")
        with pytest.raises(OSError, match="no"):
            resolver.resolve("a.example", 443, PATIENT)
