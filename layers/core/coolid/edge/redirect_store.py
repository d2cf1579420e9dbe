"""The ports of the edge updater: the store that the edge reads, and the ledger of what was written there.

`coolid.edge.synchroniser` needs no others.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from msgspec import Struct

MAX_BATCH_KEYS: Final = 50
"""The most keys of one update; their 75 KB are far below its limit in bytes.

Source: Amazon CloudFront Developer Guide, "Quotas on key value stores" (50 keys or 3 MB).
"""
PAGE_KEYS: Final = 50
"""The most keys of one page of a list (API reference, `ListKeys`)."""


class VersionConflict(Exception):
    """The store or the ledger is no longer at the version that the caller read; nothing was written."""


class RedirectStore(Protocol):
    """A store of keys and values that every edge location reads, with one version for all of it.

    An update is applied as a whole or not at all. Edge locations see it after some seconds, each at its own time, and
    never a value that was not written. Every call has a price. All methods raise `StoreUnavailable` if the store fails
    or throttles; an update may then have been applied nevertheless.
    """

    def version(self) -> str:
        """Return the entity tag of the store's present version, with which an update begins."""

    def size(self) -> int:
        """Return the number of entries, which may be a little outdated."""

    def value(self, key: str) -> str | None:
        """Return the value of a key, or None."""

    def entries(self) -> Mapping[str, str]:
        """Return all entries. Takes one call for each `PAGE_KEYS`; concurrent updates may be seen in part."""

    def update(self, version: str, puts: Mapping[str, str], deletes: Iterable[str]) -> str:
        """Write and delete at most `MAX_BATCH_KEYS` keys. Return the new version.

        Raises `VersionConflict` if the store has another version than `version`. A key that is absent may be deleted.
        """


class Allowance(Struct, frozen=True):
    """A token bucket: the `calls` left at the time `at`, in seconds since 1970. Below zero it owes calls."""

    calls: float = 0
    at: int = 0


class Ledger(Struct, frozen=True, kw_only=True):
    """A copy of the store's contents. With it, an update need not read the store, for which each call has a price.

    `entries` are exactly those of the store `store` at the entity tag `version`, without its state, which is valid
    until `valid_until` (seconds since 1970; 0 if switched off). `format` is the format of the entries, and
    `base_url` the service's.

    `planned` are the changes of an update that is under way, or whose outcome is unknown; None stands for a deletion.
    It makes the state valid until `planned_until`. `for_changes` and `for_repairs` limit the calls.
    """

    store: str
    version: str
    format: int
    base_url: str = ""
    valid_until: int = 0
    entries: Mapping[str, str] = {}
    planned: Mapping[str, str | None] | None = None
    planned_until: int = 0
    for_changes: Allowance = Allowance()
    for_repairs: Allowance = Allowance()


class LedgerFile(Protocol):
    """The file with the ledger. All methods raise `StoreUnavailable` if they fail."""

    def load(self) -> tuple[Ledger, str] | None:
        """Return the ledger and the version of its file (strongly consistent), or None if it is absent.

        An unreadable file is the ledger of no store.
        """

    def save(self, ledger: Ledger, version: str | None) -> str:
        """Replace the ledger if its file has this version, or does not exist for None. Return the new version.

        Raises `VersionConflict`.
        """
