"""Functions that add, replace and remove values of a handle.

The Handle API shows only locations that are valid now. So hidden locations survive every change, even a whole `PUT`,
unless a client sends their URL. A hidden location gets another index if a client uses its own. A value that is equal to
its generated default is not stored, so that it continues to follow the record.

>>> from datetime import UTC
>>> from coolid.http.dialects.handle.record_mapping import handle_values
>>> now = datetime(2026, 1, 1, tzinfo=UTC)
>>> present = handle_values((Location("https://a.example/"), Location("https://soon.example/", status="inactive")), {})
>>> put = Value(2, "URL", {"format": "string", "value": "https://b.example/"})
>>> [(each.value.index, each.value.text) for each in replace_values([put], present, now)]
[(2, 'https://b.example/'), (1, 'https://soon.example/')]
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.record_mapping import HandleValue, default_values, free_indexes, value_to_store
from coolid.http.dialects.handle.value_parser import MAX_VALUES
from coolid.http.dialects.handle.values import ADMIN, LOCATIONS, Value, is_type
from coolid.model.records import Location

_BY_URL: Final = ((False, True, True), (False, True, False), (True, True, True), (True, True, False))
_BY_INDEX: Final = (*_BY_URL, (False, False, True))
"""Whether to search the hidden values, and whether URL and index must be equal, in the order of preference."""


def replace_values(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return these values and the hidden ones; raise `InvalidInput` if there are too many, or one is invalid."""
    sources = _sources(values, present, now, _BY_URL)
    result = [value_to_store(value, _location(sources, value), now) for value in values]
    named = {each.value.index for each in sources.values()}
    located = [each for each in present if each.location is not None]
    for position, each in enumerate(located):  # keeps its position among the locations
        if each.is_hidden(now) and each.value.index not in named:
            slots = [at for at, other in enumerate(result) if other.location is not None]
            result.insert(slots[position] if position < len(slots) else len(result), each)
    return _renumber(result, present, now)


def merge_values(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return the present values with these added or replaced by index; raises the errors of `replace_values`."""
    put = {value.index for value in values}
    located = [(each, each.location.uri) for each in present if each.location is not None]
    stay = {uri for each, uri in located if not each.is_hidden(now) and each.value.index not in put}
    targets = [each for each, uri in located if (uri not in stay if each.is_hidden(now) else each.value.index in put)]
    sources = _sources(values, targets, now, _BY_INDEX)
    new = {value.index: value_to_store(value, _location(sources, value), now) for value in values}
    revived = {each.value.index: index for index, each in sources.items() if each.is_hidden(now)}
    result = []
    for each in present:
        index = each.value.index
        if each.is_hidden(now):
            found = new.pop(revived[index], None) if index in revived else each
        else:
            found = new.pop(index, None) if index in put else each
        if found is not None:
            result.append(found)
    return _renumber([*result, *new.values()], present, now)


def remove_values(indexes: Collection[int], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return the present values without the visible ones of these indexes."""
    return tuple(each for each in present if each.value.index not in indexes or each.is_hidden(now))


def without_defaults(
    values: Sequence[HandleValue], put: Collection[int], present: Sequence[HandleValue], prefix: str, now: datetime
) -> tuple[HandleValue, ...]:
    """Return the values to store: without those at the indexes `put` that equal a generated default, new or old."""
    single = [
        each
        for kind in (ADMIN, LOCATIONS)
        if len(found := [each for each in values if is_type(each.value.type, kind)]) == 1
        for each in found
        if each.value.index in put
    ]
    bare = [each for each in values if each not in single]
    defaults = (*default_values(bare, prefix, now), *default_values(present, prefix, now))
    return tuple(each for each in values if each not in single or each not in defaults)


def _sources(
    values: Iterable[Value], present: Iterable[HandleValue], now: datetime, rules: Iterable[tuple[bool, bool, bool]]
) -> dict[int, HandleValue]:
    """Return by index the present value that each sent URL continues, found by the first matching rule."""
    remaining: dict[bool, list[HandleValue]] = {False: [], True: []}  # visible and hidden ones
    for each in present:
        if each.location is not None:
            remaining[each.is_hidden(now)].append(each)
    sources: dict[int, HandleValue] = {}
    for hidden, by_url, by_index in rules:
        for value in values:
            if not value.is_url or value.index in sources:
                continue
            for each in remaining[hidden]:
                has_url = each.location is not None and each.location.uri == value.text
                if (has_url or not by_url) and (each.value.index == value.index or not by_index):
                    remaining[hidden].remove(each)
                    sources[value.index] = each
                    break
    return sources


def _location(sources: dict[int, HandleValue], value: Value) -> Location | None:
    return sources[value.index].location if value.index in sources else None


def _renumber(values: Sequence[HandleValue], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return the values, with new indexes for hidden ones whose index a visible value uses.

    Raises `InvalidInput` for more than the maximum, unless the handle had that many before.
    """
    if len(values) > max(MAX_VALUES, len(present)):
        raise InvalidInput.at("", f"the handle would have {len(values)} values, more than {MAX_VALUES}")
    visible = {each.value.index for each in values if not each.is_hidden(now)}
    taken = {each.value.index for each in values}
    numbered = []
    for each in values:
        if each.is_hidden(now) and each.value.index in visible:
            index = next(free_indexes(taken))
            taken.add(index)
            each = HandleValue(replace(each.value, index=index), each.location)  # noqa: PLW2901
        numbered.append(each)
    return tuple(numbered)
