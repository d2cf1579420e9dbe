"""Rows: what the canned store holds. The embedded backend makes them, so that they are what the product writes.

The Bioregistry's prefixes, the demonstration repository, and one record minted into it, whose row is the pattern for
as many as are wanted: only identifier and key differ. (Their proofs prove nothing then; reading never looks at them.)
Run as a program, it writes them to a file: python -m scripts.benchmark.rows FILE
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from scripts.benchmark.identifiers import NAMESPACE, suffix

MINTED = {
    "prefix": NAMESPACE,
    "uri": "https://content.example.org/articles/2021/06/on-the-persistence-of-identifiers.html",
    "metadata": {"who": "Somebody, A.; Somebody, B.", "what": "On the persistence of identifiers", "when": "2021"},
}
_TIMED = "2021-06-01T00:00:00Z"

Item = dict[str, Any]
"""In DynamoDB's JSON."""


class Rows(Struct, frozen=True):
    """The items of the tables; `pattern` is one record's, whose key is `key` and identifier `identifier`.

    Of the `clients`, one has the key `admin_key`.
    """

    prefixes: list[Item]
    luis: list[Item]
    clients: list[Item]
    admin_key: str
    pattern: Item
    key: str
    identifier: str

    def records(self, numbers: Sequence[int]) -> Iterator[tuple[str, bytes]]:
        """Hash keys and rows, as JSON, of the records of these numbers."""
        row = msgspec.json.encode(self.pattern)
        owner = self.pattern["pid"]["S"].removesuffix(self.key)
        identifier, key = self.identifier.encode(), self.key.encode()
        assert row.count(identifier) == 2
        for number in numbers:
            new = suffix(number)
            written = f"{new[:4]}-{new[4:8]}-{new[8:]}".encode()
            yield owner + new, row.replace(identifier, written).replace(key, new.encode())


def named(count: int, stem: str = "") -> list[Item]:
    """Rows of so many prefixes of others: flat names, or all under one `stem`, with the rows that lead to them."""
    from boto3.dynamodb.types import TypeSerializer

    from coolid.model.prefixes import Provider, ProviderPrefix
    from coolid.model.records import parse_time
    from coolid.store.rows import registry_rows

    serialize, moment = TypeSerializer().serialize, parse_time(_TIMED)
    prefixes = (
        ProviderPrefix(
            name=f"{stem}p{number:06}",
            title=f"Prefix number {number}",
            pattern=r"^\d{7}$",
            providers=(Provider("default", f"https://p{number}.example.org/{{$id}}"),),
            created=moment,
            updated=moment,
        )
        for number in range(count)
    )
    return [{name: serialize(value) for name, value in row.items()} for row in registry_rows(prefixes)]


def merged(rows: Sequence[Item], more: Sequence[Item]) -> list[Item]:
    """Rows of a prefix table with further ones; a name that is in both leads to what either leads to."""
    known = {row["name"]["S"]: dict(row) for row in rows}
    for row in more:
        before = known.setdefault(row["name"]["S"], dict(row))
        if "longer" in before and "longer" in row:
            before["longer"] = {"SS": sorted({*before["longer"]["SS"], *row["longer"]["SS"]})}
        elif "longer" in row:
            before["longer"] = row["longer"]
    return list(known.values())


def read(path: Path) -> Rows:
    """What `make` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=Rows)


def gather(invoke: Callable[[Item], Item], admin_key: str, tables: Mapping[str, str]) -> Rows:
    """Mint a record in a system that runs embedded, and read out its `tables`, named by the settings' names."""
    from tests.support.fixtures.events import to_event
    from tests.support.stores.moto_store import MotoStore

    headers = [("Authorization", f"Bearer {admin_key}"), ("Content-Type", "application/json")]
    body = msgspec.json.encode(MINTED)
    answer = invoke(to_event("POST", "/api/v1/records", "", headers=headers, body=body, request_id="rows"))
    identifier: str = msgspec.json.decode(answer["body"])["id"]
    prefixes, luis, clients = (MotoStore().items(tables[f"{name}_TABLE"]) for name in ("PREFIX", "LUI", "CLIENT"))
    (pattern,) = (row for row in luis if identifier in row["body"]["S"])
    key = pattern["pid"]["S"].rpartition("/")[2]
    return Rows(prefixes, luis, clients, admin_key, pattern, key, identifier)


def make(path: Path) -> None:
    """Start the whole system, and write out what its tables hold then."""
    from tests.support.fixtures.system import system_over_tables
    from tests.support.stores.moto_store import CREDENTIALS

    os.environ |= CREDENTIALS | {"LOG_REQUESTS": "off"}
    with tempfile.TemporaryDirectory() as folder, system_over_tables(Path(folder), with_registry=True) as system:
        path.write_bytes(msgspec.json.encode(gather(system.invoke, system.admin_key, system.environment)))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
