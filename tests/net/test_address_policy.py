"""Which addresses may be connected to."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.net.address_policy import AddressPolicy, is_public

# IANA's registries of special-purpose addresses as of October 2025, with what they say of "Globally Reachable": True
# where they say so; and the blocks of multicast and of what is deprecated.
REGISTRY = {
    "0.0.0.0/8": False, "0.0.0.0/32": False, "10.0.0.0/8": False, "100.64.0.0/10": False, "127.0.0.0/8": False,
    "169.254.0.0/16": False, "172.16.0.0/12": False, "192.0.0.0/24": False, "192.0.0.0/29": False,
    "192.0.0.8/32": False, "192.0.0.9/32": True, "192.0.0.10/32": True, "192.0.0.170/32": False,
    "192.0.0.171/32": False, "192.0.2.0/24": False, "192.31.196.0/24": True, "192.52.193.0/24": True,
    "192.88.99.0/24": False, "192.88.99.2/32": False, "192.168.0.0/16": False, "192.175.48.0/24": True,
    "198.18.0.0/15": False, "198.51.100.0/24": False, "203.0.113.0/24": False, "224.0.0.0/4": False,
    "240.0.0.0/4": False, "255.255.255.255/32": False,
    "::1/128": False, "::/128": False, "::/96": False, "::ffff:0:0/96": False, "64:ff9b:1::/48": False,
    "100::/64": False, "100:0:0:1::/64": False, "2001::/23": False, "2001::/32": False, "2001:1::1/128": True,
    "2001:1::2/128": True, "2001:1::3/128": True, "2001:2::/48": False, "2001:3::/32": True, "2001:4:112::/48": True,
    "2001:10::/28": False, "2001:20::/28": True, "2001:30::/28": True, "2001:db8::/32": False, "2002::/16": False,
    "2620:4f:8000::/48": True, "3fff::/20": False, "5f00::/16": False, "fc00::/7": False, "fe80::/10": False,
    "fec0::/10": False, "ff00::/8": False,
}  # fmt: skip
FORBIDDEN = [ip_network(block) for block, reachable in REGISTRY.items() if not reachable]

of_forbidden_blocks = st.sampled_from(FORBIDDEN).flatmap(
    lambda block: st.integers(int(block[0]), int(block[-1])).map(type(block[0]))
)
of_ipv4 = st.integers(0, 2**32 - 1).map(IPv4Address)
of_ipv6 = st.integers(0, 2**128 - 1).map(IPv6Address) | st.integers(2**125, 2**126 - 1).map(IPv6Address)


@given(of_forbidden_blocks)
def test_no_address_of_a_block_that_is_not_globally_reachable_is_public(address: IPv4Address | IPv6Address) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("block", FORBIDDEN, ids=str)
def test_a_block_that_is_not_globally_reachable_is_forbidden_from_end_to_end(
    block: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> None:
    assert not is_public(block[0])
    assert not is_public(block[-1])


@given(of_ipv4)
def test_every_other_ipv4_address_is_public(address: IPv4Address) -> None:
    assert is_public(address) == (not any(address in block for block in FORBIDDEN))


@given(of_ipv6)
def test_every_public_ipv6_address_was_given_out_as_unicast(address: IPv6Address) -> None:
    if is_public(address):
        assert address in ip_network("2000::/3") or is_public(IPv4Address(int(address) % 2**32))


@given(of_ipv4 | of_ipv6)
def test_what_is_public_is_so_to_python_as_well(address: IPv4Address | IPv6Address) -> None:
    assert address.is_global or not is_public(address)


@given(of_ipv4)
def test_an_ipv4_address_in_clothes_of_ipv6_is_no_more_than_behind_nat64_what_it_is_by_itself(
    address: IPv4Address,
) -> None:
    number = int(address)
    assert is_public(IPv6Address(int(IPv6Address("64:ff9b::")) + number)) == is_public(address)
    for clothes in ("::", "::ffff:0:0", "64:ff9b:1::", "2001::", "2002::"):
        assert not is_public(IPv6Address(int(IPv6Address(clothes)) + number))
    assert not is_public(IPv6Address((0x2002 << 112) + (number << 80)))


@pytest.mark.parametrize("address", ["2606:2800:220:1::1%eth0", "fe80::1%1", "::1%lo"])
def test_an_address_with_a_zone_is_never_reached(address: str) -> None:
    assert not is_public(ip_address(address))
    assert not AddressPolicy(["::/0"]).allows(ip_address(address))


def test_networks_open_what_they_name_and_nothing_else() -> None:
    reach = AddressPolicy(["127.0.0.0/8", "::1/128"])
    assert reach.allows(ip_address("127.1.2.3"))
    assert reach.allows(ip_address("::1"))
    for address in ("10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::127.0.0.1", "::2"):
        assert not reach.allows(ip_address(address))


@pytest.mark.parametrize("network", ["127.0.0.1/8", "localhost", "10.0.0.0/33", ""])
def test_networks_that_are_none_are_refused_at_once(network: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AddressPolicy([network])
