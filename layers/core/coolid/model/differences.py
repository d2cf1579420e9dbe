"""Differences: what one version of a record says otherwise than another, member by member.

Of a version takes part what its keeper says (`ContentDescription`) and what became of it (`withdrawn`); number, times, digest and
proof are another's in every version. JSON decides what is the same: the order of an object's members does not matter,
and `true` is not 1. Metadata is compared by element, locations by their URIs, alternates by their schemes, of which
there may be several alike; where the same are in another order, that is a difference of its own.

>>> from datetime import UTC, datetime
>>> from msgspec.structs import replace
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> older = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active",
...     metadata={"what": "Tea"})
>>> for each in differences(older, replace(older, metadata={"what": "Green tea"}, ttl=60)):
...     print(each.member, each.name, each.was, each.now)
ttl None () (60,)
metadata what ('Tea',) ('Green tea',)
>>> differences(older, replace(older, version=2))
()
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, json

from coolid.model.records import Record

STATUS: Final = "status"
WITHDRAWAL: Final = "withdrawn"
LIFETIME: Final = "ttl"
METADATA: Final = "metadata"
LOCATIONS: Final = "records"
ALTERNATES: Final = "alternates"

_WHOLE: Final = (STATUS, WITHDRAWAL, LIFETIME)


class Difference(Struct, frozen=True):
    """What became of one thing: a `member` of the record, or what it has under a `name`.

    `was` and `now` are its values; there are none before it was added, nor after it was removed. Of locations and
    alternates there may be several under one name. Where their order changed, which is told with no name, `was` and
    `now` are the names in their order: those that would have come of the other differences, and those that are there.
    """

    member: str
    name: str | None
    was: tuple[Any, ...]
    now: tuple[Any, ...]

    @property
    def is_order(self) -> bool:
        """Whether nothing but the order of a list changed."""
        return self.name is None and self.member not in _WHOLE


def differences(older: Record, newer: Record) -> tuple[Difference, ...]:
    """What is to be done to `older` so that it says what `newer` says; none exactly if they say the same."""
    was, now = older.to_document(), newer.to_document()
    whole = [
        Difference(member, None, _given(was, member), _given(now, member))
        for member in _WHOLE
        if not _same(_given(was, member), _given(now, member))
    ]
    return (
        *whole,
        *_of_names(METADATA, _by_element(was[METADATA]), _by_element(now[METADATA])),
        *_of_list(LOCATIONS, was[LOCATIONS], now[LOCATIONS], lambda each: str(each["uri"])),
        *_of_list(ALTERNATES, was[ALTERNATES], now[ALTERNATES], lambda each: str(each["scheme"])),
    )


def _of_names(
    member: str, was: Mapping[str, tuple[Any, ...]], now: Mapping[str, tuple[Any, ...]]
) -> Iterator[Difference]:
    """The older's names first, in its order; then those that are new."""
    for name in {**was, **now}:
        before, after = was.get(name, ()), now.get(name, ())
        if not _same(before, after):
            yield Difference(member, name, before, after)


def _of_list(
    member: str, was: Sequence[Any], now: Sequence[Any], name_of: Callable[[Any], str]
) -> Iterator[Difference]:
    """Of what is listed under names; and of its order, if the new one is not that of the old with the new behind."""
    before, after = _by_name(was, name_of), _by_name(now, name_of)
    yield from _of_names(member, before, after)
    expected, wanted = in_order(map(name_of, was), after), tuple(map(name_of, now))
    if expected != wanted:
        yield Difference(member, None, expected, wanted)


def in_order(names: Iterable[str], there: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """The names of what is there: as many as there are of each, in the order of `names`, and the others behind.

    >>> in_order("abca", {"c": [1], "a": [2], "d": [3, 4]})
    ('a', 'c', 'd', 'd')
    """
    left = {name: len(values) for name, values in there.items()}
    kept = []
    for name in names:
        if left.get(name):
            left[name] -= 1
            kept.append(name)
    return (*kept, *(name for name, number in left.items() for _ in range(number)))


def _by_element(metadata: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: (value,) for name, value in metadata.items()}


def _by_name(listed: Sequence[Any], name_of: Callable[[Any], str]) -> dict[str, tuple[Any, ...]]:
    named: dict[str, tuple[Any, ...]] = {}
    for each in listed:
        named[name_of(each)] = (*named.get(name_of(each), ()), each)
    return named


def _given(document: Mapping[str, Any], member: str) -> tuple[Any, ...]:
    return (document[member],) if member in document else ()


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON; to Python, true is 1."""
    return json.encode(one, order="deterministic") == json.encode(other, order="deterministic")
