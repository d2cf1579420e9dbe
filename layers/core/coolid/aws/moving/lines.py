"""Lines: how an export is written down, so that a torn or altered file is noticed before anything of it is used.

JSON Lines. The first names the format, the last counts what is between them and has the SHA-256 of all bytes before
it. In between, in this order: the public keys, repositories, prefixes, records with all their versions (oldest
first), counters.

>>> list(sealed([{"kind": "keys", "keys": []}]))[1]
b'{"kind":"keys","keys":[]}\\n'
>>> is_export(b'{"kind":"export","format":"coolid-export/1"}')
True
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

FORMAT: Final = "coolid-export/1"
EXPORT: Final = "export"
KEYS: Final = "keys"
REPOSITORY: Final = "repository"
PREFIX: Final = "prefix"
RECORD: Final = "record"
COUNTER: Final = "counter"
END: Final = "end"
MOST_LINE_BYTES: Final = 1_000_000
"""No row of a table is as large."""

_ORDER: Final = (KEYS, REPOSITORY, PREFIX, RECORD, COUNTER)


class BadExport(Exception):
    """The file is not a whole export; nothing of it was used."""


def sealed(documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The lines of an export that holds these documents."""
    digest, counts = sha256(), Counter[str]()
    for document in chain([{"kind": EXPORT, "format": FORMAT}], documents):
        counts[document["kind"]] += 1
        line = orjson.dumps(document) + b"\n"
        digest.update(line)
        yield line
    end = {"kind": END, "lines": {kind: counts[kind] for kind in _ORDER}, "sha256": digest.hexdigest()}
    yield orjson.dumps(end) + b"\n"


def is_export(line: bytes) -> bool:
    """Whether a file that begins with this line is an export, of whatever version."""
    return isinstance(found := _json_of(line), dict) and found.get("kind") == EXPORT


def checked(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    """The documents between first and last line, with their numbers.

    Raises `BadExport` unless they are a whole export, at the end at the latest.
    """
    digest, counts, reached, ended = sha256(), Counter[str](), 0, False
    for number, line in lines:
        document = _json_of(line)
        kind = document.get("kind") if isinstance(document, dict) else None
        if ended:
            raise BadExport("something follows its last line")
        if number == 1:
            if kind != EXPORT or document.get("format") != FORMAT:
                raise BadExport(f"its first line is not that of a {FORMAT}")
        elif kind == END:
            if document.get("lines") != {each: counts[each] for each in _ORDER}:
                raise BadExport("part of it is missing: its last line counts others than there are")
            if document.get("sha256") != digest.hexdigest():
                raise BadExport("it was damaged or changed: its digest is not what its last line says")
            ended = True
        elif kind not in _ORDER[reached:]:
            raise BadExport(f"line {number} is not whole, or not one that an export has there")
        else:
            reached = _ORDER.index(kind)
            counts[kind] += 1
            yield number, document
        digest.update(line + b"\n")
    if not ended:
        raise BadExport("it has no end: part of it is missing")


def check(path: Path, heard: Callable[[int], None]) -> None:
    """Read a whole file, and raise `BadExport` unless it is a whole export; `heard` hears of the bytes read."""
    with path.open("rb") as file:
        for _ in checked(_heard(file, heard)):
            pass


def documents(path: Path, heard: Callable[[int], None]) -> Iterator[tuple[int, Any]]:
    """The documents of a file, as of `checked`."""
    with path.open("rb") as file:
        yield from checked(_heard(file, heard))


def numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file without their ends, and their numbers; of one that is too long, too much for any reader."""
    number = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(MOST_LINE_BYTES)):
            pass
        yield number, line.removesuffix(b"\n")


def _heard(file: BinaryIO, heard: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    for number, line in numbered(file):
        heard(len(line) + 1)
        yield number, line


def _json_of(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return None
