"""A record's locations: those that are valid now, when that changes, and archived copies of those that are gone.

LinkID draft, "Metadata Format": a location is `active` or not, and may have a period (`validFrom`, `validUntil`). A web
archive has a URL prefix, followed by a moment (14 digits, UTC) and the archived URL. It redirects to its copy nearest
to the moment, as do the Wayback Machine and pywb ("Wayback CDX Server API", "URL structure").
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from coolid.model.prefixes import DATA, PLACEHOLDER, encode_identifier
from coolid.model.records import ACTIVE, WITHDRAWN, Location, Record, format_time, parse_time
from coolid.model.repositories import Repository

WAYBACK: Final = "https://web.archive.org/web/"
"""The default archive."""


def locations_of(record: Record, repository: Repository) -> tuple[Location, ...]:
    """Return the record's locations, or its repository's default target if it has none.

    A copy of the record of another service that is not offered to this one leads to its PID there.
    Some may be on hosts that the repository denies (`permitted_locations`).
    """
    if record.stated_repository is not None:
        from coolid.model.custody import is_unoffered_copy

        return (Location(record.pid),) if is_unoffered_copy(record) else record.records
    if record.records or repository.target is None:
        return record.records
    return (Location(default_target(repository.target, record.id)),)


def permitted_locations(record: Record, repository: Repository) -> tuple[Location, ...]:
    """Return the same without locations on hosts that the repository denies."""
    locations = locations_of(record, repository)
    if not repository.denied_domains:
        return locations
    return tuple(each for each in locations if not is_denied(each, repository))


def denied_locations(record: Record, repository: Repository) -> tuple[Location, ...]:
    """Return the locations on hosts that the repository denies."""
    if not repository.denied_domains:
        return ()
    return tuple(each for each in locations_of(record, repository) if is_denied(each, repository))


def is_denied(location: Location, repository: Repository) -> bool:
    """Return whether the repository denies the host of a location."""
    if not repository.denied_domains:
        return False
    from coolid.identifiers.target_policy import is_within

    return is_within(location.uri, repository.denied_domains)


def located_record(record: Record, repository: Repository) -> Record:
    """Return the record with its permitted locations, or its repository's default target, unless it was withdrawn."""
    permitted = record.records if record.status == WITHDRAWN else permitted_locations(record, repository)
    return record if permitted == record.records else replace(record, records=permitted)


def default_target(pattern: str, identifier: str) -> str:
    """Return a repository's default target for an identifier, percent-encoded so that it arrives unchanged.

    >>> default_target("https://a.example/items/{$id}", "x/y z")
    'https://a.example/items/x/y%20z'
    """
    return pattern.replace(PLACEHOLDER, encode_identifier(identifier, DATA))


def is_valid_at(location: Location, moment: datetime) -> bool:
    """Return whether the location is active and the moment lies within its period."""
    if location.valid_from is None and location.valid_until is None:
        return location.status == ACTIVE
    begins, ends = period_of(location)
    return location.status == ACTIVE and (begins is None or begins <= moment) and (ends is None or moment < ends)


def period_of(location: Location) -> tuple[datetime | None, datetime | None]:
    """Return both ends of the location's period."""
    return (
        parse_time(location.valid_from) if location.valid_from is not None else None,
        parse_time(location.valid_until) if location.valid_until is not None else None,
    )


def valid_locations(locations: Sequence[Location], now: datetime) -> tuple[Location, ...]:
    """Return the valid locations, in their order."""
    return tuple([location for location in locations if is_valid_at(location, now)])


def valid_record(record: Record, moment: datetime) -> Record:
    """Return the record with only the locations that are valid at a moment; itself if none has a period."""
    if are_time_independent(record.records):
        return record
    return replace(record, records=valid_locations(record.records, moment))


def invalidity_reasons(locations: Sequence[Location], now: datetime) -> tuple[str, ...]:
    """Return the reason for each location that is not valid now."""
    return tuple(_reason(location, now) for location in locations if not is_valid_at(location, now))


def are_time_independent(locations: Sequence[Location]) -> bool:
    """Return whether no location has a period, so that the valid ones never change."""
    return all(location.valid_from is None and location.valid_until is None for location in locations)


def next_validity_change(locations: Sequence[Location], now: datetime) -> datetime | None:
    """Return when an active location next becomes valid or invalid; None if never."""
    return min((turn for turn in _validity_changes(locations) if turn > now), default=None)


def last_validity_change(locations: Sequence[Location], now: datetime) -> datetime | None:
    """Return when an active location last became valid or invalid; None if never."""
    return max((turn for turn in _validity_changes(locations) if turn <= now), default=None)


def part_at(location: Location, uri: str) -> Location:
    """Return a location for a part at `uri`, without the type, size, checksum and time of the whole."""
    return replace(location, uri=uri, media_type=None, checksum=None, size=None, last_modified=None)


def _validity_changes(locations: Sequence[Location]) -> Iterator[datetime]:
    for location in locations:
        if location.status == ACTIVE:
            yield from (moment for moment in period_of(location) if moment is not None)


def _reason(location: Location, now: datetime) -> str:
    begins, _ = period_of(location)
    if location.status != ACTIVE:
        return f"{location.uri} is {location.status}"
    if begins is not None and now < begins:
        return f"{location.uri} is valid from {location.valid_from}"
    return f"{location.uri} was valid until {location.valid_until}"


def archived_url(archive: str, uri: str, moment: datetime) -> str:
    """Return the URL of an archive's copy of a URI nearest to a moment.

    >>> from datetime import UTC
    >>> archived_url(WAYBACK, "https://a.example/?b#c", datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC))
    'https://web.archive.org/web/20010203040506/https://a.example/?b#c'
    """
    return f"{archive}{re.sub('[^0-9]', '', format_time(moment))}/{uri}"


def archived_urls(
    archive: str | None, locations: Sequence[Location], written: datetime, now: datetime
) -> tuple[str, ...]:
    """Return archive URLs of the locations that began, dated by the end of their period or else by `written`."""
    if archive is None:
        return ()
    addresses = []
    for location in locations:
        begins, ends = period_of(location)
        if begins is None or begins <= now:
            moment = ends if ends is not None and ends <= now else written
            addresses.append(archived_url(archive, location.uri, moment))
    return tuple(addresses)
