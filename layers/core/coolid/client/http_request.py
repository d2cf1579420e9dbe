"""Requests and responses of the client: values without I/O. `coolid.client.connections` sends and limits them.

A request sends no cookies and only the credentials in its headers; no state is kept between requests.
`Accept-Encoding: identity` (RFC 9110, section 12.5.3) prevents a small response from decompressing into a large one.

>>> HttpRequest("GET", "http://example.org/").target
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
>>> HttpAnswer("https://example.org/", 404, {"content-type": "text/html; charset=utf-8"}).media_type
'text/html'
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from coolid.client.errors import BadAnswer, RefusedByClient
from coolid.client.url_policy import checked, without_fragment
from coolid.strict_json import NotJson, load
from coolid.version import __version__

ANY_TYPE: Final = "*/*"
LINKID: Final = "application/linkid+json"
PROBLEM: Final = "application/problem+json"
MAX_BYTES: Final = 2_000_000
TIMEOUT_SECONDS: Final = 20.0
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


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request for `url`. `seconds` limit the whole exchange, `max_bytes` the body of the answer.

    `reads_body` can decide from status and headers not to read that body. A request that must not be repeated is sent
    over a `fresh` connection, because a server may close an idle one at any moment.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS, repr=False)
    body: bytes = field(default=b"", repr=False)
    reads_body: Callable[[HttpAnswer], bool] | None = field(default=None, repr=False)
    max_bytes: int = MAX_BYTES
    seconds: float = TIMEOUT_SECONDS
    fresh: bool = False

    @property
    def target(self) -> str:
        """Return the normalised URL without its fragment. Raises `RefusedByClient` if it may not be requested."""
        return without_fragment(checked(self.url))

    @property
    def sent_headers(self) -> dict[str, str]:
        """Return all headers. Raises `RefusedByClient` for a value that could add another header."""
        if not all(_VISIBLE.fullmatch(value) for value in self.headers.values()):
            raise RefusedByClient("a header may contain only printable ASCII")
        return {"Accept-Encoding": "identity", "User-Agent": f"coolid/{__version__}", **self.headers}

    def wants_body(self, answer: HttpAnswer) -> bool:
        """Return whether to read the body of an answer."""
        return self.reads_body is None or self.reads_body(answer)


class BodyBuffer:
    """The body of an answer while it is received. Raises `BadAnswer` if it is compressed or larger than `max_bytes`."""

    def __init__(self, headers: Mapping[str, str], max_bytes: int) -> None:
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise BadAnswer("its body is compressed, which the request did not accept")
        self._max_bytes = max_bytes
        self._body = bytearray()

    def add(self, part: bytes) -> None:
        """Add the next bytes."""
        self._body += part
        if len(self._body) > self._max_bytes:
            raise BadAnswer(f"its body is larger than {self._max_bytes} bytes")

    def content(self) -> bytes:
        """Return the bytes received so far."""
        return bytes(self._body)


def is_unavailable(status: int) -> bool:
    """Return whether a status is a server error (RFC 9110, section 15.6) or "too many requests" (RFC 6585).

    >>> is_unavailable(503), is_unavailable(429), is_unavailable(404)
    (True, True, False)
    """
    return status >= 500 or status == 429
