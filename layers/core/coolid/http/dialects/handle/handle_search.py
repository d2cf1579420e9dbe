"""Reverse lookup of handles: `GET /hrls/handles?URL=…`, as pyhandle asks a Handle Reverse Lookup Servlet.

Each parameter but `limit` and `page` is a type of values, and what a value of that type says: in any case, `*` for
whatever. All must be met. What is searched are the handles that may be read by everybody, under those prefixes that the
client's key covers; their number is bounded, and beyond that is refused instead of answered in part. `limit` and `page`
(from 0) cut the list.

>>> meets("https://a.example/x", "HTTPS://a.*/x"), meets("https://a.example/x", "a.example"), meets("", "*")
(True, False, True)
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from coolid.http.application import ErrorListener, ignore_error
from coolid.http.basic_authentication import writer_of
from coolid.http.caching import NO_STORE
from coolid.http.dialects.handle import response_codes
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import HandleValue, shown
from coolid.http.dialects.handle.values import is_type, number_of
from coolid.http.message import Request, Response
from coolid.http.pagination import MOST
from coolid.http.routes import Route
from coolid.model.clients import VERBS, Client, covers
from coolid.model.prefixes import Namespace, has_handles, join
from coolid.model.records import ACTIVE
from coolid.ports import Clock
from coolid.store.store import Store
from coolid.strict_json import dump

SEARCH: Final = "/hrls/handles"
MOST_RECORDS: Final = 10_000
MOST_ASKED: Final = 20
_PAGING: Final = ("limit", "page")
_RECORDS: Final = "retrieverecords"


class HandleSearchEndpoint(Struct, frozen=True):
    """Searches `store`, for clients that it knows; `most` records are looked through, `heard` hears of refusals."""

    store: Store
    clock: Clock
    heard: ErrorListener = ignore_error
    most: int = MOST_RECORDS

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(SEARCH, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """The handles that have such values, as a JSON array, in the order of their prefixes and identifiers."""
        return response_codes.answered(request, "", self.heard, lambda: self._get(request))

    def _get(self, request: Request) -> Response:
        client = writer_of(request, self.store)
        limit, page = (_number(request, name) for name in _PAGING)
        if page is not None and limit is None:
            message = "a page is of as many handles as limit says, which is missing"
            raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, message)
        wanted = [(name, value) for name, value in request.query if name not in (*_PAGING, _RECORDS)]
        if response_codes.is_set(request, _RECORDS):
            message = "the records themselves are not told here, but their handles"
            raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, message)
        if not 0 < len(wanted) <= MOST_ASKED:
            message = f"name 1 to {MOST_ASKED} types of values with what they say, such as URL=https://a.example/*"
            raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, message)
        found = list(self._found(client, wanted))
        if limit is not None:
            found = found[limit * (page or 0) :][:limit]
        return Response(200, {"Content-Type": "application/json", "Cache-Control": NO_STORE}, dump(found))

    def _found(self, client: Client, wanted: list[tuple[str, str]]) -> Iterator[str]:
        now, left = self.clock.now(), self.most
        for namespace in self._namespaces(client):
            repository, after = namespace.repository, None
            while True:
                records, after = self.store.list_records(repository.id, min(MOST, left + 1), after)
                left -= len(records)
                if left < 0:
                    message = f"the key covers more than {self.most} records, which are not searched at once"
                    raise response_codes.HandleError(response_codes.ERROR, 400, message)
                for record in records:
                    if record.status != ACTIVE:
                        continue
                    held = shown(record, repository, prefix_under(namespace), now)
                    if all(_has(held, kind, pattern) for kind, pattern in wanted):
                        yield join(namespace.name, record.id)
                if after is None:
                    break

    def _namespaces(self, client: Client) -> list[Namespace]:
        """One for each repository that the client may write to by a Handle prefix; its canonical one if it can be."""
        chosen: dict[str, Namespace] = {}
        for each in self.store.all_prefixes():
            if not isinstance(each, Namespace):  # those of others come last
                break
            if has_handles(each.name) and _covers(client, each.name):
                known = chosen.get(each.repository.id)
                if known is None or each.name == each.repository.canonical:
                    chosen[each.repository.id] = each
        return list(chosen.values())


def meets(text: str, pattern: str) -> bool:
    """Whether a text is as the pattern says; its time is bounded by the product of their lengths."""
    text = text.casefold()
    first, *middle = pattern.casefold().split("*")
    if not middle:
        return text == first
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _has(held: tuple[HandleValue, ...], kind: str, pattern: str) -> bool:
    return any(
        is_type(each.value.type, kind) and each.value.text is not None and meets(each.value.text, pattern)
        for each in held
    )


def _covers(client: Client, name: str) -> bool:
    return any(covers(scope, verb, name) for scope in client.scopes for verb in VERBS)


def _number(request: Request, name: str) -> int | None:
    text = request.parameter(name)
    if text is None:
        return None
    number = number_of(text)
    if number is None:
        raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, f"{name} is not a whole number")
    return number
