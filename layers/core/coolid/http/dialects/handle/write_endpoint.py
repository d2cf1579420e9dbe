"""Writing handles: `PUT` and `DELETE /api/handles/{handle}`, for clients with an API key.

Specification: Handle.Net Technical Manual, section 14. A `PUT` creates a handle with these values, or gives it these
instead of all that it has; with `?index=` it adds or replaces values of these indexes only, with `?index=various` those
that are sent. `?overwrite=false` lets it do so only where there is nothing yet. A `DELETE` with `?index=` takes values
away. What differs from a Handle server is what a PID is: each change makes a version, and a handle that is deleted is
withdrawn, with a tombstone, and never created again.

A handle that is reserved stays so: its metadata was never meant for the public yet, so that who reserved it makes it
active (`PUT /api/v1/records/…`). What comes of a change keeps the rules of all records (`coolid.http.api_documents`).

Several writers may change one handle at the same time: each change is made again on top of the newest version, a few
times, and is either written whole or refused.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from coolid.errors import IdentifierTaken, InvalidIdentifier, Outdated, UnregisteredIdentifier
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.basic_authentication import writer_of
from coolid.http.dialects.handle import response_codes
from coolid.http.dialects.handle.addresses import (
    HANDLES,
    HandleTarget,
    echo_of,
    handle_of,
    namespace_of,
    place_in,
    prefix_of,
)
from coolid.http.dialects.handle.record_content import content_with, content_without, present_in
from coolid.http.dialects.handle.value_changes import mixed, replaced
from coolid.http.dialects.handle.value_parser import read_values
from coolid.http.dialects.handle.values import Value
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE, Client
from coolid.model.records import WITHDRAWN, Content, Record
from coolid.ports import Clock
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.records.quotas import Quotas
from coolid.store.store import Store

VARIOUS: Final = "various"
MOST_TRIES: Final = 5
REASON: Final = "deleted through the Handle API"
_TO_DELETE: Final = ("index", "pretty", "callback")
_TO_PUT: Final = ("index", "overwrite", "pretty", "callback", "auth", "publicOnly")  # the last two change nothing
_NAMING: Final = "mintnewsuffix"


class HandleWriteEndpoint(Struct, frozen=True):
    """Writes through `minter` and `amender`, for clients that `store` knows, within their `quotas`.

    `minted` hears of each new record, with its key, `changed` of each that was changed, `heard` of refusals.
    """

    store: Store
    minter: Minter
    amender: RecordAmender
    quotas: Quotas
    clock: Clock
    minted: Callable[[Record, str], None]
    changed: Callable[[str, str], None]
    heard: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """The handles; everybody reads them under the same addresses."""
        return (Route(HANDLES, {"PUT": self.put, "DELETE": self.delete}, below=True, elsewhere=("GET",)),)

    def put(self, request: Request, path: str) -> Response:
        """Create a handle, or change it."""
        return response_codes.answered(request, echo_of(path), self.heard, lambda: self._put(request, path))

    def delete(self, request: Request, path: str) -> Response:
        """Withdraw a handle, or take values away from it."""
        return response_codes.answered(request, echo_of(path), self.heard, lambda: self._delete(request, path))

    def _put(self, request: Request, path: str) -> Response:
        handle = handle_of(path)
        _refuse_naming(request)
        _refuse_unknown(request, "a PUT", _TO_PUT)
        client, place = self._admitted(request, handle, MINT, UPDATE)
        document = json_of(request)
        _demand_same(handle, document)
        values = read_values(document)
        overwrite = (request.parameter("overwrite") or "true").lower() == "true"
        status = (
            self._whole(client, place, values, overwrite=overwrite)
            if request.parameter("index") is None
            else self._some(client, place, _asked_for(request, values), overwrite=overwrite)
        )
        return response_codes.answer(request, status, response_codes.SUCCESS, handle)

    def _delete(self, request: Request, path: str) -> Response:
        handle = handle_of(path)
        _refuse_unknown(request, "a deletion", _TO_DELETE)
        client, place = self._admitted(request, handle, UPDATE)
        indexes = response_codes.indexes_of(request)
        if indexes:
            self._without(client, place, indexes)
        else:
            self._amended(place, lambda record: self._withdrawn(client, place, record))
        return response_codes.answer(request, 200, response_codes.SUCCESS, handle)

    def _whole(self, client: Client, place: HandleTarget, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Make these the values of a handle; 201 if it is new, 200 if not."""
        for _ in range(MOST_TRIES):
            record = self._record(place)
            if record is None:
                client.demand(place.namespace.name, MINT)
                if self._minted(client, place, values):
                    return 201
                continue  # in between, by somebody else
            if record.status == WITHDRAWN:
                raise response_codes.HandleError(
                    response_codes.EXISTS,
                    409,
                    f"{response_codes.gone(record)}; an identifier that was withdrawn is never given again",
                )
            if not overwrite:
                raise IdentifierTaken(record.id)
            client.demand(place.namespace.name, UPDATE)
            content = content_with(values, record, place.namespace, replaced, self.clock.now())
            if self._update(client, place, record, content):
                return 200
        raise Outdated(place.identifier)

    def _some(self, client: Client, place: HandleTarget, values: tuple[Value, ...], *, overwrite: bool) -> int:
        """Add these values to a handle, or put them in the place of those with their indexes; 201 if all are new."""
        client.demand(place.namespace.name, UPDATE)
        status = 200

        def change(record: Record) -> bool:
            nonlocal status
            now = self.clock.now()
            present = present_in(record, place.namespace.repository)
            seen = {each.value.index for each in present if not each.is_hidden(now)}
            there = seen & {each.index for each in values}
            if there and not overwrite:
                told = ", ".join(map(str, sorted(there)))
                raise response_codes.HandleError(
                    response_codes.VALUE_EXISTS, 409, f"there are values with the indexes {told} already"
                )
            status = 200 if there else 201
            content = content_with(values, record, place.namespace, mixed, now)
            return self._update(client, place, record, content)

        self._amended(place, change)
        return status

    def _without(self, client: Client, place: HandleTarget, indexes: tuple[int, ...]) -> None:
        """Take values away from a handle."""

        def change(record: Record) -> bool:
            content = content_without(indexes, record, place.namespace.repository, self.clock.now())
            return self._update(client, place, record, content)

        self._amended(place, change)

    def _amended(self, place: HandleTarget, change: Callable[[Record], bool]) -> None:
        """Make a change on top of the newest version, again if that is another one by then."""
        for _ in range(MOST_TRIES):
            record = self._record(place)
            if record is None:
                raise UnregisteredIdentifier(place.namespace.name, place.identifier)
            if record.status == WITHDRAWN:
                raise response_codes.HandleError(response_codes.NOT_FOUND, 404, response_codes.gone(record))
            if change(record):
                return
        raise Outdated(place.identifier)

    def _update(self, client: Client, place: HandleTarget, record: Record, content: Content) -> bool:
        """Write a version with this content; False if somebody else wrote one first."""
        try:
            self.amender.update(record, place.key, content, client.id)
        except Outdated:
            return False
        self.changed(record.repository, place.key)
        return True

    def _withdrawn(self, client: Client, place: HandleTarget, record: Record) -> bool:
        try:
            self.amender.withdraw(record, place.key, REASON, None, client.id)
        except Outdated:
            return False
        self.changed(record.repository, place.key)
        return True

    def _minted(self, client: Client, place: HandleTarget, values: tuple[Value, ...]) -> bool:
        """Mint a record with these values; False if somebody else made one first."""
        self.minter.demand_home(place.namespace.repository.id)
        content = content_with(values, None, place.namespace, replaced, self.clock.now())
        wanted = MintRequest(place.namespace.name, content, place.identifier, author=client.id)
        self.quotas.spend(client)
        try:
            record = self.minter.mint(wanted, place.namespace)
        except IdentifierTaken:
            return False
        self.minted(record, place.key)
        return True

    def _record(self, place: HandleTarget) -> Record | None:
        return self.store.record(place.namespace.repository.id, place.key, consistent=True)

    def _admitted(self, request: Request, handle: str, *verbs: str) -> tuple[Client, HandleTarget]:
        """The client and where it wants to write; it is told nothing of what is there before it may write there."""
        client = writer_of(request, self.store)
        if prefix_of(handle) is not None:
            raise InvalidIdentifier(handle, "the handle of a prefix says what its prefix is, and is not written")
        namespace, identifier = namespace_of(handle, self.store)
        client.demand(namespace.name, *verbs)
        return client, place_in(namespace, identifier)


def _asked_for(request: Request, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values that are put, if they are those of `?index=`."""
    if request.parameters("index") == (VARIOUS,):
        return values
    if {*response_codes.indexes_of(request)} != {value.index for value in values}:
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "the indexes in the query are not those of the values"
        )
    return values


def _demand_same(handle: str, document: object) -> None:
    """Refuse a body that names another handle."""
    named = document.get("handle") if isinstance(document, dict) else None
    if named is not None and (not isinstance(named, str) or named.lower() != handle.lower()):
        raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, "the body names another handle")


def _refuse_unknown(request: Request, what: str, known: tuple[str, ...]) -> None:
    """Refuse parameters that are not known: the whole handle would be changed or gone where some values are meant."""
    unknown = [name for name, _ in request.query if name not in known]
    if unknown:
        told = f"{what} has no parameter {unknown[0][:20]!a}, only {', '.join(known)}"
        raise response_codes.HandleError(response_codes.PROTOCOL_ERROR, 400, told)
    if len(request.parameters("overwrite")) > 1:
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "the parameter overwrite stands more than once"
        )


def _refuse_naming(request: Request) -> None:
    """Refuse to name a handle, with the reason: it is asked for what a Handle server does, and would overwrite."""
    if any(name.strip().lower() == _NAMING for name, _ in request.query):
        raise response_codes.HandleError(
            response_codes.PROTOCOL_ERROR, 400, "handles are named by the client, or by the API of records"
        )
