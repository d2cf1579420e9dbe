"""Targets: which URLs a record may send people to, judged as a browser would (WHATWG URL Standard).

A target is checked when it is written and never repaired: what is accepted is stored and sent byte for byte.

>>> objection("https://example.org/a%2Fb?q=1#part")
>>> objection("https://example.org\\\\@evil.com")
'it contains a backslash'
>>> objection("http://0x7f000001/")
'its host is written 0x7f000001, but a browser would go to 127.0.0.1'
"""

import re
from collections.abc import Sequence
from typing import Final

import can_ada

MOST_BYTES: Final = 2048

_HTTP: Final = re.compile(r"(?i:https?)://(?P<authority>[^/?#]*)")
_UNSENDABLE: Final = re.compile(r"[^\x21-\x7e]")
_DEFAULT_PORTS: Final = {"http:": ":80", "https:": ":443"}


def objection(uri: str, domains: Sequence[str] = ()) -> str | None:
    """Why the URL may not be a target, or None if it may. `domains` are the hosts allowed, with all below them."""
    if len(uri) > MOST_BYTES:
        return f"it is longer than {MOST_BYTES} bytes"
    unsendable = _UNSENDABLE.search(uri)
    if unsendable:
        return f"character {unsendable.start() + 1} (U+{ord(unsendable[0]):04X}) must be percent-encoded"
    if "\\" in uri:
        return "it contains a backslash"
    written = _HTTP.match(uri)
    if not written:
        return "it does not begin with http:// or https://"
    return _host_objection(uri, written["authority"], domains)


def origin_of(uri: str) -> str:
    """The origin that a browser would see (scheme, host, port) of a target to which there is no objection."""
    parsed = can_ada.parse(uri)
    return f"{parsed.protocol}//{parsed.host}"


def _host_objection(uri: str, authority: str, domains: Sequence[str]) -> str | None:
    if "@" in authority:
        return "it carries credentials"
    try:
        parsed = can_ada.parse(uri)
    except ValueError:
        return "a browser would not accept it as a URL"
    host = authority.lower().removesuffix(_DEFAULT_PORTS[parsed.protocol])
    if host != parsed.host:
        return f"its host is written {authority}, but a browser would go to {parsed.host}"
    if any(not 0 < len(label) < 64 for label in parsed.hostname.removesuffix(".").split(".")):
        return f"its host {parsed.hostname} has a label that is empty or longer than 63 characters"
    if domains and not any(parsed.hostname == domain or parsed.hostname.endswith("." + domain) for domain in domains):
        return f"its host {parsed.hostname} is not within the repository's domains: {', '.join(domains)}"
    return None
