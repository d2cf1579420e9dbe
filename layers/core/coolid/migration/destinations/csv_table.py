"""A CSV table, a row for each identifier, with the columns that `coolid records mint` and `coolid import` read.

The columns are `prefix`, `id`, `uri`, `status`, `ttl`, then those of metadata as far as they occur
(`coolid.model.row_fields`). If there are withdrawn records, `reason` and `successor` are columns, too, which only
`coolid import` reads. Formulas are guarded (`coolid.http.formats.csv`), and rows are read without the guards.
"""

from collections.abc import Iterable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from coolid.http.formats import csv
from coolid.migration.destinations.exported_identifiers import ExportedIdentifier, LossListener
from coolid.migration.source_identifiers import Loss
from coolid.model import custody
from coolid.model.prefixes import join
from coolid.model.records import ACTIVE, Location, Record
from coolid.model.row_fields import KERNEL, METADATA
from coolid.strict_json import dump
from coolid.transfer.row_reader import cell_value

_MEMBERS: Final = ("prefix", "id", "uri", "status", "ttl")
_TOMBSTONE: Final = ("reason", "successor")


def write(identifiers: Iterable[ExportedIdentifier], on_loss: LossListener) -> Iterator[bytes]:
    """Yield the rows. They are in a temporary file until all columns are known. See `Destination`."""
    with TemporaryFile() as file:
        found: dict[str, None] = {}
        for each in identifiers:
            cells = _cells(each, on_loss)
            found |= dict.fromkeys(cells)
            file.write(msgspec.json.encode(cells) + b"\n")
        order = (*_MEMBERS, *_TOMBSTONE, *KERNEL)
        columns = [name for name in order if name in found or name in _MEMBERS]
        columns += sorted(set(found) - set(order))
        yield csv.write([columns]).encode()
        file.seek(0)
        for line in file:
            row = msgspec.json.decode(line, type=dict[str, str])
            yield csv.write([[row.get(name) for name in columns]]).encode()


def _cells(each: ExportedIdentifier, on_loss: LossListener) -> dict[str, str]:
    """Return the cells of a record by their columns, without empty ones."""
    record, identifier = each.record, join(each.prefix, each.record.id)
    for reason in _lost_members(record):
        on_loss(Loss(identifier, reason))
    cells = {"prefix": each.prefix, "id": record.id, "status": record.status}
    if record.records:
        cells["uri"] = record.records[0].uri
    if record.ttl is not None:
        cells["ttl"] = str(record.ttl)
    if record.withdrawn:
        cells |= {"reason": record.withdrawn.reason, "successor": record.withdrawn.successor or ""}
    cells |= _metadata_cells(record.metadata, identifier, on_loss)
    return {name: cell for name, cell in cells.items() if cell}


def _lost_members(record: Record) -> Iterator[str]:
    """Yield what a row cannot hold beside the metadata."""
    if len(record.records) > 1:
        yield "it has several locations; the row has the first one"
    if any(replace(each, status=ACTIVE) != Location(each.uri) for each in record.records):
        yield "a row has no media type, language, period or other member of a location"
    if record.alternates:
        yield "a row has no alternates"
    if record.records and record.records[0].status != ACTIVE and record.withdrawn is None:
        yield "its first location is inactive, which a row cannot say"
    if custody.MEMBER in record.metadata:
        yield "a row has no custody, because only a service writes that"


def _metadata_cells(metadata: Mapping[str, Any], identifier: str, on_loss: LossListener) -> Iterator[tuple[str, str]]:
    """Yield columns with their cells."""
    for name, value in metadata.items():
        if name == custody.MEMBER:
            continue
        column = name if name in KERNEL else f"{METADATA}.{name}"
        cell = _cell(value)
        if column != column.strip():
            on_loss(Loss(identifier, f"the name of its metadata {name!a} ends with a space"))
            continue
        if cell_value(cell, name) != value:
            on_loss(Loss(identifier, f"its metadata {name!a} becomes a text, because its type has no cell"))
        yield column, cell


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else dump(value)
