"""Conversion of a record to the values of its handle, and back.

Values are listed in the order of their indexes. Each location is a value of type `URL`. The metadata member `handle`,
`{"values": […]}`, stores the values that Handle clients write. It stores a digest instead of the URL of a location. So
the locations are stored once, and an index stays bound to its URL even if the locations are changed or reordered. If a
bound URL is gone, its index stays unused until a Handle client writes again. Locations without a bound index get free
indexes in their order. An administrator and, for several locations, a value `10320/loc` are generated unless a client
wrote them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.value_parser import read_value
from coolid.http.dialects.handle.values import (
    ADMIN,
    LOCATIONS,
    Value,
    admin_value,
    is_type,
    locations_xml,
    string_data,
    url_value,
)
from coolid.model.locations import is_denied, is_valid_at, locations_of
from coolid.model.records import ACTIVE, Location, Record
from coolid.model.repositories import Repository

MEMBER: Final = "handle"
FIRST_URL: Final = 1
FIRST_ADMIN: Final = 100
FIRST_LOCATIONS: Final = 1000
_BOUND: Final = "bound"


class HandleValue(Struct, frozen=True):
    """A value of a record's handle, and its location if it is one."""

    value: Value
    location: Location | None = None

    def is_hidden(self, now: datetime) -> bool:
        """Return whether it is a location that is not valid now, which the Handle API does not show."""
        return self.location is not None and not is_valid_at(self.location, now)


def handle_values(locations: Sequence[Location], metadata: Mapping[str, Any]) -> tuple[HandleValue, ...]:
    """Return the values of all locations, valid now or not, and those stored in the metadata."""
    stored = _stored_values(metadata)
    by_digest: dict[str, list[Value]] = {}
    for value, digest in stored:
        if value.is_url and digest is not None:
            by_digest.setdefault(digest, []).append(value)
    free = free_indexes({value.index for value, _ in stored}, FIRST_URL)  # indexes whose URLs are gone are not free
    located = []
    for location in locations:
        bound = by_digest.get(_digest(location.uri)) if by_digest else None
        value = replace(bound.pop(0), data=string_data(location.uri)) if bound else url_value(next(free), location.uri)
        located.append(HandleValue(value, location))
    remaining = iter(located)
    values = []
    for value, _ in stored:
        each = next(remaining, None) if value.is_url else HandleValue(value)
        if each is not None:
            values.append(each)
    return (*values, *remaining)


def record_parts(
    values: Sequence[HandleValue], metadata: Mapping[str, Any]
) -> tuple[tuple[Location, ...], dict[str, Any]]:
    """Return the locations and the metadata that store the values, the inverse of `handle_values`."""
    others = {name: value for name, value in metadata.items() if name != MEMBER}
    locations = tuple(each.location for each in values if each.location is not None)
    digests = (None if each.location is None else _digest(each.location.uri) for each in values)
    stored = [_stored_entry(each.value, digest) for each, digest in zip(values, digests, strict=True)]
    return locations, others | ({MEMBER: {"values": stored}} if values else {})


def is_foreign(metadata: Mapping[str, Any]) -> bool:
    """Return whether the member `handle` has other content, which would be lost if the values were written."""
    if MEMBER not in metadata:
        return False
    member = metadata[MEMBER]
    entries = member.get("values") if isinstance(member, Mapping) and len(member) == 1 else None
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return True
    stored = _stored_values(metadata)
    return [_stored_entry(value, bound) for value, bound in stored] != list(entries)


def value_to_store(value: Value, previous: Location | None = None, now: datetime | None = None) -> HandleValue:
    """Return the form to store of a value that a client sends, a valid location if it is a URL.

    The location keeps the members of the `previous` one, except a period that would make it invalid `now`. With a new
    URL it also loses checksum, size and last change. Raises `InvalidInput` if the URL is not a string.
    """
    if not value.is_url:
        return HandleValue(value)
    if value.text is None:
        raise InvalidInput.at("", f"the value {value.index} of type URL is no string")
    location = replace(previous or Location(value.text), status=ACTIVE)
    if location.uri != value.text:
        location = replace(location, uri=value.text, checksum=None, size=None, last_modified=None)
    if now is not None and not is_valid_at(location, now):
        location = replace(location, valid_from=None, valid_until=None)
    return HandleValue(value, location)


def visible_values(record: Record, repository: Repository, prefix: str, now: datetime) -> tuple[HandleValue, ...]:
    """Return the public values of a record's handle under `prefix`, of locations only permitted ones valid `now`."""
    values = tuple(
        each
        for each in handle_values(locations_of(record, repository), record.metadata)
        if each.location is None or not is_denied(each.location, repository)
    )
    return (*(each for each in values if not each.is_hidden(now)), *default_values(values, prefix, now))


def default_values(values: Sequence[HandleValue], prefix: str, now: datetime) -> tuple[HandleValue, ...]:
    """Return the generated values that no client wrote: the list of several locations, an administrator."""
    valid = [each for each in values if not each.is_hidden(now)]
    taken = {each.value.index for each in values}
    locations = [(each.value.index, each.location) for each in valid if each.location is not None]
    defaults = []
    if len(locations) > 1 and not any(is_type(each.value.type, LOCATIONS) for each in valid):
        index = next(free_indexes(taken, FIRST_LOCATIONS))
        taken.add(index)
        defaults.append(HandleValue(Value(index, LOCATIONS, string_data(locations_xml(locations)))))
    if not any(is_type(each.value.type, ADMIN) for each in valid):
        defaults.append(HandleValue(admin_value(next(free_indexes(taken, FIRST_ADMIN)), prefix)))
    return tuple(defaults)


def select_values(
    values: Sequence[HandleValue], indexes: Collection[int | None], types: Collection[str]
) -> tuple[HandleValue, ...]:
    """Return the values with one of the indexes or types, or all values if neither is requested."""
    if not indexes and not types:
        return tuple(values)
    return tuple(
        each for each in values if each.value.index in indexes or any(is_type(each.value.type, kind) for kind in types)
    )


def documents(values: Sequence[HandleValue], ttl: int, timestamp: str) -> list[dict[str, Any]]:
    """Return the values in JSON by index, with the timestamp and, for values without one, the time to live."""
    members = (each.value.document() for each in sorted(values, key=lambda each: each.value.index))
    return [{**document, "ttl": document.get("ttl", ttl), "timestamp": timestamp} for document in members]


def free_indexes(taken: Collection[int], first: int = FIRST_URL) -> Iterator[int]:
    """Return the unused indexes from `first` on."""
    return (index for index in count(first) if index not in taken)


def _stored_values(metadata: Mapping[str, Any]) -> list[tuple[Value, str | None]]:
    """Return the stored values, each with the digest that it is bound to; skip entries that are not values."""
    match metadata.get(MEMBER):
        case {"values": [*entries]}:
            pass
        case _:
            return []
    values: dict[int, tuple[Value, str | None]] = {}
    for entry in entries:
        try:
            value = read_value({"data": "", **entry} if isinstance(entry, dict) else entry, "")
        except InvalidInput:
            continue
        bound = entry.get(_BOUND)
        values.setdefault(value.index, (value, bound if isinstance(bound, str) else None))
    return list(values.values())


def _stored_entry(value: Value, bound: str | None) -> dict[str, Any]:
    document = value.document()
    if not value.is_url:
        return document
    del document["data"]
    return document | ({} if bound is None else {_BOUND: bound})


def _digest(uri: str) -> str:
    """Return the digest that an index is bound to; unlike a URL, it does not disclose a removed location."""
    return sha256(uri.encode()).hexdigest()[:32]
