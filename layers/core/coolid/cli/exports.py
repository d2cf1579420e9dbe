"""Exports as `coolid verify` reads them: the records among their lines, and the key set that stands in them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from coolid.aws.moving.lines import KEYS, MOST_LINE_BYTES, RECORD, BadExport, checked, is_export

__all__ = ["BadExport", "is_one", "keys", "records"]


def is_one(first: bytes) -> bool:
    """Whether a file that begins with this line is an export."""
    return is_export(first)


def records(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """The records among the lines of an export, with the numbers of their lines. Raises `BadExport`, at the end."""
    for number, document in checked((number, line.removesuffix(b"\n")) for number, line in lines):
        if document["kind"] == RECORD:
            yield number, orjson.dumps(document.get("record"))


def keys(path: Path) -> Any:
    """The key set (RFC 7517) that an export holds; None where the file is none, or holds none."""
    with path.open("rb") as file:
        first, second = file.readline(MOST_LINE_BYTES), file.readline(MOST_LINE_BYTES)
    if not is_export(first):
        return None
    try:
        document = orjson.loads(second)
    except ValueError:
        return None
    return {"keys": document.get("keys")} if isinstance(document, dict) and document.get("kind") == KEYS else None
