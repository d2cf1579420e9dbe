"""The endpoint that writes handles: `PUT` and `DELETE /api/handles/{handle}`, for clients with an API key.

Specification: Handle.Net Technical Manual, section 14. A `PUT` creates a handle with these values or replaces all its
values. With `?index=` it adds or replaces only the values of these indexes, with `?index=various` those in the body.
`?overwrite=false` refuses to replace anything. A `DELETE` with `?index=` removes values. Unlike on a Handle server,
each change makes a version, and a deleted handle is withdrawn: it leaves a tombstone and is never created again.

A reserved handle stays reserved, because its metadata is not public yet; `PUT /api/v1/records/…` activates it. The
result of a change must obey the rules of all records (`coolid.http.api_documents`).

Several clients may change one handle at the same time. Each change is retried a few times on the newest version, and
is either written whole or refused.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from coolid.errors import IdentifierTaken, InvalidIdentifier, Outdated, UnregisteredIdentifier
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.authentication import client_of
from coolid.http.dialects.handle import response_codes as codes
from coolid.http.dialects.handle.addresses import HANDLES, namespace_of, prefix_of
from coolid.http.dialects.handle.value_changes import (
    Change,
    content_with,
    content_without,
    current_values,
    merge_values,
    replace_values,
)
from coolid.http.dialects.handle.value_parser import read_values
from coolid.http.dialects.handle.values import Value
from coolid.http.dialects.record_places import RecordPlace
from coolid.http.json_bodies import json_of
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE, Client
from coolid.model.records import WITHDRAWN, Record
from coolid.ports import Clock
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.records.overtaken_changes import repeat_overtaken
from coolid.records.quotas import Quotas
from coolid.registry.references import parse_reference
from coolid.registry.visible_repositories import require_allowed
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader

REASON: Final = "deleted through the Handle API"
_TO_PUT: Final = ("index", "overwrite", "pretty", "callback", "auth", "publicOnly")  # the last two change nothing


class HandleWriteEndpoint(Struct, frozen=True):
    """Writes through `minter` and `amender` for the `clients`, within their `quotas`.

    `on_minted` receives each new record, `on_changed` the repository and key of each changed record, and
    `on_error` each error.
    """

    clients: ClientStore
    prefixes: PrefixStore
    records: RecordReader
    minter: Minter
    amender: RecordAmender
    quotas: Quotas
    clock: Clock
    on_minted: Callable[[Record], None]
    on_changed: Callable[[str, str], None]
    on_error: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """Return the route of the handles, which the read endpoint shares."""
        endpoints = {
            "PUT": codes.responding(self._put, self.on_error),
            "DELETE": codes.responding(self._delete, self.on_error),
        }
        return (Route(HANDLES, endpoints, below=True, other_methods=("GET",)),)

    def _put(self, request: Request, path: str) -> Response:
        """Create or change a handle."""
        handle = parse_reference(path).text
        _refuse_unknown(request, "a PUT", _TO_PUT)
        client, target = self._authorize(request, handle, MINT, UPDATE)
        document = json_of(request)
        _require_same_handle(handle, document)
        values = read_values(document)
        overwrite = (request.parameter("overwrite") or "true").lower() == "true"
        if request.parameter("index") is None:
            status = self._replace(client, target, values, overwrite=overwrite)
        else:
            status = self._merge(client, target, _selected(request, values), overwrite=overwrite)
        return codes.answer(request, status, codes.SUCCESS, handle)

    def _delete(self, request: Request, path: str) -> Response:
        """Withdraw a handle, or remove values from it."""
        handle = parse_reference(path).text
        _refuse_unknown(request, "a DELETE", ("index", "pretty", "callback"))
        client, target = self._authorize(request, handle, UPDATE)
        indexes = codes.indexes_of(request)

        def delete(record: Record | None) -> int:
            present = _require_present(record, target)
            if indexes:
                content = content_without(indexes, present, target.namespace.repository, self.clock.now())
                self.amender.update(present, content, client.id)
            else:
                self.amender.withdraw(present, REASON, None, client.id)
            self.on_changed(present.repository, target.key)
            return 200

        return codes.answer(request, self._retry(target, delete), codes.SUCCESS, handle)

    def _replace(self, client: Client, target: RecordPlace, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Create a handle or replace its values; return 201 if it is new, else 200."""

        def replace(record: Record | None) -> int:
            if record is None:
                require_allowed(client, target.namespace, self.prefixes, MINT)
                self._mint(client, target, values)
                return 201
            if record.status == WITHDRAWN:
                raise codes.withdrawal(record, codes.EXISTS, "; a withdrawn identifier is never created again")
            if not overwrite:
                raise IdentifierTaken(record.id)
            require_allowed(client, target.namespace, self.prefixes, UPDATE)
            self._update(client, target, record, values, replace_values)
            return 200

        return self._retry(target, replace)

    def _merge(self, client: Client, target: RecordPlace, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Add or replace these values of a handle by index; return 201 if all are new, else 200."""
        require_allowed(client, target.namespace, self.prefixes, UPDATE)

        def merge(record: Record | None) -> int:
            present = _require_present(record, target)
            now = self.clock.now()
            visible = {
                each.value.index
                for each in current_values(present, target.namespace.repository)
                if not each.is_hidden(now)
            }
            existing = visible & {each.index for each in values}
            if existing and not overwrite:
                indexes = ", ".join(map(str, sorted(existing)))
                raise codes.HandleError(codes.VALUE_EXISTS, f"there are values with the indexes {indexes} already")
            self._update(client, target, present, values, merge_values)
            return 200 if existing else 201

        return self._retry(target, merge)

    def _retry(self, target: RecordPlace, change: Callable[[Record | None], int]) -> int:
        """Make a change on the newest version, again if another client wrote one meanwhile. Return the status."""

        def attempt() -> int:
            return change(self.records.record(target.namespace.repository.id, target.key, consistent=True))

        return repeat_overtaken(attempt, self.clock, self.minter.entropy)

    def _update(
        self, client: Client, target: RecordPlace, record: Record, values: tuple[Value, ...], change: Change
    ) -> None:
        """Write a version with these values; raise `Outdated` if another client wrote one first."""
        content = content_with(values, record, target.namespace, change, self.clock.now())
        self.amender.update(record, content, client.id)
        self.on_changed(record.repository, target.key)

    def _mint(self, client: Client, target: RecordPlace, values: tuple[Value, ...]) -> None:
        """Mint a record with these values; raise `Outdated` if another client minted it first."""
        self.minter.require_home(target.namespace.repository.id)
        content = content_with(values, None, target.namespace, replace_values, self.clock.now())
        request = MintRequest(content, target.identifier, author=client.id)
        self.quotas.spend(client)
        try:
            record = self.minter.mint(request, target.namespace)
        except IdentifierTaken:
            raise Outdated(target.identifier) from None
        self.on_minted(record)

    def _authorize(self, request: Request, handle: str, *verbs: str) -> tuple[Client, RecordPlace]:
        """Return the client and its target; check its permission before the record is read."""
        client = client_of(request, self.clients, as_password=True)
        if prefix_of(handle) is not None:
            raise InvalidIdentifier(handle, "the handle of a prefix is generated and cannot be written")
        namespace, identifier = namespace_of(handle, self.prefixes)
        require_allowed(client, namespace, self.prefixes, *verbs)
        return client, RecordPlace.of(namespace, identifier)


def _require_present(record: Record | None, target: RecordPlace) -> Record:
    """Return a record that can be changed; raise `UnregisteredIdentifier` or `HandleError`."""
    if record is None:
        raise UnregisteredIdentifier(target.namespace.name, target.identifier)
    if record.status == WITHDRAWN:
        raise codes.withdrawal(record)
    return record


def _selected(request: Request, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the sent values; raise `HandleError` unless they are those of `?index=`."""
    is_any = request.parameters("index") == ("various",)
    if not is_any and {*codes.indexes_of(request)} != {value.index for value in values}:
        raise codes.HandleError(codes.PROTOCOL_ERROR, "the indexes in the query are not those of the values")
    return values


def _require_same_handle(handle: str, document: object) -> None:
    """Raise `HandleError` if the body names another handle."""
    named = document.get("handle") if isinstance(document, dict) else None
    if named is not None and (not isinstance(named, str) or named.lower() != handle.lower()):
        raise codes.HandleError(codes.PROTOCOL_ERROR, "the body names another handle")


def _refuse_unknown(request: Request, operation: str, allowed: tuple[str, ...]) -> None:
    """Raise `HandleError` for an unknown parameter: a misspelt `index` would change the whole handle."""
    unknown = [name for name, _ in request.query if name not in allowed]
    if unknown:
        raise codes.HandleError(
            codes.PROTOCOL_ERROR, f"{operation} has no parameter {unknown[0][:20]!a}, only {', '.join(allowed)}"
        )
    if len(request.parameters("overwrite")) > 1:
        raise codes.HandleError(codes.PROTOCOL_ERROR, "the parameter overwrite occurs more than once")
