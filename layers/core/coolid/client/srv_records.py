"""Services: who offers one at a domain, from its DNS SRV records.

Specification: RFC 2782. The lowest priority is tried first; within one, the order is drawn by weight, so that clients
spread over the hosts. A target of `.` says that the domain does not offer the service.

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

SECONDS: Final = 5.0
MOST: Final = 16
_DNS_PORT: Final = 53


class Service(NamedTuple):
    """One SRV record; `host` without its last dot, empty where the record says that there is no service."""

    priority: int
    weight: int
    host: str
    port: int


def services(name: str, nameserver: str | None = None) -> tuple[Service, ...]:
    """The services at a name such as `_linkid._https.example.org`, best first; `Unreachable` if DNS does not say.

    `nameserver` is an address and a port to ask instead of the system's (`127.0.0.1:5353`); `RefusedByClient` if it is none.
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
        raise Unreachable(f"DNS cannot be asked: {error}") from None
    try:
        answer = resolver.resolve(name.rstrip(".") + ".", "SRV", lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except dns.exception.DNSException as error:
        raise Unreachable(f"DNS did not say: {error}") from None
    return service_order(
        [Service(each.priority, each.weight, each.target.to_text().rstrip("."), each.port) for each in answer]
    )


def service_order(
    records: Sequence[Service], draw: Callable[[int], int] = lambda most: randbelow(most + 1)
) -> tuple[Service, ...]:
    """The order in which to try them; `draw` gives a random number from 0 to its argument, both included."""
    order: list[Service] = []
    for _, same in groupby(sorted(records), key=lambda record: record.priority):
        # Sorted by weight: RFC 2782 wants those of weight 0 first, so that they are drawn hardly ever, but sometimes.
        left = list(same)
        while left:
            lot = draw(sum(record.weight for record in left))
            order.append(left.pop(_reached(left, lot)))
    return tuple(record for record in order if record.host)[:MOST]


def _reached(records: Sequence[Service], lot: int) -> int:
    """The index of the first record at which the running sum of weights reaches the lot."""
    total = 0
    for index, record in enumerate(records):
        total += record.weight
        if total >= lot:
            return index
    raise ValueError(f"the lot {lot} is larger than all weights together")
