"""Positions of records in a repository's list by time of change.

DynamoDB stores them as the attribute `changed` of a row. SQLite computes them from the body.
"""

from datetime import datetime
from typing import Final

from msgspec import Struct, json

from coolid.model.records import Record, format_time


class _Times(Struct):
    """The member of a body that positions need. All others are skipped."""

    updated: str = ""


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
