"""Places: what a URL asks of whom, judged as a browser would (WHATWG URL Standard; Fetch Standard, "Port blocking").

However a host is written, it is here as a browser goes to it, so that an IPv4 address is seen for what it is.

>>> parse_target("http://0x7f.1:8080/a b?q#part")
RequestTarget(url='http://127.0.0.1:8080/a%20b?q', secure=False, host='127.0.0.1', port=8080, fragment='#part')
>>> parse_target("https://example.org/a#b").onwards("../c?d").named
'https://example.org/c?d#b'
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

MOST_BYTES: Final = 8192
"""Of a URL; servers commonly take no more than that in a request line."""
_PORTS: Final = {"http:": 80, "https:": 443}
_SENDABLE: Final = re.compile(r"[!-~]+")


class RequestTarget(Struct, frozen=True):
    """`url` is what is asked, as browsers write it, without its fragment; `host` is a name or an address.

    An address has no brackets. `fragment` is what a browser would keep of it, or of where it came from, with its `#`.
    """

    url: str
    secure: bool
    host: str
    port: int
    fragment: str = ""

    @property
    def address(self) -> Address | None:
        """The host, if it is an address and no name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def authority(self) -> str:
        """What stands in `Host` (RFC 9110 section 7.2)."""
        return self.url.split("/", 3)[2]

    @property
    def target(self) -> str:
        """What stands in the request line: path and query (RFC 9112 section 3.2.1)."""
        return "/" + self.url.split("/", 3)[3]

    @property
    def named(self) -> str:
        """The URL, fragment and all."""
        return self.url + self.fragment

    def onwards(self, location: str) -> "RequestTarget":
        """Where a redirect from here leads, whose fragment goes before ours (RFC 9110 section 10.2.2)."""
        to = parse_target(location, self.url)
        return to if to.fragment else replace(to, fragment=self.fragment)


def parse_target(url: str, base: str | None = None) -> RequestTarget:
    """The place of a URL, which may be relative to another. Raises `RequestRefused` for one that nobody goes to."""
    if len(url) > MOST_BYTES:
        raise RequestRefused("it leads to a URL that is too long")
    try:
        url.encode()  # the parser must not see half a character
        parsed = can_ada.parse(base) + url if base else can_ada.parse(url)
    except ValueError:
        raise RequestRefused("it leads to what is not a URL") from None
    if parsed.protocol not in _PORTS:
        raise RequestRefused("it leads to something that is not on the Web")
    if parsed.username or parsed.password:
        raise RequestRefused("it leads to a URL that carries credentials")
    port = int(parsed.port or _PORTS[parsed.protocol])
    if port in BLOCKED_PORTS:
        raise RequestRefused("it leads to a port that browsers do not go to")
    written, hash_, rest = parsed.href.partition("#")
    if len(written) > MOST_BYTES or not _SENDABLE.fullmatch(written):
        raise RequestRefused("it leads to a URL that cannot be sent")
    return RequestTarget(
        written, parsed.protocol == "https:", parsed.hostname.strip("[]"), port, hash_ + rest if rest else ""
    )
