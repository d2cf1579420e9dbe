"""The files that `coolid verify` reads: one JSON document, JSON Lines, or an export; and key sets."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from coolid.cli.progress import ShowProgress
from coolid.errors import UsageError
from coolid.proofs.verdicts import quoted
from coolid.strict_json import NotJson, load
from coolid.transfer.bounded_lines import TOO_LONG, Line, read_lines
from coolid.transfer.export_format import KEYS, RECORD, TLOG_PROOF, checked, is_export

MAX_DOCUMENT_BYTES: Final = 2_000_000
"""The maximum size of one JSON document, the same as that of a response in `coolid.client`."""

ProvedLine = tuple[Line, bytes | None]
"""A line with a record, and the proof that its version is in a log, if the file has it."""


def join_lines(file: str, lines: Iterable[Line]) -> bytes:
    """Return the document in the lines of a file. Exits with 2 if it is larger than `MAX_DOCUMENT_BYTES`."""
    contents: list[bytes] = []
    size = 0
    for line in lines:
        size += len(line.content) + 1
        if line.is_too_long or size > MAX_DOCUMENT_BYTES:
            raise UsageError(f"{file} is not JSON: a line {TOO_LONG}, or the document than {MAX_DOCUMENT_BYTES:,}")
        contents.append(line.content)
    return b"\n".join(contents)


def json_of(file: str, content: bytes) -> Any:
    """Return the document in the content of a file. Exits with 2 if it is not JSON."""
    try:
        return load(content)
    except NotJson as error:
        raise UsageError(f"{file} is not JSON: {quoted(str(error))}") from error


def load_line(line: Line) -> Any:
    """Return the document of a line. Raises `NotJson` with a sentence as its message."""
    if line.is_too_long:
        raise NotJson(f"the line {TOO_LONG}")
    try:
        return load(line.content)
    except NotJson as error:
        raise NotJson(f"the line is not JSON: {quoted(str(error))}") from error


def skip_blank(file: BinaryIO, show: ShowProgress) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, and display the progress of reading."""
    size = 0
    for line in read_lines(file):
        size += len(line.content) + 1
        show(size, line.number)
        if line.is_too_long or line.content.strip():
            yield line


def are_documents(first: Sequence[Line]) -> bool:
    """Return whether a file that begins with these lines, at most two, has a document in each line."""
    if first and first[0].is_too_long:
        return True
    if len(first) < 2:
        return False
    try:
        load(first[0].content)
    except NotJson:
        return False
    return True


def records_of(lines: Iterable[Line]) -> Iterator[ProvedLine]:
    """Yield the records of an export with their line numbers and proofs. Raises `InvalidExport`."""
    for number, document in checked(lines):
        if document["kind"] == RECORD:
            record, proof = orjson.dumps(document.get("record")), document.get(TLOG_PROOF)
            yield Line(number, record), proof.encode() if isinstance(proof, str) else None


def keys_of_export(path: Path) -> Any:
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
