"""The resolvers to query for a LinkID, in order, each with the source that named it.

Specification: draft-linkgenetic-linkid-uri-01, section 5.1. The order is: the list of trusted resolvers, the resolvers
that were chosen by an option, a variable or a profile, those of a domain, and the default one. Issuers of the list and
of chosen resolvers are trusted as authorities. The issuer of another resolver is trusted only if there are none of
these, because a resolver gains no authority over the LinkIDs of others when those are down.

>>> from coolid.linkid.trusted_resolvers import parse_resolvers
>>> sources = ResolverSources(parse_resolvers('{"resolvers": [{"issuer": "https://a.example"}]}'), ["https://b.example"])
>>> found = list(sources)
>>> [(each.resolver.issuer, each.source) for each in found if isinstance(each, NamedResolver)]
[('https://a.example', 'list'), ('https://b.example', 'chosen')]
>>> sources.authorities(found[1])
('https://a.example', 'https://b.example')
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from coolid.client.discovery import DiscoveryAttempt, resolvers
from coolid.client.errors import RefusedByClient
from coolid.client.http_request import TIMEOUT_SECONDS
from coolid.client.request_url import ID, template_of
from coolid.linkid.trusted_resolvers import EXPRESSION, TrustedResolver, TrustedResolvers

LIST: Final = "list"
CHOSEN: Final = "chosen"
DOMAIN: Final = "domain"
DEFAULT: Final = "default"
REFERRAL: Final = "referral"
CONFIGURED: Final = frozenset({LIST, CHOSEN})
"""The sources whose resolvers all have to answer before a LinkID is reported as unknown."""

MEANINGS: Final = {
    LIST: "your list of trusted resolvers",
    CHOSEN: "your choice of a resolver or service",
    DOMAIN: "the domain that you named",
    DEFAULT: "the default of coolid, because no other resolver answered",
    REFERRAL: "a transfer of custody by the earlier authority",
}
_RESOLVE: Final = "/resolve/"


class NamedResolver(Struct, frozen=True):
    """A resolver and the source that named it."""

    resolver: TrustedResolver
    source: str


class ResolverSources:
    """Iterates over the resolvers; later sources are queried only when their turn comes. See `discovery.resolvers`.

    Raises `RefusedByClient` if the URL policy forbids a resolver.
    """

    def __init__(
        self,
        trusted: TrustedResolvers,
        chosen: Sequence[str] = (),
        domain: str | None = None,
        default: str | None = None,
        *,
        nameserver: str | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self.trusted = trusted
        self._chosen = [self._resolver(template_of(endpoint)) for endpoint in chosen]
        self._default = self._resolver(template_of(default)) if default else None
        self._domain = domain
        self._of_domain = resolvers((), domain, default=None, nameserver=nameserver, seconds=seconds) if domain else ()

    def authorities(self, named: NamedResolver) -> tuple[str, ...]:
        """Return the issuers that are trusted as authorities when this resolver answers, most trusted first."""
        issuers = (*self.trusted.issuers, *(each.issuer for each in self._chosen)) or (named.resolver.issuer,)
        return tuple(dict.fromkeys(issuers))

    def __iter__(self) -> Iterator[NamedResolver | DiscoveryAttempt]:
        endpoints = set[str]()
        for each in self._all():
            if isinstance(each, DiscoveryAttempt):
                yield each
            elif each.resolver.endpoint not in endpoints:
                endpoints.add(each.resolver.endpoint)
                yield each

    def resolver_of(self, issuer: str) -> TrustedResolver:
        """Return the resolver of an issuer: the configured one, or that of its own URL. Raises `RefusedByClient`."""
        configured = self.trusted.of(issuer)
        if configured is not None and configured.retired:
            raise RefusedByClient(f"{issuer} is retired in the list of trusted resolvers")
        return configured or self._resolver(template_of(issuer))

    def _all(self) -> Iterator[NamedResolver | DiscoveryAttempt]:
        for resolver in self.trusted.live:
            yield NamedResolver(resolver, LIST)
        for resolver in self._chosen:
            yield NamedResolver(resolver, CHOSEN)
        for found in self._of_domain:
            yield found if isinstance(found, DiscoveryAttempt) else NamedResolver(self._resolver(found), DOMAIN)
        if self._default is not None:
            yield NamedResolver(self._default, DEFAULT)

    def _resolver(self, template: str) -> TrustedResolver:
        """Return the resolver of a template with `{id}`: its issuer is the URL before `/resolve/`."""
        issuer = template.partition(_RESOLVE if _RESOLVE in template else ID)[0].rstrip("/")
        configured = self.trusted.of(issuer)
        keys = configured.keys if configured else ()
        return TrustedResolver(issuer, template.replace(ID, EXPRESSION), keys)
