"""The addresses at which other registries are asked, for everybody; what they answer is in the modules beside this one.

- `/api/reference/{curie}`, `/api/registry/{prefix}`: as bioregistry.io. An identifier that does not fit its prefix's
  pattern is refused there, and so it is here; `?format=` and `Accept` choose between JSON and YAML.
- `/api/identifiers.org/{[provider/]prefix:id}`: as resolver.api.identifiers.org. Refusals have its envelope; that the
  store does not answer is a problem as everywhere.
- `/.info`, `/.info/{pid}`: as n2t.net and arks.org.
- `/api/v1/converter`: all prefixes, for the `curies` package and others that read extended prefix maps.

What is asked about a record of ours tells where it leads now; what was withdrawn leads nowhere.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from msgspec import Struct

from coolid.errors import (
    BadReference,
    CoolidError,
    InvalidIdentifier,
    NoLocation,
    NotFound,
    UnknownPrefix,
    UnknownProvider,
)
from coolid.http import cache_tags
from coolid.http.accept import JSON
from coolid.http.caching import NO_STORE, VARY, cache_control, refusal_cache_control, with_staleness
from coolid.http.dialects import bioregistry, identifiers_org, n2t, prefix_map
from coolid.http.dialects.json_or_yaml import form_of, written
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.locations import are_steady, reasons, serviceable
from coolid.model.prefixes import Namespace, ProviderPrefix, join, path_of
from coolid.ports import Clock
from coolid.recognition.unwrap import reference_of
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import PrefixMatch, find, lookup
from coolid.registry.references import decode, read
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory
from coolid.resolution.resolver import Decision, DescribePrefix, FoundRecord, ProviderRedirect, WithdrawnRecord, decide
from coolid.store.reader import Prefixes
from coolid.strict_json import dump

REFERENCE: Final = "/api/reference/"
REGISTRY: Final = "/api/registry/"
IDENTIFIERS_ORG: Final = "/api/identifiers.org/"
INFO: Final = "/.info"
CONVERTER: Final = "/api/v1/converter"

SECONDS: Final = 60
LIST_SECONDS: Final = 300
PATIENCE: Final = 5.0
"""Seconds for which the list of all prefixes is waited for."""
DESCRIPTION: Final = "coolid, a resolver of persistent identifiers"

Thing = TypeVar("Thing")


class RegistryEndpoints(Struct, frozen=True):
    """Answers out of `reader`; `base_url` begins every link to ourselves, `directory` has all prefixes at once."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        """Six addresses."""
        return (
            Route(REFERENCE, {"GET": self.reference}, below=True, vary=VARY),
            Route(REGISTRY, {"GET": self.registry}, below=True, vary=VARY),
            Route(IDENTIFIERS_ORG, {"GET": self.identifiers_org}, below=True, vary=VARY),
            Route(INFO, {"GET": self.service}),
            Route(INFO + "/", {"GET": self.info}, below=True, vary=VARY),
            Route(CONVERTER, {"GET": self.prefix_map}),
        )

    def reference(self, request: Request, path: str) -> Response:
        """Where the providers of a CURIE's prefix have its identifier, or where a record of ours is."""
        media_type = form_of(request)
        with self.reader.for_request(stale=False) as reader:
            match = find(read(path), reader)
            decision = decide(match, reader, strict=True)
        match decision:
            case ProviderRedirect():
                document = bioregistry.reference(decision.prefix, decision.identifier)
                return written(document, media_type, _headers(decision.prefix, decision.prefix.ttl))
            case DescribePrefix():
                raise BadReference(f"{decision.prefix.name} is a prefix, and no identifier follows it")
            case FoundRecord():
                now, identifier = self.clock.now(), decision.record.id + decision.beyond
                good = serviceable(decision.locations, now)
                if decision.locations and not good:
                    raise NoLocation(decision.record.pid, reasons(decision.locations, now))
                document = bioregistry.located(_name(decision.prefix), identifier, good)
                return written(document, media_type, _told_headers(decision))
            case WithdrawnRecord():
                document = bioregistry.located(_name(decision.prefix), decision.record.id, ())
                return written(document, media_type, _told_headers(decision), status=410)

    def registry(self, request: Request, path: str) -> Response:
        """What a prefix means."""
        media_type, name = form_of(request), decode(path)
        with self.reader.for_request(stale=False) as reader:
            prefix = lookup(name, reader)
        if prefix is None:
            raise UnknownPrefix(name)
        return written(
            bioregistry.resource(prefix, self.base_url), media_type, _headers(prefix, min(SECONDS, prefix.ttl))
        )

    def identifiers_org(self, _request: Request, path: str) -> Response:
        """Where a compact identifier leads, by each of its providers or by the one that it names."""
        try:
            raw = decode(path)
            with self.reader.for_request() as reader:
                match, decision = self._decided(path, reader)
                staleness = reader.staleness
        except (BadReference, InvalidIdentifier, NotFound) as error:
            return _refused(error)
        if isinstance(decision, WithdrawnRecord):
            return _enveloped(410, NO_STORE, error=f"{decision.record.id} was withdrawn; its tombstone remains")
        resources, identifier = self._resources(match, decision)
        told = identifiers_org.parsed(decision.prefix, identifier, match.provider, raw)
        if not resources:
            return _enveloped(404, NO_STORE, parsed=told, error=f"nobody resolves {raw}")
        document = identifiers_org.envelope(resources, told)
        return with_staleness(written(document, JSON, _told_headers(decision)), staleness)

    def service(self, _request: Request, _path: str) -> Response:
        """What this is, and what identifiers may begin with."""
        document, staleness = self._made(_service)
        return with_staleness(written(document, JSON, {"Cache-Control": cache_control(LIST_SECONDS)}), staleness)

    def info(self, _request: Request, path: str) -> Response:
        """What is known of an identifier, and how it is resolved."""
        pid = decode(path)
        try:
            with self.reader.for_request() as reader:
                match, decision = self._decided(path, reader)
                staleness = reader.staleness
        except UnknownPrefix:
            headers = {"Content-Type": JSON, "Cache-Control": refusal_cache_control(), "Vary": VARY}
            return Response(404, headers, dump(n2t.unknown(pid)))
        target, identifier, status = self._target(decision)
        document = n2t.identified(
            pid,
            match,
            identifier,
            target=target,
            canonical=_canonical(decision.prefix, identifier),
            status=status,
            provider=decision.provider if isinstance(decision, ProviderRedirect) else None,
        )
        return with_staleness(written(document, JSON, _told_headers(decision)), staleness)

    def prefix_map(self, _request: Request, _path: str) -> Response:
        """All prefixes as an extended prefix map."""
        body, staleness = self._made(self._map)
        headers = {"Content-Type": JSON, "Cache-Control": cache_control(LIST_SECONDS)}
        return with_staleness(Response(200, headers, body), staleness)

    def _map(self, prefixes: Prefixes) -> str:
        return prefix_map.write(prefixes, self.base_url)

    def _made(self, make: Callable[[Prefixes], Thing]) -> tuple[Thing, float | None]:
        """What is made of all prefixes, and by how much they are out of date."""
        with self.reader.for_request(patience=PATIENCE) as reader:
            return self.directory.made(make, reader), reader.staleness

    def _decided(self, path: str, reader: RequestReader) -> tuple[PrefixMatch, Decision]:
        """What the reference in a path means, in any of the forms that resolve."""
        match = find(reference_of(path, self.base_url), reader)
        return match, decide(match, reader)

    def _resources(self, match: PrefixMatch, decision: Decision) -> tuple[list[dict[str, Any]], str | None]:
        """The resolved resources, and the identifier as it is understood."""
        match decision:
            case ProviderRedirect():
                only = None if match.provider is None else decision.provider
                return identifiers_org.elsewhere(decision.prefix, decision.identifier, only), decision.identifier
            case FoundRecord():
                good = serviceable(decision.locations, self.clock.now())
                return identifiers_org.here(decision.prefix, good), decision.record.id + decision.beyond
            case _:
                return [identifiers_org.itself(match.prefix, self.base_url)], None

    def _target(self, decision: Decision) -> tuple[str | None, str, int]:
        """Where it would lead, the identifier as it is understood, and the status with which it would be answered."""
        match decision:
            case ProviderRedirect():
                return decision.location, decision.identifier, 302
            case FoundRecord():
                good = serviceable(decision.locations, self.clock.now())
                identifier = decision.record.id + decision.beyond
                if not good:  # for the moment; where there is no location at all, the record is the answer
                    return None, identifier, 404 if decision.locations else 200
                return good[0].uri, identifier, decision.prefix.repository.redirect
            case WithdrawnRecord():
                return None, decision.record.id, 410
            case DescribePrefix():
                return f"{self.base_url}/{path_of(decision.prefix.name)}", "", 200


def _service(prefixes: Prefixes) -> dict[str, Any]:
    return n2t.service(DESCRIPTION, prefixes)


def _canonical(prefix: Namespace | ProviderPrefix, identifier: str) -> str:
    name = _name(prefix)
    return join(name, identifier) if identifier else name


def _name(prefix: Namespace | ProviderPrefix) -> str:
    """The name that PIDs have."""
    return prefix.repository.canonical or prefix.name if isinstance(prefix, Namespace) else prefix.name


def _headers(prefix: Namespace | ProviderPrefix, ttl: int) -> dict[str, str]:
    return {"Cache-Control": cache_control(ttl), cache_tags.HEADER: cache_tags.header_of(prefix), "Vary": VARY}


def _told_headers(decision: Decision) -> dict[str, str]:
    """The headers of an answer that tells where something leads now, or that it leads nowhere any more.

    It is kept no longer than what it tells of.
    """
    if isinstance(decision, ProviderRedirect | DescribePrefix):
        return _headers(decision.prefix, min(SECONDS, decision.prefix.ttl))
    ttl = decision.prefix.repository.ttl_of(decision.record)
    stays = isinstance(decision, FoundRecord) and are_steady(decision.locations)
    return {
        "Cache-Control": cache_control(min(SECONDS, ttl)) if stays else NO_STORE,
        cache_tags.HEADER: cache_tags.header_of(decision.prefix, decision.record),
        "Vary": VARY,
    }


def _refused(error: CoolidError) -> Response:
    """The refusal of a compact identifier: 404 where it is one that nobody resolves, 400 where it is none."""
    is_none = isinstance(error, BadReference | InvalidIdentifier | UnknownPrefix | UnknownProvider)
    return _enveloped(400 if is_none else 404, refusal_cache_control(), error=str(error))


def _enveloped(status: int, caching: str, *, error: str, parsed: dict[str, Any] | None = None) -> Response:
    headers = {"Content-Type": JSON, "Cache-Control": caching, "Vary": VARY}
    return Response(status, headers, dump(identifiers_org.envelope([], parsed, error)))
