"""Requests and responses as values, independent of what carries them.

>>> Request("GET", "/go:0006915", query=(("provider", "ols"),)).parameter("provider")
'ols'
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.resolution.validity import Validity

NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})

LINK: Final = "Link"
MOST_HEADER_BYTES: Final = 9_700
"""Bytes of all headers of an answer but its `ETag`, so that API Gateway passes it on (`coolid.http.header_limits`)."""
MOST_LINK_BYTES: Final = 8_000
"""Bytes of `Link`."""


class Request(Struct, frozen=True):
    """`path` as it came, percent-encoded, with its leading slash; `query` decoded pairs in order; `headers` by
    lower-case names, repeated ones joined with commas; `body` decoded from its transport."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = NO_HEADERS
    body: bytes = b""
    request_id: str = ""

    def parameter(self, name: str) -> str | None:
        """The first value of a query parameter."""
        for key, value in self.query:
            if key == name:
                return value
        return None

    def parameters(self, name: str) -> tuple[str, ...]:
        """All values of a query parameter that may stand several times."""
        return tuple([value for key, value in self.query if key == name])

    def header(self, name: str) -> str | None:
        """A header by its lower-case name."""
        return self.headers.get(name)


class Response(Struct, frozen=True):
    """`headers` with names as they are sent; `body` a text, encoded as UTF-8 on its way out, or bytes as they are."""

    status: int
    headers: Mapping[str, str] = NO_HEADERS
    body: str | bytes = ""

    def with_headers(self, **more: str) -> "Response":
        """A copy with more headers; `_` in a name stands for `-`.

        >>> dict(Response(200).with_headers(Cache_Control="no-store").headers)
        {'Cache-Control': 'no-store'}
        """
        return replace(
            self, headers={**self.headers, **{name.replace("_", "-"): value for name, value in more.items()}}
        )


def header_bytes(headers: Mapping[str, str]) -> int:
    r"""Return the bytes that headers, which are ASCII, have on the line: names, values, `: ` and line breaks.

    >>> header_bytes({"Vary": "Accept"}) == len("Vary: Accept\r\n")
    True
    """
    return sum(map(len, headers)) + sum(map(len, headers.values())) + 4 * len(headers)


class CacheableResponse(Response, frozen=True, kw_only=True):
    """One that stays as it is for as long as its grounds hold, whatever the time."""

    grounds: Validity
