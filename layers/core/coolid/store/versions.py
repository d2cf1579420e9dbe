"""Selection of a record's versions: the public ones, and the one that was current at a moment.

RFC 7089 (Memento), section 4.5.3: the result is the version that was current then, or the first version for earlier
moments. A reserved version was never public, so it is never the result.

>>> from datetime import UTC, datetime
>>> from msgspec.structs import replace
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> first = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active")
>>> second = replace(first, version=2, updated=datetime(2025, 7, 11, 12, tzinfo=UTC))
>>> versions = public_versions([second, first])
>>> [versions[current_position(versions, datetime(2025, 7, day, 13, tzinfo=UTC))].version for day in (9, 10, 11, 12)]
[1, 1, 2, 2]
"""

from collections.abc import Sequence
from datetime import datetime

from coolid.errors import UnknownVersion
from coolid.model.records import RESERVED, Record
from coolid.store.records import RecordReader


def public_versions(history: Sequence[Record]) -> tuple[Record, ...]:
    """Return the public versions of a history that may be in any order, the first version first."""
    return tuple(sorted((each for each in history if each.status != RESERVED), key=lambda each: each.version))


def is_whole(history: Sequence[Record]) -> bool:
    """Return whether a history without gaps has every public version; reserved versions precede all public ones."""
    return any(each.version == 1 or each.status == RESERVED for each in history)


def public_version(record: Record, version: int, reader: RecordReader) -> Record:
    """Return a public version (from 1) of a record; raise `UnknownVersion` if it is absent or reserved."""
    found = record if version == record.version else reader.superseded(record.repository, record.key, version)
    if found is None or found.status == RESERVED:
        raise UnknownVersion(record.pid, str(version))
    return found


def current_position(versions: Sequence[Record], moment: datetime) -> int:
    """Return the position of the newest version that is not later than the moment, or 0 if all are later.

    The highest number is the newest, because two versions may share a second, and clocks may be wrong.
    """
    return max((position for position, each in enumerate(versions) if each.updated <= moment), default=0)
