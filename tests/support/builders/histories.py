"""Histories of records: random ones, and those of a store."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Record, Withdrawal
from coolid.store.records import RecordReader
from coolid.store.versions import MAX_READ, RecordVersions
from tests.support.builders.samples import MOMENT, record
from tests.support.stores.memory_store import MemoryStore


def stored_versions(records: RecordReader, repository: str, key: str) -> list[Record]:
    """Return all versions of a record, the newest first."""
    current = records.record(repository, key, consistent=True)
    return [*RecordVersions(current, records).newest_first(current.version, MAX_READ)] if current else []


def put_history(store: MemoryStore, versions: Sequence[Record]) -> None:
    """Store the versions of a record, the oldest first, at once, in the place of others."""
    *older, current = versions
    others = {name: each for name, each in store.archive.items() if name[:2] != (current.repository, current.key)}
    store.archive = others | {(each.repository, each.key, each.version): each for each in older}
    store.records_by_key[current.repository, current.key] = current


@st.composite
def histories(draw: st.DrawFn, /, *, is_ordered: bool = True, **members: Any) -> list[Record]:
    """Return a record's versions, the oldest first: reserved ones precede the others, some were erased.

    Times never decrease if `is_ordered`; some are equal. The last version may be a tombstone.
    """
    steps = st.tuples(st.integers(1, 3), st.integers(0 if is_ordered else -9, 9))
    drawn = draw(st.lists(steps, min_size=1, max_size=40))
    reserved = draw(st.just(0) | st.integers(0, len(drawn) - 1))
    number, updated, versions = 0, MOMENT, []
    for at, (step, seconds) in enumerate(drawn):
        number, updated = number + step, updated + timedelta(seconds=seconds)
        status = RESERVED if at < reserved else ACTIVE
        versions.append(record(version=number, updated=updated, status=status, **members))
    if draw(st.booleans()):
        tombstone = Withdrawal(updated, "It was wrong")
        versions[-1] = replace(versions[-1], status=WITHDRAWN, withdrawn=tombstone, records=())
    return versions
