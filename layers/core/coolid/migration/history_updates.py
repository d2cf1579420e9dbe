"""Which versions an import writes after those that are stored.

An identifier is present if its versions are stored, perhaps followed by later ones, or if an import of the same source
wrote its newest state. Times and the claims of the source do not count, because later dumps change them. If an import
of the source wrote the current version and the state in the dump is another one, an update appends it. A record that
was changed here since is never overwritten.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.pages.import_note import IMPORTED, TARGETS
from coolid.migration.history_drafts import HistoryDraft
from coolid.migration.source_catalog import SourceEntry
from coolid.model.records import ACTIVE, WITHDRAWN, Content, Record, parse_time
from coolid.records.amendment import RecordAmender
from coolid.store.records import RecordStore
from coolid.store.versions import RecordVersions
from coolid.transfer.bulk_minter import AUTHOR
from coolid.transfer.record_content import content_of

TAKEN: Final = "it exists here with other content"
_CHANGED_HERE: Final = "it was changed here since its import"
_OTHER_STATE: Final = "it was imported with other content; --update writes that of the dump"
_REPEATED: Final = "the dump has it twice, with different content"
_EARLIER: Final = "the dump has an earlier state of it than the import before"
_FINAL: Final = "a withdrawal is final here, but in the source it was not"
_NOT_ENCODED: Final = "targets of it were imported with --encode-targets, and would be lost without that option"
_OTHER_TOMBSTONE: Final = "it is withdrawn here with another reason or content, and a tombstone cannot change"


class HistoryUpdater:
    """Compares drafts of the source with the records of `records`, and writes later states through `amender`.

    Without `is_enabled`, later states are refused.
    """

    def __init__(self, records: RecordStore, amender: RecordAmender, source: SourceEntry, *, is_enabled: bool) -> None:
        self._records = records
        self._amender = amender
        self._source = source
        self._is_enabled = is_enabled

    def missing_versions(self, draft: HistoryDraft, current: Record, *, is_repeated: bool) -> list[Record]:
        """Return the unsigned versions to write after `current`, none if the identifier is present.

        `is_repeated` if an earlier entry of the dump has the same identifier; the first entry is the one that counts.
        Raises `InvalidInput` with the reason if the versions cannot be written, `StoreUnavailable`.
        """
        newest = draft.versions[-1]
        is_imported = self._is_imported(current)
        if is_imported and _is_same(newest, current):
            return []
        if not (is_imported and self._is_enabled) and all(self._is_stored(each, current) for each in draft.versions):
            return []
        if not is_imported:
            versions = RecordVersions(current, self._records)  # an import writes only after its own versions
            imported, _ = versions.boundary(lambda each: not self._is_imported(each))
            if imported is not None and _is_same(newest, imported):
                return []
            raise InvalidInput.at("", TAKEN if imported is None else _CHANGED_HERE)
        if is_repeated or not self._is_enabled:
            raise InvalidInput.at("", _REPEATED if is_repeated else _OTHER_STATE)
        return self._later_versions(draft, current)

    def write(self, versions: list[Record], current: Record) -> None:
        """Sign and write these versions after `current`. If it is interrupted, a repeated import writes the others.

        Raises the errors of `RecordAmender.write`.
        """
        for version in versions:
            current = self._amender.write(version, current)

    def _is_imported(self, record: Record) -> bool:
        """Return whether an import of the source wrote this version."""
        return record.author == AUTHOR and _claims(record).get("source") == self._source.service

    def _is_stored(self, version: Record, current: Record) -> bool:
        found: Record | None = current
        if version.version != current.version:
            found = self._records.superseded(version.repository, version.key, version.version)
        return found is not None and _content(found) == _content(version)

    def _later_versions(self, draft: HistoryDraft, current: Record) -> list[Record]:
        newest = draft.versions[-1]
        since, before = _updated(newest), _updated(current)
        if since is not None and before is not None and since < before:
            raise InvalidInput.at("", _EARLIER)
        loses_targets = newest.status != WITHDRAWN and len(newest.records) < len(current.records)
        if loses_targets and TARGETS in _claims(current) and TARGETS not in _claims(newest):
            raise InvalidInput.at("", _NOT_ENCODED)
        if current.status != WITHDRAWN:
            versions = self._appended(_versions_after(current, draft.versions), current)
        elif newest.status == WITHDRAWN:
            raise InvalidInput.at("", _OTHER_TOMBSTONE)
        elif newest.status == ACTIVE and self._source.restores:
            versions = [self._amender.restoration(current, _content_to_write(newest), AUTHOR)]
        else:
            raise InvalidInput.at("", _FINAL)
        for version in versions:
            self._amender.check(version)
        return versions

    def _appended(self, drafts: tuple[Record, ...], current: Record) -> list[Record]:
        """Return versions with the content of these drafts that continue the chain of `current`."""
        versions: list[Record] = []
        for draft in drafts:
            if draft.withdrawn is not None:
                reason, successor = draft.withdrawn.reason, draft.withdrawn.successor
                tombstone = self._amender.tombstone(current, reason, successor, AUTHOR)
                version = replace(tombstone, metadata={**tombstone.metadata, IMPORTED: _claims(draft)})
            else:
                version = self._amender.next_version(current, _content_to_write(draft), AUTHOR)
            if version is not current:
                versions.append(version)
            current = version
        return versions


def _versions_after(current: Record, drafts: tuple[Record, ...]) -> tuple[Record, ...]:
    """Return the drafts after the one that is stored. If none is, return the newest one.

    A tombstone with content of its own takes the version with this content, too.
    """
    for at in reversed(range(len(drafts))):
        if _is_same(drafts[at], current):
            return drafts[at + 1 :]
    newest = drafts[-1]
    return drafts[-2:] if newest.status == WITHDRAWN and _has_content(newest) else drafts[-1:]


def _is_same(draft: Record, stored: Record) -> bool:
    """Return whether both have the same content. A tombstone without content in the source leaves the stored one."""
    if draft.withdrawn is not None and stored.withdrawn is not None and not _has_content(draft):
        one, other = draft.withdrawn, stored.withdrawn
        return (one.reason, one.successor) == (other.reason, other.successor)
    return _content(draft) == _content(stored)


def _has_content(record: Record) -> bool:
    return bool(record.records or record.alternates or record.metadata.keys() - {IMPORTED})


def _content(record: Record) -> bytes:
    """Return the content of a version without the claims of its source, which later dumps change."""
    return content_of(replace(record, metadata={**record.metadata, IMPORTED: None}))


def _content_to_write(draft: Record) -> Content:
    return Content(draft.records, draft.metadata, draft.alternates, draft.status, draft.ttl)


def _claims(record: Record) -> Mapping[str, Any]:
    """Return what the source claims about a version, nothing if it is not imported."""
    claims = record.metadata.get(IMPORTED)
    return claims if isinstance(claims, Mapping) else {}


def _updated(record: Record) -> datetime | None:
    """Return when the source changed this version, or None if it has no time."""
    text = _claims(record).get("updated")
    return parse_time(text) if isinstance(text, str) else None
