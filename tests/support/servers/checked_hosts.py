"""Hosts on this machine that act as public ones, and a checker that records its connections and received bytes."""

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

from coolid.health.address_check import AddressChecker
from coolid.net.address_policy import Address, AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from tests.support.servers.loopback import loopback_server

PUBLIC = "93.184.215.14"
"""A public address that these hosts act as."""
BASE_URL = "https://id.example.org"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class ReceivedRequest:
    """A received request."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self.method = handler.command
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = handler.rfile.read(int(self.headers.get("content-length", 0)))


Answering = Callable[[ReceivedRequest], bytes | Iterable[bytes]]


class Host:
    """A host on a port; `requested` contains its received requests, in order."""

    def __init__(self) -> None:
        self.requested: list[ReceivedRequest] = []
        self.port = 0

    @property
    def methods(self) -> list[str]:
        return [requested.method for requested in self.requested]

    def url(self, path: str = "/", name: str = "a.example", scheme: str = "http") -> str:
        return f"{scheme}://{name}:{self.port}{path}"


@contextmanager
def hosting(answering: Answering, proof: ssl.SSLContext | None = None) -> Iterator[Host]:
    """Run a host that sends these bytes and closes the connection."""
    host = Host()

    def handle(handler: BaseHTTPRequestHandler) -> None:
        requested = ReceivedRequest(handler)
        host.requested.append(requested)
        handler.close_connection = True
        answer = answering(requested)
        for part in [answer] if isinstance(answer, bytes) else answer:
            handler.wfile.write(part)

    with loopback_server(handle, proof=proof) as port:
        host.port = port
        yield host


def saying(status: int, **headers: str) -> bytes:
    """Return a response without a body; headers such as `location` are keywords."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} As it is\r\n{lines}\r\n".encode()


def by_method(**answers: bytes) -> Answering:
    return lambda requested: answers[requested.method]


def by_path(answers: Mapping[str, bytes]) -> Answering:
    return lambda requested: answers[requested.path]


class Line(socket.socket):
    """A connection that claims to lead to `peer` and counts the received bytes; a deaf one receives nothing."""

    peer = PUBLIC
    heard = 0
    deaf = False
    patience = 0.0
    """The longest time limit of any wait, in seconds."""

    def getpeername(self) -> Any:
        return (self.peer, 0)

    def settimeout(self, value: float | None) -> None:
        super().settimeout(value)
        self.patience = max(self.patience, float("inf") if value is None else value)

    def recv(self, *arguments: int) -> bytes:
        if self.deaf:
            raise TimeoutError("timed out")
        came = super().recv(*arguments)
        self.heard += len(came)
        return came


class ObservedChecks:
    """A checker, and what it did: its connections, its name lookups, its waits.

    This machine acts as public addresses. Names resolve to the addresses in `names`, one after the other. The first
    `deaf` connections time out.
    """

    def __init__(
        self,
        networks: Sequence[str] = (),
        names: Mapping[str, Sequence[Sequence[str]]] | None = None,
        trust: ssl.SSLContext | None = None,
        seconds: float = 5.0,
        deaf: int = 0,
    ) -> None:
        self._deaf = deaf
        self.connected: list[str] = []
        self.lines: list[Line] = []
        self.resolved: list[str] = []
        self.slept: list[float] = []
        self._names = names or {}
        dialler = GuardedConnector(AddressPolicy(networks), self._resolve, self._connect, trust)
        manners = HostRateLimit(clock=lambda: 0.0, sleep=self.slept.append)
        self.visitor = GuardedClient(base_url=BASE_URL, connector=dialler, rate_limit=manners, seconds=seconds)
        self.looker = AddressChecker(client=self.visitor, now=lambda: NOON)
        self.look = self.looker.check

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        found = self._names.get(host, [[PUBLIC]])
        times = self.resolved.count(host)
        self.resolved.append(host)
        return found[min(times, len(found) - 1)]

    def _connect(self, address: Address, port: int, seconds: float) -> socket.socket:
        self.connected.append(str(address))
        real = socket.create_connection(("127.0.0.1", port), seconds)
        line = Line(real.family, real.type, real.proto, real.detach())
        line.peer = str(address)
        line.deaf = len(self.lines) < self._deaf
        self.lines.append(line)
        return line
