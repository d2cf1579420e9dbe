"""Reading handles: `GET /api/handles/{handle}`, for everybody.

Specification: Handle.Net Technical Manual, section 14. `?index=` and `?type=`, both repeatable, ask for values of such
an index or such a type; `?auth` for what is there now, past what is remembered. All values are public, so that
`?publicOnly` changes nothing. A handle without a value of that kind is answered with 200, one that was withdrawn does
not exist any more, and the message says since when and why.
"""

from msgspec import Struct

from coolid.errors import UnregisteredIdentifier
from coolid.http import cache_tags
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.caching import NO_STORE, cache_control, cache_control_for, refusal_cache_control, with_staleness
from coolid.http.dialects.handle import response_codes
from coolid.http.dialects.handle.addresses import (
    HANDLES,
    authority,
    echo_of,
    handle_of,
    namespace_of,
    place_in,
    prefix_of,
    prefix_under,
)
from coolid.http.dialects.handle.record_mapping import FIRST_ADMIN, FIRST_URL, HandleValue, chosen, documents, shown
from coolid.http.dialects.handle.values import admin_value, url_value
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.locations import locations_of, next_validity_change
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, WITHDRAWN, format_time
from coolid.ports import Clock
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory


class HandleReadEndpoint(Struct, frozen=True):
    """Reads handles out of `reader`; `base_url` begins every link to ourselves, `heard` is told of refusals."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str
    heard: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """The handles; those who manage write under the same addresses."""
        return (Route(HANDLES, {"GET": self.get}, below=True, elsewhere=("PUT", "DELETE")),)

    def get(self, request: Request, path: str) -> Response:
        """The values of a handle."""
        response = response_codes.answered(request, echo_of(path), self.heard, lambda: self._get(request, path))
        if response_codes.is_set(request, "auth") or response.status >= 500 or response.status == 429:
            return response.with_headers(Cache_Control=NO_STORE)
        if response.status >= 400:
            return response.with_headers(Cache_Control=refusal_cache_control())
        return response

    def _get(self, request: Request, path: str) -> Response:
        handle = handle_of(path)
        fresh = response_codes.is_set(request, "auth")
        with self.reader.for_request(stale=not fresh) as reader:
            prefix = prefix_of(handle)
            if prefix is not None:
                found = self._authority(request, handle, authority(prefix, reader))
            else:
                found = self._record(request, handle, reader, fresh=fresh)
        return with_staleness(found, reader.staleness)

    def _record(self, request: Request, handle: str, reader: RequestReader, *, fresh: bool) -> Response:
        namespace, identifier = namespace_of(handle, reader)
        place = place_in(namespace, identifier)
        repository = namespace.repository
        record = reader.record(repository.id, place.key, consistent=fresh)
        if record is None or record.status == RESERVED:
            raise UnregisteredIdentifier(namespace.name, repository.rules.display(place.key))
        if record.status == WITHDRAWN:
            raise response_codes.HandleError(response_codes.NOT_FOUND, 404, response_codes.gone(record))
        now = self.clock.now()
        ttl = repository.ttl_of(record)
        caching = cache_control_for(ttl, next_validity_change(locations_of(record, repository), now), now)
        headers = {"Cache-Control": caching, cache_tags.HEADER: cache_tags.header_of(namespace, record)}
        held = shown(record, repository, prefix_under(namespace), now)
        return _told(request, handle, held, headers, ttl=ttl, timestamp=format_time(record.updated))

    def _authority(self, request: Request, handle: str, namespace: Namespace) -> Response:
        """The Handle of a prefix of ours: where it is described, and who administers it."""
        ttl = namespace.ttl
        held = (
            HandleValue(url_value(FIRST_URL, f"{self.base_url}/{namespace.name}")),
            HandleValue(admin_value(FIRST_ADMIN, namespace.name)),
        )
        headers = {"Cache-Control": cache_control(ttl), cache_tags.HEADER: cache_tags.header_of(namespace)}
        return _told(request, handle, held, headers, ttl=ttl, timestamp=format_time(namespace.updated))


def _told(
    request: Request, handle: str, held: tuple[HandleValue, ...], headers: dict[str, str], *, ttl: int, timestamp: str
) -> Response:
    """Those of the values that the request asks for."""
    values = documents(chosen(held, response_codes.indexes_of(request), request.parameters("type")), ttl, timestamp)
    code = response_codes.SUCCESS if values else response_codes.VALUES_NOT_FOUND
    return response_codes.answer(request, 200, code, handle, headers, values=values)
