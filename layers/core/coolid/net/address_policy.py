"""The addresses that outgoing requests may connect to: the public Internet, and the networks that an operator adds.

Sources: IANA's registries "IPv4 Special-Purpose Address Space", "IPv6 Special-Purpose Address Space" (RFC 6890, RFC
8190), "IPv4 Multicast Address Space" and "Internet Protocol Version 6 Address Space". Python's own tables differ
between releases. Blocks whose global reachability the registries leave open are refused. A few small blocks are refused
as a whole, although the registries except anycast addresses in them: no website has one.

>>> from ipaddress import ip_address
>>> [is_public(ip_address(each)) for each in ("93.184.215.14", "169.254.169.254", "100.64.0.1", "::ffff:8.8.8.8")]
[True, False, False, False]
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

Address = IPv4Address | IPv6Address

_NOT_PUBLIC: Final = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network; 0.0.0.0 is this machine to Linux
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # behind carriers' NAT (RFC 6598)
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local; clouds serve their machines' credentials there
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # IETF protocol assignments
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.88.99.0/24",  # relays of 6to4, deprecated (RFC 7526)
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking (RFC 2544)
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, the broadcast address included
    )
)
_UNICAST: Final = IPv6Network("2000::/3")
"""The IPv6 space that IANA allocates; it contains no private, local, multicast or IPv4-mapped address."""
_NOT_PUBLIC_6: Final = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # IETF protocol assignments, Teredo and benchmarking among them
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4: leads to the IPv4 address that it contains
        "3fff::/20",  # documentation (RFC 9637)
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""DNS64 addresses for IPv4-only names in IPv6-only networks (RFC 6052); the last 32 bits are the IPv4 address."""


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public Internet."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _NOT_PUBLIC)
    if address.scope_id:  # valid on one machine only
        return False
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in _UNICAST and not any(address in block for block in _NOT_PUBLIC_6)


class AddressPolicy:
    """Allows the public Internet and `networks` in CIDR form. Raises `ValueError` for an invalid network."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._extra = tuple(ip_network(network) for network in networks)

    def allows(self, address: Address) -> bool:
        """Return whether a connection is allowed. An IPv4 network does not cover IPv4-mapped IPv6 addresses."""
        if isinstance(address, IPv6Address) and address.scope_id:
            return False
        return is_public(address) or any(address in network for network in self._extra)
