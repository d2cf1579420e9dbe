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
from coolid.http.dialects.handle import response_codes
from coolid.http.dialects.handle.addresses import (
    HANDLES,
    HandleTarget,
    echoed_handle,
    handle_of,
    handle_target,
    namespace_of,
    prefix_of,
)
from coolid.http.dialects.handle.record_content import content_with, content_without, current_values
from coolid.http.dialects.handle.value_changes import merge_values, replace_values
from coolid.http.dialects.handle.value_parser import read_values
from coolid.http.dialects.handle.values import Value
from coolid.http.json_bodies import json_of
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE, Client
from coolid.model.records import WITHDRAWN, Content, Record
from coolid.ports import Clock
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.records.quotas import Quotas
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordReader

VARIOUS: Final = "various"
MAX_ATTEMPTS: Final = 5
REASON: Final = "deleted through the Handle API"
_TO_DELETE: Final = ("index", "pretty", "callback")
_TO_PUT: Final = ("index", "overwrite", "pretty", "callback", "auth", "publicOnly")  # the last two change nothing
_NAMING: Final = "mintnewsuffix"


class HandleWriteEndpoint(Struct, frozen=True):
    """Writes through `minter` and `amender` for the `clients`, within their `quotas`.

    `on_minted` receives each new record, `on_changed` the repository and key of each changed record, and
    `on_error` each error.
    """

    clients: ClientStore
    prefixes: PrefixReader
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
        return (Route(HANDLES, {"PUT": self.put, "DELETE": self.delete}, below=True, other_methods=("GET",)),)

    def put(self, request: Request, path: str) -> Response:
        """Create or change a handle."""
        return response_codes.respond(request, echoed_handle(path), self.on_error, lambda: self._put(request, path))

    def delete(self, request: Request, path: str) -> Response:
        """Withdraw a handle, or remove values from it."""
        return response_codes.respond(request, echoed_handle(path), self.on_error, lambda: self._delete(request, path))

    def _put(self, request: Request, path: str) -> Response:
        handle = handle_of(path)
        _refuse_naming(request)
        _refuse_unknown(request, "a PUT", _TO_PUT)
        client, target = self._authorize(request, handle, MINT, UPDATE)
        document = json_of(request)
        _require_same_handle(handle, document)
        values = read_values(document)
        overwrite = (request.parameter("overwrite") or "true").lower() == "true"
        status = (
            self._replace(client, target, values, overwrite=overwrite)
            if request.parameter("index") is None
            else self._merge(client, target, _selected(request, values), overwrite=overwrite)
        )
        return response_codes.answer(request, status, response_codes.SUCCESS, handle)

    def _delete(self, request: Request, path: str) -> Response:
        handle = handle_of(path)
        _refuse_unknown(request, "a deletion", _TO_DELETE)
        client, target = self._authorize(request, handle, UPDATE)
        indexes = response_codes.indexes_of(request)
        if indexes:
            self._remove(client, target, indexes)
        else:
            self._amend(target, lambda record: self._withdraw(client, target, record))
        return response_codes.answer(request, 200, response_codes.SUCCESS, handle)

    def _replace(self, client: Client, target: HandleTarget, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Create a handle or replace its values; return 201 if it is new, else 200."""
        for _ in range(MAX_ATTEMPTS):
            record = self._record(target)
            if record is None:
                client.require(target.namespace.name, MINT)
                if self._mint(client, target, values):
                    return 201
                continue  # another client minted it meanwhile
            if record.status == WITHDRAWN:
                withdrawal = response_codes.withdrawal_message(record)
                message = f"{withdrawal}; an identifier that was withdrawn is never given again"
                raise response_codes.HandleError(response_codes.EXISTS, 409, message)
            if not overwrite:
                raise IdentifierTaken(record.id)
            client.require(target.namespace.name, UPDATE)
            content = content_with(values, record, target.namespace, replace_values, self.clock.now())
            if self._update(client, target, record, content):
                return 200
        raise Outdated(target.identifier)

    def _merge(self, client: Client, target: HandleTarget, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Add or replace these values of a handle by index; return 201 if all are new, else 200."""
        client.require(target.namespace.name, UPDATE)
        status = 200

        def change(record: Record) -> bool:
            nonlocal status
            now = self.clock.now()
            present = current_values(record, target.namespace.repository)
            visible = {each.value.index for each in present if not each.is_hidden(now)}
            existing = visible & {each.index for each in values}
            if existing and not overwrite:
                indexes = ", ".join(map(str, sorted(existing)))
                raise response_codes.HandleError(
                    response_codes.VALUE_EXISTS, 409, f"there are values with the indexes {indexes} already"
                )
            status = 200 if existing else 201
            content = content_with(values, record, target.namespace, merge_values, now)
            return self._update(client, target, record, content)

        self._amend(target, change)
        return status

    def _remove(self, client: Client, target: HandleTarget, indexes: tuple[int, ...]) -> None:
        """Remove values from a handle."""

        def change(record: Record) -> bool:
            content = content_without(indexes, record, target.namespace.repository, self.clock.now())
            return self._update(client, target, record, content)

        self._amend(target, change)

    def _amend(self, target: HandleTarget, change: Callable[[Record], bool]) -> None:
        """Make a change on the newest version, again if another client wrote one meanwhile."""
        for _ in range(MAX_ATTEMPTS):
            record = self._record(target)
            if record is None:
                raise UnregisteredIdentifier(target.namespace.name, target.identifier)
            if record.status == WITHDRAWN:
                raise response_codes.HandleError(
                    response_codes.NOT_FOUND, 404, response_codes.withdrawal_message(record)
                )
            if change(record):
                return
        raise Outdated(target.identifier)

    def _update(self, client: Client, target: HandleTarget, record: Record, content: Content) -> bool:
        """Write a version with this content; return False if another client wrote one first."""
        try:
            self.amender.update(record, content, client.id)
        except Outdated:
            return False
        self.on_changed(record.repository, target.key)
        return True

    def _withdraw(self, client: Client, target: HandleTarget, record: Record) -> bool:
        try:
            self.amender.withdraw(record, REASON, None, client.id)
        except Outdated:
            return False
        self.on_changed(record.repository, target.key)
        return True

    def _mint(self, client: Client, target: HandleTarget, values: tuple[Value, ...]) -> bool:
        """Mint a record with these values; return False if another client minted it first."""
        self.minter.require_home(target.namespace.repository.id)
        content = content_with(values, None, target.namespace, replace_values, self.clock.now())
        request = MintRequest(target.namespace.name, content, target.identifier, author=client.id)
        self.quotas.spend(client)
        try:
            record = self.minter.mint(request, target.namespace)
        except IdentifierTaken:
            return False
        self.on_minted(record)
        return True

    def _record(self, target: HandleTarget) -> Record | None:
        return self.records.record(target.namespace.repository.id, target.key, consistent=True)

    def _authorize(self, request: Request, handle: str, *verbs: str) -> tuple[Client, HandleTarget]:
        """Return the client and its target; check its permission before the record is read."""
        client = client_of(request, self.clients, as_password=True)
        if prefix_of(handle) is not None:
            raise InvalidIdentifier(handle, "the handle of a prefix says what its prefix is, and is not written")
        namespace, identifier = namespace_of(handle, self.prefixes)
        client.require(namespace.name, *verbs)
        return client, handle_target(namespace, identifier)


def _selected(request: Request, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the sent values; raise `HandleError` unless they are those of `?index=`."""
    if request.parameters("index") == (VARIOUS,):
        return values
    if {*response_codes.indexes_of(request)} != {value.index for value in values}:
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "the indexes in the query are not those of the values"
        )
    return values


def _require_same_handle(handle: str, document: object) -> None:
    """Raise `HandleError` if the body names another handle."""
    named = document.get("handle") if isinstance(document, dict) else None
    if named is not None and (not isinstance(named, str) or named.lower() != handle.lower()):
        raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, "the body names another handle")


def _refuse_unknown(request: Request, operation: str, allowed: tuple[str, ...]) -> None:
    """Raise `HandleError` for an unknown parameter: a misspelt `index` would change or delete the whole handle."""
    unknown = [name for name, _ in request.query if name not in allowed]
    if unknown:
        message = f"{operation} has no parameter {unknown[0][:20]!a}, only {', '.join(allowed)}"
        raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, message)
    if len(request.parameters("overwrite")) > 1:
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "the parameter overwrite stands more than once"
        )


def _refuse_naming(request: Request) -> None:
    """Raise `HandleError` for `mintNewSuffix`: it would overwrite a handle where a Handle server makes a new one."""
    if any(name.strip().lower() == _NAMING for name, _ in request.query):
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "handles are named by the client, or by the API of records"
        )
