"""Discovery: who resolves, in the order of the LinkID draft ("Resolution Algorithm", step 1).

The well-known URI of a domain (RFC 8615), then its SRV records `_linkid._https` (RFC 2782), then the default
resolver. Each is looked for only when those before it did not answer. What a domain says of itself may lead to
another host, but only over HTTPS.

>>> [found.template for found in resolvers(["https://id.example.org"])]
['https://id.example.org/resolve/{id}', 'https://resolver.linkid.org/resolve/{id}']
>>> well_known("id.example.org")
'https://id.example.org/.well-known/linkid-resolver'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

import can_ada

from coolid.client.errors import BadAnswer, ClientError, RefusedByClient
from coolid.client.http_get import SECONDS
from coolid.client.redirects import follow
from coolid.client.request_url import template_of
from coolid.client.srv_records import Service, services
from coolid.client.url_policy import checked, following, is_loopback

DEFAULT: Final = "https://resolver.linkid.org/"
PATH: Final = "/.well-known/linkid-resolver"
MOST_ENDPOINTS: Final = 5

_ENDPOINT_MEMBERS: Final = ("resolution_endpoint", "endpoint", "resolver")
"""The first is what coolid serves; the draft leaves the document open, and others may choose the other names."""


@dataclass(frozen=True, slots=True)
class DiscoveredResolver:
    """A resolver: the `template` of its resolution endpoint."""

    template: str


@dataclass(frozen=True, slots=True)
class DiscoveryAttempt:
    """A resolver that did not answer, or a place that names none, or none that may be asked; and its `problem`."""

    resolver: str
    problem: str


def resolvers(
    chosen: Sequence[str] = (),
    domain: str | None = None,
    *,
    default: str | None = DEFAULT,
    nameserver: str | None = None,
    seconds: float = SECONDS,
) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    """The resolvers to ask, best first, found one after the other.

    `chosen` come first. `nameserver` is an address (`127.0.0.1:5353`) to ask instead of the system's. Raises `RefusedByClient`
    for a chosen or default resolver, or a domain, that may not be asked: before anybody is asked.
    """
    firsts = [DiscoveredResolver(template_of(endpoint)) for endpoint in chosen]
    lasts = [DiscoveredResolver(template_of(default))] if default else []
    address = well_known(domain) if domain else None

    def in_order() -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
        yield from firsts
        if address:
            yield from _from_well_known(address, seconds)
            yield from _from_dns(address, nameserver)
        yield from lasts

    return _once(in_order())


def well_known(domain: str) -> str:
    """The address of a domain's discovery document; plain http on this machine. Raises `RefusedByClient`."""
    if any(symbol in domain for symbol in "/?#@\\"):
        raise RefusedByClient(f"{domain} is not a domain")
    scheme = "http" if is_loopback(f"http://{domain}") else "https"
    return checked(f"{scheme}://{domain}{PATH}")


def endpoints(document: Any, address: str) -> tuple[str, ...]:
    """The templates in a discovery document that came from this address; `BadAnswer` if it has none, `RefusedByClient`.

    >>> endpoints({"resolution_endpoint": "https://id.example.org/resolve/{id}"}, "https://example.org" + PATH)
    ('https://id.example.org/resolve/{id}',)
    """
    members = document if isinstance(document, dict) else {}
    named = next((members[name] for name in _ENDPOINT_MEMBERS if name in members), None)
    listed = [endpoint for endpoint in (named if isinstance(named, list) else [named]) if isinstance(endpoint, str)]
    if not listed:
        raise BadAnswer("its discovery document names no resolution_endpoint")
    templates = [template_of(endpoint) for endpoint in listed[:MOST_ENDPOINTS]]
    for template in templates:
        following(address, template)
    return tuple(templates)


def _once(
    resolvers: Iterator[DiscoveredResolver | DiscoveryAttempt],
) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    """Nobody is asked twice."""
    given: set[str] = set()
    for found in resolvers:
        if isinstance(found, DiscoveryAttempt):
            yield found
        elif found.template not in given:
            given.add(found.template)
            yield found


def _from_well_known(address: str, seconds: float) -> Iterator[DiscoveredResolver | DiscoveryAttempt]:
    walk = follow(address, accept="application/json", wanted=lambda answer: answer.status == 200, seconds=seconds)
    if walk.final is None:
        yield DiscoveryAttempt(address, walk.stopped or "no answer")
    elif walk.final.status != 200:
        yield DiscoveryAttempt(address, f"the domain has no discovery document (status {walk.final.status})")
    else:
        try:
            found = endpoints(walk.final.json(), walk.final.url)
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
        offered = services(name, nameserver)
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
    following(address, template)
    return template


def _is_number(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
