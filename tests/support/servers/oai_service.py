"""A service of OAI-PMH over a store in memory, in this process and over HTTP."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lxml import etree
from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.dialects.oai.endpoint import OaiEndpoint
from coolid.http.message import NO_HEADERS, Request, Response
from coolid.identifiers.schemes import lui
from coolid.model.records import WITHDRAWN, Record, Withdrawal
from coolid.store.store import Store
from tests.support.builders.samples import BASE_URL, MOMENT, ROOT, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.servers.loopback import loopback_server
from tests.support.stores.memory_store import MemoryStore, whole

OAI = "{http://www.openarchives.org/OAI/2.0/}"
OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"
SCHEMA = etree.RelaxNG(etree.parse(ROOT / "tests/support/schemas/oai-pmh.rng"))


class OaiService:
    """An application with two repositories: `OWNER` with two namespaces, `OTHER` with one."""

    def __init__(self, base_url: str = BASE_URL) -> None:
        self.memory = MemoryStore()
        self.store: Store = whole(self.memory)
        self.clock = FixedClock(MOMENT)
        for owner, names in (
            (repository(OWNER, title="First & best", canonical="2021/06/mp"), ("2021/06/mp", "ark:99999/fk4")),
            (repository(OTHER, title="Second", canonical="other"), ("other",)),
        ):
            self.memory.repositories[owner.id] = owner
            for name in names:
                self.memory.put_prefix(namespace(name, owner), None)
        endpoint = OaiEndpoint(
            self.store.prefixes, self.store.records, self.store.changes, self.clock, base_url, "pids@example.org"
        )
        self.application = Application(endpoint.routes(), base_url, _raise, public=True)

    def mint(self, number: int, owner: str = OWNER, **members: Any) -> Record:
        """Write a record with the key of this number."""
        new = record(lui.encode(number), owner, **{"updated": self.clock.now(), **members})
        self.memory.create_record(new)
        return new

    def withdraw(self, stored: Record) -> None:
        """Withdraw a record."""
        moment = self.clock.now()
        gone = replace(stored, version=stored.version + 1, updated=moment, status=WITHDRAWN)
        self.memory.replace_record(replace(gone, withdrawn=Withdrawal(moment, "why")), stored)

    def request(
        self, path: str = "/oai", sent: Mapping[str, str] = NO_HEADERS, method: str = "GET", body: bytes = b""
    ) -> Response:
        """Send a request with arguments."""
        query = tuple(sent.items())
        form = {"content-type": "application/x-www-form-urlencoded"} if body else {}
        return self.application(Request(method, path, query, form, body))

    def document(self, path: str = "/oai", **sent: str) -> Any:
        """Return the valid XML document of a response. Names of arguments may end with `_`."""
        return document_of(self.request(path, {name.rstrip("_"): value for name, value in sent.items()}))


def document_of(response: Response) -> Any:
    """Return the valid XML document in a response."""
    assert (response.status, response.headers["Content-Type"]) == (200, "text/xml; charset=utf-8")
    body = response.body.encode() if isinstance(response.body, str) else response.body
    document = etree.fromstring(body)
    SCHEMA.assertValid(document)
    return document


@contextmanager
def served(service: OaiService) -> Iterator[str]:
    """Serve the application over HTTP. Yield the address of its OAI-PMH."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        path, _, query = handler.path.partition("?")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length", 0)))
        pairs = tuple(parse_qsl(query, keep_blank_values=True))
        response = service.application(Request(handler.command, path, pairs, headers, body))
        content = response.body.encode() if isinstance(response.body, str) else response.body
        handler.send_response(response.status)
        for name, value in {**response.headers, "Content-Length": str(len(content))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    with loopback_server(answer, lasting=True) as port:
        yield f"http://127.0.0.1:{port}/oai"


def form(**sent: str) -> bytes:
    """Return the body of a form."""
    return urlencode({name.rstrip("_"): value for name, value in sent.items()}).encode()


def _raise(error: Exception, _: Request) -> None:
    raise error
