"""Copies of the versions of another service, which wait in this one for their transfer or precede it.

A copy is stored under the key of its LinkID in a repository of this service. Its documents are unchanged, so that their
proofs stay valid. Versions are written in one transaction, unless they are too large for one: then the older ones of a
new copy come first, and nothing is visible before the current one. A repetition writes what is missing. The store's
conditions decide between concurrent adoptions.
"""

from collections.abc import Iterator, Sequence

from coolid.errors import IdentifierTaken, Outdated
from coolid.model.records import Record
from coolid.records.custody.versions import has_same_document
from coolid.store.bulk import MAX_GROUP_BYTES, BulkWriter, RecordRow, WriteGroup
from coolid.store.records import MAX_BETWEEN, RecordStore
from coolid.store.rows import record_row


class RecordAdoption:
    """Stores copies in `records`; `writer` writes older versions."""

    def __init__(self, records: RecordStore, writer: BulkWriter) -> None:
        self._records = records
        self._writer = writer

    def adopt(self, versions: Sequence[Record], current: Record | None) -> Record:
        """Make the last of a chain of versions the current one, in the place of `current`. Return it.

        The versions are the oldest first, with repository and key of this service. `current` is the stored current
        version, None if the key was never used. Raises `IdentifierTaken` if that is no version of the chain, `Outdated`
        if another one is current meanwhile, `InvalidInput` for a version that is too large, `StoreUnavailable`.
        """
        newest = versions[-1]
        if current is None:
            self._put(*(_row(each) for each in versions[:-1]), _row(newest, is_current=True))
            return newest
        if not any(each.version == current.version and has_same_document(each, current) for each in versions):
            raise IdentifierTaken(newest.id)
        if current.version == newest.version:
            return current
        for part in _parts([each for each in versions if each.version > current.version]):
            self._records.replace_record(part[-1], current, None, part[:-1])
            current = part[-1]
        return newest

    def _put(self, *rows: RecordRow) -> None:
        group = WriteGroup(*rows)
        self._writer.put([group])
        if group.conflicts:
            raise Outdated(group.last.key)


def _parts(versions: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield versions in parts that one write of the store can contain."""
    part: list[Record] = []
    size = 0
    for version in versions:
        row_size = _row(version).size_bytes
        if part and (len(part) > MAX_BETWEEN or size + row_size > MAX_GROUP_BYTES):
            yield part
            part, size = [], 0
        part.append(version)
        size += row_size
    yield part


def _row(record: Record, *, is_current: bool = False) -> RecordRow:
    """Return the row of a copy, which has no author here."""
    body = record_row(record, record.version)["body"]
    return RecordRow(record.repository, record.key, record.version, record.status, body, None, is_current)
