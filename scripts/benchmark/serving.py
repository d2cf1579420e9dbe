"""The canned store: answers DynamoDB's GetItem and BatchGetItem out of ready bytes, and counts what it was asked.

What is put into it is not kept. It is a process of its own, so that what its clients' processor time tells is theirs
alone, and listens twice on loopback: plainly and with TLS. `GET /` gives the counts since the last time. It ends with
its standard input.
Run as a program: python -m scripts.benchmark.serving ROWS CERTIFICATES [TABLE ...], where TABLEs are made beforehand.
"""

import asyncio
import ssl
import sys
import zlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from scripts.benchmark import rows
from scripts.benchmark.tables import Tables
from tests.support.servers.certificates import SERVER

UNITS: Final = "ReadUnits"
_END: Final = b"\r\n\r\n"


class Store:
    """The operations over tables; `counts` has requests by operation, and the read units that they came to."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.counts: dict[str, float] = defaultdict(float)

    def answer(self, operation: str, asked: Mapping[str, Any]) -> bytes:
        """The body of an answer."""
        self.counts[operation] += 1
        if operation == "PutItem":  # and remove it
            return b"{}"
        if operation == "GetItem":
            return self._get(asked)
        assert operation == "BatchGetItem", operation
        return self._batch(asked)

    def _get(self, asked: Mapping[str, Any]) -> bytes:
        item, units = self._tables.item(asked["TableName"], asked["Key"])
        self.counts[UNITS] += units
        members = [b'"Item":' + item] if item else []
        if "ReturnConsumedCapacity" in asked:
            told = {"TableName": asked["TableName"], "CapacityUnits": units}
            members.append(b'"ConsumedCapacity":' + msgspec.json.encode(told))
        return b"{" + b",".join(members) + b"}"

    def _batch(self, asked: Mapping[str, Any]) -> bytes:
        responses = []
        for table, wanted in asked["RequestItems"].items():
            found = [self._tables.item(table, key) for key in wanted["Keys"]]
            self.counts[UNITS] += sum(units for _, units in found)
            items = b",".join(item for item, _ in found if item)
            responses.append(msgspec.json.encode(table) + b":[" + items + b"]")
        return b'{"Responses":{' + b",".join(responses) + b'},"UnprocessedKeys":{}}'


class Connection(asyncio.Protocol):
    """One client's connection: requests of HTTP/1.1 with a length, one after the other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is there as a whole."""
        self._read += data
        while _END in self._read:
            head, _, rest = self._read.partition(_END)
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            length = int(headers.get("content-length", "0"))
            if len(rest) < length:
                return
            self._read = rest[length:]
            self._transport.write(_message(self._answer(first, headers, rest[:length])))

    def _answer(self, first: str, headers: Mapping[str, str], body: bytes) -> bytes:
        if first.startswith("GET"):
            counts, self._store.counts = self._store.counts, defaultdict(float)
            return msgspec.json.encode(counts)
        return self._store.answer(headers["x-amz-target"].rpartition(".")[2], msgspec.json.decode(body))


def _message(body: bytes) -> bytes:
    """As DynamoDB sends it, checksum included."""
    head = (
        "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\nConnection: keep-alive\r\n"
        f"x-amzn-RequestId: {'0' * 52}\r\nx-amz-crc32: {zlib.crc32(body)}\r\n\r\n"
    )
    return head.encode() + body


async def serve(tables: Tables, folder: Path) -> None:
    """Print the ports, the plain one first; answer until standard input ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / SERVER)
    loop, store = asyncio.get_running_loop(), Store(tables)
    servers = [
        await loop.create_server(lambda: Connection(store), "127.0.0.1", 0, ssl=proof) for proof in (None, context)
    ]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Make the tables that were named, and serve."""
    tables = Tables(rows.read(Path(sys.argv[1])))
    for name in sys.argv[3:]:
        tables.content(name)
    asyncio.run(serve(tables, Path(sys.argv[2])))


if __name__ == "__main__":
    main()
