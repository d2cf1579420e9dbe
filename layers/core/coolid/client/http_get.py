"""Single HTTPS requests, mostly GET, without redirects and with limits of size and time.

A request sends no cookies and only the credentials in its arguments; no state is kept between requests.
`Accept-Encoding: identity` (RFC 9110, section 12.5.3) prevents a small response from decompressing into a large one.

>>> get("http://example.org/")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
>>> HttpAnswer("https://example.org/", 404, {"content-type": "text/html; charset=utf-8"}).media_type
'text/html'
"""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from coolid.client.errors import BadAnswer, ConnectionLost, Unreachable
from coolid.client.url_policy import checked, is_loopback, without_fragment
from coolid.strict_json import NotJson, load
from coolid.version import __version__

if TYPE_CHECKING:
    import ssl

    import httpx

ANY_TYPE: Final = "*/*"
LINKID: Final = "application/linkid+json"
PROBLEM: Final = "application/problem+json"
MAX_BYTES: Final = 2_000_000
TIMEOUT_SECONDS: Final = 20.0
CONNECT_TIMEOUT_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The response of `url`; `headers` have lower-case names, `body` is empty if it was not read."""

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """Return the media type in lower case, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def json(self) -> Any:
        """Return the body as JSON. Raises `BadAnswer`."""
        try:
            return load(self.body)
        except NotJson as error:
            raise BadAnswer(f"its body is not sound JSON: {error}") from None


def is_unavailable(status: int) -> bool:
    """Return whether a status is a server error (RFC 9110, section 15.6) or "too many requests" (RFC 6585).

    >>> is_unavailable(503), is_unavailable(429), is_unavailable(404)
    (True, True, False)
    """
    return status >= 500 or status == 429


def always(_answer: HttpAnswer) -> bool:
    """Return True: every body is read."""
    return True


def get(
    url: str,
    *,
    accept: str = ANY_TYPE,
    reads_body: Callable[[HttpAnswer], bool] = always,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """GET a URL, once. `reads_body` decides from status and headers whether to read the body.

    `seconds` limit the whole exchange. Raises `RefusedByClient`, `Unreachable` or `BadAnswer`.
    """
    return exchange("GET", url, {"Accept": accept}, reads_body=reads_body, seconds=seconds)


def exchange(
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: bytes = b"",
    *,
    reads_body: Callable[[HttpAnswer], bool] = always,
    max_bytes: int = MAX_BYTES,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """Send a request, once, with these headers. See `get`.

    Raises `ConnectionLost`, a subclass of `Unreachable`, if the service may have processed the request.
    """
    import httpx

    from coolid.client.connections import limit_name_resolution

    target = without_fragment(checked(url))
    sent = {"Accept-Encoding": "identity", "User-Agent": f"coolid/{__version__}", **headers}
    timeout = httpx.Timeout(seconds, connect=min(CONNECT_TIMEOUT_SECONDS, seconds))
    # The user's proxies are for other hosts; requests to this machine bypass them.
    direct = is_loopback(target)
    received: dict[str, str] = {}

    def copy_headers(response: httpx.Response) -> None:
        received.update(response.headers)
        response.headers.pop("location", None)  # httpx would parse it, and fail if it is not a URL

    with _deadline(seconds) as deadline:
        try:
            with (
                httpx.Client(
                    timeout=timeout,
                    verify=_tls_context(target),
                    trust_env=not direct,
                    event_hooks={"response": [copy_headers]},
                ) as client,
                limit_name_resolution(client).stream(
                    method, target, headers=sent, content=content or None, extensions={"trace": deadline.on_event}
                ) as response,
            ):
                answer = HttpAnswer(url, response.status_code, MappingProxyType(received))
                body = _body(response, max_bytes) if reads_body(answer) else b""
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
            raise Unreachable(_timeout_message(seconds) if deadline.passed else _reason(error)) from error
        except httpx.TimeoutException:
            raise ConnectionLost("no answer in time") from None
        except httpx.HTTPError as error:
            raise ConnectionLost(_timeout_message(seconds) if deadline.passed else _reason(error)) from error
        except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
            # The host has no valid DNS name, or the environment names unusable certificates or an unusable proxy.
            raise Unreachable(f"it cannot be asked: {error}") from error
        if deadline.passed:  # a body without a length looks complete when its connection is closed
            raise ConnectionLost(_timeout_message(seconds))
    return HttpAnswer(answer.url, answer.status, answer.headers, body)


class _Deadline:
    """Closes the connection at the deadline. httpx only limits each step, and a step can be one byte."""

    def __init__(self) -> None:
        self.passed = False
        self._connections: list[socket.socket] = []

    def on_event(self, event: str, info: Mapping[str, Any]) -> None:
        """Handle a trace event of httpcore. The duplicate socket stays valid when TLS wraps the original."""
        if event == "connection.connect_tcp.complete":
            self._connections.append(info["return_value"].get_extra_info("socket").dup())
            if self.passed:  # name resolution and connecting took all the time
                self.end()

    def end(self) -> None:
        """Shut down the connections."""
        self.passed = True
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # the peer closed it
                continue

    def close(self) -> None:
        """Close the duplicate sockets."""
        for connection in self._connections:
            connection.close()


@contextmanager
def _deadline(seconds: float) -> Iterator[_Deadline]:
    deadline = _Deadline()
    timer = threading.Timer(seconds, deadline.end)
    timer.daemon = True
    timer.start()
    try:
        yield deadline
    finally:
        timer.cancel()
        timer.join()
        deadline.close()


def _tls_context(url: str) -> "ssl.SSLContext | bool":
    """Return the trusted authorities: those of SSL_CERT_FILE and SSL_CERT_DIR, or else those of httpx."""
    import httpx

    return httpx.create_ssl_context() if url.startswith("https:") else True


def _body(response: "httpx.Response", max_bytes: int) -> bytes:
    """Return the undecoded body. Raises `BadAnswer`."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadAnswer("its body is compressed, which was not asked for")
    parts: list[bytes] = []
    size = 0
    for part in response.iter_raw():
        size += len(part)
        if size > max_bytes:
            raise BadAnswer(f"its body is larger than {max_bytes} bytes")
        parts.append(part)
    return b"".join(parts)


def _reason(error: "httpx.HTTPError") -> str:
    return str(error) or type(error).__name__


def _timeout_message(seconds: float) -> str:
    return f"no whole answer within {seconds:g} seconds"
