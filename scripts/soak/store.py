"""The store of the soak: the embedded DynamoDB in a process of its own, behind HTTP.

What is minted stays in moto's memory for good. In a process of its own that tells nothing about the server's, which is
what a soak is about. One loop answers one request after the other, for moto is not atomic between threads; and so that
nobody waits for long, a query does not put the whole table in order first.
Run as a program: python -m scripts.soak.store. It prints its port, and ends with its standard input.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, Final

from moto.core.models import botocore_stubber
from moto.dynamodb.models.table import Table

from coolid.aws.dynamodb_client.endpoints import Endpoint
from coolid.net.tcp_stream import MAX_READ_BYTES
from tests.support.stores import moto_store
from tests.support.stores.in_process_stream import InProcessStream
from tests.support.stores.moto_store import CREDENTIALS, REGION

HOST: Final = "127.0.0.1"
_DYNAMODB: Final = Endpoint(f"dynamodb.{REGION}.amazonaws.com", 443, secure=True)
"""Whom moto takes itself for."""


class Connection(asyncio.Protocol):
    """One client's connection; a request is answered before anything else is read."""

    def __init__(self) -> None:
        self._line = InProcessStream(_DYNAMODB, botocore_stubber.process_request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer what is whole by now."""
        self._line.send(data)
        while answer := self._line.receive(MAX_READ_BYTES):
            self._transport.write(answer)


@contextmanager
def quick_queries() -> Iterator[None]:
    """Let moto search the rows of a query in their stored order while the block runs; it sorts the results anyway."""
    query = Table.query
    shape = signature(query)

    def query_of_rows(table: Any, *arguments: Any, **named: Any) -> Any:
        asked = shape.bind(table, *arguments, **named).arguments
        rows = table.items.values() if asked.get("index_name") else [table.items.get(asked["hash_key"], {})]
        found = [row for some in rows for row in some.values()] if table.range_key_attr else list(table.items.values())
        table.all_items = lambda: found
        try:
            return query(table, *arguments, **named)
        finally:
            del table.all_items

    Table.query = query_of_rows  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        Table.query = query  # type: ignore[method-assign]


async def serve() -> None:
    """Print the port; answer until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, HOST, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Embed, and serve."""
    os.environ.update(CREDENTIALS)
    with moto_store.running(), quick_queries():
        asyncio.run(serve())


if __name__ == "__main__":
    main()
