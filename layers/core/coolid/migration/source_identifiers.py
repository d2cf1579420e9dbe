"""Identifiers as another service describes them, in one form for all sources.

A source yields one `SourceIdentifier` or `UnreadableEntry` for each entry of its dump, in the order of the dump.
`position` counts the entries from 1, or is the number of an entry's first line if the dump has lines.

>>> version = SourceVersion(locations=(Location("https://archive.example.org/1"),), metadata={"what": "Harbour"})
>>> SourceIdentifier(1, "ark:12345/x54xz321", (version,)).current.status
'active'
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from coolid.model.records import ACTIVE, EMPTY_METADATA, Location


class Loss(Struct, frozen=True):
    """A value of the source that coolid does not keep: the source's name for it, the reason, and perhaps the value."""

    name: str
    reason: str
    value: str = ""


def drop_largest(values: dict[str, Any], sizes: Mapping[str, int], maximum: int, reason: str) -> list[Loss]:
    """Remove the largest values until their sizes sum up to at most `maximum`, and return them as losses.

    >>> values = {"what": "a", "note": "bbb", "when": "cc"}
    >>> drop_largest(values, {name: len(value) for name, value in values.items()}, 3, "it is too large")
    [Loss(name='note', reason='it is too large', value='')]
    >>> values
    {'what': 'a', 'when': 'cc'}
    """
    losses: list[Loss] = []
    total = sum(sizes.values())
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if total <= maximum:
            break
        total -= sizes[name]
        del values[name]
        losses.append(Loss(name, reason))
    return losses


class SourceVersion(Struct, frozen=True, kw_only=True):
    """One state of an identifier. All of it is the source's claim, and the targets were not checked.

    `status` is that of records: `active`, `reserved` or `withdrawn`. `since` is when the state began, None if the
    source has no time. `reason` and `successor` belong to a withdrawal. `ttl` is in seconds, None for that of the
    repository.
    """

    locations: tuple[Location, ...] = ()
    metadata: Mapping[str, Any] = EMPTY_METADATA
    alternates: tuple[Mapping[str, str], ...] = ()
    status: str = ACTIVE
    since: datetime | None = None
    reason: str | None = None
    successor: str | None = None
    ttl: int | None = None


class SourceIdentifier(Struct, frozen=True):
    """An identifier and its versions, the oldest first and at least one.

    `identifier` is spelled as in the source. It has its prefix as in a path of the service (`ark:/12345/x54xz321`,
    `doi:10.5072/abc`, `20.500.12345/1`), or is a bare name if the source has no prefixes (`abc123`). `created` is when
    the source created it, None if it has no time.
    """

    position: int
    identifier: str
    versions: tuple[SourceVersion, ...]
    losses: tuple[Loss, ...] = ()
    created: datetime | None = None

    @property
    def current(self) -> SourceVersion:
        """The newest version."""
        return self.versions[-1]


class UnreadableEntry(Struct, frozen=True):
    """An entry that is no identifier, and the reason; `text` is its identifier if it can be read, else empty."""

    position: int
    reason: str
    text: str = ""


Entry = SourceIdentifier | UnreadableEntry


class Source(Protocol):
    """Reads the dumps of one service. It reads in one pass and in bounded memory."""

    def __call__(self, path: Path) -> Iterator[Entry]:
        """Yield the entries of a dump. Raises `coolid.errors.UsageError` if the file is no dump of this service."""
