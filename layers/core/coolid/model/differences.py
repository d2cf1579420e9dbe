"""Differences between two versions of a record, member by member.

The members of `Content` and the withdrawal are compared; number, times, digest and proof differ in every version.
Values are equal if they are the same JSON: the order of an object's members does not matter, and `true` is not 1.
Metadata is compared by element, locations by URI, alternates by scheme. Several locations or alternates may share a
name. Another order of the same entries is a difference of its own.
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
    """One changed `member` of the record, or the entry `name` of a member.

    `was` and `now` are its values; `was` is empty if it was added, `now` if it was removed. Locations and alternates
    may have several values under one name. If `name` is None for a list, its order changed: `was` are the names in the
    order that the other differences produce, `now` the names in the actual order.
    """

    member: str
    name: str | None
    was: tuple[Any, ...]
    now: tuple[Any, ...]

    @property
    def is_order(self) -> bool:
        """Whether only the order of a list changed."""
        return self.name is None and self.member not in _WHOLE


def differences(older: Record, newer: Record) -> tuple[Difference, ...]:
    """Return the changes that turn `older` into `newer`; none if and only if they have the same content."""
    was, now = older.to_document(), newer.to_document()
    whole = [
        Difference(member, None, _values(was, member), _values(now, member))
        for member in _WHOLE
        if not _same(_values(was, member), _values(now, member))
    ]
    return (
        *whole,
        *_differences_by_name(METADATA, _by_element(was[METADATA]), _by_element(now[METADATA])),
        *_list_differences(LOCATIONS, was[LOCATIONS], now[LOCATIONS], lambda each: str(each["uri"])),
        *_list_differences(ALTERNATES, was[ALTERNATES], now[ALTERNATES], lambda each: str(each["scheme"])),
    )


def _differences_by_name(
    member: str, was: Mapping[str, tuple[Any, ...]], now: Mapping[str, tuple[Any, ...]]
) -> Iterator[Difference]:
    """Return the differences by name: the names of `was` first, in their order, then the new ones."""
    for name in {**was, **now}:
        before, after = was.get(name, ()), now.get(name, ())
        if not _same(before, after):
            yield Difference(member, name, before, after)


def _list_differences(
    member: str, was: Sequence[Any], now: Sequence[Any], name_of: Callable[[Any], str]
) -> Iterator[Difference]:
    """Return the differences of a list by name, and of its order unless new entries were just appended."""
    before, after = _by_name(was, name_of), _by_name(now, name_of)
    yield from _differences_by_name(member, before, after)
    expected, actual = in_order(map(name_of, was), after), tuple(map(name_of, now))
    if expected != actual:
        yield Difference(member, None, expected, actual)


def in_order(names: Iterable[str], present: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the names of `present`, one per value, in the order of `names`; the others follow."""
    remaining = {name: len(values) for name, values in present.items()}
    ordered = []
    for name in names:
        if remaining.get(name):
            remaining[name] -= 1
            ordered.append(name)
    return (*ordered, *(name for name, number in remaining.items() for _ in range(number)))


def _by_element(metadata: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: (value,) for name, value in metadata.items()}


def _by_name(listed: Sequence[Any], name_of: Callable[[Any], str]) -> dict[str, tuple[Any, ...]]:
    named: dict[str, tuple[Any, ...]] = {}
    for each in listed:
        named[name_of(each)] = (*named.get(name_of(each), ()), each)
    return named


def _values(document: Mapping[str, Any], member: str) -> tuple[Any, ...]:
    return (document[member],) if member in document else ()


def _same(one: Any, other: Any) -> bool:
    """Return whether both are the same JSON; in Python, `True == 1`."""
    return json.encode(one, order="deterministic") == json.encode(other, order="deterministic")
