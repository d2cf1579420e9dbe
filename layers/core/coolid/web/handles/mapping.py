"""From a record to the values of its handle, and back.

Each location is a value of type `URL`, in their order. Whatever else a Handle client puts is kept in the record's
metadata as the member `handle`, `{"values": […]}`: all values as they were put, those of locations without their data,
so that the locations have one truth and the indexes survive whoever changes them. A record that no Handle client has
touched has no such member; its locations get the first free indexes. What a Handle record has besides, an
administrator and, for several locations, the choice between them, is made up if nobody put it.

>>> from coolid.web.handles.values import url_value
>>> held = (hold(url_value(7, "https://a.example/")), hold(Value(2, "EMAIL", {"format": "string", "value": "a@b"})))
>>> locations, metadata = written(held, {"what": "A"})
>>> metadata["handle"]
{'values': [{'index': 7, 'type': 'URL'}, {'index': 2, 'type': 'EMAIL', 'data': {'format': 'string', 'value': 'a@b'}}]}
>>> [each.value.index for each in holding(locations, metadata)]
[7, 2]
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.domain.errors import InvalidInput
from coolid.domain.locations import locations_of
from coolid.domain.records import ACTIVE, Location, Record
from coolid.domain.repositories import Repository
from coolid.web.handles import multiple
from coolid.web.handles.values import (
    ADMIN,
    LOCATIONS,
    MOST_VALUES,
    Value,
    admin_value,
    is_type,
    read_value,
    url_value,
)

MEMBER: Final = "handle"
FIRST_URL: Final = 1
FIRST_ADMIN: Final = 100
FIRST_LOCATIONS: Final = 1000


class Held(Struct, frozen=True):
    """A value that a record holds, and the location that it is, if it is one."""

    value: Value
    location: Location | None = None


def holding(locations: Sequence[Location], metadata: Mapping[str, Any]) -> tuple[Held, ...]:
    """The values of locations, good ones or not, and those that are kept in the metadata."""
    left = list(locations)
    kept = _kept(metadata)
    held: list[Held] = []
    for value in kept:
        if not value.is_url:
            held.append(Held(value))
        elif left:
            location = left.pop(0)
            held.append(Held(replace(value, data=_string(location.uri)), location))
    free = _free({each.value.index for each in held}, FIRST_URL)
    held += [Held(url_value(next(free), location.uri), location) for location in left]
    return tuple(held)


def written(held: Sequence[Held], metadata: Mapping[str, Any]) -> tuple[tuple[Location, ...], dict[str, Any]]:
    """The inverse of `holding`: the locations, and the metadata with what is to be kept of the values."""
    locations = tuple(each.location for each in held if each.location is not None)
    others = {name: value for name, value in metadata.items() if name != MEMBER}
    if [each.value for each in holding(locations, {})] == [each.value for each in held]:
        return locations, others
    values = [each.value.document() for each in held]
    for document, each in zip(values, held, strict=True):
        if each.location is not None:
            del document["data"]
    return locations, others | {MEMBER: {"values": values}}


def hold(value: Value, known: Sequence[Held] = (), now: datetime | None = None) -> Held:
    """What is held of a value that is put, as a good location if it is a URL.

    What is known of a location with the same URL stays known of it, that of the same index first; not a period that
    keeps it from being good `now`. `InvalidInput` for a URL that is no text.
    """
    if not value.is_url:
        return Held(value)
    if value.text is None:
        raise InvalidInput.at("", f"the value {value.index} of type URL is no string")
    same = [each for each in known if each.location is not None and each.location.uri == value.text]
    same.sort(key=lambda each: each.value.index != value.index)
    location = replace(same[0].location, status=ACTIVE) if same and same[0].location else Location(value.text)
    if now is not None and not location.is_valid_at(now):
        location = replace(location, valid_from=None, valid_until=None)
    return Held(value, location)


def shown(record: Record, repository: Repository, prefix: str, now: datetime) -> tuple[Held, ...]:
    """The values that everybody sees of a record's handle under `prefix`: of locations those that are good `now`."""
    whole = holding(locations_of(record, repository), record.metadata)
    good = [each for each in whole if each.location is None or each.location.is_valid_at(now)]
    taken = {each.value.index for each in whole}
    places = [(each.value.index, each.location) for each in good if each.location is not None]
    if len(places) > 1 and not any(is_type(each.value.type, LOCATIONS) for each in good):
        index = next(_free(taken, FIRST_LOCATIONS))
        taken.add(index)
        good.append(Held(Value(index, LOCATIONS, _string(multiple.write(places)))))
    if not any(is_type(each.value.type, ADMIN) for each in good):
        good.append(Held(admin_value(next(_free(taken, FIRST_ADMIN)), prefix)))
    return tuple(good)


def documents(held: Sequence[Held], ttl: int, timestamp: str) -> list[dict[str, Any]]:
    """The values in JSON, with the time to live and the moment that all have of which nothing else was said."""
    told = (each.value.document() for each in held)
    return [{**document, "ttl": document.get("ttl", ttl), "timestamp": timestamp} for document in told]


def _kept(metadata: Mapping[str, Any]) -> list[Value]:
    """What is kept; nothing of what others have put there that are no values."""
    match metadata.get(MEMBER):
        case {"values": [*entries]} if len(entries) <= MOST_VALUES:
            pass
        case _:
            return []
    values: dict[int, Value] = {}
    for entry in entries:
        try:
            value = read_value({"data": "", **entry} if isinstance(entry, dict) else entry, "")
        except InvalidInput:
            continue
        values.setdefault(value.index, value)
    return list(values.values())


def _string(text: str) -> dict[str, str]:
    return {"format": "string", "value": text}


def _free(taken: set[int], first: int) -> Iterator[int]:
    """The indexes from `first` on that are not taken."""
    return (index for index in range(first, first + len(taken) + MOST_VALUES) if index not in taken)
