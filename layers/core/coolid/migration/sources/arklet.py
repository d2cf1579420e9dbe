"""The source `arklet`: the table of ARKs of arklet, as SQL dump, CSV, or JSON of Django's `dumpdata`.

Sources: the models of arklet (Internet Archive) and of its fork arklet-frick. Their table `ark_ark` has the columns
`ark`, `naan_id`, `shoulder` or `shoulder_id`, `assigned_name` and `url`. Other columns depend on the release:
`metadata`, `commitment` or `rights`, `created_at`, `updated_at`, and in the fork elements of Dublin Core. Elements
become members of the metadata, and other columns are stored in the member `arklet`. Users and keys are not read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from coolid.migration.dumps.dump_rows import DumpRow, moment_of, read_rows
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.records import Location
from coolid.strict_json import NotJson, load

TABLES: Final = ("ark_ark", "ark")
MEMBER: Final = "arklet"
_MODEL: Final = "ark.ark"
_COLUMNS: Final = (("ark", "assigned_name"),)

_ELEMENTS: Final = {
    "title": "what",
    "type": "type",
    "identifier": "identifier",
    "format": "format",
    "relation": "relation",
    "source": "source",
    "rights": "rights",
    "commitment": "commitment",
}
"""The members of metadata by the columns that they have the values of."""
_STRUCTURE: Final = ("ark", "naan", "naan_id", "shoulder", "shoulder_id", "assigned_name", "url")
_TIMES: Final = ("created_at", "updated_at")


def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is the number of its row, or of its object in an export of Django."""
    for row in read_rows(path, lambda table: table in TABLES, columns=_COLUMNS):
        match row.values:
            case {"model": str(model), "pk": ark, "fields": {**fields}}:
                if model == _MODEL:
                    yield _entry(replace(row, values={**fields, "ark": ark}))
            case _:
                yield _entry(row)


def _entry(row: DumpRow) -> Entry:
    if row.values is None:
        return UnreadableEntry(row.number, row.reason)
    values = {name: value for name, value in row.values.items() if value not in (None, "")}
    ark = values.get("ark") or _composed(values)
    if not isinstance(ark, str) or "/" not in ark:
        return UnreadableEntry(
            row.number, "it has no ARK; the column ark, or naan_id, shoulder and assigned_name, are required"
        )
    losses = [Loss(name, "it is no text in UTF-8") for name, value in values.items() if isinstance(value, bytes)]
    texts = {name: str(value) for name, value in values.items() if not isinstance(value, bytes)}
    times = {name: moment_of(texts[name]) for name in _TIMES if name in texts}
    losses += [Loss(name, "it is no time", texts[name]) for name, moment in times.items() if moment is None]
    version = SourceVersion(
        locations=(Location(texts["url"]),) if "url" in texts else (),
        metadata=_metadata(texts),
        since=times.get("updated_at"),
    )
    identifier = f"ark:/{ark.removeprefix('ark:').lstrip('/')}"
    return SourceIdentifier(row.number, identifier, (version,), tuple(losses), times.get("created_at"))


def _composed(values: Mapping[str, Any]) -> str | None:
    """Return the ARK of a row without that column, such as `12345/x5abc`."""
    naan, shoulder, name = (values.get(column) for column in ("naan_id", "shoulder", "assigned_name"))
    return f"{naan}{shoulder}{name}" if naan and shoulder and name else None


def _metadata(texts: Mapping[str, str]) -> dict[str, Any]:
    elements = {member: texts[column] for column, member in _ELEMENTS.items() if column in texts}
    others = {
        column: _value(text)
        for column, text in texts.items()
        if column not in _ELEMENTS and column not in _STRUCTURE and column not in _TIMES
    }
    return elements | ({MEMBER: others} if others else {})


def _value(text: str) -> Any:
    """Return the JSON object or array that a column contains, or its text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return load(text.encode())
    except NotJson:
        return text
