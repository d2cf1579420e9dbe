"""Addresses: which URLs the client asks, judged as a browser would (WHATWG URL Standard).

"All resolution MUST use HTTPS" (LinkID draft, "Security Considerations"): the exception is this machine itself, for
resolvers in development. Nobody else may send the client to this machine, to another scheme, or with credentials.

>>> checked("HTTPS://Resolver.Example.org:443/resolve/./a b")
'https://resolver.example.org/resolve/a%20b'
>>> following("https://resolver.example.org/resolve/x", "/y")
'https://resolver.example.org/y'
>>> following("https://resolver.example.org/resolve/x", "http://example.org/")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused to go from https to http
"""

from ipaddress import ip_address
from typing import Final

import can_ada

from coolid.client.errors import RefusedByClient

MOST_BYTES: Final = 8192
"""Of a URL; servers commonly take no more than that in a request line."""


def checked(url: str) -> str:
    """The URL as a browser writes it, if it may be asked; else `RefusedByClient`."""
    return _checked(_parsed(url)).href


def following(url: str, location: str) -> str:
    """Where a redirect from this URL leads, fragment and all; `RefusedByClient` if the client does not go there."""
    base, to = _parsed(url), _parsed(location, url)
    if base.protocol == "https:" and to.protocol == "http:" and not _is_loopback(to):
        raise RefusedByClient("refused to go from https to http")
    if _is_loopback(to) and not _is_loopback(base):
        raise RefusedByClient("refused to go from another host to this machine")
    return _checked(to).href


def without_fragment(url: str) -> str:
    """What of a URL is asked.

    >>> without_fragment("https://example.org/a#b")
    'https://example.org/a'
    """
    return url.partition("#")[0]


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine: 127.0.0.0/8, ::1 or localhost, however a browser takes it to be written.

    >>> is_loopback("http://127.1:8080/"), is_loopback("http://localhost.example.org/")
    (True, False)
    """
    return _is_loopback(_parsed(url))


def _parsed(url: str, base: str = "") -> can_ada.URL:
    if len(url.encode("utf-8", "replace")) > MOST_BYTES:
        raise RefusedByClient(f"the URL is longer than {MOST_BYTES} bytes")
    try:
        url.encode()
        return _parsed(base) + url if base else can_ada.parse(url)
    except (ValueError, UnicodeError):
        raise RefusedByClient("it is no URL that a browser would accept") from None


def _checked(url: can_ada.URL) -> can_ada.URL:
    if url.protocol not in ("https:", "http:"):
        raise RefusedByClient(f"refused {url.protocol}; resolution uses https")
    if url.protocol == "http:" and not _is_loopback(url):
        raise RefusedByClient("refused http; resolution uses https, except on this machine")
    if url.username or url.password:
        raise RefusedByClient("refused a URL with credentials")
    if len(url.href) > MOST_BYTES:
        raise RefusedByClient(f"the URL is longer than {MOST_BYTES} bytes")
    return url


def _is_loopback(url: can_ada.URL) -> bool:
    if url.hostname == "localhost":
        return True
    try:
        return ip_address(url.hostname.strip("[]")).is_loopback
    except ValueError:
        return False
