"""Reverse lookup of handles: `GET /hrls/handles?URL=…`, as pyhandle queries a Handle Reverse Lookup Servlet.

Each parameter except `limit` and `page` names a type and a pattern for values of that type. Patterns ignore case, `*`
matches any text, and all must match. The search covers the public handles under the prefixes of the client's key. If
these are too many, the request is refused instead of answered in part. `limit` and `page` (from 0) select a page.

>>> matches("https://a.example/x", "HTTPS://a.*/x"), matches("https://a.example/x", "a.example"), matches("", "*")
(True, False, True)
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from coolid.http.application import ErrorListener, ignore_error
from coolid.http.authentication import client_of
from coolid.http.caching import NO_STORE
from coolid.http.dialects.handle import response_codes as codes
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import HandleValue, visible_values
from coolid.http.dialects.handle.values import is_type
from coolid.http.message import Request, Response
from coolid.http.pagination import MAX_LIMIT
from coolid.http.routes import Route
from coolid.model.clients import VERBS, Client
from coolid.model.prefixes import Namespace, has_handles, join
from coolid.model.records import ACTIVE
from coolid.ports import Clock
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordStore
from coolid.strict_json import dump

SEARCH: Final = "/hrls/handles"
MAX_RECORDS: Final = 10_000
MAX_CONDITIONS: Final = 20
_PAGING: Final = ("limit", "page")
_RECORDS: Final = "retrieverecords"


class HandleSearchEndpoint(Struct, frozen=True):
    """Searches at most `max_records` `records` for the `clients`; `on_error` receives each error."""

    clients: ClientStore
    prefixes: PrefixReader
    records: RecordStore
    clock: Clock
    on_error: ErrorListener = ignore_error
    max_records: int = MAX_RECORDS

    def routes(self) -> tuple[Route, ...]:
        return (Route(SEARCH, {"GET": codes.responding(self._get, self.on_error)}),)

    def _get(self, request: Request, _path: str) -> Response:
        """Return the matching handles as a JSON array, ordered by prefix and identifier."""
        client = client_of(request, self.clients, as_password=True)
        limit, page = (_number(request, name) for name in _PAGING)
        if page is not None and limit is None:
            raise codes.HandleError(codes.PROTOCOL_ERROR, "page needs limit, the number of handles on a page")
        if codes.is_set(request, _RECORDS):
            raise codes.HandleError(codes.PROTOCOL_ERROR, "only handles are returned here, not their records")
        conditions = [(name, value) for name, value in request.query if name not in (*_PAGING, _RECORDS)]
        if not 0 < len(conditions) <= MAX_CONDITIONS:
            message = f"name 1 to {MAX_CONDITIONS} types with patterns, such as URL=https://a.example/*"
            raise codes.HandleError(codes.PROTOCOL_ERROR, message)
        found = list(self._found(client, conditions))
        if limit is not None:
            found = found[limit * (page or 0) :][:limit]
        return Response(200, {"Content-Type": "application/json", "Cache-Control": NO_STORE}, dump(found))

    def _found(self, client: Client, conditions: list[tuple[str, str]]) -> Iterator[str]:
        now, remaining = self.clock.now(), self.max_records
        for namespace in self._namespaces(client):
            repository, after = namespace.repository, None
            while True:
                records, after = self.records.list_records(repository.id, min(MAX_LIMIT, remaining + 1), after)
                remaining -= len(records)
                if remaining < 0:
                    raise codes.HandleError(
                        codes.ERROR, f"the key covers more than {self.max_records} records, too many to search"
                    )
                for record in records:
                    if record.status != ACTIVE:
                        continue
                    values = visible_values(record, repository, prefix_under(namespace), now)
                    if all(_has(values, kind, pattern) for kind, pattern in conditions):
                        yield join(namespace.name, record.id)
                if after is None:
                    break

    def _namespaces(self, client: Client) -> list[Namespace]:
        """Return one namespace, canonical if possible, for each repository that the client may write by Handle."""
        chosen: dict[str, Namespace] = {}
        namespaces = [each for each in self.prefixes.all_prefixes() if isinstance(each, Namespace)]
        allowed = {each.repository.id for each in namespaces if client.is_allowed(each.name, *VERBS)}
        for each in namespaces:
            if has_handles(each.name) and each.repository.id in allowed:
                previous = chosen.get(each.repository.id)
                if previous is None or each.name == each.repository.canonical:
                    chosen[each.repository.id] = each
        return list(chosen.values())


def matches(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern, in time bounded by the product of their lengths."""
    text = text.casefold()
    first, *middle = pattern.casefold().split("*")
    if not middle:
        return text == first
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _has(values: tuple[HandleValue, ...], kind: str, pattern: str) -> bool:
    return any(
        is_type(each.value.type, kind) and each.value.text is not None and matches(each.value.text, pattern)
        for each in values
    )


def _number(request: Request, name: str) -> int | None:
    text = request.parameter(name)
    return None if text is None else codes.require_number(text, name)
