"""The file format of an export, which reveals truncated and altered files before they are used.

An export is JSON Lines. The first line names the format; the last counts the lines between and has the SHA-256 of all
bytes before it. Between them are, in this order: the public keys, repositories, prefixes, records with all their
versions (oldest first), and counters.

>>> list(export_lines([{"kind": "keys", "keys": []}]))[1]
b'{"kind":"keys","keys":[]}\\n'
>>> is_export(b'{"kind":"export","format":"coolid-export/1"}')
True
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from typing import Any, BinaryIO, Final

import orjson

from coolid.errors import UsageError
from coolid.transfer.bounded_lines import TOO_LONG, Line, read_lines

FORMAT: Final = "coolid-export/1"
EXPORT: Final = "export"
KEYS: Final = "keys"
REPOSITORY: Final = "repository"
PREFIX: Final = "prefix"
RECORD: Final = "record"
COUNTER: Final = "counter"
END: Final = "end"
TLOG_PROOF: Final = "tlog_proof"
"""The member of a record's line with the proof that this version is in the log (C2SP tlog-proof), if there is one.

Releases without a log ignore it.
"""

_ORDER: Final = (KEYS, REPOSITORY, PREFIX, RECORD, COUNTER)


class InvalidExport(UsageError):
    """The file is not a complete export; nothing of it was used."""


def export_lines(documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Return the lines of an export of these documents."""
    digest, counts = sha256(), Counter[str]()
    for document in chain([{"kind": EXPORT, "format": FORMAT}], documents):
        counts[document["kind"]] += 1
        line = orjson.dumps(document) + b"\n"
        digest.update(line)
        yield line
    end = {"kind": END, "lines": {kind: counts[kind] for kind in _ORDER}, "sha256": digest.hexdigest()}
    yield orjson.dumps(end) + b"\n"


def is_export(line: bytes) -> bool:
    """Return whether a file that begins with this line is an export, of any version."""
    return _document(line).get("kind") == EXPORT


def checked(lines: Iterable[Line]) -> Iterator[tuple[int, Any]]:
    """Return the documents between the first and last line, with their line numbers.

    Raises `InvalidExport`, at the latest after the last line, unless the lines are a complete export.
    """
    digest, counts, reached, ended = sha256(), Counter[str](), 0, False
    for line in lines:
        if line.is_too_long:
            raise InvalidExport(f"line {line.number} {TOO_LONG}, which no line of an export is")
        if ended:
            raise InvalidExport("something follows its last line")
        document = _document(line.content)
        kind = document.get("kind")
        if line.number == 1:
            if kind != EXPORT or document.get("format") != FORMAT:
                raise InvalidExport(f"its first line is not that of a {FORMAT}")
        elif kind == END:
            if document.get("lines") != {each: counts[each] for each in _ORDER}:
                raise InvalidExport("part of it is missing: its last line does not count the lines that it has")
            if document.get("sha256") != digest.hexdigest():
                raise InvalidExport("it was damaged or changed: its digest is not that in its last line")
            ended = True
        elif kind not in _ORDER[reached:]:
            raise InvalidExport(f"line {line.number} is not complete, or does not belong there in an export")
        else:
            reached = _ORDER.index(kind)
            counts[kind] += 1
            yield line.number, document
        digest.update(line.content + b"\n")
    if not ended:
        raise InvalidExport("it has no end: part of it is missing")


def documents(file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """Return the documents of a file as `checked` does."""
    return checked(read_lines(file))


def _document(line: bytes) -> Mapping[str, Any]:
    """Return the JSON object in a line, or nothing if it has none."""
    try:
        document = orjson.loads(line)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
