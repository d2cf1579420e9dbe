"""What becomes of the values of a handle when some are put or taken away.

A client of the Handle API can speak of what it sees only. So locations that are not good now survive every change, a
whole `PUT` too, unless a URL that is put is theirs, and make room if an index that they had is given to something else.
What is put as it would be made up anyway is not kept, so that it goes on following what it is made of.

>>> from datetime import UTC
>>> from coolid.http.dialects.handle.record_mapping import holding
>>> now = datetime(2026, 1, 1, tzinfo=UTC)
>>> present = holding((Location("https://a.example/"), Location("https://soon.example/", status="inactive")), {})
>>> put = Value(2, "URL", {"format": "string", "value": "https://b.example/"})
>>> [(each.value.index, each.value.text) for each in replaced([put], present, now)]
[(2, 'https://b.example/'), (1, 'https://soon.example/')]
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.record_mapping import HandleValue, free_from, hold, made_up
from coolid.http.dialects.handle.value_parser import MOST_VALUES
from coolid.http.dialects.handle.values import ADMIN, LOCATIONS, Value, is_type
from coolid.model.records import Location


def replaced(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """These values instead of all that can be seen; `InvalidInput` if there are too many, or one is no value."""
    sources = _sources(values, present, now, _BY_URL)
    held = [hold(value, _location(sources, value), now) for value in values]
    named = {each.value.index for each in sources.values()}
    places = [each for each in present if each.location is not None]
    for position, each in enumerate(places):  # each where it was among the locations
        if each.is_hidden(now) and each.value.index not in named:
            before = [at for at, other in enumerate(held) if other.location is not None]
            held.insert(before[position] if position < len(before) else len(held), each)
    return _numbered(held, present, now)


def mixed(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """These values in the place of those with their indexes, or besides; `InvalidInput` as of `replaced`."""
    put = {value.index for value in values}
    places = [(each, each.location.uri) for each in present if each.location is not None]
    stay = {uri for each, uri in places if not each.is_hidden(now) and each.value.index not in put}
    spoken = [each for each, uri in places if (uri not in stay if each.is_hidden(now) else each.value.index in put)]
    sources = _sources(values, spoken, now, _BY_INDEX)
    new = {value.index: hold(value, _location(sources, value), now) for value in values}
    revived = {each.value.index: index for index, each in sources.items() if each.is_hidden(now)}
    held = []
    for each in present:
        index = each.value.index
        if each.is_hidden(now):
            found = new.pop(revived[index], None) if index in revived else each
        else:
            found = new.pop(index, None) if index in put else each
        if found is not None:
            held.append(found)
    return _numbered([*held, *new.values()], present, now)


def without(indexes: Collection[int], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """What is left when those that can be seen under these indexes are taken away."""
    return tuple(each for each in present if each.value.index not in indexes or each.is_hidden(now))


def unmade(
    held: Sequence[HandleValue], put: Collection[int], present: Sequence[HandleValue], prefix: str, now: datetime
) -> tuple[HandleValue, ...]:
    """Those that are to be kept: not what was put, under the indexes `put`, as it is made up without it, or was."""
    single = [
        each
        for kind in (ADMIN, LOCATIONS)
        if len(found := [each for each in held if is_type(each.value.type, kind)]) == 1
        for each in found
        if each.value.index in put
    ]
    bare = [each for each in held if each not in single]
    known = (*made_up(bare, prefix, now), *made_up(present, prefix, now))
    return tuple(each for each in held if each not in single or each not in known)


def _sources(
    values: Iterable[Value],
    present: Iterable[HandleValue],
    now: datetime,
    ways: Iterable[tuple[bool, Callable[[Value, HandleValue], bool]]],
) -> dict[int, HandleValue]:
    """What is there already of the URLs that are put, by their indexes, each once, as the first way finds it."""
    left: dict[bool, list[HandleValue]] = {False: [], True: []}  # what is seen, and what is hidden
    for each in present:
        if each.location is not None:
            left[each.is_hidden(now)].append(each)
    sources: dict[int, HandleValue] = {}
    for hidden, fit in ways:
        for value in values:
            if value.is_url and value.index not in sources:
                found = next((each for each in left[hidden] if fit(value, each)), None)
                if found is not None:
                    left[hidden].remove(found)
                    sources[value.index] = found
    return sources


def _location(sources: dict[int, HandleValue], value: Value) -> Location | None:
    return sources[value.index].location if value.index in sources else None


def _is_the_same(value: Value, each: HandleValue) -> bool:
    return _has_its_url(value, each) and _has_its_index(value, each)


def _has_its_url(value: Value, each: HandleValue) -> bool:
    return each.location is not None and each.location.uri == value.text


def _has_its_index(value: Value, each: HandleValue) -> bool:
    return each.value.index == value.index


def _numbered(held: Sequence[HandleValue], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """All of them, the hidden ones with other indexes where theirs are those of something that is seen.

    More than may be are refused, but where others made them that many and none is added.
    """
    if len(held) > max(MOST_VALUES, len(present)):
        raise InvalidInput.at("", f"the handle would have {len(held)} values, more than {MOST_VALUES}")
    seen = {each.value.index for each in held if not each.is_hidden(now)}
    taken = {each.value.index for each in held}
    numbered = []
    for each in held:
        if each.is_hidden(now) and each.value.index in seen:
            index = next(free_from(taken))
            taken.add(index)
            each = HandleValue(replace(each.value, index=index), each.location)  # noqa: PLW2901
        numbered.append(each)
    return tuple(numbered)


_BY_URL: Final = ((False, _is_the_same), (False, _has_its_url), (True, _is_the_same), (True, _has_its_url))
_BY_INDEX: Final = (*_BY_URL, (False, _has_its_index))
"""Whether it is looked for among the hidden ones, and what is to fit: they are woken if nothing seen has the URL."""
