"""Single HTTPS requests without redirects, limited in size and time. All requests of the client are sent here.

A request sends no cookies and only the credentials in its arguments; no state is kept between requests.
`Accept-Encoding: identity` (RFC 9110, section 12.5.3) prevents a small response from decompressing into a large one.

>>> get("http://example.org/")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
>>> HttpAnswer("https://example.org/", 404, {"content-type": "text/html; charset=utf-8"}).media_type
'text/html'
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from coolid.client.errors import BadAnswer, ConnectionLost, RefusedByClient, Unreachable
from coolid.client.url_policy import checked, is_loopback, without_fragment
from coolid.strict_json import NotJson, load
from coolid.version import __version__

if TYPE_CHECKING:
    import httpx

    from coolid.client.connections import LimitedBackend

ANY_TYPE: Final = "*/*"
LINKID: Final = "application/linkid+json"
PROBLEM: Final = "application/problem+json"
MAX_BYTES: Final = 2_000_000
TIMEOUT_SECONDS: Final = 20.0
CONNECT_TIMEOUT_SECONDS: Final = 5.0
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})

_VISIBLE: Final = re.compile("[ -~]*")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The response of `url`; `headers` have lower-case names, `body` is empty if it was not read."""

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
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
            raise BadAnswer(f"its body is not valid JSON: {error}") from None

    def json_object(self) -> dict[str, Any]:
        """Return the body as a JSON object. Raises `BadAnswer`."""
        document = self.json()
        if not isinstance(document, dict):
            raise BadAnswer("its body is not a JSON object")
        return document


def is_unavailable(status: int) -> bool:
    """Return whether a status is a server error (RFC 9110, section 15.6) or "too many requests" (RFC 6585).

    >>> is_unavailable(503), is_unavailable(429), is_unavailable(404)
    (True, True, False)
    """
    return status >= 500 or status == 429


def get(
    url: str,
    *,
    accept: str = ANY_TYPE,
    reads_body: Callable[[HttpAnswer], bool] | None = None,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """GET a URL, once. See `send`."""
    return send("GET", url, {"Accept": accept}, reads_body=reads_body, seconds=seconds)


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    reads_body: Callable[[HttpAnswer], bool] | None = None,
    max_bytes: int = MAX_BYTES,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """Send a request, once. `reads_body` can decide from status and headers not to read the body of the answer.

    `seconds` limit the whole exchange. Raises `RefusedByClient`, `Unreachable` or `BadAnswer`, and `ConnectionLost`, a
    subclass of `Unreachable`, if the service may have processed the request.
    """
    from coolid.client.connections import LimitedBackend

    target = without_fragment(checked(url))
    if not all(_VISIBLE.fullmatch(value) for value in headers.values()):
        raise RefusedByClient("a header may contain only printable ASCII")
    sent = {"Accept-Encoding": "identity", "User-Agent": f"coolid/{__version__}", **headers}
    received: dict[str, str] = {}
    with (
        LimitedBackend(seconds) as deadline,
        _client_errors(deadline, seconds),
        deadline.limit(_client(target, seconds, received)) as client,
        client.stream(method, target, headers=sent, content=body or None) as response,
    ):
        answer = HttpAnswer(url, response.status_code, MappingProxyType(received))
        is_read = reads_body is None or reads_body(answer)
        return replace(answer, body=_body(response, max_bytes)) if is_read else answer


@contextmanager
def _client_errors(deadline: "LimitedBackend", seconds: float) -> Iterator[None]:
    """Raise errors of httpx, and a passed deadline, as errors of the client."""
    import httpx

    too_late = f"no whole answer within {seconds:g} seconds"
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
        raise Unreachable(too_late if deadline.passed else str(error) or type(error).__name__) from error
    except httpx.HTTPError as error:
        is_late = deadline.passed or isinstance(error, httpx.TimeoutException)
        raise ConnectionLost(too_late if is_late else str(error) or type(error).__name__) from error
    except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        # The host has no valid DNS name, or the environment names unusable certificates or an unusable proxy.
        raise Unreachable(f"the request cannot be sent: {error}") from error
    if deadline.passed:  # a body without a length looks complete when its connection is closed
        raise ConnectionLost(too_late)


def _client(target: str, seconds: float, received: dict[str, str]) -> "httpx.Client":
    """Return a client for one request, which copies the headers of the response to `received`."""
    import httpx

    def copy_headers(response: httpx.Response) -> None:
        received.update(response.headers)
        response.headers.pop("location", None)  # httpx would parse it, and fail if it is not a URL

    return httpx.Client(
        timeout=httpx.Timeout(seconds, connect=min(CONNECT_TIMEOUT_SECONDS, seconds)),
        # The authorities of SSL_CERT_FILE and SSL_CERT_DIR, or else those of httpx.
        verify=httpx.create_ssl_context() if target.startswith("https:") else True,
        trust_env=not is_loopback(target),  # the user's proxies are for other hosts
        event_hooks={"response": [copy_headers]},
    )


def _body(response: "httpx.Response", max_bytes: int) -> bytes:
    """Return the undecoded body. Raises `BadAnswer`."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadAnswer("its body is compressed, which the request did not accept")
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > max_bytes:
            raise BadAnswer(f"its body is larger than {max_bytes} bytes")
    return bytes(body)
