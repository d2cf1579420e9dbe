"""Many mints through a proxy that loses responses: every row is minted once, and its result is in its place."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from coolid.client.async_client import AsyncClient
from coolid.client.batches import MintResult
from coolid.client.client import Client
from tests.support.effort import size
from tests.support.servers.coolid_server import Server
from tests.support.servers.loopback import loopback_server

ROWS = size(20_000, 400)
BATCH_SIZE = size(50, 8)
DROPPED = size(50, 10)
"""Every response of this number is lost."""

Row = dict[str, object]


def rows(number: int, label: str) -> Iterator[Row]:
    for each in range(number):
        yield {"prefix": "demo", "uri": f"https://content.example.org/{label}/{each}", "status": "reserved"}


@contextmanager
def lossy_proxy(server: Server) -> Iterator[tuple[str, list[int]]]:
    """Pass requests on to the service, and lose some answers. Yield the URL, and the numbers of those lost."""
    numbers, lost = itertools.count(1), list[int]()

    def relay(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        reply = server.request(handler.command, handler.path, body, dict(handler.headers.items()))
        number = next(numbers)
        if number % DROPPED == 0:
            lost.append(number)
            handler.close_connection = True
            return
        handler.send_response_only(reply.status)
        for name in ("content-type", "etag", "retry-after"):
            if name in reply.headers:
                handler.send_header(name, reply.headers[name])
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)

    with loopback_server(relay, lasting=True) as port:
        yield f"http://127.0.0.1:{port}", lost


def check(results: list[MintResult], label: str, server: Server) -> None:
    """Check that each row has a record of its own, in the order of the rows, and that the service has no other."""
    assert [result.index for result in results] == list(range(ROWS))
    records = [result.record for result in results]
    uris = [record.target for record in records if record]
    assert uris == [row["uri"] for row in rows(ROWS, label)]
    assert len({record.pid for record in records if record}) == ROWS
    with Client(server.url, server.key) as client:
        stored = [record.target for record in client.list("demo") if f"/{label}/" in str(record.target)]
    assert sorted(map(str, stored)) == sorted(map(str, uris))


def test_lost_responses_mint_no_row_twice_and_none_is_missing(server: Server) -> None:
    with lossy_proxy(server) as (url, lost), Client(url, server.key, wait=lambda _: None) as client:
        results = list(client.mint_many(rows(ROWS, "sync"), batch_size=BATCH_SIZE))
    assert len(lost) >= ROWS // BATCH_SIZE // DROPPED
    check(results, "sync", server)


def test_the_asynchronous_client_mints_as_well(server: Server) -> None:
    async def arriving() -> AsyncIterator[Row]:
        for row in rows(ROWS, "async"):
            yield row

    async def wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    async def mint(url: str) -> list[MintResult]:
        async with AsyncClient(url, server.key, wait=wait) as client:
            return [result async for result in client.mint_many(arriving(), batch_size=BATCH_SIZE)]

    with lossy_proxy(server) as (url, lost):
        results = asyncio.run(mint(url))
    assert len(lost) >= ROWS // BATCH_SIZE // DROPPED
    check(results, "async", server)
