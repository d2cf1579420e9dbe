"""Single requests over connections of their own.

>>> get("http://example.org/")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

import time
from collections.abc import Callable
from typing import TypeVar

from coolid.client.flows import Flow, run
from coolid.client.http_request import ANY_TYPE, TIMEOUT_SECONDS, HttpAnswer, HttpRequest

T = TypeVar("T")


def get(
    url: str,
    *,
    accept: str = ANY_TYPE,
    reads_body: Callable[[HttpAnswer], bool] | None = None,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """GET a URL, once. See `coolid.client.connections.Connections.send`."""
    return send(HttpRequest("GET", url, {"Accept": accept}, reads_body=reads_body, seconds=seconds))


def send(request: HttpRequest) -> HttpAnswer:
    """Send a request, once. See `coolid.client.connections.Connections.send`."""
    from coolid.client.connections import send_once  # commands that send no request do not import httpx

    return send_once(request)


def run_alone(flow: Flow[T]) -> T:
    """Return the result of a flow, each of whose requests has a connection of its own."""
    return run(flow, send, time.sleep)
