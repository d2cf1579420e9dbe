"""One careful request, mostly a GET: over HTTPS, one answer, no redirects, and limits of size and time.

It sends no credentials but those it is given, no cookies, and keeps nothing from one request to the next.
`Accept-Encoding: identity` (RFC 9110, section 12.5.3) keeps a small answer from swelling into a large one.

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

ANYTHING: Final = "*/*"
LINKID: Final = "application/linkid+json"
PROBLEM: Final = "application/problem+json"
MOST_BYTES: Final = 2_000_000
SECONDS: Final = 20.0
CONNECT_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back from `url`; `headers` by lower-case names, `body` empty where it was not wanted."""

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def json(self) -> Any:
        """The body as JSON; `BadAnswer`."""
        try:
            return load(self.body)
        except NotJson as error:
            raise BadAnswer(f"its body is not sound JSON: {error}") from None


def is_unavailable(status: int) -> bool:
    """Whether a status says that who answers cannot now (RFC 9110, section 15.6), or not that often (RFC 6585).

    >>> is_unavailable(503), is_unavailable(429), is_unavailable(404)
    (True, True, False)
    """
    return status >= 500 or status == 429


def wanted_always(_answer: HttpAnswer) -> bool:
    """The body of every answer is read."""
    return True


def get(
    url: str,
    *,
    accept: str = ANYTHING,
    wanted: Callable[[HttpAnswer], bool] = wanted_always,
    seconds: float = SECONDS,
) -> HttpAnswer:
    """GET a URL, once. `wanted` sees status and headers and says whether the body is to be read.

    `seconds` are for the whole, however slowly it trickles. Raises `Refused`, `Unreachable` or `BadAnswer`.
    """
    return exchange("GET", url, {"Accept": accept}, wanted=wanted, seconds=seconds)


def exchange(
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: bytes = b"",
    *,
    wanted: Callable[[HttpAnswer], bool] = wanted_always,
    most_bytes: int = MOST_BYTES,
    seconds: float = SECONDS,
) -> HttpAnswer:
    """Send a request, once, with these headers and no others that tell anything; else as `get`.

    Raises `ConnectionLost`, a kind of `Unreachable`, where it may have been carried out.
    """
    import httpx

    from coolid.client.connections import bound

    asked = without_fragment(checked(url))
    sent = {"Accept-Encoding": "identity", "User-Agent": f"coolid/{__version__}", **headers}
    timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    # The user's proxies are for the world outside; this machine is asked directly.
    direct = is_loopback(asked)
    told: dict[str, str] = {}

    def keep_headers(response: httpx.Response) -> None:
        told.update(response.headers)
        response.headers.pop("location", None)  # httpx would take it apart, and fail where it is no URL

    with _deadline(seconds) as deadline:
        try:
            with (
                httpx.Client(
                    timeout=timeout,
                    verify=_certificates(asked),
                    trust_env=not direct,
                    event_hooks={"response": [keep_headers]},
                ) as client,
                bound(client).stream(
                    method, asked, headers=sent, content=content or None, extensions={"trace": deadline.watch}
                ) as response,
            ):
                answer = HttpAnswer(url, response.status_code, MappingProxyType(told))
                body = _body(response, most_bytes) if wanted(answer) else b""
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
            raise Unreachable(_late(seconds) if deadline.passed else _reason(error)) from error
        except httpx.TimeoutException:
            raise ConnectionLost("no answer in time") from None
        except httpx.HTTPError as error:
            raise ConnectionLost(_late(seconds) if deadline.passed else _reason(error)) from error
        except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
            # No DNS query can carry the host; or the environment names certificates or a proxy that cannot be used.
            raise Unreachable(f"it cannot be asked: {error}") from error
        if deadline.passed:  # a body without a length looks whole when its connection is ended
            raise ConnectionLost(_late(seconds))
    return HttpAnswer(answer.url, answer.status, answer.headers, body)


class _Deadline:
    """Ends the connection when the time is up. httpx only limits each step, and a step can be one byte."""

    def __init__(self) -> None:
        self.passed = False
        self._connections: list[socket.socket] = []

    def watch(self, event: str, told: Mapping[str, Any]) -> None:
        """Trace of httpcore: a connection was made; the duplicate stays valid when TLS takes over the original."""
        if event == "connection.connect_tcp.complete":
            self._connections.append(told["return_value"].get_extra_info("socket").dup())
            if self.passed:  # resolving its name and connecting took all the time
                self.end()

    def end(self) -> None:
        """The time is up."""
        self.passed = True
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side has ended it
                continue

    def close(self) -> None:
        """Let go of the duplicates."""
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


def _certificates(url: str) -> "ssl.SSLContext | bool":
    """Whom to trust: SSL_CERT_FILE and SSL_CERT_DIR count for every host, or else the authorities that httpx brings."""
    import httpx

    return httpx.create_ssl_context() if url.startswith("https:") else True


def _body(response: "httpx.Response", most_bytes: int) -> bytes:
    """The body as it was sent; `BadAnswer`."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadAnswer("its body is compressed, which was not asked for")
    parts: list[bytes] = []
    size = 0
    for part in response.iter_raw():
        size += len(part)
        if size > most_bytes:
            raise BadAnswer(f"its body is larger than {most_bytes} bytes")
        parts.append(part)
    return b"".join(parts)


def _reason(error: "httpx.HTTPError") -> str:
    return str(error) or type(error).__name__


def _late(seconds: float) -> str:
    return f"no whole answer within {seconds:g} seconds"
