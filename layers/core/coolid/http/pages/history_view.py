"""A record's history as its page shows it: the newest versions, each with its changes against the one before."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from typing import Any, Final

from msgspec import Struct

from coolid.http.pages.custody_view import TRANSFERRED, custody_changes
from coolid.http.pages.metadata_view import brief, label_of
from coolid.identifiers.typography import is_visible
from coolid.model import custody
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
from coolid.model.records import WITHDRAWN, Record

MAX_VERSIONS: Final = 6
"""The most versions on a page, which bounds its size; the others are in the TimeMap."""
MAX_CHANGES: Final = 5

CUSTODY: Final = "custody"

_MAX_LENGTH: Final = 140
_BEFORE: Final = 30
_MORE: Final = "…"
_MEMBERS: Final = {
    "mediaType": "type",
    "validFrom": "valid from",
    "validUntil": "valid until",
    "lastModified": "last modified",
}


class FieldChange(Struct, frozen=True):
    """A change of the record's member `what` at `name`; `was` and `now` are brief, and empty for an absent value.

    If only the order of the member `name` changed, `what` is `order`. If it is `custody`, `name` is what happened with
    the service `now` (`coolid.http.pages.custody_view`). `details` are the changed members of a location:
    name, previous value, new value.
    """

    what: str
    name: str
    was: str
    now: str
    details: tuple[tuple[str, str, str], ...] = ()


class HistoryStep(Struct, frozen=True):
    """A version with its changes, and how many are omitted; `is_first` if no public version precedes it."""

    version: Record
    changes: tuple[FieldChange, ...]
    omitted: int
    is_first: bool


def history_of(versions: Sequence[Record], *, is_whole: bool = True) -> tuple[HistoryStep, ...]:
    """Return the newest of the versions (oldest first), newest first; without the oldest unless `is_whole`."""
    steps = []
    for index, each in reversed(tuple(enumerate(versions))):
        if index == 0 and len(versions) > 1 and not is_whole:
            break
        changes = tuple(_changes(_compared(versions, index), each)) if index else ()
        omitted = max(0, len(changes) - MAX_CHANGES)
        steps.append(HistoryStep(each, changes[:MAX_CHANGES], omitted, is_first=is_whole and index == 0))
    return tuple(steps[:MAX_VERSIONS])


def _compared(versions: Sequence[Record], index: int) -> Record:
    """Return the version that one is compared with: the one before, or for a first one after a transfer, its offer."""
    before = versions[index - 1]
    return versions[index - 2] if before.issuer != versions[index].issuer and index > 1 else before


def _changes(older: Record, newer: Record) -> Iterator[FieldChange]:
    """Return the changes; for a tombstone, without those that the withdrawal implies, and the reverse.

    A transfer of custody implies the location at the recipient, so its locations are no changes.
    """
    in_custody = tuple(custody_changes(older, newer))
    yield from (FieldChange(CUSTODY, each.what, "", each.service) for each in in_custody)
    is_transfer = any(each.what == TRANSFERRED for each in in_custody)
    for each in differences(older, newer):
        if in_custody and each.member == METADATA and each.name == custody.MEMBER:
            continue
        if is_transfer and each.member in (LOCATIONS, STATUS):
            continue
        if each.member == WITHDRAWAL and newer.status != WITHDRAWN:
            continue
        if newer.status != WITHDRAWN or not (each.member == STATUS or each.is_order or _is_location_status(each)):
            yield from _field_changes(each)


def _field_changes(each: Difference) -> Iterator[FieldChange]:
    if each.is_order:
        yield FieldChange("order", each.member, "", "")
    elif each.member == LOCATIONS:
        yield from _location_changes(each)
    elif each.member == WITHDRAWAL:
        reasons = [value["reason"] for value in each.now if is_visible(value["reason"])]
        yield FieldChange(WITHDRAWAL, "", "", brief(reasons))
    elif each.member == METADATA:
        yield FieldChange(
            METADATA, label_of(str(each.name)), *excerpts(_element_text(each.was), _element_text(each.now))
        )
    elif each.member == ALTERNATES:
        was, now = ([value["identifier"] for value in side] for side in (each.was, each.now))
        yield FieldChange(ALTERNATES, str(each.name), *excerpts(brief(was), brief(now)))
    else:
        unit = " s" if each.member == LIFETIME else ""
        before, after = (brief(list(side)) + unit if side else "" for side in (each.was, each.now))
        yield FieldChange(each.member, "", before, after)


def _element_text(values: tuple[Any, ...]) -> str:
    """Return an element's value as text, long enough to show a difference; JSON's null is a dash."""
    return "" if not values else brief(values[0], 20_000) or "—"


def excerpts(was: str, now: str, max_length: int = _MAX_LENGTH) -> tuple[str, str]:
    """Return both texts in at most `max_length` characters, from shortly before their first difference.

    >>> excerpts("tea " * 50 + "green", "tea " * 50 + "black", 20)
    ('…ea tea tea tea green', '…ea tea tea tea black')
    """
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    start = max(0, same - min(_BEFORE, max_length * 3 // 4)) if max(len(was), len(now)) > max_length else 0
    return _cut(was, start, max_length), _cut(now, start, max_length)


def _cut(text: str, start: int = 0, length: int = _MAX_LENGTH) -> str:
    if not text:
        return ""
    return (_MORE if start else "") + text[start : start + length] + (_MORE if len(text) > start + length else "")


def _location_changes(each: Difference) -> Iterator[FieldChange]:
    """Return the changes of the locations of one URI: changed members, then removed or added locations."""
    uri = _cut(str(each.name))
    for was, now in zip_longest(each.was, each.now):
        details = tuple(_members(was, now)) if was and now else ()
        if details:
            yield FieldChange(LOCATIONS, uri, "", "", details)
        elif not was or not now:
            yield FieldChange(LOCATIONS, "", uri if was else "", uri if now else "")


def _members(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for member in {**was, **now}:
        before, after = was.get(member), now.get(member)
        if before != after:
            yield (_MEMBERS.get(member, member), brief(before), brief(after))


def _is_location_status(each: Difference) -> bool:
    """Return whether only the status of the locations of one URI changed."""
    if each.member != LOCATIONS:
        return False
    changed = [[name for name, _, _ in _members(was, now)] for was, now in zip(each.was, each.now, strict=False)]
    return len(each.was) == len(each.now) and all(names == [STATUS] for names in changed)
