"""What the clients know: records of theirs through time, prefixes of others, keys.

A record that is being changed while it is read may be told as it was or as it will be, and nothing else. Once a change
is acknowledged, whoever asks from then on is told of it.

>>> kept = Kept("n", "n/1", "http://x/n/1", "1", "w", [Edition(1, "https://a/", 0, 0)])
>>> kept.editions.append(Edition(2, "https://b/", begun=5, acknowledged=6))
>>> [[each.version for each in kept.possible(*span)] for span in [(1, 2), (4, 5.5), (5.5, 7), (6, 7)]]
[[1], [1, 2], [1, 2], [2]]
"""

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

PLACE: Final = "{$id}"
"""In a provider's URL, where the identifier goes."""


class Edition(Struct):
    """A version of a record: where it leads, None if it was withdrawn; when it was sent and when acknowledged."""

    version: int
    target: str | None
    begun: float
    acknowledged: float = inf


class Kept(Struct):
    """A record that a client minted: its short namespace, its whole path, its PID, its LUI and its title."""

    namespace: str
    path: str
    pid: str
    lui: str
    what: str
    editions: list[Edition]

    @property
    def now(self) -> Edition:
        """The last edition."""
        return self.editions[-1]

    def possible(self, begun: float, ended: float) -> list[Edition]:
        """Return the editions that a request between these moments may get."""
        following = [each.acknowledged for each in self.editions[1:]] + [inf]
        return [
            each
            for each, replaced in zip(self.editions, following, strict=True)
            if each.begun <= ended and replaced > begun
        ]

    @classmethod
    def read(cls, record: dict[str, Any], namespace: str, base_url: str, begun: float, ended: float) -> "Kept":
        """Return a record from the response to its mint."""
        pid, first = record["pid"], Edition(record["version"], record["records"][0]["uri"], begun, ended)
        return cls(namespace, pid.removeprefix(base_url + "/"), pid, record["id"], record["metadata"]["what"], [first])


class Foreign(Struct, frozen=True):
    """A prefix of others whose identifiers are numbers of so many digits, and the URL of its first provider."""

    prefix: str
    url: str
    digits: int

    def target(self, identifier: str) -> str:
        """Where an identifier is.

        >>> Foreign("go", "http://x/GO_{$id}", 7).target("0006915")
        'http://x/GO_0006915'
        """
        return self.url.replace(PLACE, identifier)


class Owner(Struct, frozen=True):
    """A client: its API key, its repository, and the two prefixes of that, the short one and the dated one."""

    key: str
    repository: str
    short: str
    dated: str


class World(Struct):
    """The initial state of the mix. `absent` are valid identifiers that are not registered."""

    base_url: str
    owners: Sequence[Owner]
    foreign: Sequence[Foreign]
    records: list[Kept]
    absent: Sequence[str]
    pages: int
    """Of prefixes."""

    def write(self, path: Path) -> None:
        """Hand it over."""
        path.write_bytes(msgspec.json.encode(self))

    @classmethod
    def read(cls, path: Path) -> "World":
        """What was handed over."""
        return msgspec.json.decode(path.read_bytes(), type=cls)
