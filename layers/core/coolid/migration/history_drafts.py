"""The unsigned versions of a record for an imported identifier, and the losses: what the source has and they lack.

The first version is active or reserved. A withdrawn identifier has its tombstone as its last version. Each version has
the member `imported` in its metadata, with what the source claims:

    {"source": "EZID", "identifier": "ark:/99999/fk4x", "created": "2011-03-22T18:32:17Z", "updated": "…"}

`created` and `updated` are absent if the source has no such time. `targets` has the source's spellings of targets that
were encoded. The times of the record are those of the import.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.pages.import_note import IMPORTED, TARGETS
from coolid.migration.encoded_targets import version_with_encoded_targets
from coolid.migration.identifier_namespaces import NamespaceMatch
from coolid.migration.source_identifiers import Loss, SourceIdentifier, SourceVersion
from coolid.migration.version_content import TARGET, checked_content, withdrawal_of
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Content, Record, format_time
from coolid.model.repositories import Repository
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.store.rows import record_body
from coolid.transfer.bulk_minter import AUTHOR

MAX_VERSIONS: Final = 50
MAX_HISTORY_BYTES: Final = 3_000_000
"""The most versions of an imported record, and their bytes. Every store writes that many together or not at all."""
_TOO_LONG: Final = f"an imported history has at most {MAX_VERSIONS} versions and {MAX_HISTORY_BYTES:,} bytes"
_MAX_SPELLING: Final = 2_048


class HistoryDraft(Struct, frozen=True):
    """The unsigned versions of a record, the oldest first, the losses, and the spellings of encoded targets."""

    versions: tuple[Record, ...]
    losses: tuple[Loss, ...]

    @property
    def encoded(self) -> list[str]:
        """The targets that were encoded, as the source spells them."""
        spellings = (each.metadata[IMPORTED].get(TARGETS, ()) for each in self.versions)
        return [*dict.fromkeys(chain.from_iterable(spellings))]


class HistoryDrafter:
    """Drafts versions with the rules of `minter` and `amender`. `service` is the source's name in `imported`.

    With `encodes_targets`, targets with characters that browsers encode are encoded, and otherwise lost.
    """

    def __init__(self, minter: Minter, amender: RecordAmender, service: str, *, encodes_targets: bool = False) -> None:
        self._minter = minter
        self._amender = amender
        self._service = service
        self._encodes_targets = encodes_targets

    def draft(self, entry: SourceIdentifier, match: NamespaceMatch) -> HistoryDraft:
        """Return the versions of an entry. Raises `InvalidInput`, `HomeElsewhere`, `HomeMoving`, `StoreUnavailable`."""
        self._minter.require_home(match.namespace.repository.id)
        newest = entry.versions[-MAX_VERSIONS + 1 :]
        while True:
            losses = list(entry.losses)
            records = self._records(entry, newest, match, losses)
            if len(newest) == 1 or sum(len(record_body(each).encode()) for each in records) <= MAX_HISTORY_BYTES:
                break
            newest = newest[1:]
        if older := len(entry.versions) - len(newest):
            losses.append(Loss("versions", _TOO_LONG, f"the {older} oldest ones"))
        return HistoryDraft(tuple(records), tuple(losses))

    def _records(
        self, entry: SourceIdentifier, versions: Sequence[SourceVersion], match: NamespaceMatch, losses: list[Loss]
    ) -> list[Record]:
        """Return the unsigned records of these versions, and add what they lack to the losses."""
        repository = match.namespace.repository
        records: list[Record] = []
        for state in _consistent_states(versions, losses):
            claims = self._claims(entry, state)
            if state.status == WITHDRAWN:
                records.append(self._tombstone(records[-1], state, claims, losses))
                continue
            content, lost = self._content(state, repository, claims)
            losses += lost
            record = self._version(records, match, content, losses)
            if not records or record is not records[-1]:
                records.append(record)
        return records

    def _content(
        self, state: SourceVersion, repository: Repository, claims: dict[str, Any]
    ) -> tuple[Content, list[Loss]]:
        encoded = version_with_encoded_targets(state) if self._encodes_targets else state
        content, losses = checked_content(encoded, repository)
        metadata = dict(content.metadata)
        if IMPORTED in metadata:
            losses.append(Loss(IMPORTED, "the import stores what this source claims under the same name"))
        kept = {each.uri for each in content.records}
        pairs = zip(encoded.locations, state.locations, strict=True)
        if spellings := [before.uri for after, before in pairs if after.uri != before.uri and after.uri in kept]:
            claims = claims | {TARGETS: spellings}
        return replace(content, metadata=metadata | {IMPORTED: claims}), losses

    def _version(
        self, records: Sequence[Record], match: NamespaceMatch, content: Content, losses: list[Loss]
    ) -> Record:
        """Return the next version, without locations that lead to the identifier itself."""
        while True:
            try:
                if records:
                    return self._amender.next_version(records[-1], content, AUTHOR)
                return self._minter.draft(match.name, content, match.namespace, AUTHOR)
            except InvalidInput as error:
                pointer = error.violations[0].pointer.split("/")
                if pointer[1:2] != ["records"]:
                    raise
                at = int(pointer[2])
                losses.append(Loss(TARGET, error.violations[0].reason, content.records[at].uri))
                content = replace(content, records=content.records[:at] + content.records[at + 1 :])

    def _tombstone(self, current: Record, state: SourceVersion, claims: dict[str, Any], losses: list[Loss]) -> Record:
        withdrawal, lost = withdrawal_of(state)
        losses += lost
        tombstone = self._amender.tombstone(current, withdrawal.reason, withdrawal.successor, AUTHOR)
        if spellings := current.metadata[IMPORTED].get(TARGETS):
            claims = claims | {TARGETS: spellings}
        return replace(tombstone, metadata={**tombstone.metadata, IMPORTED: claims})

    def _claims(self, entry: SourceIdentifier, state: SourceVersion) -> dict[str, Any]:
        claims = {"source": self._service, "identifier": entry.identifier[:_MAX_SPELLING]}
        times = {"created": entry.created, "updated": state.since}
        return claims | {name: format_time(moment) for name, moment in times.items() if moment is not None}


def _consistent_states(versions: Sequence[SourceVersion], losses: list[Loss]) -> list[SourceVersion]:
    """Return the states that a record can have, in their order; what is left out is added to the losses.

    Before a withdrawal there is an active state with its content. Only the last state is withdrawn, and none is
    reserved after one that is not.
    """
    states: list[SourceVersion] = []
    for at, version in enumerate(versions):
        status = version.status
        if status == WITHDRAWN and at < len(versions) - 1:
            losses.append(Loss("status", "a withdrawal is final here, but in the source it was not", WITHDRAWN))
            status = ACTIVE
        if status == RESERVED and any(each.status == ACTIVE for each in states):
            losses.append(Loss("status", "an identifier that was public cannot be reserved again", RESERVED))
            status = ACTIVE
        if status == WITHDRAWN and (not states or _differs(version, states[-1])):
            states.append(replace(version, status=ACTIVE, since=None))  # `since` is when it was withdrawn
        states.append(version if status == version.status else replace(version, status=status))
    return states


def _differs(version: SourceVersion, before: SourceVersion) -> bool:
    """Return whether a withdrawn version has content of its own."""

    def content(each: SourceVersion) -> tuple[Any, ...]:
        uris = [replace(location, status=INACTIVE) for location in each.locations]
        return uris, dict(each.metadata), [dict(alternate) for alternate in each.alternates]

    return any(content(version)) and content(version) != content(before)
