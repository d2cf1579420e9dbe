r"""The source `noid`: the identifiers of a Noid binder, from its Berkeley DB, the text of `db_dump`, or `noid fetch`.

Source: Noid 0.424 (`Noid.pm`). The key of a bound element is the identifier, a tab and the name of the element. Names
that begin with `:/` are Noid's own: `:/c` is the circulation record (status, date, contact, number), `:/h` a hold, and
keys that begin with `:/` are the state of the minter, which `coolid.migration.minter_states` reads. Users choose the
names of elements; `TARGETS` are the usual ones for a target. Contacts are personal data, which are never read into an
entry.

>>> entry = _entry(1, "13030/f5x", [["myGoto", "https://a.example/"], ["what", "A"], [":/c", "i|20200807144822|a/b|3"]])
>>> entry.identifier, entry.current.locations[0].uri, entry.current.metadata, entry.created.year
('ark:/13030/f5x', 'https://a.example/', {'what': 'A'}, 2020)
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final

from coolid.errors import UsageError
from coolid.migration.dumps import berkeley_db
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.migration.dumps.row_groups import Row, grouped
from coolid.migration.source_identifiers import Entry, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.records import ACTIVE, RESERVED, Location
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, read_lines

TARGETS: Final = ("_t", "_target", "myGoto", "goto", "target", "locations", "location", "url", "uri", "href", "where")
MEMBER: Final = "noid"

_ELEMENTS: Final = frozenset(
    {"who", "what", "when", "where", "how", "type", "title", "creator", "contributor", "publisher", "date", "language"}
    | {"subject", "description", "rights", "format", "identifier", "relation", "source", "coverage"}
)
"""The elements of the kernel and of Dublin Core, which become members of the metadata."""
_OWN: Final = ":/"
_CIRCULATION, _HOLD = ":/c", ":/h"
_ISSUED: Final = "i"
_UNREADABLE: Final = ":/?"
_NAAN: Final = re.compile(r"(?:[0-9]{5,9}|[0-9bcdfghjkmnpqrstvwxz]{5})/.+")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_FETCHED: Final = re.compile(r"\s*id:\s+(\S+)(?:\s+(hold))?\s*", re.IGNORECASE)
_LINE: Final = re.compile(r"([^:\s][^:]*):[ \t]*(.*)")


@refusing_damage
def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is its number. Many identifiers are sorted by name."""
    with open_dump(path) as file:
        beginning = file.read(4096)
        file.seek(0)
        is_text = _FETCHED.match(beginning.removeprefix(BYTE_ORDER_MARK).decode(errors="replace")) is not None
        numbers = count(1)
        for identifier, elements in grouped(_fetched_rows(file) if is_text else _stored_rows(path)):
            yield _entry(next(numbers), identifier, elements)
        if next(numbers) == 1:
            raise UsageError("the file has no identifiers with elements; a minter's state is read by --minter")


def _stored_rows(path: Path) -> Iterator[Row]:
    """Yield the elements of a database under their identifiers."""
    for key, value in berkeley_db.entries(path):
        identifier, separator, name = key.rstrip(b"\0").partition(b"\t")
        if not separator or identifier.startswith(b":"):
            continue
        try:
            yield identifier.decode(), [name.decode(), value.rstrip(b"\0").decode()]
        except UnicodeDecodeError:
            yield identifier.decode(errors="replace"), [_UNREADABLE, "it is not UTF-8"]


def _fetched_rows(file: BinaryIO) -> Iterator[Row]:
    """Yield the elements in the output of `noid fetch`, a line for each below the one of its identifier."""
    identifier = ""
    for line in read_lines(file):
        text = line.content.removeprefix(BYTE_ORDER_MARK).decode(errors="replace").rstrip("\r")
        if found := _FETCHED.fullmatch(text):
            identifier = found[1]
            yield identifier, [_HOLD, found[2] or ""]
        elif line.is_too_long or (text.strip() and not (identifier and (found := _LINE.fullmatch(text)))):
            yield identifier or f" {line.number}", [_UNREADABLE, f"line {line.number} is no element"]
        elif found:
            yield identifier, [_CIRCULATION if found[1] == "Circ" else found[1].strip(), found[2].strip()]


def _entry(number: int, identifier: str, elements: Sequence[Sequence[str]]) -> Entry:
    named: dict[str, list[str]] = {}
    for name, value in elements:
        if value:
            named.setdefault(name, []).append(value)
    if _UNREADABLE in named:
        return UnreadableEntry(number, named[_UNREADABLE][0], identifier.strip())
    bound = {name: values for name, values in named.items() if not name.startswith(_OWN)}
    status, date = (*named.get(_CIRCULATION, [""])[0].split("|"), "")[:2]
    if not bound and _HOLD not in named and status[:1] != _ISSUED:
        return UnreadableEntry(number, "it was not issued and has no elements", identifier)
    targets = next((name for name in TARGETS if name in bound and _is_target(bound[name])), None)
    locations = [uri for value in bound.pop(targets, []) for uri in _urls(value)] if targets else []
    version = SourceVersion(
        locations=tuple(map(Location, dict.fromkeys(locations))),
        metadata=_metadata(bound),
        status=ACTIVE if bound or locations else RESERVED,
    )
    full = f"ark:/{identifier}" if _NAAN.fullmatch(identifier) else identifier
    return SourceIdentifier(number, full, (version,), created=_time(date))


def _metadata(bound: dict[str, list[str]]) -> dict[str, Any]:
    values: dict[str, Any] = {name: each[0] if len(each) == 1 else each for name, each in bound.items()}
    others = {name: value for name, value in values.items() if name not in _ELEMENTS}
    elements = {name: value for name, value in values.items() if name in _ELEMENTS}
    return elements | ({MEMBER: others} if others else {})


def _is_target(values: Sequence[str]) -> bool:
    return all(_URL.match(value.lstrip()) for value in values)


def _urls(value: str) -> list[str]:
    """Return the URLs in a value, which may be separated by white space or vertical bars.

    >>> _urls("https://a.example/|https://b.example/"), _urls("https://a.example/b c")
    (['https://a.example/', 'https://b.example/'], ['https://a.example/b c'])
    """
    parts = re.split(r"[|\s]+", value.strip())
    return parts if all(map(_URL.match, parts)) else [value.strip()]


def _time(text: str) -> datetime | None:
    """Return the time of a circulation record, such as 20200807144822, which counts as UTC."""
    try:
        return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
