"""From a record to the values of its handle, and back.

Each location is a value of type `URL`, in their order. What a Handle client puts is kept in the record's metadata as
the member `handle`, `{"values": […]}`: all values as they were put, but those of locations with a digest of their URL
instead of it. So the locations have one truth, and an index stays bound to its URL, whoever changes or reorders the
locations in between. One whose URL is gone means nothing else until a Handle client writes again, which binds what is
there then. Locations that nobody bound to an index get free ones, by place. What a Handle record has besides, an
administrator and, for several locations, the choice between them, is made up if nobody put it.

>>> from coolid.http.dialects.handle.values import url_value
>>> held = (hold(url_value(7, "https://a.example/")), hold(Value(2, "EMAIL", {"format": "string", "value": "a@b"})))
>>> locations, metadata = written(held, {"what": "A"})
>>> metadata["handle"]["values"][0]
{'index': 7, 'type': 'URL', 'bound': 'befde498a45b6c82084a07709548fe6f'}
>>> [each.value.index for each in holding((Location("https://new.example/"), *locations), metadata)]
[1, 2, 7]
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle import multiple_locations
from coolid.http.dialects.handle.value_parser import read_value
from coolid.http.dialects.handle.values import ADMIN, LOCATIONS, Value, admin_value, is_type, string_data, url_value
from coolid.model.locations import locations_of
from coolid.model.records import ACTIVE, Location, Record
from coolid.model.repositories import Repository

MEMBER: Final = "handle"
FIRST_URL: Final = 1
FIRST_ADMIN: Final = 100
FIRST_LOCATIONS: Final = 1000
_BOUND: Final = "bound"


class HandleValue(Struct, frozen=True):
    """A value that a record holds, and the location that it is, if it is one."""

    value: Value
    location: Location | None = None

    def is_hidden(self, now: datetime) -> bool:
        """Whether it is a location that is not good now, which no client of the Handle API sees."""
        return self.location is not None and not self.location.is_valid_at(now)


def holding(locations: Sequence[Location], metadata: Mapping[str, Any]) -> tuple[HandleValue, ...]:
    """The values of locations, good ones or not, and those that are kept in the metadata."""
    kept = _kept(metadata)
    waiting: dict[str, list[Value]] = {}
    for value, bound in kept:
        if value.is_url and bound is not None:
            waiting.setdefault(bound, []).append(value)
    free = free_from({value.index for value, _ in kept}, FIRST_URL)  # those whose URLs are gone are not free
    located = []
    for location in locations:
        known = waiting.get(_digest(location.uri)) if waiting else None
        value = replace(known.pop(0), data=string_data(location.uri)) if known else url_value(next(free), location.uri)
        located.append(HandleValue(value, location))
    left = iter(located)
    held = []
    for value, _ in kept:
        each = next(left, None) if value.is_url else HandleValue(value)
        if each is not None:
            held.append(each)
    return (*held, *left)


def written(held: Sequence[HandleValue], metadata: Mapping[str, Any]) -> tuple[tuple[Location, ...], dict[str, Any]]:
    """The inverse of `holding`: the locations, and the metadata with what is to be kept of the values."""
    others = {name: value for name, value in metadata.items() if name != MEMBER}
    locations = tuple(each.location for each in held if each.location is not None)
    return locations, (others | {MEMBER: {"values": [_entry(each) for each in held]}} if held else others)


def is_foreign(metadata: Mapping[str, Any]) -> bool:
    """Whether somebody else put something in the place of the values, which would be lost in writing them."""
    if MEMBER not in metadata:
        return False
    member = metadata[MEMBER]
    entries = member.get("values") if isinstance(member, Mapping) and len(member) == 1 else None
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return True
    kept = _kept(metadata)
    return [_kept_entry(value, bound) for value, bound in kept] != list(entries)


def hold(value: Value, known: Location | None = None, now: datetime | None = None) -> HandleValue:
    """What is held of a value that is put, as a good location if it is a URL; `InvalidInput` for one that is no text.

    What is `known` of the location stays known of it, but a period that keeps it from being good `now`; if its URL is
    another one, that is told of what was there: checksum, size and the moment of its last change go.
    """
    if not value.is_url:
        return HandleValue(value)
    if value.text is None:
        raise InvalidInput.at("", f"the value {value.index} of type URL is no string")
    location = replace(known or Location(value.text), status=ACTIVE)
    if location.uri != value.text:
        location = replace(location, uri=value.text, checksum=None, size=None, last_modified=None)
    if now is not None and not location.is_valid_at(now):
        location = replace(location, valid_from=None, valid_until=None)
    return HandleValue(value, location)


def shown(record: Record, repository: Repository, prefix: str, now: datetime) -> tuple[HandleValue, ...]:
    """The values that everybody sees of a record's handle under `prefix`: of locations those that are good `now`."""
    whole = holding(locations_of(record, repository), record.metadata)
    return (*(each for each in whole if not each.is_hidden(now)), *made_up(whole, prefix, now))


def made_up(whole: Sequence[HandleValue], prefix: str, now: datetime) -> tuple[HandleValue, ...]:
    """What everybody sees besides, since nobody put it: the choice between several locations, an administrator."""
    good = [each for each in whole if not each.is_hidden(now)]
    taken = {each.value.index for each in whole}
    places = [(each.value.index, each.location) for each in good if each.location is not None]
    more = []
    if len(places) > 1 and not any(is_type(each.value.type, LOCATIONS) for each in good):
        index = next(free_from(taken, FIRST_LOCATIONS))
        taken.add(index)
        more.append(HandleValue(Value(index, LOCATIONS, string_data(multiple_locations.write(places)))))
    if not any(is_type(each.value.type, ADMIN) for each in good):
        more.append(HandleValue(admin_value(next(free_from(taken, FIRST_ADMIN)), prefix)))
    return tuple(more)


def chosen(
    held: Sequence[HandleValue], indexes: Collection[int | None], types: Collection[str]
) -> tuple[HandleValue, ...]:
    """Those of one of the indexes or of one of the types; all of them where neither is asked for."""
    if not indexes and not types:
        return tuple(held)
    return tuple(
        each for each in held if each.value.index in indexes or any(is_type(each.value.type, kind) for kind in types)
    )


def documents(held: Sequence[HandleValue], ttl: int, timestamp: str) -> list[dict[str, Any]]:
    """The values in JSON, with the time to live and the moment that all have of which nothing else was said."""
    told = (each.value.document() for each in held)
    return [{**document, "ttl": document.get("ttl", ttl), "timestamp": timestamp} for document in told]


def free_from(taken: Collection[int], first: int = FIRST_URL) -> Iterator[int]:
    """The indexes from `first` on that are not taken."""
    return (index for index in count(first) if index not in taken)


def _kept(metadata: Mapping[str, Any]) -> list[tuple[Value, str | None]]:
    """What is kept, with the digest that it is bound to; nothing of what others have put there that are no values."""
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


def _entry(each: HandleValue) -> dict[str, Any]:
    """What is kept of a value."""
    return _kept_entry(each.value, None if each.location is None else _digest(each.location.uri))


def _kept_entry(value: Value, bound: str | None) -> dict[str, Any]:
    document = value.document()
    if not value.is_url:
        return document
    del document["data"]
    return document | ({} if bound is None else {_BOUND: bound})


def _digest(uri: str) -> str:
    """What an index is bound to; a digest, so that what was taken away is not told of any more."""
    return sha256(uri.encode()).hexdigest()[:32]
