r"""The table `handles` of a Handle server over an SQL database, as SQL dump or CSV.

Source: Handle.Net Technical Manual (version 9), section 13 ("Using Custom Handle Storage"), which defines the columns
`handle`, `idx`, `type`, `data`, `ttl_type`, `ttl`, `timestamp`, `refs`, `admin_read`, `admin_write`, `pub_read` and
`pub_write`. There is a row for each value, in any order. PostgreSQL dumps the type `bytea` as hexadecimal digits.

>>> document_of({"idx": "1", "type": r"\x55524c", "data": b"https://a.example/", "pub_read": "t"})["type"]
'URL'
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from coolid.http.dialects.handle.value_parser import SECRET
from coolid.http.dialects.handle.values import ADMIN, is_type
from coolid.migration.dumps.dump_rows import DumpRow, moment_of, read_rows
from coolid.migration.dumps.row_groups import grouped
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, UnreadableEntry
from coolid.migration.sources.handle.values import version_of
from coolid.model.records import format_time

TABLE: Final = "handles"
COLUMNS: Final = frozenset({"handle", "idx", "type", "data"})

_HEX: Final = re.compile(r"\\x((?:[0-9A-Fa-f]{2})*)")
_PERMISSIONS: Final = (("admin_read", "1"), ("admin_write", "1"), ("pub_read", "1"), ("pub_write", "0"))
_TRUE: Final = ("1", "t", "true", "y", "yes", "\x01")
_ABSOLUTE: Final = "1"


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the handles of a table, each with one version."""
    for _, rows in grouped(map(_keyed, read_rows(path, lambda table: table == TABLE))):
        yield _entry(rows)


def document_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of a row in the JSON of the REST API, without the data of secrets."""
    kind = _text(row.get("type")) or ""
    value: dict[str, Any] = {
        "index": row.get("idx"),
        "type": kind,
        "permissions": "".join(_flag(row.get(name), default) for name, default in _PERMISSIONS),
        "timestamp": row.get("timestamp"),
    }
    ttl = str(row.get("ttl") or "")
    if re.fullmatch("[0-9]{1,10}", ttl):
        absolute = moment_of(ttl) if str(row.get("ttl_type")) == _ABSOLUTE else None
        value["ttl"] = int(ttl) if absolute is None else format_time(absolute)
    if not (is_type(kind, f"{SECRET}.") or is_type(kind, f"{ADMIN}.")):
        value["data"] = _data(row.get("data"))
    if _text(row.get("refs")):
        value["refs"] = True
    return value


def _keyed(row: DumpRow) -> tuple[str, list[Any]]:
    """Return a row with the key of its handle, without regard to case."""
    values = row.values
    handle = _text(values.get("handle")) if values is not None else None
    if values is None or not handle:
        return f" {row.number}", [row.number, "", row.reason or "it has no handle"]
    if not values.keys() >= COLUMNS:
        return f" {row.number}", [row.number, handle, f"it has not all columns of {', '.join(sorted(COLUMNS))}"]
    return handle.upper(), [row.number, handle, document_of(values)]


def _entry(rows: list[list[Any]]) -> Entry:
    number, handle, first = rows[0]
    if isinstance(first, str):
        return UnreadableEntry(number, first, handle)
    documents = [document for _, _, document in rows]
    references = [Loss(each["type"], "its references to other values") for each in documents if each.pop("refs", False)]
    version, losses = version_of(documents)
    return SourceIdentifier(number, handle, (version,), (*losses, *references))


def _data(value: Any) -> dict[str, str]:
    content = _bytes(value)
    try:
        return {"format": "string", "value": content.decode()}
    except UnicodeDecodeError:
        return {"format": "base64", "value": b64encode(content).decode()}


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    text = "" if value is None else str(value)
    found = _HEX.fullmatch(text)
    return bytes.fromhex(found[1]) if found else text.encode()


def _text(value: Any) -> str | None:
    return None if value is None else _bytes(value).decode(errors="replace")


def _flag(value: Any, default: str) -> str:
    return default if value is None else "01"[str(_text(value)).lower() in _TRUE]
