"""Discovery of resolvers, in the order of the LinkID draft ("Resolution Algorithm", step 1).

The sources are the well-known URI of a domain (RFC 8615), its SRV records `_linkid._https` (RFC 2782), and the default
resolver. Each is queried only after the earlier ones failed. A domain may name another host, but only over HTTPS.

>>> [found.template for found in resolvers(["https://id.example.org"])]
['https://id.example.org/resolve/{id}', 'https://resolver.linkid.org/resolve/{id}']
>>> well_known_url("id.example.org")
'https://id.example.org/.well-known/linkid-resolver'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

import can_ada

from coolid.client.errors import BadAnswer, ClientError, RefusedByClient
from coolid.client.http_get import TIMEOUT_SECONDS
from coolid.client.redirects import follow
from coolid.client.request_url import template_of
from coolid.client.srv_records import Service, query_services
from coolid.client.url_policy import checked, is_loopback, redirect_target

DEFAULT_RESOLVER: Final = "https://resolver.linkid.org/"
WELL_KNOWN_PATH: Final = "/.well-known/linkid-resolver"
MAX_ENDPOINTS: Final = 5

_ENDPOINT_MEMBERS: Final = ("resolution_endpoint", "endpoint", "resolver")
"""coolid serves the first; the draft does not define the document, so other services may use the other names."""


@dataclass(frozen=True, slots=True)
class DiscoveredResolver:
    """A resolver with the URL `template` of its resolution endpoint."""

    template: str


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
) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    """Yield the resolvers to query, best first; each source is queried only when its turn comes.

    The `chosen` ones come first. `nameserver` is an address (`127.0.0.1:5353`) that replaces the system's. Raises
    `RefusedByClient` before any request if the URL policy forbids a chosen resolver, the default one or the domain.
    """
    firsts = [DiscoveredResolver(template_of(endpoint)) for endpoint in chosen]
    lasts = [DiscoveredResolver(template_of(default))] if default else []
    address = well_known_url(domain) if domain else None

    def in_order() -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
        yield from firsts
        if address:
            yield from _from_well_known(address, seconds)
            yield from _from_dns(address, nameserver)
        yield from lasts

    return _without_repeats(in_order())


def well_known_url(domain: str) -> str:
    """Return the URL of a domain's discovery document, with `http` for this machine. Raises `RefusedByClient`."""
    if any(symbol in domain for symbol in "/?#@\\"):
        raise RefusedByClient(f"{domain} is not a domain")
    scheme = "http" if is_loopback(f"http://{domain}") else "https"
    return checked(f"{scheme}://{domain}{WELL_KNOWN_PATH}")


def endpoints(document: Any, address: str) -> tuple[str, ...]:
    """Return the templates in the discovery document of this URL. Raises `BadAnswer` or `RefusedByClient`.

    >>> document = {"resolution_endpoint": "https://id.example.org/resolve/{id}"}
    >>> endpoints(document, "https://example.org" + WELL_KNOWN_PATH)
    ('https://id.example.org/resolve/{id}',)
    """
    members = document if isinstance(document, dict) else {}
    value = next((members[name] for name in _ENDPOINT_MEMBERS if name in members), None)
    listed = [endpoint for endpoint in (value if isinstance(value, list) else [value]) if isinstance(endpoint, str)]
    if not listed:
        raise BadAnswer("its discovery document names no resolution_endpoint")
    templates = [template_of(endpoint) for endpoint in listed[:MAX_ENDPOINTS]]
    for template in templates:
        redirect_target(address, template)
    return tuple(templates)


def _without_repeats(
    resolvers: Iterator[DiscoveredResolver | DiscoveryAttempt],
) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    """Yield each resolver once."""
    templates: set[str] = set()
    for found in resolvers:
        if isinstance(found, DiscoveryAttempt):
            yield found
        elif found.template not in templates:
            templates.add(found.template)
            yield found


def _from_well_known(address: str, seconds: float) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    trace = follow(address, accept="application/json", reads_body=lambda answer: answer.status == 200, seconds=seconds)
    if trace.final is None:
        yield DiscoveryAttempt(address, trace.stopped or "no answer")
    elif trace.final.status != 200:
        yield DiscoveryAttempt(address, f"the domain has no discovery document (status {trace.final.status})")
    else:
        try:
            found = endpoints(trace.final.json(), trace.final.url)
        except ClientError as error:
            yield DiscoveryAttempt(address, str(error))
        else:
            yield from map(DiscoveredResolver, found)


def _from_dns(address: str, nameserver: str | None) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    domain = can_ada.parse(address).hostname
    if _is_number(domain):
        return
    name = f"_linkid._https.{domain}"
    try:
        offered = query_services(name, nameserver)
    except ClientError as error:
        yield DiscoveryAttempt(name, str(error))
        return
    for service in offered:
        try:
            yield DiscoveredResolver(_template(service, address))
        except RefusedByClient as error:
            yield DiscoveryAttempt(f"{name} ({service.host}:{service.port})", str(error))


def _template(service: Service, address: str) -> str:
    template = template_of(f"https://{service.host}:{service.port}/")
    redirect_target(address, template)
    return template


def _is_number(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
