"""DNS SRV queries for the hosts that offer a service at a domain.

Specification: RFC 2782. The lowest priority is tried first; within one priority the order is random by weight, so that
clients spread over the hosts. A target of `.` means that the domain does not offer the service.
"""

from typing import Any, Final

from coolid.client.errors import RefusedByClient, Unreachable

TIMEOUT_SECONDS: Final = 5.0
MAX_SERVICES: Final = 16
_DNS_PORT: Final = 53


def query_services(name: str, nameserver: str | None = None) -> tuple[str, ...]:
    """Return the hosts with ports of the services at a name such as `_linkid._https.example.org`, best first.

    `nameserver` (`127.0.0.1:5353`) replaces the system's. Raises `RefusedByClient` if it is invalid, and `Unreachable`
    if DNS fails.
    """
    import dns.exception
    import dns.resolver

    try:
        resolver = dns.resolver.Resolver(configure=nameserver is None)
        if nameserver is not None:
            address, _, port = nameserver.rpartition(":")
            resolver.nameservers = [address.strip("[]")]
            resolver.port = int(port or _DNS_PORT)
        answer = resolver.resolve(name.rstrip(".") + ".", "SRV", lifetime=TIMEOUT_SECONDS, search=False)
    except ValueError:
        raise RefusedByClient(f"{nameserver} is not the address and port of a name server") from None
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except dns.exception.DNSException as error:
        raise Unreachable(f"DNS did not answer: {error}") from None
    assert answer.rrset is not None
    ordered: list[Any] = answer.rrset.processing_order()
    hosts = [(each.target.to_text().rstrip("."), each.port) for each in ordered]
    return tuple(f"{host}:{port}" for host, port in hosts if host)[:MAX_SERVICES]
