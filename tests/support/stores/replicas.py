"""Replicas: stores in memory that converge like the replicas of DynamoDB global tables.

Each evaluates conditions against its own rows. Of two writes to one row the later one wins. Rows are copied one by one,
even if they were written together. Without a call of `converge` no region reads the writes of another one.
"""

from collections.abc import Iterator, MutableMapping
from typing import Any

from tests.support.stores.memory_store import MemoryStore

Cell = tuple[str, Any]


class Replicas:
    """The `stores` by the names of regions. Call `wrote` after each write."""

    def __init__(self, *regions: str) -> None:
        self.stores = {region: MemoryStore() for region in regions}
        self._seen: dict[str, dict[Cell, Any]] = {region: {} for region in regions}
        self._moments: dict[str, dict[Cell, int]] = {region: {} for region in regions}
        self._now = 0

    def wrote(self, region: str) -> None:
        """Set the write time of the rows that a region wrote since the last call to now."""
        self._now += 1
        present = dict(_cells(self.stores[region]))
        for cell, value in present.items():
            if cell not in self._seen[region] or self._seen[region][cell] != value:
                self._moments[region][cell] = self._now
        self._seen[region] = present

    def converge(self) -> None:
        """Replicate all rows."""
        latest: dict[Cell, tuple[int, str]] = {}
        for region, moments in self._moments.items():
            for cell, moment in moments.items():
                latest[cell] = max(latest.get(cell, (0, "")), (moment, region))
        for cell, (moment, origin) in latest.items():
            for region, store in self.stores.items():
                if region != origin:
                    _put(store, cell, self._seen[origin][cell])
                    self._seen[region][cell], self._moments[region][cell] = self._seen[origin][cell], moment


def _tables(store: MemoryStore) -> dict[str, MutableMapping[Any, Any]]:
    return {
        "rows": store.rows,
        "records": store.records_by_key,
        "archive": store.archive,
        "repositories": store.repositories,
        "clients": store.clients,
        "counters": store.counters,
        "usages": store.usages,
    }


def _cells(store: MemoryStore) -> Iterator[tuple[Cell, Any]]:
    for name, table in _tables(store).items():
        yield from (((name, key), value) for key, value in table.items())
    yield from ((("keys", key["kid"]), key) for key in store.keys)  # each is a row of its own


def _put(store: MemoryStore, cell: Cell, value: Any) -> None:
    name, key = cell
    if name == "keys":
        store.add_public_key(value)
    else:
        _tables(store)[name][key] = value
