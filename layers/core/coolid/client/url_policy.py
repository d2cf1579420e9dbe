"""Checks of the URLs that the client may request, parsed as in a browser (WHATWG URL Standard).

"All resolution MUST use HTTPS" (LinkID draft, "Security Considerations"), except on this machine, for resolvers in
development. No other host may redirect to this machine, and no URL may have another scheme or credentials.

>>> checked("HTTPS://Resolver.Example.org:443/resolve/./a b")
'https://resolver.example.org/resolve/a%20b'
>>> redirect_target("https://resolver.example.org/resolve/x", "/y")
'https://resolver.example.org/y'
>>> redirect_target("https://resolver.example.org/resolve/x", "http://example.org/")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused to go from https to http
"""

from ipaddress import ip_address
from typing import Final

import can_ada

from coolid.client.errors import RefusedByClient
from coolid.errors import BadReference

MAX_URL_BYTES: Final = 8192
"""Servers commonly accept no longer request line."""


def checked(url: str) -> str:
    """Return the normalised URL. Raises `RefusedByClient` if the client may not request it."""
    return _checked(_parsed(url)).href


def service_url(url: str) -> str:
    """Return the URL that all addresses of a service begin with, without a trailing slash.

    Raises `RefusedByClient` if the client may not request it.

    >>> service_url("HTTPS://id.example.org/")
    'https://id.example.org'
    """
    url = checked(url)
    if "?" in url or "#" in url:
        raise RefusedByClient("the URL of a service has no query and no fragment")
    return url.rstrip("/")


def redirect_target(url: str, location: str) -> str:
    """Return the absolute target of a redirect, with its fragment. Raises `RefusedByClient` if it is forbidden."""
    base, target = _parsed(url), _parsed(location, url)
    if base.protocol == "https:" and target.protocol == "http:" and not _is_loopback(target):
        raise RefusedByClient("refused to go from https to http")
    if _is_loopback(target) and not _is_loopback(base):
        raise RefusedByClient("refused to go from another host to this machine")
    return _checked(target).href


def without_fragment(url: str) -> str:
    """Return the part of a URL that a request contains.

    >>> without_fragment("https://example.org/a#b")
    'https://example.org/a'
    """
    return url.partition("#")[0]


def is_loopback(url: str) -> bool:
    """Return whether the host is this machine: 127.0.0.0/8, ::1 or localhost, in any spelling that browsers accept.

    >>> is_loopback("http://127.1:8080/"), is_loopback("http://localhost.example.org/")
    (True, False)
    """
    return _is_loopback(_parsed(url))


def parse_pid_url(url: str) -> can_ada.URL:
    """Return the parsed URL of a PID. Raises `BadReference` if it is invalid or has credentials."""
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        raise BadReference("it is no URL that a browser would accept") from None
    if parsed.username or parsed.password:
        raise BadReference("it is a URL with credentials")
    return parsed


def _parsed(url: str, base: str = "") -> can_ada.URL:
    if len(url.encode("utf-8", "replace")) > MAX_URL_BYTES:
        raise RefusedByClient(f"the URL is longer than {MAX_URL_BYTES} bytes")
    try:
        url.encode()
        return _parsed(base) + url if base else can_ada.parse(url)
    except ValueError:  # including UnicodeError
        raise RefusedByClient("it is no URL that a browser would accept") from None


def _checked(url: can_ada.URL) -> can_ada.URL:
    if url.protocol not in ("https:", "http:"):
        raise RefusedByClient(f"refused {url.protocol}; resolution uses https")
    if url.protocol == "http:" and not _is_loopback(url):
        raise RefusedByClient("refused http; resolution uses https, except on this machine")
    if url.username or url.password:
        raise RefusedByClient("refused a URL with credentials")
    if len(url.href) > MAX_URL_BYTES:
        raise RefusedByClient(f"the URL is longer than {MAX_URL_BYTES} bytes")
    return url


def _is_loopback(url: can_ada.URL) -> bool:
    if url.hostname == "localhost":
        return True
    try:
        return ip_address(url.hostname.strip("[]")).is_loopback
    except ValueError:
        return False
