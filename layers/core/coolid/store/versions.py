"""Versions of a record: which everybody may read, and which was the current one at a given moment.

RFC 7089 (Memento), section 4.5.3: the version that was current then; before the first there was none, so that the first
is the nearest. What was reserved was never public, and so never is the answer.

>>> from datetime import UTC, datetime
>>> from msgspec.structs import replace
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> first = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active")
>>> second = replace(first, version=2, updated=datetime(2025, 7, 11, 12, tzinfo=UTC))
>>> versions = public([second, first])
>>> [versions[current_at(versions, datetime(2025, 7, day, 13, tzinfo=UTC))].version for day in (9, 10, 11, 12)]
[1, 1, 2, 2]
"""

from collections.abc import Sequence
from datetime import datetime

from coolid.errors import UnknownVersion
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, Record
from coolid.store.reader import Reader


def public(history: Sequence[Record]) -> tuple[Record, ...]:
    """Those of a history, in any order, that everybody may read; the first version first."""
    return tuple(sorted((each for each in history if each.status != RESERVED), key=lambda each: each.version))


def is_whole(history: Sequence[Record]) -> bool:
    """Whether a history without gaps has every public version: what was reserved was so from the first version on."""
    return any(each.version == 1 or each.status == RESERVED for each in history)


def version_of(namespace: Namespace, record: Record, version: int, reader: Reader) -> Record:
    """A version of a record, from 1, as everybody may read it; `UnknownVersion` for none, or one that was reserved."""
    key = namespace.repository.rules.validate(record.id)
    found = record if version == record.version else reader.superseded(record.repository, key, version)
    if found is None or found.status == RESERVED:
        raise UnknownVersion(record.pid, str(version))
    return found


def current_at(versions: Sequence[Record], moment: datetime) -> int:
    """The position of the newest that is not later than the moment, or of the first if all are.

    The newest is that of the highest number: two may be of the same second, and clocks may have gone wrong.
    """
    return max((place for place, each in enumerate(versions) if each.updated <= moment), default=0)
