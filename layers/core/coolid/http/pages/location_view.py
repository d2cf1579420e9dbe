"""The locations and alternate identifiers of a record as its page shows them, with the locations' problems.

>>> format_size(2047583), format_size(999_960), format_size(12)
('2.0 MB', '1.0 MB', '12 bytes')
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, StoreUnavailable
from coolid.http.formats.uris import escape, uri_of
from coolid.http.pages.history_view import MAX_VERSIONS
from coolid.http.pages.marked_text import printable
from coolid.identifiers.target_policy import objection
from coolid.model.conditions import DOWN, UP, Health
from coolid.model.prefixes import Stem, fold, path_of
from coolid.model.records import ACTIVE, Location, Record, format_time
from coolid.model.web_archives import WAYBACK, archived_url
from coolid.store.reader import Reader
from coolid.store.versions import is_whole, public_versions

MAX_ALTERNATES: Final = 30
MAX_PROBLEMS: Final = 5

_UNITS: Final = ("kB", "MB", "GB", "TB", "PB", "EB")
_BUILT_IN_SCHEMES: Final = ("doi", "hdl", "handle", "ark")
"""Schemes that resolve here without a registered prefix."""


class LocationRow(Struct, frozen=True):
    """A location of a record; `href` only if it may be followed.

    `is_awaited` if its period has not begun; `said` is the pointer to its URI in the record, or empty.
    """

    uri: str
    href: str | None
    location: Mapping[str, Any]
    size: str
    is_awaited: bool = False
    said: str = ""


class AlternateRow(Struct, frozen=True):
    """Another identifier of the same thing, and the URL that leads to it."""

    scheme: str
    identifier: str
    href: str | None


class LocationProblem(Struct, frozen=True):
    """A location in use that is not healthy or has moved, according to its checks.

    `moved` is the new URL as text, `href` the same if it may be followed, `copy` an archived copy of a dead location.
    """

    uri: str
    said: str
    state: str
    since: str
    reason: str
    good: str | None
    moved: str | None
    href: str | None
    copy: str | None


class Surroundings(Struct, frozen=True):
    """What the page needs from the store beside the record.

    `versions` are the newest public versions, oldest first, or None if unreadable; `is_whole` if there are no others.
    `registered` are those of its alternates' schemes that are prefixes. `is_missing` if the store did not answer.
    """

    versions: tuple[Record, ...] | None
    is_whole: bool
    registered: frozenset[str]
    is_missing: bool


def read_surroundings(record: Record, reader: Reader) -> Surroundings:
    """Read the surroundings of a record. The page works without them, so that failures of the store are ignored.

    The history is read first; if that fails, the prefixes are not read.
    """
    schemes = dict.fromkeys(fold(scheme) for scheme, text in _alternates(record) if _needs_lookup(scheme, text))
    surroundings = Surroundings(None, is_whole=False, registered=frozenset(), is_missing=True)
    try:
        # One more, to compare the oldest with.
        history = reader.history(record.repository, record.key, MAX_VERSIONS + 1)
        surroundings = replace(surroundings, versions=public_versions(history), is_whole=is_whole(history))
        rows = reader.prefixes(tuple(schemes)) if schemes else {}
    except StoreUnavailable:
        return surroundings
    registered = frozenset(name for name, row in rows.items() if not isinstance(row, Stem))
    return replace(surroundings, registered=registered, is_missing=False)


def location_row(location: Location, moment: datetime, said: str = "", *, is_former: bool) -> LocationRow:
    """Return a location as it is at a moment: followed only if it is in use and not former."""
    begins, ends = location.period()
    is_over = is_former or location.status != ACTIVE or (ends is not None and ends <= moment)
    is_awaited = not is_over and begins is not None and begins > moment
    href = None if is_over or is_awaited else location.uri
    size = "" if location.size is None else format_size(location.size)
    return LocationRow(location.uri, href, location.to_document(), size, is_awaited, said)


def location_problems(rows: Sequence[LocationRow], health: Health, archive: str | None) -> list[LocationProblem]:
    """Return the problems of the locations in use, one for each URI; `archive` is the repository's web archive."""
    found: dict[str, LocationProblem] = {}
    for row in rows:
        condition = health.get(row.uri)
        if row.href is None or condition is None or (condition.state == UP and condition.moved is None):
            continue
        is_dead = condition.state == DOWN
        found[row.uri] = LocationProblem(
            row.uri,
            row.said,
            condition.state,
            format_time(condition.since),
            printable(condition.reason),
            format_time(condition.good) if condition.good else None,
            printable(condition.moved) if condition.moved is not None else None,
            condition.moved if condition.moved is not None and objection(condition.moved) is None else None,
            archived_url(archive or WAYBACK, row.uri, condition.good or condition.since) if is_dead else None,
        )
    return list(found.values())[:MAX_PROBLEMS]


def _alternates(record: Record) -> list[tuple[str, str]]:
    return [(each["scheme"], each["identifier"]) for each in record.alternates[:MAX_ALTERNATES]]


def alternate_rows(record: Record, registered: frozenset[str]) -> list[AlternateRow]:
    """Return the alternate identifiers, linked through this service if it resolves their schemes."""
    return [
        AlternateRow(scheme, identifier, _address(record, scheme, identifier, registered))
        for scheme, identifier in _alternates(record)
    ]


def _needs_lookup(scheme: str, identifier: str) -> bool:
    """Return whether only a registered prefix could resolve the identifier."""
    return (
        fold(scheme) not in _BUILT_IN_SCHEMES and uri_of(identifier) is None and scheme.isalnum() and scheme.isascii()
    )


def _address(record: Record, scheme: str, identifier: str, registered: frozenset[str]) -> str | None:
    from coolid.identifiers.schemes import ark, doi, handle

    name = fold(scheme)
    try:
        if name == "doi":
            return f"{record.issuer}/{path_of(name, doi.validate(identifier))}"
        if name in ("hdl", "handle"):
            return f"{record.issuer}/{path_of('hdl', handle.validate(identifier))}"
        if name == "ark":
            return f"{record.issuer}/{escape(ark.validate(identifier))}"
    except InvalidIdentifier:
        return None
    if name in registered:
        local = identifier[len(name) + 1 :] if fold(identifier).startswith(f"{name}:") else identifier
        return f"{record.issuer}/{path_of(name, local)}"
    return uri_of(identifier)


def format_size(size_bytes: int) -> str:
    """Return a number of bytes in decimal units (IEC 80000-13), with at least two digits."""
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    number, power = size_bytes / 1_000, 0
    while number >= 999.5 and power < len(_UNITS) - 1:
        number, power = number / 1_000, power + 1
    return f"{number:.1f} {_UNITS[power]}" if number < 9.95 else f"{number:.0f} {_UNITS[power]}"
