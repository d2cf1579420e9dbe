"""The source `csv`: a table with a row for each identifier, as CSV or JSON Lines.

The columns are those of `coolid.transfer.row_reader`, and also:

- `identifier`: the identifier with its prefix, or a bare name, in place of `prefix` and `id`;
- `created` and `updated`: times (RFC 3339) at the source;
- `reason` and `successor`: of a row with the status `withdrawn`.

A line of JSON Lines may also have `records` and `alternates`, as in a body of `POST /api/v1/records`.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from coolid.errors import InvalidInput, UsageError
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.prefixes import fold, join
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Location
from coolid.model.row_fields import MEMBERS, METADATA
from coolid.transfer.csv_rows import MalformedCsv
from coolid.transfer.row_reader import InvalidTable
from coolid.transfer.row_reader import read as read_rows

COLUMNS: Final = ("identifier", *MEMBERS, "reason", "successor", "created", "updated", METADATA)
_STATUSES: Final = (ACTIVE, RESERVED, WITHDRAWN)
_NO_TIME: Final = "it is no time as RFC 3339 writes it, such as 2025-07-10T14:22:30Z"


class _Row(Struct, forbid_unknown_fields=True):
    """The document of a row."""

    identifier: str = ""
    prefix: str = ""
    id: str = ""
    uri: str | None = None
    records: tuple[Location, ...] = ()
    metadata: dict[str, Any] = {}
    alternates: tuple[dict[str, str], ...] = ()
    status: str = ACTIVE
    ttl: int | None = None
    reason: str | None = None
    successor: str | None = None
    created: str = ""
    updated: str = ""


@refusing_damage
def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is the first line of its row."""
    with open_dump(path) as file:
        try:
            for line, document in read_rows(file, COLUMNS):
                yield _entry(line, document)
        except (MalformedCsv, InvalidTable) as error:
            raise UsageError(f"{path}: {error}") from error


def _entry(line: int, document: Any) -> Entry:
    if isinstance(document, InvalidInput):
        return UnreadableEntry(line, document.violations[0].reason)
    text = document.get("identifier") if isinstance(document, Mapping) else None
    identifier = text.strip() if isinstance(text, str) else ""
    try:
        row = convert(document, _Row)
    except ValidationError as error:
        return UnreadableEntry(line, str(error), identifier)
    if row.id and not identifier:
        identifier = join(fold(row.prefix), row.id) if row.prefix else row.id
        row = replace(row, prefix="", id="")
    reason = _objection(row, identifier)
    if reason:
        return UnreadableEntry(line, reason, identifier)
    times = {name: _moment(text) for name, text in (("created", row.created), ("updated", row.updated)) if text}
    version = SourceVersion(
        locations=row.records if row.uri is None else (Location(row.uri),),
        metadata=row.metadata,
        alternates=row.alternates,
        status=row.status,
        since=times.get("updated"),
        reason=row.reason,
        successor=row.successor,
        ttl=row.ttl,
    )
    losses = tuple(Loss(name, _NO_TIME, document[name]) for name, moment in times.items() if moment is None)
    return SourceIdentifier(line, identifier, (version,), losses, times.get("created"))


def _objection(row: _Row, identifier: str) -> str | None:
    """Return why a row is no identifier, or None."""
    if not identifier:
        return "it has no identifier"
    if row.prefix or row.id:
        return "it has both identifier, and prefix or id"
    if row.status not in _STATUSES:
        return f"its status is none of {', '.join(_STATUSES)}"
    return "it has both uri and records" if row.uri is not None and row.records else None


def _moment(text: str) -> datetime | None:
    """Return a time, in UTC if it has no time zone, or None for another text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
