"""The records and the key set of an export, for `coolid verify`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from coolid.aws.transfer.bounded_lines import Line, read_lines
from coolid.aws.transfer.export_format import KEYS, RECORD, InvalidExport, checked, is_export

__all__ = ["InvalidExport", "is_one", "keys", "records"]


def is_one(first: bytes) -> bool:
    """Return whether a file that begins with this line is an export."""
    return is_export(first)


def records(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the records of an export with their line numbers. Raises `InvalidExport`."""
    for number, document in checked(lines):
        if document["kind"] == RECORD:
            record = orjson.dumps(document.get("record"))
            yield Line(number, record, len(record))


def keys(path: Path) -> Any:
    """Return the key set (RFC 7517) in an export, or None if there is none or the file is not an export."""
    with path.open("rb") as file:
        first_two = [line.content for line in islice(read_lines(file), 2)]
    if len(first_two) < 2 or not is_export(first_two[0]):
        return None
    try:
        document = orjson.loads(first_two[1])
    except ValueError:
        return None
    return {"keys": document.get("keys")} if isinstance(document, dict) and document.get("kind") == KEYS else None
