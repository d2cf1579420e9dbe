"""The dumps in `tests/vectors/migration`, and what sources yield of them."""

from collections.abc import Iterable
from pathlib import Path

from coolid.migration.source_identifiers import Entry, SourceIdentifier, UnreadableEntry

VECTORS = Path(__file__).parents[1] / "vectors" / "migration"


def identifiers(entries: Iterable[Entry]) -> dict[str, SourceIdentifier]:
    return {each.identifier: each for each in entries if isinstance(each, SourceIdentifier)}


def unreadable(entries: Iterable[Entry]) -> list[UnreadableEntry]:
    return [each for each in entries if isinstance(each, UnreadableEntry)]


def losses_of(entry: SourceIdentifier) -> set[str]:
    return {loss.name for loss in entry.losses}
