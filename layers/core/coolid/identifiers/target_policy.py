"""The target policy: which URLs a record may point to, parsed as browsers do (WHATWG URL Standard).

A target is checked when it is written and never repaired: an accepted URL is stored and sent byte for byte.
`objection` is binding. `warning` reports allowed but unusual targets: lookalike names (UTS 39), and hosts that are not
public. Rejecting the latter would break systems on an intranet and protect nobody, because any public name may have a
private address. `domain_objection` checks a repository's allowed domains.

>>> objection("https://example.org\\\\@evil.com")
'it contains a backslash'
>>> objection("http://0x7f000001/")
'its host is written 0x7f000001, but a browser would go to 127.0.0.1'
>>> warning("http://127.0.0.1/")
'its host 127.0.0.1 is not on the public Internet'
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

import can_ada

MAX_BYTES: Final = 2048
_MAX_NAME: Final = 253

_HTTP: Final = re.compile(r"(?i:https?)://(?P<authority>[^/?#]*)")
_UNSENDABLE: Final = re.compile(r"[^\x21-\x7e]")
_NAME: Final = re.compile(r"[a-z0-9._-]+")
_DEFAULT_PORTS: Final = {"http:": ":80", "https:": ":443"}
# Fetch Standard, section "Port blocking": ports of other protocols, which no browser uses for HTTP.
BLOCKED_PORTS: Final = frozenset(
    {
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
        109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
        526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
        3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip
# IPv4-compatible and IPv4-mapped (RFC 4291), NAT64 (RFC 6052, 8215), Teredo (RFC 4380), 6to4 (RFC 3056).
_IPV4_IN_IPV6: Final = tuple(
    IPv6Network(network) for network in ("::/80", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)
_IPV6_LOOPBACK: Final = IPv6Address("::1")
_CONTINUATIONS: Final = "/.;&"
"""Characters that may follow the path of a target; letters, digits and hyphens would make it another name."""
# RFC 6761, RFC 6762, and ICANN's private-use name. Not `example`, because documentation uses it.
_PRIVATE_NAMES: Final = frozenset({"internal", "invalid", "local", "localhost", "test"})


def objection(uri: str, domains: Sequence[str] = (), denied_domains: Sequence[str] = ()) -> str | None:
    """Return why the URL may not be a target, or None.

    `domains` are the allowed hosts, all if empty, and `denied_domains` the denied ones, both with their subdomains.
    """
    if len(uri) > MAX_BYTES:
        return f"it is longer than {MAX_BYTES} bytes"
    written = _HTTP.match(uri)
    if not written:
        return "it does not begin with http:// or https://"
    unsendable = _UNSENDABLE.search(uri)
    if unsendable:
        return f"character {unsendable.start() + 1} (U+{ord(unsendable[0]):04X}) must be percent-encoded"
    if "\\" in uri:
        return "it contains a backslash"
    return _host_objection(uri, written["authority"], domains, denied_domains)


def is_within(uri: str, domains: Sequence[str]) -> bool:
    """Return whether the host of a URL is one of the domains or a subdomain of one, as browsers parse it.

    A URL that browsers refuse has no host.

    >>> is_within("https://a.example.org/", ["example.org"]), is_within("https://anexample.org/", ["example.org"])
    (True, False)
    """
    try:
        return _is_host_within(can_ada.parse(uri).hostname, domains)
    except ValueError:
        return False


def warning(uri: str) -> str | None:
    """Return the objection to a stored target, which a newer rule may have, else a warning in ASCII, or None."""
    reason = objection(uri)
    if reason:
        return reason
    host: str = can_ada.parse(uri).hostname
    address = _address(host)
    labels = host.removesuffix(".").split(".")
    is_public = address.is_global if address else labels[-1] not in _PRIVATE_NAMES and len(labels) > 1
    if not is_public:
        return f"its host {host} is not on the public Internet"
    if "xn--" not in host:
        return None
    from coolid.identifiers.confusable_hosts import label_warning

    return next((f"its host {host}: {reason}" for label in labels if (reason := label_warning(label))), None)


def host_objection(domain: str) -> str | None:
    """Return why the text is no host name or address as browsers write it, or None."""
    uri = f"https://{domain}/"
    reason = objection(uri)
    if reason:
        return reason
    host: str = can_ada.parse(uri).hostname
    return "it is not a host name as browsers write it" if host != domain or domain.endswith(".") else None


def domain_objection(domain: str) -> str | None:
    """Return why a repository cannot confine its targets to the domain, or None."""
    reason = host_objection(domain)
    if reason or _address(domain):
        return reason
    from coolid.identifiers.public_suffixes import is_public, public_suffix_below

    if is_public(domain):
        return "it is a public suffix, below which anybody can register a name"
    below = public_suffix_below(domain)
    return below and f"the public suffix {below}, below which anybody can register a name, is below it; name your hosts"


def addition_objection(target: str, addition: str, rest: str = "", *, domains: Sequence[str] = ()) -> str | None:
    """Return why `target + addition + rest` is not part of the target `target + rest`, or None if it is.

    Parsed as browsers do, both must have the same origin. The longer path must be that of the target, or continue it at
    a slash or one of `_CONTINUATIONS`. It may have no dot segments in any reading of
    `coolid.identifiers.path_traversal`. `rest` is a query or fragment, or empty.
    """
    from coolid.identifiers.path_traversal import has_dot_segments

    longer = target + addition + rest
    reason = objection(longer, domains)
    if reason:
        return reason
    if has_dot_segments(target, addition):
        return "it has a segment of dots, which could lead out of the target"
    return None if _is_part_of(longer, target + rest) else "it would lead to another place of the web"


def origin_of(uri: str) -> str:
    """Return the origin (scheme, host, port), as browsers parse it, of a target without objection."""
    parsed = can_ada.parse(uri)
    return f"{parsed.protocol}//{parsed.host}"


def _is_part_of(longer: str, uri: str) -> bool:
    """Return whether a URL has another's origin, and its path or a continuation of it, as browsers parse them."""
    if origin_of(longer) != origin_of(uri):
        return False
    before, after = str(can_ada.parse(uri).pathname), str(can_ada.parse(longer).pathname)
    continuation = after.removeprefix(before)
    if not after.startswith(before):
        return False
    return before.endswith("/") or continuation[:1] in ("", *_CONTINUATIONS)


def _is_host_within(host: str, domains: Sequence[str]) -> bool:
    host = host.removesuffix(".")
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def _host_objection(uri: str, authority: str, domains: Sequence[str], denied_domains: Sequence[str]) -> str | None:
    if "@" in authority:
        return "it carries credentials"
    try:
        parsed = can_ada.parse(uri)
    except ValueError:
        return "a browser would not accept it as a URL"
    written = authority.lower().removesuffix(_DEFAULT_PORTS[parsed.protocol])
    host: str = parsed.hostname
    if written != parsed.host:
        return f"its host is written {authority}, but a browser would go to {parsed.host}"
    if parsed.port and int(parsed.port) in BLOCKED_PORTS:
        return f"browsers do not go to port {parsed.port}"
    reason = _name_objection(host)
    if reason is None and denied_domains and _is_host_within(host, denied_domains):
        return f"the repository denies its host {host}"
    if reason is None and domains and not any(host == domain or host.endswith("." + domain) for domain in domains):
        reason = f"its host {host} is not within the repository's domains: {', '.join(domains)}"
    return reason


def _name_objection(host: str) -> str | None:
    """Return why a host is not the name or address of one machine, or None."""
    address = _address(host)
    if address is None and not _NAME.fullmatch(host):
        return f"its host {host} has a character that no host name has"
    if address is not None and not _is_one_host(address):
        return f"its host {host} is not the plain address of one machine"
    labels = host.removesuffix(".").split(".")
    if any(not 0 < len(label) < 64 for label in labels) or len(host) > _MAX_NAME:
        return f"its host {host} is longer than {_MAX_NAME} characters, or has a label that is empty or longer than 63"
    if any(label.startswith("xn--") and _is_ascii_only(label) for label in labels):
        return f"its host {host} has a label that begins with xn-- and stands for no other script"
    return None


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address that a host in browser form is, or None; any host ending in a number is an IPv4 address."""
    if host.startswith("["):
        return IPv6Address(host[1:-1])
    return IPv4Address(host) if host.rpartition(".")[2].isdecimal() else None


def _is_one_host(address: IPv4Address | IPv6Address) -> bool:
    """Return whether it is the address of one host, and not an IPv4 address embedded in IPv6."""
    if address == _IPV6_LOOPBACK:
        return True
    if isinstance(address, IPv6Address) and any(address in network for network in _IPV4_IN_IPV6):
        return False
    return not (address.is_unspecified or address.is_link_local or address.is_multicast or address.is_reserved)


def _is_ascii_only(label: str) -> bool:
    """Return whether an A-label (RFC 5890) decodes to ASCII alone, or not at all; older parsers accept these."""
    try:
        return label[4:].encode("ascii").decode("punycode").isascii()
    except UnicodeError:
        return True
