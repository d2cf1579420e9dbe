"""Locations in time: which of a record's are good now, and when that changes.

LinkID draft, "Metadata Format": a location is `active` or not, and may have a period (`validFrom`, `validUntil`).

>>> from datetime import UTC, datetime
>>> now = datetime(2026, 1, 1, tzinfo=UTC)
>>> soon = Location("https://a.example/", valid_from="2026-02-01T00:00:00Z")
>>> serviceable([soon], now), reasons([soon], now)
((), ('https://a.example/ is valid from 2026-02-01T00:00:00Z',))
>>> next_validity_change([soon], now)
datetime.datetime(2026, 2, 1, 0, 0, tzinfo=datetime.timezone.utc)
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.model.prefixes import DATA, PLACEHOLDER, filling
from coolid.model.records import ACTIVE, Location, Record
from coolid.model.repositories import Repository


def locations_of(record: Record, repository: Repository) -> tuple[Location, ...]:
    """Where the thing is: the record's locations, or its repository's default target if it names none."""
    if record.records or repository.target is None:
        return record.records
    return (Location(as_target(repository.target, record.id)),)


def as_target(pattern: str, identifier: str) -> str:
    """A repository's default target filled with an identifier, which is to arrive as it is.

    >>> as_target("https://a.example/items/{$id}", "x/y z")
    'https://a.example/items/x/y%20z'
    """
    return pattern.replace(PLACEHOLDER, filling(identifier, DATA))


def refuse_circle(record: Record) -> None:
    """`InvalidInput` if a location is the record's own PID: it would lead to itself for ever."""
    for position, location in enumerate(record.records):
        if location.status == ACTIVE and location.uri.partition("#")[0] == record.pid:
            raise InvalidInput.at(f"/records/{position}/uri", "it leads to the identifier itself")


def serviceable(locations: Sequence[Location], now: datetime) -> tuple[Location, ...]:
    """Those that may be served now, in their order."""
    return tuple(location for location in locations if location.is_valid_at(now))


def reasons(locations: Sequence[Location], now: datetime) -> tuple[str, ...]:
    """Why each of the others may not be served now."""
    return tuple(_reason(location, now) for location in locations if not location.is_valid_at(now))


def are_steady(locations: Sequence[Location]) -> bool:
    """Whether time has no bearing on which of them are good."""
    return all(location.valid_from is None and location.valid_until is None for location in locations)


def next_validity_change(locations: Sequence[Location], now: datetime) -> datetime | None:
    """When one of the locations begins or ends to be good next; None if never."""
    return min((turn for turn in _turns(locations) if turn > now), default=None)


def last_validity_change(locations: Sequence[Location], now: datetime) -> datetime | None:
    """When one of the locations last began or ended to be good; None if never yet."""
    return max((turn for turn in _turns(locations) if turn <= now), default=None)


def at(location: Location, uri: str) -> Location:
    """A part of the location, at `uri`: chosen as the whole is, but its type, size and checksum are its own."""
    return replace(location, uri=uri, media_type=None, checksum=None, size=None, last_modified=None)


def _turns(locations: Sequence[Location]) -> Iterator[datetime]:
    for location in locations:
        if location.status == ACTIVE:
            yield from (moment for moment in location.period() if moment is not None)


def _reason(location: Location, now: datetime) -> str:
    begins, _ = location.period()
    if location.status != ACTIVE:
        return f"{location.uri} is {location.status}"
    if begins is not None and now < begins:
        return f"{location.uri} is valid from {location.valid_from}"
    return f"{location.uri} was valid until {location.valid_until}"
