"""Creation, change, withdrawal and return of identifiers by their elements, with EZID's rules of statuses.

Specification: EZID API, version 2, "Identifier status" and the operations. An unavailable identifier is a withdrawn
record. Its return to the public is a new version after the tombstone, which stays in the history. A reserved identifier
that is deleted is withdrawn too, so that its name is never used again, but EZID's API does not show it.

Several clients may change one identifier at the same time. Each change is retried a few times on the newest version.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import IdentifierTaken, InvalidInput, Outdated, UnregisteredIdentifier
from coolid.http.api_documents import WithdrawalBody, parse, require_valid_content
from coolid.http.dialects.ezid.addresses import find_record, is_deleted
from coolid.http.dialects.ezid.elements import (
    NO_REASON,
    OWNER,
    PUBLIC,
    STATUS,
    TARGET,
    Status,
    content_with,
    elements_of,
    parse_status,
)
from coolid.http.dialects.ezid.identifiers import classic_form, identifier_of
from coolid.http.dialects.record_places import RecordPlace
from coolid.model.clients import MINT, UPDATE, Client
from coolid.model.prefixes import Namespace, as_path, join
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Content, Record
from coolid.model.repositories import Repository
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.records.overtaken_changes import repeat_overtaken
from coolid.records.quotas import Quotas
from coolid.registry.visible_repositories import require_allowed
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader

PLACEHOLDER: Final = "${identifier}"
DELETION: Final = "deleted through EZID's API while it was reserved"
_NO_TRANSITION: Final = "invalid identifier status change"

_Result = TypeVar("_Result")


class IdentifierChanges(Struct, frozen=True):
    """Changes identifiers through `minter` and `amender`, within the clients' `quotas` and scopes.

    A change that another client overtook is repeated on the newest version, after a short pause.

    `on_minted` receives each new record, `on_changed` the repository and key of each changed record.
    """

    prefixes: PrefixStore
    records: RecordReader
    minter: Minter
    amender: RecordAmender
    quotas: Quotas
    on_minted: Callable[[Record], None]
    on_changed: Callable[[str, str], None]

    def create(
        self, client: Client, places: tuple[RecordPlace, ...], elements: Mapping[str, str], *, updates: bool
    ) -> tuple[RecordPlace, bool]:
        """Create an identifier, or change it if it exists and `updates`. Return its place and whether it is new.

        Raises `Forbidden`, `IdentifierTaken`, `InvalidInput` and the errors of minting.
        """
        self._require(client, places[0].namespace, MINT, *([UPDATE] if updates else []))

        def change() -> tuple[RecordPlace, bool]:
            place, record = find_record(places, self.records)
            if record is None:
                self._require(client, place.namespace, MINT)
                self._mint(client, place.namespace, elements, place.identifier)
                return place, True
            if not updates or is_deleted(record, self.records):
                raise IdentifierTaken(record.id)
            self._require(client, place.namespace, UPDATE)
            self._update(client, place, record, elements)
            return place, False

        return self._retry(change)

    def mint(self, client: Client, namespace: Namespace, elements: Mapping[str, str], chosen: str | None) -> Record:
        """Mint an identifier under a namespace, the `chosen` one if it is not None."""
        self._require(client, namespace, MINT)
        return self._mint(client, namespace, elements, chosen)

    def update(self, client: Client, places: tuple[RecordPlace, ...], elements: Mapping[str, str]) -> RecordPlace:
        """Change the elements of an identifier. Raises `Forbidden`, `UnregisteredIdentifier`, `InvalidInput`."""

        def change() -> RecordPlace:
            place, record = self._present(client, places)
            self._update(client, place, record, elements)
            return place

        return self._retry(change)

    def delete(self, client: Client, places: tuple[RecordPlace, ...]) -> RecordPlace:
        """Withdraw a reserved identifier for good. Raises `InvalidInput` for others."""

        def change() -> RecordPlace:
            place, record = self._present(client, places)
            if record.status != RESERVED:
                raise InvalidInput.at("", "identifier status does not support deletion")
            self.amender.withdraw(record, DELETION, None, client.id)
            self.on_changed(record.repository, record.key)
            return place

        return self._retry(change)

    def _present(self, client: Client, places: tuple[RecordPlace, ...]) -> tuple[RecordPlace, Record]:
        """Return the place and record of an identifier that the client may change."""
        self._require(client, places[0].namespace, UPDATE)
        place, record = find_record(places, self.records)
        if record is None or is_deleted(record, self.records):
            raise UnregisteredIdentifier(place.namespace.name, place.identifier)
        self._require(client, place.namespace, UPDATE)
        return place, record

    def _require(self, client: Client, namespace: Namespace, *verbs: str) -> None:
        require_allowed(client, namespace, self.prefixes, *verbs)

    def _mint(self, client: Client, namespace: Namespace, elements: Mapping[str, str], chosen: str | None) -> Record:
        """Mint a record; raise `Outdated` if another client minted the chosen identifier first."""
        repository = namespace.repository
        self.minter.require_home(repository.id)
        _require_owner(elements, (repository.id, client.id))
        if parse_status(elements.get(STATUS, "")).status == WITHDRAWN:
            raise InvalidInput.at(STATUS, _NO_TRANSITION)

        def content_for(identifier: str) -> Content:
            classic = classic_form(identifier)
            target = elements.get(TARGET, "").replace(PLACEHOLDER, as_path(classic))
            content = content_with({**elements, TARGET: target}, None, repository, classic)
            require_valid_content(content, repository)
            return content

        content_for(join(namespace.name, chosen or "0"))  # refuses invalid elements before a number is taken
        self.quotas.spend(client)
        try:
            record = self.minter.mint(MintRequest(id=chosen, author=client.id, content_for=content_for), namespace)
        except IdentifierTaken:
            raise Outdated(chosen or namespace.name) from None
        self.on_minted(record)
        return record

    def _update(self, client: Client, place: RecordPlace, record: Record, elements: Mapping[str, str]) -> None:
        """Write the versions that the elements lead to; raise `Outdated` if another client wrote one first."""
        self.amender.require_home(record.repository)
        repository = place.namespace.repository
        present = elements_of(record, repository, record.author)
        changes = {name: value for name, value in elements.items() if value != present.get(name, "")}
        _require_owner(changes, (record.repository, client.id))
        status = parse_status(changes[STATUS]) if STATUS in changes else None
        if not changes or changes.keys() == {OWNER}:
            return
        try:
            self._write(client, record, repository, changes, status)
        finally:  # also if only the first of two versions was written
            self.on_changed(record.repository, record.key)

    def _write(
        self, client: Client, record: Record, repository: Repository, changes: Mapping[str, str], status: Status | None
    ) -> None:
        """Write the versions that the changes lead to: two if content changes and the record is withdrawn."""
        if record.status == WITHDRAWN:
            self._restore(client, record, repository, changes, status)
        elif status is not None and status.status == WITHDRAWN:
            if record.status == RESERVED:
                raise InvalidInput.at(STATUS, _NO_TRANSITION)
            reason = _reason_of(status)
            changed = self.amender.update(record, _content(changes, record, repository), client.id)
            self.amender.withdraw(changed, reason, None, client.id)
        else:
            content = _content(changes, record, repository)
            wanted = record.status if status is None else status.status
            if wanted == RESERVED != record.status:
                raise InvalidInput.at(STATUS, _NO_TRANSITION)
            self.amender.update(record, replace(content, status=wanted), client.id)

    def _restore(
        self, client: Client, record: Record, repository: Repository, changes: Mapping[str, str], status: Status | None
    ) -> None:
        """Return an unavailable identifier to the public, with the locations from before and the other changes."""
        if status is None or status.status == WITHDRAWN:
            raise InvalidInput.at("", f"the identifier is unavailable; set {STATUS} to {PUBLIC} to change it")
        if status.status == RESERVED:
            raise InvalidInput.at(STATUS, _NO_TRANSITION)
        before = self.records.superseded(record.repository, record.key, record.version - 1)
        locations = before.records if before is not None else ()
        former = replace(record, records=locations, status=ACTIVE, withdrawn=None)
        self.amender.restore(record, _content(changes, former, repository), client.id)

    def _retry(self, change: Callable[[], _Result]) -> _Result:
        return repeat_overtaken(change, self.minter.clock, self.minter.entropy)


def _content(changes: Mapping[str, str], record: Record, repository: Repository) -> Content:
    """Return the valid content of a record with these changes, apart from its status."""
    others = {name: value for name, value in changes.items() if name not in (OWNER, STATUS)}
    content = content_with(others, record, repository, identifier_of(record))
    require_valid_content(content, repository)
    return content


def _require_owner(changes: Mapping[str, str], owners: tuple[str, ...]) -> None:
    """Raise `InvalidInput` for another owner: whom an identifier belongs to follows from the scopes of keys."""
    if changes.get(OWNER) and changes[OWNER] not in owners:
        raise InvalidInput.at("", "ownership change prohibited")


def _reason_of(status: Status) -> str:
    """Return the reason of a withdrawal. Raises `InvalidInput` for one that the records API would refuse."""
    try:
        return parse(WithdrawalBody, {"reason": status.reason or NO_REASON}).reason
    except InvalidInput as error:
        raise InvalidInput.at(STATUS, "; ".join(each.reason for each in error.violations)) from None
