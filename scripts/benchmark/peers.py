"""Peers that read DynamoDB: boto3, pynamodb, and the least that a socket can do."""

import socket
import ssl
from collections.abc import Callable, Iterable
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

import boto3
import msgspec

from scripts.benchmark.canned import REGION, Canned
from scripts.benchmark.handlers import told

Key = dict[str, dict[str, str]]


def key(pid: str) -> Key:
    """Of the current record under a hash key."""
    return {"pid": {"S": pid}, "version": {"N": "0"}}


def with_boto3(store: Canned, table: str, pids: Iterable[str], *, tls: bool) -> Callable[[], object]:
    """Read items one after the other with one boto3 client."""
    with told(store.environment(tls=tls, prefixes="", luis="")):
        client: Any = boto3.Session().client("dynamodb")
        assert "Item" in client.get_item(TableName=table, Key=key(next(iter(pids))))
    following = cycle([key(pid) for pid in pids]).__next__
    return lambda: client.get_item(TableName=table, Key=following())


def with_pynamodb(store: Canned, table: str, pids: Iterable[str], *, tls: bool) -> Callable[[], object]:
    """A model of pynamodb, likewise."""
    from coolid.aws.dynamodb.tables import LuiRow

    meta = {"table_name": table, "region": REGION, "host": store.tls if tls else store.plain}
    row: Any = type("BenchRow", (LuiRow,), {"Meta": type("Meta", (), meta)})
    with told(store.environment(tls=tls, prefixes="", luis="")):
        assert row.get(next(iter(pids)), 0).body
    following = cycle(pids).__next__
    return lambda: row.get(following(), 0)


def with_a_socket(store: Canned, table: str, pid: str, *, tls: bool) -> Callable[[], object]:
    """A request that stands ready, sent over a connection that stays, and the bytes of its answer: the floor."""
    address = urlsplit(store.tls if tls else store.plain)
    assert address.hostname is not None
    connection = socket.create_connection((address.hostname, address.port or 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls:
        context = ssl.create_default_context(cafile=str(store.authority))
        connection = context.wrap_socket(connection, server_hostname=address.hostname)
    body = msgspec.json.encode({"TableName": table, "Key": key(pid)})
    head = f"POST / HTTP/1.1\r\nHost: {address.netloc}\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n"
    request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    connection.sendall(request)
    whole = len(connection.recv(65536))

    def ask() -> None:
        connection.sendall(request)
        got = 0
        while got < whole:
            got += len(connection.recv(65536))

    return ask
