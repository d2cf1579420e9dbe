"""The public endpoint that reads handles: `GET /api/handles/{handle}`.

Specification: Handle.Net Technical Manual, section 14. `?index=` and `?type=`, both repeatable, select values. `?auth`
bypasses the reader cache. All values are public, so `?publicOnly` has no effect. A handle without a selected value is
answered with 200. A withdrawn handle does not exist; the message says when and why it was withdrawn.
"""

from msgspec import Struct

from coolid.errors import UnregisteredIdentifier
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.caching import (
    CACHE_TAG,
    NO_STORE,
    cache_control,
    cache_control_for,
    cache_tags_of,
    refusal_cache_control,
    ttl_of,
    with_staleness,
)
from coolid.http.dialects.handle import addresses, record_mapping
from coolid.http.dialects.handle import response_codes as codes
from coolid.http.dialects.handle.values import admin_value, url_value
from coolid.http.dialects.record_places import RecordPlace
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.locations import locations_of, next_validity_change
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, WITHDRAWN, format_time
from coolid.ports import Clock
from coolid.registry.references import parse_reference
from coolid.resolution.caching_reader import CachingReader, CachingRequestReader


class HandleReadEndpoint(Struct, frozen=True):
    """Reads handles from `reader`; `base_url` is this service's URL, `on_error` receives each error."""

    reader: CachingReader
    clock: Clock
    base_url: str
    on_error: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """Return the route of the handles, which the write endpoint shares."""
        return (Route(addresses.HANDLES, {"GET": self.get}, below=True, other_methods=("PUT", "DELETE")),)

    def get(self, request: Request, path: str) -> Response:
        """Return the values of a handle."""
        response = codes.responding(self._get, self.on_error)(request, path)
        if codes.is_set(request, "auth") or response.status >= 500 or response.status == 429:
            return response.with_headers(Cache_Control=NO_STORE)
        if response.status >= 400:
            return response.with_headers(Cache_Control=refusal_cache_control())
        return response

    def _get(self, request: Request, path: str) -> Response:
        handle = parse_reference(path).text
        fresh = codes.is_set(request, "auth")
        with self.reader.for_request(stale=not fresh) as reader:
            prefix = addresses.prefix_of(handle)
            if prefix is not None:
                response = self._authority(request, handle, addresses.namespace_of_prefix(prefix, reader))
            else:
                response = self._record(request, handle, reader, fresh=fresh)
        return with_staleness(response, reader.staleness)

    def _record(self, request: Request, handle: str, reader: CachingRequestReader, *, fresh: bool) -> Response:
        namespace, identifier = addresses.namespace_of(handle, reader)
        target = RecordPlace.of(namespace, identifier)
        repository = namespace.repository
        record = reader.record(repository.id, target.key, consistent=fresh)
        if record is None or record.status == RESERVED:
            raise UnregisteredIdentifier(namespace.name, repository.rules.display(target.key))
        if record.status == WITHDRAWN:
            raise codes.withdrawal(record)
        now = self.clock.now()
        ttl = ttl_of(record, repository)
        caching = cache_control_for(ttl, next_validity_change(locations_of(record, repository), now), now)
        headers = {"Cache-Control": caching, CACHE_TAG: cache_tags_of(namespace, record)}
        values = record_mapping.visible_values(record, repository, addresses.prefix_under(namespace), now)
        return _answer(request, handle, values, headers, ttl=ttl, timestamp=format_time(record.updated))

    def _authority(self, request: Request, handle: str, namespace: Namespace) -> Response:
        """Return the Handle of a prefix of this service: the URL of its description, and its administrator."""
        ttl = namespace.ttl
        values = (
            record_mapping.HandleValue(url_value(record_mapping.FIRST_URL, f"{self.base_url}/{namespace.name}")),
            record_mapping.HandleValue(admin_value(record_mapping.FIRST_ADMIN, namespace.name)),
        )
        headers = {"Cache-Control": cache_control(ttl), CACHE_TAG: cache_tags_of(namespace)}
        return _answer(request, handle, values, headers, ttl=ttl, timestamp=format_time(namespace.updated))


def _answer(
    request: Request,
    handle: str,
    values: tuple[record_mapping.HandleValue, ...],
    headers: dict[str, str],
    *,
    ttl: int,
    timestamp: str,
) -> Response:
    """Return the answer with the requested values."""
    selected = record_mapping.select_values(values, codes.indexes_of(request), request.parameters("type"))
    members = record_mapping.documents(selected, ttl, timestamp)
    code = codes.SUCCESS if members else codes.VALUES_NOT_FOUND
    return codes.answer(request, 200, code, handle, headers, values=members)
