"""The importer, which writes the identifiers of a source as signed records, each with all its versions or not at all.

`coolid.migration.history_updates` compares the identifiers that exist already. So the store itself shows how far an
interrupted import came, and a repeated import continues it. Records are compared before they are signed, because
signing takes most of the time; the conditional write decides.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from msgspec import Struct

from coolid.errors import HomeElsewhere, HomeMoving, InvalidInput, Outdated
from coolid.migration.history_drafts import HistoryDraft, HistoryDrafter
from coolid.migration.history_updates import TAKEN, HistoryUpdater
from coolid.migration.identifier_namespaces import IdentifierNamespaces
from coolid.migration.import_report import ENCODED, LOST, ImportFinding, ImportReport
from coolid.migration.source_identifiers import Entry, SourceIdentifier, UnreadableEntry
from coolid.migration.version_content import TARGET
from coolid.model.records import Record
from coolid.proofs.statements import Prover
from coolid.store.bulk import BulkWriter, RecordRow, WriteGroup
from coolid.store.limits import require_record_size
from coolid.store.records import RecordStore
from coolid.store.rows import pid_of, record_body

NO_PREFIX: Final = "no registered prefix fits the identifier"
_AS_BROWSERS: Final = "it is percent-encoded as browsers do"
_MAX_BLOCK: Final = 500
_MAX_BLOCK_BYTES: Final = 8_000_000
_MAX_KEYS: Final = 100
_MAX_ATTEMPTS: Final = 3


class _Pending(Struct):
    """An identifier to write: its entry and its unsigned versions. `is_repeated` if an earlier entry has it, too."""

    entry: SourceIdentifier
    draft: HistoryDraft
    is_repeated: bool = False

    @property
    def record(self) -> Record:
        """The first version."""
        return self.draft.versions[0]


class Importer:
    """Writes the records of `drafter` through `writer`, signed by `prover`, and counts them in `report`.

    Without a writer it is a preview: nothing is signed or written. `add_name` adds a name to the set of this import and
    returns whether it is new. `signers` is how many versions are signed at a time, which helps if the key is behind a
    network.
    """

    def __init__(
        self,
        namespaces: IdentifierNamespaces,
        drafter: HistoryDrafter,
        updater: HistoryUpdater,
        records: RecordStore,
        prover: Prover,
        writer: BulkWriter | None,
        report: ImportReport,
        add_name: Callable[[str], bool],
        signers: int = 1,
    ) -> None:
        self._namespaces = namespaces
        self._drafter = drafter
        self._updater = updater
        self._records = records
        self._prover = prover
        self._writer = writer
        self._report = report
        self._signers = signers
        self._block: dict[str, _Pending] = {}
        self._block_bytes = 0
        self._add_name = add_name

    def run(self, entries: Iterable[Entry]) -> None:
        """Import all entries. Raises `StoreUnavailable`, `SignerUnavailable`; a new run continues."""
        for entry in entries:
            if isinstance(entry, UnreadableEntry):
                self._report.refuse(entry.position, entry.text, entry.reason)
            else:
                self._add(entry)
        self._flush()

    def _add(self, entry: SourceIdentifier) -> None:
        """Draft the versions of an identifier, and add it to the block."""
        try:
            match = self._namespaces.find(self._namespaces.full(entry.identifier))
            if match is None:
                self._report.refuse(entry.position, entry.identifier, NO_PREFIX)
                return
            draft = self._drafter.draft(entry, match)
            for version in draft.versions:
                body = record_body(version)
                require_record_size(version, body)
                if self._writer is None:
                    self._prover.check(version)
                self._block_bytes += len(body)
        except InvalidInput as error:
            self._report.refuse(entry.position, entry.identifier, *(each.reason for each in error.violations))
            return
        except (HomeElsewhere, HomeMoving) as error:
            self._report.refuse(entry.position, entry.identifier, str(error))
            return
        pending = _Pending(entry, draft)
        name = _name_of(pending.record)
        pending.is_repeated = not self._add_name(name)
        if name in self._block:  # the dump lists it twice
            self._flush()
        self._block[name] = pending
        if len(self._block) >= _MAX_BLOCK or self._block_bytes > _MAX_BLOCK_BYTES:
            self._flush()

    def _flush(self) -> None:
        """Write the identifiers of the block that are not present."""
        block, self._block, self._block_bytes = self._block, {}, 0
        stored = self._stored([each.record for each in block.values()])
        new = {name: pending for name, pending in block.items() if name not in stored}
        for name, pending in block.items():
            if name in stored:
                self._compare(pending, stored[name])
            elif self._writer is None:
                self._count(pending, written=1)
        if self._writer is None:
            return
        signed = self._sign([*new.values()])
        self._writer.put([group for _, group in signed])
        for pending, group in signed:
            if group.conflicts:
                record = pending.record
                self._compare(pending, self._records.record(record.repository, record.key, consistent=True))
            else:
                is_new = group.written > 0
                self._count(pending, written=is_new, present=not is_new)

    def _stored(self, records: Sequence[Record]) -> dict[str, Record]:
        """Return the current versions of the records that the store has already."""
        keys: dict[str, list[str]] = {}
        for record in records:
            keys.setdefault(record.repository, []).append(record.key)
        return {
            pid_of(repository, key): found
            for repository, of_repository in keys.items()
            for start in range(0, len(of_repository), _MAX_KEYS)
            for key, found in self._records.records(repository, of_repository[start : start + _MAX_KEYS]).items()
        }

    def _sign(self, block: Sequence[_Pending]) -> list[tuple[_Pending, WriteGroup]]:
        """Return the identifiers that can be signed, with their signed versions as rows. Count the others.

        The first one publishes the key, before others are signed at the same time.
        """
        signed = [self._signed(pending) for pending in block[:1]]
        with ThreadPoolExecutor(self._signers) as pool:
            signed += pool.map(self._signed, block[1:]) if self._signers > 1 else map(self._signed, block[1:])
        groups = []
        for pending, result in zip(block, signed, strict=True):
            if isinstance(result, InvalidInput):
                self._report.refuse(pending.entry.position, pending.entry.identifier, str(result))
            else:
                groups.append((pending, result))
        return groups

    def _signed(self, pending: _Pending) -> WriteGroup | InvalidInput:
        """Return the signed versions as rows, or why one cannot be signed."""
        group = WriteGroup()
        versions = pending.draft.versions
        for each in versions:
            try:
                body = record_body(self._prover.prove(each))
            except InvalidInput as error:
                return error
            is_last = each is versions[-1]
            group.add(RecordRow(each.repository, each.key, each.version, each.status, body, each.author, is_last))
        return group

    def _compare(self, pending: _Pending, current: Record | None) -> None:
        """Count an identifier whose record, or a version of it, is stored already, after its update if it has one."""
        try:
            is_updated = self._update(pending, current)
        except InvalidInput as error:
            reasons = [each.reason for each in error.violations]
            self._report.refuse(pending.entry.position, pending.entry.identifier, *reasons)
        except (HomeElsewhere, HomeMoving, Outdated) as error:
            self._report.refuse(pending.entry.position, pending.entry.identifier, str(error))
        else:
            self._count(pending, updated=is_updated, present=not is_updated)

    def _update(self, pending: _Pending, current: Record | None) -> bool:
        """Write the versions that the stored record lacks, and return whether there are any.

        The record is read again if it was changed since it was read.
        """
        for attempt in range(_MAX_ATTEMPTS):
            if current is None:
                raise InvalidInput.at("", TAKEN)
            versions = self._updater.missing_versions(pending.draft, current, is_repeated=pending.is_repeated)
            try:
                if self._writer is not None:
                    self._updater.write(versions, current)
            except Outdated:
                if attempt == _MAX_ATTEMPTS - 1:
                    raise
                current = self._records.record(current.repository, current.key, consistent=True)
            else:
                break
        return bool(versions)

    def _count(self, pending: _Pending, *, written: int = 0, updated: int = 0, present: int = 0) -> None:
        entry, losses = pending.entry, pending.draft.losses
        self._report.written += written
        self._report.updated += updated
        self._report.present += present
        self._report.incomplete += bool(losses)
        for loss in losses:
            self._report.add(ImportFinding(entry.position, entry.identifier, LOST, loss.name, loss.reason, loss.value))
        encoded = pending.draft.encoded
        self._report.encoded += bool(encoded)
        for target in encoded:
            self._report.add(ImportFinding(entry.position, entry.identifier, ENCODED, TARGET, _AS_BROWSERS, target))


def _name_of(record: Record) -> str:
    return pid_of(record.repository, record.key)
