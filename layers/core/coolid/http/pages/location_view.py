"""Where something is, and what else it is called, as its page shows it: locations, alternates, what is round them.

>>> size_of(2047583), size_of(999_960), size_of(12)
('2.0 MB', '1.0 MB', '12 bytes')
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, StoreUnavailable
from coolid.http.formats.uris import escape, uri_of
from coolid.http.pages.history_view import MOST_VERSIONS
from coolid.http.pages.marked_text import shown
from coolid.identifiers.target_policy import objection
from coolid.model.conditions import DOWN, UP, Health
from coolid.model.prefixes import Namespace, Stem, fold, path_of
from coolid.model.records import ACTIVE, Location, Record, format_time
from coolid.model.web_archives import WAYBACK, copy_of
from coolid.store.reader import Reader
from coolid.store.versions import is_whole, public

MOST_ALTERNATES: Final = 30
MOST_AILMENTS: Final = 5

_UNITS: Final = ("kB", "MB", "GB", "TB", "PB", "EB")
_KNOWN: Final = ("doi", "hdl", "handle", "ark")
"""Schemes that resolve here whatever is registered."""


class LocationRow(Struct, frozen=True):
    """A location: what its record says of it, in a form for people; `href` only where it may be followed.

    `is_awaited` if it will be in use, but is not yet; `said` is where it stands in the record, empty if it does not.
    """

    uri: str
    href: str | None
    location: Mapping[str, Any]
    size: str
    is_awaited: bool = False
    said: str = ""


class AlternateRow(Struct, frozen=True):
    """Another identifier of the same thing, and the address that leads to it."""

    scheme: str
    identifier: str
    href: str | None


class LocationProblem(Struct, frozen=True):
    """That a location in use is not well, or has moved, as somebody saw it: the record says nothing of it.

    `moved` may be shown, and followed if it is an `href`; a `copy` is offered where the place itself is dead.
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
    """What is known round a record: its newest public versions, the first one first, and whether there are no others;
    the `registered` ones of the prefixes that are called like its alternates' schemes.

    None for versions that cannot be read. If something `is_missing`, the store did not answer, and soon may again.
    """

    versions: tuple[Record, ...] | None
    is_whole: bool
    registered: frozenset[str]
    is_missing: bool


def surroundings_of(record: Record, prefix: Namespace, reader: Reader) -> Surroundings:
    """What there is round a record; without it the page is still of use, so that no failure of the store matters.

    The history comes first: while the store is left alone after a failure, neither is asked for.
    """
    schemes = dict.fromkeys(fold(scheme) for scheme, identifier in _told(record) if _is_asked(scheme, identifier))
    key = prefix.repository.rules.validate(record.id)
    known = Surroundings(None, is_whole=False, registered=frozenset(), is_missing=True)
    try:
        history = reader.history(record.repository, key, MOST_VERSIONS + 1)  # the last tells what changed after it
        known = replace(known, versions=public(history), is_whole=is_whole(history))
        rows = reader.prefixes(tuple(schemes)) if schemes else {}
    except StoreUnavailable:
        return known
    registered = frozenset(name for name, row in rows.items() if not isinstance(row, Stem))
    return replace(known, registered=registered, is_missing=False)


def place_of(location: Location, moment: datetime, said: str = "", *, is_former: bool) -> LocationRow:
    """A location as it is at the moment: to be followed if it is in use, and nobody has given it up."""
    begins, ends = location.period()
    is_over = is_former or location.status != ACTIVE or (ends is not None and ends <= moment)
    is_awaited = not is_over and begins is not None and begins > moment
    href = None if is_over or is_awaited else location.uri
    size = "" if location.size is None else size_of(location.size)
    return LocationRow(location.uri, href, location.to_document(), size, is_awaited, said)


def ailments_of(places: Sequence[LocationRow], health: Health, archive: str | None) -> list[LocationProblem]:
    """What ails those of the places that may be followed, each once; `archive` is where their keeper has copies."""
    found: dict[str, LocationProblem] = {}
    for place in places:
        condition = health.get(place.uri)
        if place.href is None or condition is None or (condition.state == UP and condition.moved is None):
            continue
        is_dead = condition.state == DOWN
        found[place.uri] = LocationProblem(
            place.uri,
            place.said,
            condition.state,
            format_time(condition.since),
            shown(condition.reason),
            format_time(condition.good) if condition.good else None,
            shown(condition.moved) if condition.moved is not None else None,
            condition.moved if condition.moved is not None and objection(condition.moved) is None else None,
            copy_of(archive or WAYBACK, place.uri, condition.good or condition.since) if is_dead else None,
        )
    return list(found.values())[:MOST_AILMENTS]


def _told(record: Record) -> list[tuple[str, str]]:
    return [(each["scheme"], each["identifier"]) for each in record.alternates[:MOST_ALTERNATES]]


def alternates_of(record: Record, registered: frozenset[str]) -> list[AlternateRow]:
    """The other identifiers, led to through this service where their scheme is one that it resolves."""
    return [
        AlternateRow(scheme, identifier, _address(record, scheme, identifier, registered))
        for scheme, identifier in _told(record)
    ]


def _is_asked(scheme: str, identifier: str) -> bool:
    """Whether a registered prefix may lead to it."""
    return fold(scheme) not in _KNOWN and uri_of(identifier) is None and scheme.isalnum() and scheme.isascii()


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


def size_of(octets: int) -> str:
    """A number of bytes in decimal units (IEC 80000-13), to two digits or more."""
    if octets < 1_000:
        return f"{octets} bytes"
    number, power = octets / 1_000, 0
    while number >= 999.5 and power < len(_UNITS) - 1:
        number, power = number / 1_000, power + 1
    return f"{number:.1f} {_UNITS[power]}" if number < 9.95 else f"{number:.0f} {_UNITS[power]}"
