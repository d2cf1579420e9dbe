"""DNS SRV queries for the hosts that offer a service at a domain.

Specification: RFC 2782. The lowest priority is tried first; within one priority the order is random by weight, so that
clients spread over the hosts. A target of `.` means that the domain does not offer the service.

>>> service_order([Service(20, 0, "b.example", 443), Service(10, 5, "a.example", 443)])[0].host
'a.example'
>>> service_order([Service(0, 0, "", 0)])
()
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from secrets import randbelow
from typing import Final, NamedTuple

from coolid.client.errors import RefusedByClient, Unreachable

TIMEOUT_SECONDS: Final = 5.0
MAX_SERVICES: Final = 16
_DNS_PORT: Final = 53


class Service(NamedTuple):
    """One SRV record; `host` has no trailing dot and is empty if there is no service."""

    priority: int
    weight: int
    host: str
    port: int


def query_services(name: str, nameserver: str | None = None) -> tuple[Service, ...]:
    """Return the services at a name such as `_linkid._https.example.org`, best first; `Unreachable` if DNS fails.

    `nameserver` (`127.0.0.1:5353`) replaces the system's. Raises `RefusedByClient` if it is invalid.
    """
    import dns.exception
    import dns.resolver

    try:
        resolver = dns.resolver.Resolver(configure=nameserver is None)
        if nameserver is not None:
            address, _, port = nameserver.rpartition(":")
            resolver.nameservers = [address.strip("[]")]
            resolver.port = int(port or _DNS_PORT)
    except ValueError:
        raise RefusedByClient(f"{nameserver} is not the address and port of a name server") from None
    except dns.exception.DNSException as error:
        raise Unreachable(f"DNS cannot be queried: {error}") from None
    try:
        answer = resolver.resolve(name.rstrip(".") + ".", "SRV", lifetime=TIMEOUT_SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except dns.exception.DNSException as error:
        raise Unreachable(f"DNS did not answer: {error}") from None
    return service_order(
        [Service(each.priority, each.weight, each.target.to_text().rstrip("."), each.port) for each in answer]
    )


def service_order(
    records: Sequence[Service], draw: Callable[[int], int] = lambda most: randbelow(most + 1)
) -> tuple[Service, ...]:
    """Return the services in the order to try them; `draw` returns a random number from 0 to its argument inclusive."""
    order: list[Service] = []
    for _, group in groupby(sorted(records), key=lambda record: record.priority):
        # Sorted by weight: RFC 2782 puts weight 0 first, which gives it a very small chance.
        remaining = list(group)
        while remaining:
            lot = draw(sum(record.weight for record in remaining))
            order.append(remaining.pop(_index_of_lot(remaining, lot)))
    return tuple(record for record in order if record.host)[:MAX_SERVICES]


def _index_of_lot(records: Sequence[Service], lot: int) -> int:
    """Return the index of the first record at which the running sum of weights reaches the lot."""
    total = 0
    for index, record in enumerate(records):
        total += record.weight
        if total >= lot:
            return index
    raise ValueError(f"the lot {lot} is larger than all weights together")
