"""Discovery of resolvers, in the order of the LinkID draft, revision 00 ("Resolution Algorithm", step 1).

The sources are the well-known URI of a domain (RFC 8615), its SRV records `_linkid._https` (RFC 2782), and the default
resolver. Each is queried only after the earlier ones failed. A domain may name another host, but only over HTTPS.

Within one priority, the order of SRV records is random by weight, so that clients spread over the hosts. A target of
`.` means that the domain does not offer the service.

>>> list(resolvers(["https://id.example.org"]))
['https://id.example.org/resolve/{id}', 'https://resolver.linkid.org/resolve/{id}']
>>> well_known_url("id.example.org")
'https://id.example.org/.well-known/linkid-resolver'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import can_ada

from coolid.client.errors import BadAnswer, ClientError, RefusedByClient, Unreachable
from coolid.client.http_request import TIMEOUT_SECONDS
from coolid.client.redirects import follow
from coolid.client.request_url import template_of
from coolid.client.single_request import run_alone
from coolid.client.url_policy import checked, is_loopback, redirect_target
from coolid.net.name_resolution import is_address

DEFAULT_RESOLVER: Final = "https://resolver.linkid.org/"
WELL_KNOWN_PATH: Final = "/.well-known/linkid-resolver"
MAX_ENDPOINTS: Final = 5
DNS_TIMEOUT_SECONDS: Final = 5.0
MAX_SERVICES: Final = 16
_DNS_PORT: Final = 53

_ENDPOINT_MEMBERS: Final = ("resolution_endpoint", "endpoint", "resolver")
"""coolid serves the first; the draft does not define the document, so other services may use the other names."""


@dataclass(frozen=True, slots=True)
class DiscoveryAttempt:
    """A `resolver`, or a source of resolvers, that cannot be used because of a `problem`."""

    resolver: str
    problem: str


def resolvers(
    chosen: Sequence[str] = (),
    domain: str | None = None,
    *,
    default: str | None = DEFAULT_RESOLVER,
    nameserver: str | None = None,
    seconds: float = TIMEOUT_SECONDS,
) -> Iterator[str | DiscoveryAttempt]:
    """Yield the templates of the resolvers to query, best first; each source is queried only when its turn comes.

    The `chosen` ones come first. `nameserver` is an address (`127.0.0.1:5353`) that replaces the system's. Raises
    `RefusedByClient` before any request if the URL policy forbids a chosen resolver, the default one or the domain.
    """
    firsts = [template_of(endpoint) for endpoint in chosen]
    lasts = [template_of(default)] if default else []
    url = well_known_url(domain) if domain else None
    of_domain = chain(_from_well_known(url, seconds), _from_dns(url, nameserver)) if url else ()
    return _without_repeats(chain(firsts, of_domain, lasts))


def well_known_url(domain: str) -> str:
    """Return the URL of a domain's discovery document, with `http` for this machine. Raises `RefusedByClient`."""
    if any(symbol in domain for symbol in "/?#@\\"):
        raise RefusedByClient(f"{domain} is not a domain")
    scheme = "http" if is_loopback(f"http://{domain}") else "https"
    return checked(f"{scheme}://{domain}{WELL_KNOWN_PATH}")


def endpoints(document: Any, url: str) -> tuple[str, ...]:
    """Return the templates in the discovery document of this URL. Raises `BadAnswer` or `RefusedByClient`.

    >>> document = {"resolution_endpoint": "https://id.example.org/resolve/{id}"}
    >>> endpoints(document, "https://example.org" + WELL_KNOWN_PATH)
    ('https://id.example.org/resolve/{id}',)
    """
    members = document if isinstance(document, dict) else {}
    value = next((members[name] for name in _ENDPOINT_MEMBERS if name in members), None)
    listed = [endpoint for endpoint in (value if isinstance(value, list) else [value]) if isinstance(endpoint, str)]
    if not listed:
        raise BadAnswer("its discovery document has no resolution_endpoint")
    return tuple([_template(endpoint, url) for endpoint in listed[:MAX_ENDPOINTS]])


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
        answer = resolver.resolve(name.rstrip(".") + ".", "SRV", lifetime=DNS_TIMEOUT_SECONDS, search=False)
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


def _without_repeats(found: Iterator[str | DiscoveryAttempt]) -> Iterator[str | DiscoveryAttempt]:
    """Yield each template once."""
    templates: set[str] = set()
    for each in found:
        if isinstance(each, DiscoveryAttempt):
            yield each
        elif each not in templates:
            templates.add(each)
            yield each


def _from_well_known(url: str, seconds: float) -> Iterator[str | DiscoveryAttempt]:
    steps = follow(url, accept="application/json", reads_body=lambda answer: answer.status == 200, seconds=seconds)
    trace = run_alone(steps)
    if trace.final is None:
        yield DiscoveryAttempt(url, trace.stopped or "no answer")
    elif trace.final.status != 200:
        yield DiscoveryAttempt(url, f"the domain has no discovery document (status {trace.final.status})")
    else:
        try:
            yield from endpoints(trace.final.json(), trace.final.url)
        except ClientError as error:
            yield DiscoveryAttempt(url, str(error))


def _from_dns(url: str, nameserver: str | None) -> Iterator[str | DiscoveryAttempt]:
    domain = can_ada.parse(url).hostname
    if is_address(domain.strip("[]")):
        return
    name = f"_linkid._https.{domain}"
    try:
        services = query_services(name, nameserver)
    except ClientError as error:
        yield DiscoveryAttempt(name, str(error))
        return
    for service in services:
        try:
            yield _template(f"https://{service}/", url)
        except RefusedByClient as error:
            yield DiscoveryAttempt(f"{name} ({service})", str(error))


def _template(endpoint: str, source: str) -> str:
    """Return the template of an endpoint named at the URL `source`. Raises `RefusedByClient`."""
    template = template_of(endpoint)
    redirect_target(source, template)
    return template
