"""A record's history as its page tells it: the newest versions, and what changed with each against the one before.

>>> from datetime import UTC, datetime
>>> from msgspec.structs import replace
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> first = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active")
>>> newest, oldest = history_of((first, replace(first, version=2, metadata={"what": "Tea"})))
>>> newest.changes
(FieldChange(what='metadata', name='Title', was='', now='Tea', details=()),)
>>> oldest.number, oldest.changes
(1, ())
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.http.pages.metadata_view import brief, label_of
from coolid.identifiers.typography import is_visible
from coolid.model.differences import (
    ALTERNATES,
    LIFETIME,
    LOCATIONS,
    METADATA,
    STATUS,
    WITHDRAWAL,
    Difference,
    differences,
)
from coolid.model.records import WITHDRAWN, Record, format_time

MOST_VERSIONS: Final = 6
"""So many that the page stays small with all that it loads; the others are in the TimeMap."""
MOST_CHANGES: Final = 5
ORDER: Final = "order"
"""What changed, where it was but the order of locations."""

_MOST: Final = 140
_BEFORE: Final = 30
_MORE: Final = "…"
_MEMBERS: Final = {
    "mediaType": "type",
    "validFrom": "valid from",
    "validUntil": "valid until",
    "lastModified": "last modified",
}


class FieldChange(Struct, frozen=True):
    """One change: `what` of the record, under which `name`; `was` and `now` in brief, empty where there was nothing.

    `details` are a location's members that changed: each with its name, what it was and what it is now.
    """

    what: str
    name: str
    was: str
    now: str
    details: tuple[tuple[str, str, str], ...] = ()


class HistoryStep(Struct, frozen=True):
    """A version: its number, time and status, what changed with it, and how many changes more than are told.

    `is_first` says that none came before it that is public.
    """

    number: int
    at: str
    status: str
    changes: tuple[FieldChange, ...]
    more: int
    is_first: bool


def history_of(versions: Sequence[Record], *, is_whole: bool = True) -> tuple[HistoryStep, ...]:
    """The newest of the public versions, which come with the first one first; the newest first.

    Unless these are all that there are, what changed with the first of them is not known: it is left out, if not alone.
    """
    last = 0 if is_whole or len(versions) == 1 else 1
    steps = []
    for place in range(len(versions) - 1, max(last - 1, len(versions) - 1 - MOST_VERSIONS), -1):
        each = versions[place]
        changes = list(_changes(versions[place - 1], each)) if place else []
        told = tuple(changes[:MOST_CHANGES])
        is_first = is_whole and place == 0
        steps.append(
            HistoryStep(each.version, format_time(each.updated), each.status, told, len(changes) - len(told), is_first)
        )
    return tuple(steps)


def _changes(older: Record, newer: Record) -> Iterator[FieldChange]:
    """What changed; with a tombstone no more than a reader would call so."""
    is_gone = newer.status == WITHDRAWN
    for each in differences(older, newer):
        if is_gone and (each.member == STATUS or each.is_order or (each.member == LOCATIONS and _is_of_status(each))):
            continue
        yield from _told(each)


def _told(each: Difference) -> Iterator[FieldChange]:
    if each.is_order:
        yield FieldChange(ORDER, each.member, "", "")
    elif each.member == LOCATIONS:
        yield from _of_locations(each)
    elif each.member == WITHDRAWAL:
        yield FieldChange(
            WITHDRAWAL, "", "", brief([told["reason"] for told in each.now if is_visible(told["reason"])])
        )
    elif each.member == METADATA:
        yield FieldChange(METADATA, label_of(str(each.name)), *excerpts(brief_of(each.was), brief_of(each.now)))
    elif each.member == ALTERNATES:
        was, now = ([told["identifier"] for told in side] for side in (each.was, each.now))
        yield FieldChange(ALTERNATES, str(each.name), *excerpts(brief(was), brief(now)))
    else:
        unit = " s" if each.member == LIFETIME else ""
        before, after = (brief(list(side)) + unit if side else "" for side in (each.was, each.now))
        yield FieldChange(each.member, "", before, after)


def brief_of(values: tuple[Any, ...]) -> str:
    """What an element said, long enough to see where it differs; JSON's null is a value that can be seen."""
    return "" if not values else brief(values[0], 20_000) or "—"


def excerpts(was: str, now: str, most: int = _MOST) -> tuple[str, str]:
    """Both texts in at most so many characters, from shortly before the place where they begin to differ.

    >>> excerpts("tea " * 50 + "green", "tea " * 50 + "black", 20)
    ('…ea tea tea tea green', '…ea tea tea tea black')
    """
    same = next(
        (at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), min(map(len, (was, now)))
    )
    start = max(0, same - min(_BEFORE, most * 3 // 4)) if max(len(was), len(now)) > most else 0
    return _cut(was, start, most), _cut(now, start, most)


def _cut(text: str, start: int, most: int) -> str:
    if not text:
        return ""
    return (_MORE if start else "") + text[start : start + most] + (_MORE if len(text) > start + most else "")


def _of_locations(each: Difference) -> Iterator[FieldChange]:
    """What became of the locations of one URI: of as many as there were before, their members."""
    uri = str(each.name)
    for was, now in zip(each.was, each.now, strict=False):
        details = tuple(_members(was, now))
        if details:
            yield FieldChange(LOCATIONS, _cut(uri, 0, _MOST), "", "", details)
    kept = min(len(each.was), len(each.now))
    for _ in each.was[kept:]:
        yield FieldChange(LOCATIONS, "", _cut(uri, 0, _MOST), "")
    for _ in each.now[kept:]:
        yield FieldChange(LOCATIONS, "", "", _cut(uri, 0, _MOST))


def _members(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for member in {**was, **now}:
        before, after = was.get(member), now.get(member)
        if before != after:
            yield (_MEMBERS.get(member, member), brief(before), brief(after))


def _is_of_status(each: Difference) -> bool:
    """Whether locations of one URI changed in nothing but that they are no longer in use."""
    if len(each.was) != len(each.now):
        return False
    return all(
        [name for name, _, _ in _members(was, now)] == [STATUS] for was, now in zip(each.was, each.now, strict=True)
    )
