"""The locations and alternate identifiers of a record as its page shows them, with the locations' problems."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, StoreUnavailable
from coolid.http.formats.uris import escape, uri_of
from coolid.http.pages.history_view import MAX_VERSIONS
from coolid.identifiers.target_policy import objection
from coolid.model.conditions import DOWN, UP, Condition, Health
from coolid.model.locations import WAYBACK, archived_url, period_of
from coolid.model.prefixes import Stem, fold, path_of
from coolid.model.records import ACTIVE, Location, Record
from coolid.store.reader import Reader
from coolid.store.versions import is_whole, public_versions

MAX_ALTERNATES: Final = 30
MAX_PROBLEMS: Final = 5

_BUILT_IN_SCHEMES: Final = ("doi", "hdl", "handle", "ark")
"""Schemes that resolve here without a registered prefix."""


class LocationRow(Struct, frozen=True):
    """A location of a record; `document` is its own, `pointer` that of its URI in the record, or empty.

    `is_current` if it may be followed, `is_awaited` if its period has not begun, `is_denied` if its repository denies
    the host.
    """

    document: Mapping[str, Any]
    pointer: str
    is_current: bool
    is_awaited: bool
    is_denied: bool


class LocationProblem(Struct, frozen=True):
    """A location in use that is not healthy or has moved, according to its checks.

    `href` is its new URL if it may be followed, `copy` an archived copy of a dead location.
    """

    row: LocationRow
    condition: Condition
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
    """Read a record's history, then the prefixes. The page works without them, so failures are ignored."""
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


def location_row(
    location: Location, moment: datetime, pointer: str = "", *, is_former: bool, is_denied: bool
) -> LocationRow:
    """Return a location as it is at a moment: current only if it is in use, not former and not denied."""
    begins, ends = period_of(location)
    is_over = is_former or location.status != ACTIVE or (ends is not None and ends <= moment)
    is_awaited = not is_over and begins is not None and begins > moment
    is_denied = is_denied and not is_over and not is_awaited
    is_current = not is_over and not is_awaited and not is_denied
    return LocationRow(location.to_document(), pointer, is_current, is_awaited, is_denied)


def location_problems(rows: Sequence[LocationRow], health: Health, archive: str | None) -> list[LocationProblem]:
    """Return the problems of the current locations, one for each URI; `archive` is the repository's web archive."""
    found: dict[str, LocationProblem] = {}
    for row in rows:
        uri = row.document["uri"]
        condition = health.get(uri)
        if not row.is_current or condition is None or (condition.state == UP and condition.moved is None):
            continue
        href = condition.moved if condition.moved is not None and objection(condition.moved) is None else None
        copy = archived_url(archive or WAYBACK, uri, condition.good or condition.since)
        found[uri] = LocationProblem(row, condition, href, copy if condition.state == DOWN else None)
    return list(found.values())[:MAX_PROBLEMS]


def alternate_rows(record: Record, registered: frozenset[str]) -> list[tuple[str, str, str | None]]:
    """Return the scheme and text of the alternate identifiers, and the URL here if this service resolves the scheme."""
    return [(*each, _address(record, *each, registered)) for each in _alternates(record)]


def _alternates(record: Record) -> list[tuple[str, str]]:
    return [(each["scheme"], each["identifier"]) for each in record.alternates[:MAX_ALTERNATES]]


def _needs_lookup(scheme: str, identifier: str) -> bool:
    """Return whether only a registered prefix could resolve the identifier."""
    is_name = scheme.isalnum() and scheme.isascii()
    return is_name and fold(scheme) not in _BUILT_IN_SCHEMES and uri_of(identifier) is None


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
