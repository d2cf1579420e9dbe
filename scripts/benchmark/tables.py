"""Tables of the canned store: ready bytes for every key, and what reading them would cost at DynamoDB.

A table is called for what it holds: `clients`; `luis-1000` the first thousand records; `prefixes` the Bioregistry and
the demonstration; `prefixes-flat-100` and `prefixes-nested-100` a hundred prefixes beside the demonstration. What
follows a dot is ignored: processes, and functions in one process, are told apart by it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from scripts.benchmark.rows import Item, Rows, merged, named

UNIT_BYTES: Final = 4096
"""What an eventually consistent read of half a unit gives, at the most (DynamoDB's guide, "Read requests")."""
HALF: Final = 0.5
STEM: Final = "2021/06/"

Content = Mapping[str, tuple[bytes, float]]
"""Items as JSON with their read units, by key: a name or an id; of a record, its key and version."""


class Tables:
    """All possible tables, each created on first use."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.content: Callable[[str], Content] = cache(self._make)

    def item(self, table: str, key: Mapping[str, Any]) -> tuple[bytes | None, float]:
        """An item as JSON, or None; and the read units that looking took."""
        name = table.partition(".")[0]
        return self.content(name).get(_hashed(key), (None, HALF))

    def demonstration(self) -> list[Item]:
        """Return the demonstration's prefixes that come from no registry."""
        return [row for row in self._rows.prefixes if row["name"]["S"].startswith(("2021", "demo", "/"))]

    def _make(self, name: str) -> Content:
        kind, _, rest = name.partition("-")
        if kind == "clients":
            return {_hashed(row): _ready(row) for row in self._rows.clients}
        if kind == "luis":
            own = {_hashed(row): _ready(row) for row in self._rows.luis}
            units = _units(self._rows.pattern)
            return own | {f"{pid} 0": (row, units) for pid, row in self._rows.records(range(int(rest)))}
        rows = self._rows.prefixes
        if rest:
            shape, _, count = rest.partition("-")
            rows = merged(self.demonstration(), named(int(count), STEM if shape == "nested" else ""))
        return {_hashed(row): _ready(row) for row in rows}


def size_of(item: Item) -> int:
    """Bytes of an item as DynamoDB counts them ("Item sizes and formats"): names and values, numbers by their digits.

    >>> size_of({"name": {"S": "go"}, "revision": {"N": "12"}})
    16
    """
    return sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "SS":
        return sum(len(each.encode()) for each in content)
    return -(-len(content) // 2) + 1 if kind == "N" else len(content.encode())


def _units(item: Item) -> float:
    return -(-size_of(item) // UNIT_BYTES) * HALF


def _ready(item: Item) -> tuple[bytes, float]:
    return msgspec.json.encode(item), _units(item)


def _hashed(key: Mapping[str, Any]) -> str:
    """The key of an item, or an item by its key, as one text."""
    if "version" in key:
        return f"{key['pid']['S']} {key['version']['N']}"
    (name,) = (name for name in ("name", "id") if name in key)
    return str(key[name]["S"])
