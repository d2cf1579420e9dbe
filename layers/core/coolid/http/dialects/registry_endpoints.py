"""The public endpoints with the APIs of other registries.

- `/api/reference/{curie}`, `/api/registry/{prefix}`: as bioregistry.io. An identifier that does not match its prefix's
  pattern is refused, as there. `?format=` and `Accept` select JSON or YAML.
- `/api/identifiers.org/{[provider/]prefix:id}`: as resolver.api.identifiers.org. Errors have its envelope, except that
  an unavailable store is a problem as everywhere.
- `/.info`, `/.info/{pid}`: as n2t.net and arks.org.
- `/api/v1/converter`: all prefixes as an extended prefix map, for the `curies` package and others.

An answer about a record contains the locations that are valid now; a withdrawn record has none.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier, NoLocation, NotFound, UnknownPrefix, UnknownProvider
from coolid.http.accept import JSON
from coolid.http.caching import (
    CACHE_TAG,
    NO_STORE,
    VARY,
    cache_control,
    cache_tags_of,
    refusal_cache_control,
    ttl_of,
    with_staleness,
)
from coolid.http.dialects import bioregistry, identifiers_org, n2t, prefix_map
from coolid.http.dialects.bioregistry import document_response, requested_media_type
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.locations import are_time_independent, invalidity_reasons, valid_locations
from coolid.model.prefixes import Namespace, ProviderPrefix, join, path_of
from coolid.model.records import Location
from coolid.ports import Clock
from coolid.recognition.unwrap import reference_of_parameter
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, prefix_named
from coolid.registry.references import decode, parse_parameter
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.resolver import Decision, DescribePrefix, FoundRecord, ProviderRedirect, WithdrawnRecord, decide
from coolid.store.prefixes import Prefixes
from coolid.strict_json import dump

REFERENCE: Final = "/api/reference/"
REGISTRY: Final = "/api/registry/"
INFO: Final = "/.info"

MAX_CACHE_SECONDS: Final = 60
LIST_CACHE_SECONDS: Final = 300
LIST_TIMEOUT_SECONDS: Final = 5.0
"""The timeout of reading all prefixes."""


class RegistryEndpoints(Struct, frozen=True):
    """Answers from `reader`; `base_url` is this service's URL, `directory` has all prefixes."""

    reader: CachingReader
    clock: Clock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(REFERENCE, {"GET": self.reference}, below=True, vary=VARY),
            Route(REGISTRY, {"GET": self.registry}, below=True, vary=VARY),
            Route("/api/identifiers.org/", {"GET": self.identifiers_org}, below=True, vary=VARY),
            Route(INFO, {"GET": self.service}),
            Route(INFO + "/", {"GET": self.info}, below=True, vary=VARY),
            Route("/api/v1/converter", {"GET": self.prefix_map}),
        )

    def reference(self, request: Request, path: str) -> Response:
        """Return the URLs of a CURIE at its prefix's providers, or the locations of its record."""
        media_type = requested_media_type(request)
        with self.reader.for_request(stale=False) as reader:
            decision = decide(find_prefix(parse_parameter(path), reader), reader, strict=True)
        if isinstance(decision, ProviderRedirect):
            document = bioregistry.provider_reference(decision.prefix, decision.identifier)
            return document_response(document, media_type, _headers(decision.prefix, decision.prefix.ttl))
        if isinstance(decision, DescribePrefix):
            raise BadReference(f"{decision.prefix.name} is a prefix, and no identifier follows it")
        identifier, locations = self._identifier_and_locations(decision)
        if isinstance(decision, FoundRecord) and decision.locations and not locations:
            raise NoLocation(decision.record.pid, invalidity_reasons(decision.locations, self.clock.now()))
        document = bioregistry.record_reference(_name(decision.prefix), identifier, locations)
        status = 410 if isinstance(decision, WithdrawnRecord) else 200
        return document_response(document, media_type, _decision_headers(decision), status=status)

    def registry(self, request: Request, path: str) -> Response:
        """Return the description of a prefix."""
        media_type = requested_media_type(request)
        with self.reader.for_request(stale=False) as reader:
            prefix = prefix_named(decode(path), reader)
        headers = _headers(prefix, min(MAX_CACHE_SECONDS, prefix.ttl))
        return document_response(bioregistry.prefix_resource(prefix, self.base_url), media_type, headers)

    def identifiers_org(self, _request: Request, path: str) -> Response:
        """Return the URLs of a compact identifier, at each of its providers or at the one that it names."""
        try:
            raw = decode(path)
            match, decision, staleness = self._decide(path)
        except (BadReference, InvalidIdentifier, NotFound) as error:
            is_invalid = isinstance(error, BadReference | InvalidIdentifier | UnknownPrefix | UnknownProvider)
            return _error_envelope(400 if is_invalid else 404, refusal_cache_control(), error=str(error))
        if isinstance(decision, WithdrawnRecord):
            return _error_envelope(410, NO_STORE, error=f"{decision.record.id} was withdrawn; its tombstone remains")
        resources, identifier = self._resources(match, decision)
        parsed = identifiers_org.parsed_identifier(decision.prefix, identifier, match.provider, raw)
        if not resources:
            return _error_envelope(404, NO_STORE, parsed=parsed, error=f"no resolver has {raw}")
        document = identifiers_org.envelope(resources, parsed)
        return with_staleness(document_response(document, JSON, _decision_headers(decision)), staleness)

    def service(self, _request: Request, _path: str) -> Response:
        """Return the description of the service and its schemes."""
        return self._from_prefixes(_service)

    def info(self, _request: Request, path: str) -> Response:
        """Return the description of an identifier and its target."""
        pid = decode(path)
        try:
            match, decision, staleness = self._decide(path)
        except UnknownPrefix:
            headers = {"Content-Type": JSON, "Cache-Control": refusal_cache_control(), "Vary": VARY}
            return Response(404, headers, dump(n2t.unknown_document(pid)))
        target, identifier, status = self._target(decision)
        name = _name(decision.prefix)
        document = n2t.identifier_document(
            pid,
            match,
            identifier,
            target=target,
            canonical=join(name, identifier) if identifier else name,
            status=status,
            provider=decision.provider if isinstance(decision, ProviderRedirect) else None,
        )
        return with_staleness(document_response(document, JSON, _decision_headers(decision)), staleness)

    def prefix_map(self, _request: Request, _path: str) -> Response:
        """Return all prefixes as an extended prefix map."""
        return self._from_prefixes(self._map)

    def _map(self, prefixes: Prefixes) -> str:
        return prefix_map.write(prefixes, self.base_url)

    def _from_prefixes(self, write: Callable[[Prefixes], str]) -> Response:
        """Return the JSON that `write` makes of all prefixes; it is cached by the function."""
        with self.reader.for_request(max_wait_seconds=LIST_TIMEOUT_SECONDS) as reader:
            body, staleness = self.directory.derive(write, reader), reader.staleness
        headers = {"Content-Type": JSON, "Cache-Control": cache_control(LIST_CACHE_SECONDS)}
        return with_staleness(Response(200, headers, body), staleness)

    def _decide(self, path: str) -> tuple[PrefixMatch, Decision, float | None]:
        """Return the match, decision and staleness of the reference in a path, in any form that resolves."""
        with self.reader.for_request() as reader:
            match = find_prefix(reference_of_parameter(path, self.base_url), reader)
            return match, decide(match, reader), reader.staleness

    def _identifier_and_locations(self, decision: FoundRecord | WithdrawnRecord) -> tuple[str, Sequence[Location]]:
        """Return the parsed identifier, and the locations that are valid now."""
        if isinstance(decision, WithdrawnRecord):
            return decision.record.id, ()
        valid = valid_locations(decision.locations, self.clock.now())
        return decision.record.id + decision.extension_text, valid

    def _resources(self, match: PrefixMatch, decision: Decision) -> tuple[list[dict[str, Any]], str | None]:
        """Return the resolved resources and the parsed identifier."""
        if isinstance(decision, ProviderRedirect):
            only = None if match.provider is None else decision.provider
            resources = identifiers_org.provider_resources(decision.prefix, decision.identifier, only)
            return resources, decision.identifier
        if isinstance(decision, FoundRecord):
            identifier, locations = self._identifier_and_locations(decision)
            return identifiers_org.location_resources(decision.prefix, locations), identifier
        return [identifiers_org.prefix_resource(match.prefix, self.base_url)], None

    def _target(self, decision: Decision) -> tuple[str | None, str, int]:
        """Return the target, the parsed identifier, and the status of its resolution."""
        if isinstance(decision, ProviderRedirect):
            return decision.location, decision.identifier, 302
        if isinstance(decision, DescribePrefix):
            return f"{self.base_url}/{path_of(decision.prefix.name)}", "", 200
        identifier, locations = self._identifier_and_locations(decision)
        if locations:
            return locations[0].uri, identifier, decision.prefix.repository.redirect
        if isinstance(decision, WithdrawnRecord):
            return None, identifier, 410
        return None, identifier, 404 if decision.locations else 200  # without locations, a record answers with itself


def _service(prefixes: Prefixes) -> str:
    return dump(n2t.service_document("coolid, a resolver of persistent identifiers", prefixes))


def _name(prefix: Namespace | ProviderPrefix) -> str:
    """Return the prefix of canonical PIDs."""
    return prefix.cited if isinstance(prefix, Namespace) else prefix.name


def _headers(prefix: Namespace | ProviderPrefix, ttl: int) -> dict[str, str]:
    return {"Cache-Control": cache_control(ttl), CACHE_TAG: cache_tags_of(prefix), "Vary": VARY}


def _decision_headers(decision: Decision) -> dict[str, str]:
    """Return the headers of an answer that contains the result of a decision, cacheable no longer than that."""
    if isinstance(decision, ProviderRedirect | DescribePrefix):
        return _headers(decision.prefix, min(MAX_CACHE_SECONDS, decision.prefix.ttl))
    ttl = ttl_of(decision.record, decision.prefix.repository)
    is_steady = isinstance(decision, FoundRecord) and are_time_independent(decision.locations)
    return {
        "Cache-Control": cache_control(min(MAX_CACHE_SECONDS, ttl)) if is_steady else NO_STORE,
        CACHE_TAG: cache_tags_of(decision.prefix, decision.record),
        "Vary": VARY,
    }


def _error_envelope(status: int, caching: str, *, error: str, parsed: dict[str, Any] | None = None) -> Response:
    headers = {"Content-Type": JSON, "Cache-Control": caching, "Vary": VARY}
    return Response(status, headers, dump(identifiers_org.envelope([], parsed, error)))
