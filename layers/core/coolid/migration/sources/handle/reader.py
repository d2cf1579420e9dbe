"""The reader of the source `handle`: batch files, listings, the table `handles` as SQL or CSV, and JSON.

The beginning of the file shows which it is. JSON has the documents of the REST API (Handle.Net Technical Manual,
section 14) one after the other, as JSON Lines, or in an array.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from coolid.errors import UsageError
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.migration.dumps.dump_rows import beginning_of
from coolid.migration.dumps.json_documents import FoundDocument, read_documents
from coolid.migration.dumps.sql_dumps import is_sql
from coolid.migration.source_identifiers import Entry, SourceIdentifier, UnreadableEntry
from coolid.migration.sources.handle import batch_files, listings, tables
from coolid.migration.sources.handle.values import version_of

_SYSTEM: Final = "0."
_NO_DUMP: Final = (
    "the file is no dump of a Handle server: it is neither a batch file, nor a listing of `hdl-dblist -v`, nor"
    " the table `handles` as SQL or CSV, nor JSON of the REST API"
)
_SUCCESS: Final = 1


@refusing_damage
def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The handles of an unsorted dump with many values are sorted by name."""
    for entry in _entries(path):
        if isinstance(entry, SourceIdentifier) and entry.identifier.startswith(_SYSTEM):
            reason = "it is a handle of the Handle system itself, which only its servers use"
            yield UnreadableEntry(entry.position, reason, entry.identifier)
        else:
            yield entry


def _entries(path: Path) -> Iterator[Entry]:
    with open_dump(path) as file:
        beginning = beginning_of(file)
        header = beginning.partition(b"\n")[0].lower()
        if beginning.startswith((b"{", b"[")):
            yield from map(_json_entry, read_documents(file))
        elif is_sql(beginning) or (b"handle" in header and b"," in header and b"idx" in header):
            yield from tables.read_entries(path)
        elif batch_files.is_batch_file(beginning):
            yield from batch_files.read_entries(file)
        elif listings.is_listing(beginning):
            yield from listings.read_entries(file)
        else:
            raise UsageError(_NO_DUMP)


def _json_entry(found: FoundDocument) -> Entry:
    document: Any = found.document
    if not isinstance(document, dict):
        return UnreadableEntry(found.number, found.reason or "it is not an object")
    if "handles" in document:
        raise UsageError("the file has only names of handles; import the answers of /api/handles/NAME instead")
    handle, values = document.get("handle"), document.get("values")
    if not isinstance(handle, str) or not handle:
        return UnreadableEntry(found.number, "it has no handle")
    code = document.get("responseCode", _SUCCESS)
    if code != _SUCCESS or not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
        return UnreadableEntry(found.number, f"it has no values, but the response code {str(code)[:20]}", handle)
    version, losses = version_of(values)
    return SourceIdentifier(found.number, handle, (version,), tuple(losses))
