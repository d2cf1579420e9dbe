"""URLs of outgoing requests, parsed as browsers parse them (WHATWG URL Standard; Fetch Standard, "Port blocking").

Hosts are normalised, so that an IPv4 address is recognised in every notation.

>>> parse_target("http://0x7f.1:8080/a b?q#part")
RequestTarget(url='http://127.0.0.1:8080/a%20b?q', secure=False, host='127.0.0.1', port=8080, fragment='#part')
>>> parse_target("https://me:secret@example.org/")
Traceback (most recent call last):
...
coolid.net.failures.RequestRefused: it leads to a URL that carries credentials
"""

import re
from ipaddress import ip_address
from typing import Final

import can_ada
from msgspec import Struct
from msgspec.structs import replace

from coolid.identifiers.target_policy import BLOCKED_PORTS
from coolid.net.address_policy import Address
from coolid.net.failures import RequestRefused

MAX_URL_BYTES: Final = 8192
"""Servers commonly accept no longer request line."""
LOOPBACK: Final = ("127.0.0.0/8", "::1/128")
"""The networks of this machine."""
_PORTS: Final = {"http:": 80, "https:": 443}
_SENDABLE: Final = re.compile(r"[!-~]+")


class RequestTarget(Struct, frozen=True):
    """The target of a request: `url` in normalised form, without its fragment, and the `host` name or address.

    An address has no brackets. `fragment` begins with `#`; a redirect's target inherits it, as in browsers.
    """

    url: str
    secure: bool
    host: str
    port: int
    fragment: str = ""

    @property
    def address(self) -> Address | None:
        """The host if it is an IP address, or None."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the host is a loopback address or localhost."""
        return self.host == "localhost" or (self.address is not None and self.address.is_loopback)

    @property
    def authority(self) -> str:
        """The value of `Host` (RFC 9110 section 7.2)."""
        return self.url.split("/", 3)[2]

    @property
    def path_and_query(self) -> str:
        """The target in the request line (RFC 9112 section 3.2.1)."""
        return "/" + self.url.split("/", 3)[3]

    @property
    def url_with_fragment(self) -> str:
        """The URL with its fragment."""
        return self.url + self.fragment

    def redirect_target(self, location: str) -> "RequestTarget":
        """Return where a `Location` leads; its fragment precedes this one's (RFC 9110 section 10.2.2)."""
        target = parse_target(location, self.url)
        return target if target.fragment else replace(target, fragment=self.fragment)


def parse_target(url: str, base: str | None = None) -> RequestTarget:
    """Return the target of a URL, which may be relative to `base`. Raises `RequestRefused` for an unusable URL."""
    if len(url) > MAX_URL_BYTES:
        raise RequestRefused("it leads to a URL that is too long")
    try:
        url.encode()  # the parser must not receive a lone surrogate
        parsed = can_ada.parse(base) + url if base else can_ada.parse(url)
    except ValueError:
        raise RequestRefused("it leads to something that is not a URL") from None
    if parsed.protocol not in _PORTS:
        raise RequestRefused("it leads to something that is not on the Web")
    if parsed.username or parsed.password:
        raise RequestRefused("it leads to a URL that carries credentials")
    port = int(parsed.port or _PORTS[parsed.protocol])
    if port in BLOCKED_PORTS:
        raise RequestRefused("it leads to a port that browsers block")
    normalised, hash_, fragment = parsed.href.partition("#")
    if len(normalised) > MAX_URL_BYTES or not _SENDABLE.fullmatch(normalised):
        raise RequestRefused("it leads to a URL that cannot be sent")
    return RequestTarget(
        normalised, parsed.protocol == "https:", parsed.hostname.strip("[]"), port, hash_ + fragment if fragment else ""
    )
