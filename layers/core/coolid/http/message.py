"""HTTP requests and responses as values, independent of the server or gateway, and the syntax of values in them.

The regular expressions use syntax that every engine supports. To avoid backtracking, put them into an atomic group.

>>> Request("GET", "/go:0006915", query=(("provider", "ols"),)).parameter("provider")
'ols'
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.resolution.cache import Validity

NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})

LINK: Final = "Link"
MAX_HEADER_BYTES: Final = 9_700
"""Bytes of all headers of a response except `ETag`: a limit of API Gateway (`coolid.http.application`)."""
MAX_LINK_BYTES: Final = 8_000
"""Bytes of `Link`."""

TOKEN: Final = r"[0-9A-Za-z!#$%&'*+.^_`|~-]+"  # noqa: S105 - it is no password
"""RFC 9110, section 5.6.2."""
_NAME: Final = "[0-9A-Za-z][0-9A-Za-z!#$&^_.+-]{0,126}"
MEDIA_TYPE: Final = f"{_NAME}/{_NAME}"
"""A type without parameters (RFC 6838, section 4.2), whose names never need quoting."""
LANGUAGE: Final = "[A-Za-z]{1,8}(?:-[0-9A-Za-z]{1,8})*"
"""A basic language range (RFC 4647, section 2.1)."""
NUMBER: Final = "[1-9][0-9]{0,8}"
"""A positive integer of at most nine digits, without leading zeros."""

compiled: Final = cache(re.compile)
"""Return the expression, compiled on first use; this cache is faster than that of `re`."""


class Request(Struct, frozen=True):
    """A request: `path` as received, percent-encoded, with its leading slash; `query` as decoded pairs in order.

    `headers` have lower-case names, repeated ones are joined with commas; `body` is decoded from its transport. The
    body of a large upload is in `stream` instead, which yields its parts once.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = NO_HEADERS
    body: bytes = b""
    request_id: str = ""
    stream: Iterator[bytes] | None = None

    def parameter(self, name: str) -> str | None:
        """Return the first value of a query parameter, or None."""
        for key, value in self.query:
            if key == name:
                return value
        return None

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return all values of a query parameter."""
        return tuple([value for key, value in self.query if key == name])


class Response(Struct, frozen=True):
    """A response: `headers` with names as sent; `body` a text, sent as UTF-8, or bytes.

    The body of a large file is in `stream` instead, which yields its parts once. Such a response has its own `ETag`.
    `cookies` are the values of `Set-Cookie`, which no other header can contain several times.
    """

    status: int
    headers: Mapping[str, str] = NO_HEADERS
    body: str | bytes = ""
    stream: Iterator[bytes] | None = None
    cookies: tuple[str, ...] = ()

    def with_headers(self, **more: str) -> "Response":
        """Return a copy with more headers; `_` in a name stands for `-`.

        >>> dict(Response(200).with_headers(Cache_Control="no-store").headers)
        {'Cache-Control': 'no-store'}
        """
        return replace(
            self, headers={**self.headers, **{name.replace("_", "-"): value for name, value in more.items()}}
        )


def no_log() -> None:
    """Return None, for a service without a transparency log (`coolid.store.log`)."""


class BriefResponse(Response, frozen=True):
    """A response that may soon be better, so that its lifetime is short, and no process caches it.

    It is a page without data that the store failed to return, or a proof of the latest checkpoint of the log.
    """


class CacheableResponse(Response, frozen=True, kw_only=True):
    """A response that stays correct for as long as its `validity` is current, whatever the time."""

    validity: Validity
