"""Positions of records in a repository's list by time of change.

DynamoDB stores them as the attribute `changed` of a row. SQLite computes them from the body.

Versions have positions, too: that of the record at the time of the version, then the number of the version. No key
contains the character between them, so texts compare like tuples of time, key and number.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct, json

from coolid.model.records import Record, format_time


class _Times(Struct):
    """The member of a body that positions need. All others are skipped."""

    updated: str = ""


HISTORY: Final = "#history"
"""Follows the repository's id in the attribute `repository` of superseded versions."""
VERSION: Final = "\t"
"""The character before the number of a version."""
CURRENT_VERSION: Final = "~"
"""In place of the number of a current version in an index, because it is greater than all digits."""
_TIMES: Final = json.Decoder(_Times)


def change_position(updated: str, key: str) -> str:
    """Return the position of a record in the list by time of change: its time, in the form of its document, and key.

    >>> change_position("2025-07-10T14:22:30Z", "x5")
    '2025-07-10T14:22:30Z x5'
    """
    return f"{updated} {key}"


def record_position(record: Record) -> str:
    """Return the position of a record."""
    return change_position(format_time(record.updated), record.key)


def body_position(body: str, key: str) -> str | None:
    """Return the position of a record with this body in the list by time of change, None without a time.

    >>> body_position('{"id":"x5","updated":"2025-07-10T14:22:30Z"}', "x5")
    '2025-07-10T14:22:30Z x5'
    """
    updated = _TIMES.decode(body).updated
    return change_position(updated, key) if updated else None


def change_range(since: datetime | None, until: datetime | None, after: str | None) -> tuple[str, str]:
    """Return the limits, both excluded, of the positions of changes from `since` to `until`, after a position.

    >>> from coolid.model.records import parse_time
    >>> noon = parse_time("2025-07-10T12:00:00Z")
    >>> change_range(noon, noon, None), change_range(None, None, "2025-07-10T14:22:30Z x5")
    (('2025-07-10T12:00:00Z ', '2025-07-10T12:00:00Z!'), ('2025-07-10T14:22:30Z x5', ':'))
    """
    first = change_position(format_time(since), "") if since else " "
    last = f"{format_time(until)}!" if until else ":"  # the characters after the space, and after all digits
    return max(first, after or ""), last


def version_position(record: Record) -> str:
    """Return the position of a version in the list of all versions.

    >>> from coolid.model.records import parse_time
    >>> noon = parse_time("2025-07-10T12:00:00Z")
    >>> version_position(Record("x5", "", "", 3, noon, noon, "", "active", key="x5"))
    '2025-07-10T12:00:00Z x5\\t0000000003'
    """
    return _numbered(record_position(record), record.version)


def history_attributes(repository: str, updated: str | None, version: int) -> dict[str, str]:
    """Return the attributes of a superseded version by which indexes list it, given its position as a record.

    >>> history_attributes("r4k2-9m3x-62", "2025-07-10T14:22:30Z x5", 3)
    {'repository': 'r4k2-9m3x-62#history', 'changed': '2025-07-10T14:22:30Z x5\\t0000000003'}
    """
    return {"repository": f"{repository}{HISTORY}", "changed": _numbered(updated, version)} if updated else {}


def _numbered(position: str, version: int) -> str:
    return f"{position}{VERSION}{version:010d}"


def version_range(since: datetime | None, until: datetime | None, before: str | None) -> tuple[str, str]:
    """Return the limits of the positions of versions from `since` to `until`; the second is included.

    Positions that are not before `before` must still be left out (`newest_positions`).
    """
    first, last = change_range(since, until, None)
    return first, last if before is None else min(last, before)


def newest_positions(current: Iterable[str], superseded: Iterable[str], before: str | None) -> list[str]:
    """Return the positions of versions before a position, the newest first.

    Current versions have the positions of their records, and get `CURRENT_VERSION` as their number.
    """
    positions = {*superseded, *(f"{position}{VERSION}{CURRENT_VERSION}" for position in current)}
    return sorted((each for each in positions if before is None or each < before), reverse=True)


def place_of(position: str) -> tuple[str, str, int]:
    """Return the time, the key and the number of a version's position; 0 for the current version.

    >>> place_of("2025-07-10T12:00:00Z x5\\t0000000003")
    ('2025-07-10T12:00:00Z', 'x5', 3)
    """
    place, _, number = position.rpartition(VERSION)
    updated, _, key = place.partition(" ")
    return updated, key, 0 if number == CURRENT_VERSION else int(number)
