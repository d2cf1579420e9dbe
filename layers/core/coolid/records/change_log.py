"""The changes of repositories: all versions of their records, and the times of names, the newest first.

The versions come from the store's index (`ChangeIndex.list_versions`), one list for each repository. The names of
repositories and prefixes have only the times of their creation and of their last change, without an author.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from heapq import merge
from typing import Final

from msgspec import Struct

from coolid.model.records import RESERVED, WITHDRAWN, Record, format_time
from coolid.store.change_positions import version_position
from coolid.store.pages import all_members
from coolid.store.records import ChangeIndex

MAX_READ: Final = 1_000
"""Changes that are read for a page. Few of them may be of the requested client, so that a page can be short."""
_BATCH: Final = 20
REPOSITORY: Final = "repository"
PREFIX: Final = "prefix"
KEY: Final = "key"
CREATED: Final = "created"
CHANGED: Final = "changed"
REVOKED: Final = "revoked"
_ORDER: Final = (
    (REPOSITORY, CREATED), (PREFIX, CREATED), (KEY, CREATED),
    (REPOSITORY, CHANGED), (PREFIX, CHANGED), (KEY, REVOKED),
)  # fmt: skip
"""The order of changes of names in one second."""
_SEPARATOR: Final = "\x1f"
_END: Final = "!"
"""Greater than the space after the time of a position."""


class NameChange(Struct, frozen=True):
    """The creation or change, by its `kind`, of a repository, a prefix or a key: `subject`, and its `name`."""

    at: datetime
    kind: str
    subject: str
    name: str

    @property
    def place(self) -> tuple[str, str, str]:
        """The place in the order of changes. Names precede the records of the same second."""
        return format_time(self.at), "", f"{_ORDER.index((self.subject, self.kind))} {self.name}"


class VersionChange(Struct, frozen=True):
    """A version of a record."""

    record: Record

    @property
    def place(self) -> tuple[str, str, str]:
        """The place in the order of changes."""
        return format_time(self.record.updated), self.record.repository, version_position(self.record)


Change = NameChange | VersionChange


class ChangePage(Struct, frozen=True):
    """Some `changes`, the newest first, and the `position` to continue after, or None at the end."""

    changes: Sequence[Change]
    position: str | None


class ChangeQuery(Struct, frozen=True):
    """The requested changes: of these `repositories`, from `since` to `until`, by the client `author`.

    Times are to the second, both included; None is open. `after` is the position of the last page.
    """

    repositories: Sequence[str]
    since: datetime | None = None
    until: datetime | None = None
    author: str | None = None
    after: str | None = None

    def place(self) -> tuple[str, str, str] | None:
        """Return the place of `after`. A text that is none compares with places all the same."""
        if self.after is None:
            return None
        at, owner, rest = (*self.after.split(_SEPARATOR, 2), "", "")[:3]
        return at, owner, rest

    def includes(self, change: NameChange) -> bool:
        """Return whether the change of a name is of the period and behind `after`. Names have no author."""
        place, at = self.place(), change.at.replace(microsecond=0)
        return (
            self.author is None
            and (self.since is None or at >= self.since.replace(microsecond=0))
            and (self.until is None or at <= self.until)
            and (place is None or change.place < place)
        )


def change_page(query: ChangeQuery, index: ChangeIndex, names: Iterable[NameChange], limit: int) -> ChangePage:
    """Return at most `limit` changes. Raises `StoreUnavailable`."""
    sources: list[Iterator[Change]] = [_versions(query, index, each) for each in sorted(set(query.repositories))]
    included = [each for each in names if query.includes(each)]
    sources.append(iter(sorted(included, key=lambda each: each.place, reverse=True)))
    found: list[Change] = []
    last: Change | None = None
    for number, change in enumerate(merge(*sources, key=lambda each: each.place, reverse=True)):
        if last is not None and (len(found) == limit or number == MAX_READ):
            return ChangePage(found, position_after(last))
        last = change
        if query.author is None or (isinstance(change, VersionChange) and change.record.author == query.author):
            found.append(change)
    return ChangePage(found, None)


def position_after(change: Change) -> str:
    """Return the position of the page after a change."""
    return _SEPARATOR.join(change.place)


def _versions(query: ChangeQuery, index: ChangeIndex, repository: str) -> Iterator[Change]:
    versions = partial(index.list_versions, repository, query.since, query.until)
    return map(VersionChange, all_members(versions, _before(query.place(), repository), _BATCH))


def _before(place: tuple[str, str, str] | None, repository: str) -> str | None:
    """Return the position in the list of a repository's versions before which those after a place are."""
    if place is None:
        return None
    at, owner, rest = place
    if repository == owner:
        return rest
    return f"{at}{_END}" if repository < owner else f"{at} "


def kind_of(record: Record, replaced: Record | None) -> str:
    """Return what a version of a record was made by: `minted`, `reserved`, `published`, `withdrawn` or `changed`."""
    if record.version == 1:
        return "reserved" if record.status == RESERVED else "minted"
    if record.status == WITHDRAWN:
        return "withdrawn"
    is_hidden = replaced is not None and replaced.status in (RESERVED, WITHDRAWN)
    return "published" if is_hidden and record.status != RESERVED else "changed"
