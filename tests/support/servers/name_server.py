"""Name servers: one for SRV records on loopback, and this process's own lookups, which a test can stall."""

import _socket
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

LONGEST = 60
"""Seconds after which a stalled lookup returns, so that tests of code without a deadline end."""


class Names:
    """Resolves every name to this machine."""

    def __init__(self) -> None:
        self.answering = threading.Event()
        self.answering.set()
        self._stalled = threading.Event()
        self._begun = self._ended = 0
        self._resolve = _socket.getaddrinfo

    def stall(self) -> None:
        """Stall all lookups from now on, and count them."""
        self.answering.clear()
        self._begun = self._ended = 0

    def stalled(self) -> tuple[int, int]:
        """Return how many lookups began and ended since `stall`, once the thread of the first one has begun it."""
        assert self._stalled.wait(LONGEST)
        return self._begun, self._ended

    def __call__(self, host: Any, port: Any, *more: Any, **named: Any) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else host
        if name[:1].isdigit() or ":" in name:
            return self._resolve(host, port, *more, **named)
        self._begun += 1
        if not self.answering.is_set():
            self._stalled.set()
        self.answering.wait(LONGEST)
        self._ended += 1
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]


@contextmanager
def system_names() -> Iterator[Names]:
    """Replace the name resolution of the process."""
    names = Names()
    with patch("_socket.getaddrinfo", names):
        try:
            yield names
        finally:
            names.answering.set()


@contextmanager
def name_server(records: Mapping[str, list[str]], rcode: str = "NOERROR") -> Iterator[str]:
    """Run a name server with these SRV records by name (`priority weight port target`). Return its address and port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(0.02)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                try:
                    wire, asker = listening.recvfrom(4096)
                except TimeoutError:
                    continue
                listening.sendto(_reply(dns.message.from_wire(wire), records, rcode), asker)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            thread.join()


def _reply(query: dns.message.Message, records: Mapping[str, list[str]], rcode: str) -> bytes:
    name = query.question[0].name
    response = dns.message.make_response(query, recursion_available=True)
    known = records.get(name.to_text(omit_final_dot=True))
    if rcode != "NOERROR":
        response.set_rcode(dns.rcode.from_text(rcode))
    elif known is None:
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif known:
        response.answer.append(dns.rrset.from_text(name, 60, "IN", "SRV", *known))
    return response.to_wire()
