"""Hosts: real HTTP and DNS servers on free ports of the loopback, in threads of this process, ended by the test."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import AF_INET, SOCK_DGRAM, socket
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import orjson
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.servers.loopback import listening

Reply = tuple[int, Mapping[str, str], bytes]
Behaviour = Callable[[BaseHTTPRequestHandler], None]

MISSING: Reply = (404, {}, b"")


def page(body: bytes = b"<p>It is here", media_type: str = "text/html") -> Reply:
    return 200, {"Content-Type": media_type}, body


def to(location: str, status: int = 302) -> Reply:
    return status, {"Location": location}, b"a body that nobody needs"


def json(document: Any, status: int = 200, media_type: str = "application/json") -> Reply:
    return status, {"Content-Type": media_type}, orjson.dumps(document)


def raw(sent: bytes) -> Behaviour:
    """These bytes, then the end."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)

    return answer


@dataclass
class Host:
    """A running host: what it answers by path with query, and the `seen` requests: target and lower-case headers."""

    port: int
    scheme: str = "http"
    answers: dict[str, Reply | Behaviour] = field(default_factory=dict)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        return [target for target, _ in self.seen]


@dataclass(frozen=True)
class Certificate:
    """A certificate that vouches for itself, for localhost and 127.0.0.1; one file with key and certificate."""

    file: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


def certificate(folder: Path) -> Certificate:
    from ipaddress import ip_address

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "localhost.pem"
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return Certificate(file)


@contextmanager
def host(answers: Mapping[str, Reply | Behaviour] | None = None, proof: Certificate | None = None) -> Iterator[Host]:
    """A host on a free port; whatever it has no answer for is 404. With `proof` it speaks TLS."""
    running = Host(0, "https" if proof else "http", dict(answers or {}))

    def handle(handler: BaseHTTPRequestHandler) -> None:
        running.seen.append((handler.path, headers_of(handler)))
        give(running.answers.get(handler.path, MISSING), handler)

    with listening(handle, "GET", proof=proof.context() if proof else None) as running.port:
        try:
            yield running
        finally:
            running.ended.set()


def headers_of(handler: BaseHTTPRequestHandler) -> dict[str, str]:
    """What a request says, by lower-case names."""
    return {name.lower(): value for name, value in handler.headers.items()}


def give(reply: Reply | Behaviour, handler: BaseHTTPRequestHandler) -> None:
    """Answer a request, and end its connection."""
    handler.close_connection = True
    if callable(reply):
        reply(handler)
        return
    status, headers, body = reply
    handler.send_response_only(status)
    for name, value in ({"Content-Length": str(len(body))} | dict(headers)).items():
        handler.send_header(name, value)
    handler.end_headers()
    try:
        handler.wfile.write(body)
    except OSError:  # the client has seen enough
        return


@contextmanager
def nobody() -> Iterator[str]:
    """The URL of a port of this machine where nobody listens: it is taken, so that nobody else begins to."""
    with socket(AF_INET) as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def name_server(records: Mapping[str, list[str]], rcode: str = "NOERROR") -> Iterator[str]:
    """A name server that knows these SRV records by name (`priority weight port target`); its address and port."""
    with socket(AF_INET, SOCK_DGRAM) as listening:
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
