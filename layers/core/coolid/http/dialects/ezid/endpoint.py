"""The addresses of EZID's API, version 2: `/shoulder/{shoulder}`, `/id/{identifier}` and `/status`.

Specification: EZID API, version 2. Users are API keys: the user name is a key's id, and the password its secret.
Everyone may read public identifiers. A reserved identifier looks like an absent one to keys that do not cover it. A
client that prefers pages is redirected to that of the identifier.
"""

from contextlib import suppress
from typing import Final

from msgspec import Struct

from coolid.errors import (
    BadReference,
    Forbidden,
    InvalidIdentifier,
    NotFound,
    Outdated,
    Unauthenticated,
    UnregisteredIdentifier,
)
from coolid.http.caching import NO_STORE
from coolid.http.dialects.ezid.addresses import (
    find_record,
    identifier_in,
    is_deleted,
    longest_registered,
    path_of_place,
    places_of,
    shoulder_in,
)
from coolid.http.dialects.ezid.changes import IdentifierChanges
from coolid.http.dialects.ezid.elements import elements_of
from coolid.http.dialects.ezid.identifiers import classic_form, identifier_of
from coolid.http.dialects.ezid.requests import elements_in, is_from_browser, is_set, require_known_options
from coolid.http.dialects.ezid.responses import INVALID_IDENTIFIER, refuse, success
from coolid.http.dialects.ezid.sessions import Authenticate
from coolid.http.dialects.ezid.shoulders import name_under
from coolid.http.dialects.record_places import RecordPlace
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import MINT, VERBS, Client
from coolid.model.records import RESERVED, Record
from coolid.records.overtaken_changes import MAX_ATTEMPTS
from coolid.registry.visible_repositories import is_allowed
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader

SHOULDERS: Final = "/shoulder/"
IDENTIFIERS: Final = "/id/"
STATUS: Final = "/status"


class EzidEndpoint(Struct, frozen=True):
    """Reads and changes identifiers for the clients that `authenticate` returns. `base_url` begins all PIDs."""

    authenticate: Authenticate
    prefixes: PrefixStore
    records: RecordReader
    changes: IdentifierChanges
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Return the routes, whose errors are lines of text too."""
        identifier = {"GET": self.get, "PUT": self.put, "POST": self.post, "DELETE": self.delete}
        return (
            Route(SHOULDERS, {"POST": self.mint}, below=True, refuse=refuse),
            Route(IDENTIFIERS, identifier, below=True, refuse=refuse),
            Route(STATUS, {"GET": self.status}, refuse=refuse),
        )

    def mint(self, request: Request, path: str) -> Response:
        """Mint an identifier under a shoulder: 201 with its status line."""
        client = self._require_client(request)
        elements = elements_in(request)
        require_known_options(request)
        namespace, beginning = shoulder_in(path, self.prefixes)
        entropy = self.changes.minter.entropy
        for _ in range(MAX_ATTEMPTS):
            with suppress(Outdated):  # the random name is taken
                chosen = name_under(namespace, beginning, entropy)
                record = self.changes.mint(client, namespace, elements, chosen)
                return success(identifier_of(record), status=201)
        raise Outdated(namespace.name)

    def get(self, request: Request, path: str) -> Response:
        """Return the elements of an identifier, or with `prefix_match=yes` of the longest one that begins it."""
        client = self.authenticate(request)
        require_known_options(request, ("prefix_match",))
        identifier = identifier_in(path)
        found = self._visible(client, identifier, matches=is_set(request, "prefix_match"))
        if found is None:
            raise UnregisteredIdentifier(identifier, identifier)
        place, record = found
        if is_from_browser(request):
            location = f"{self.base_url}/{path_of_place(place)}?format=html"
            return Response(303, {"Location": location, "Cache-Control": NO_STORE, "Vary": "Accept"})
        is_manager = self._is_manager(client, place)
        elements = elements_of(record, place.namespace.repository, record.author if is_manager else None)
        shown, requested = identifier_of(record), self._canonical(identifier)
        is_other = is_set(request, "prefix_match") and shown != requested
        return success(f"{shown} in_lieu_of {requested}" if is_other else shown, elements)

    def put(self, request: Request, path: str) -> Response:
        """Create an identifier: 201; with `update_if_exists=yes`, 200 if it was changed instead."""
        client = self._require_client(request)
        elements = elements_in(request)
        require_known_options(request, ("update_if_exists",))
        places = self._new_places(path)
        updates = is_set(request, "update_if_exists")
        place, is_new = self.changes.create(client, places, elements, updates=updates)
        return success(classic_form(place.path), status=201 if is_new else 200)

    def post(self, request: Request, path: str) -> Response:
        """Change the elements of an identifier."""
        client = self._require_client(request)
        elements = elements_in(request)
        require_known_options(request)
        return success(classic_form(self.changes.update(client, self._present_places(path), elements).path))

    def delete(self, request: Request, path: str) -> Response:
        """Delete a reserved identifier."""
        client = self._require_client(request)
        require_known_options(request)
        return success(classic_form(self.changes.delete(client, self._present_places(path)).path))

    def status(self, request: Request, _path: str) -> Response:
        """Return that the service is up; `detailed` and `subsystems` add nothing here."""
        require_known_options(request, ("detailed",), ignored=("subsystems",))
        return success("EZID is up")

    def _require_client(self, request: Request) -> Client:
        client = self.authenticate(request)
        if client is None:
            raise Unauthenticated("the request carries no API key")
        return client

    def _new_places(self, path: str) -> tuple[RecordPlace, ...]:
        """Return the places of an identifier to create; raise `Forbidden` if its prefix is not of this service."""
        identifier = _identifier_to_write(path)
        try:
            return places_of(identifier, self.prefixes)
        except NotFound:
            raise Forbidden(f"{MINT}:{identifier}") from None

    def _present_places(self, path: str) -> tuple[RecordPlace, ...]:
        """Return the places of an identifier to change; raise `UnregisteredIdentifier` if it cannot exist."""
        identifier = _identifier_to_write(path)
        try:
            return places_of(identifier, self.prefixes)
        except InvalidIdentifier:
            raise UnregisteredIdentifier(identifier, identifier) from None

    def _visible(self, client: Client | None, identifier: str, *, matches: bool) -> tuple[RecordPlace, Record] | None:
        """Return the place and record of an identifier that the client may see, or of one that begins it."""
        with suppress(NotFound, InvalidIdentifier):
            place, record = find_record(places_of(identifier, self.prefixes), self.records)
            if record is not None and self._is_visible(client, place, record):
                return place, record
        found = longest_registered(identifier, self.prefixes, self.records) if matches else ()
        return next((each for each in found if self._is_visible(client, *each)), None)

    def _is_visible(self, client: Client | None, place: RecordPlace, record: Record) -> bool:
        if record.status == RESERVED:
            return self._is_manager(client, place)
        return not is_deleted(record, self.records)

    def _is_manager(self, client: Client | None, place: RecordPlace) -> bool:
        return client is not None and is_allowed(client, place.namespace, self.prefixes, *VERBS)

    def _canonical(self, identifier: str) -> str:
        """Return the canonical form of an identifier, also of one that breaks the rules."""
        with suppress(NotFound, InvalidIdentifier):
            return classic_form(places_of(identifier, self.prefixes)[0].path)
        return classic_form(identifier)


def _identifier_to_write(path: str) -> str:
    """Return the identifier in a path. Raises `BadReference` for one with a question mark.

    Such a mark ends an identifier here, so that the request would change another identifier than it names.
    """
    identifier = identifier_in(path)
    if "?" in identifier:
        raise BadReference(INVALID_IDENTIFIER)
    return identifier
