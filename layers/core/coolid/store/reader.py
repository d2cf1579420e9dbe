"""The protocol of a store that resolution reads from, with the duties of its implementations.

It is separate from `coolid.store.store`, so that resolution does not load the classes of writes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record

Prefixes = Sequence[Namespace | ProviderPrefix]
"""All prefixes that resolve. See `Reader.all_prefixes`."""


def position_of(prefix: Namespace | ProviderPrefix) -> str:
    """Return the sort key of a prefix in a list of all: namespaces first, both kinds in the order of their names."""
    return f"{'namespace' if isinstance(prefix, Namespace) else 'provider'} {prefix.name}"


class Reader(Protocol):
    """The reads of resolution; each call is one round trip.

    Results may lag a completed write by the store's replication delay (about a second), unless the read is
    `consistent`. An absent row is a result, not an error. A store that cannot answer raises `StoreUnavailable`, so that
    a failure never looks like "does not exist".
    """

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """Return the rows of at most 100 folded names, in one batch; `Synonym` and `Stem` rows are not followed."""

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """Return the current version of the record with this key, or None."""

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """Return the current versions of the existing records among at most 100 keys, in one batch."""

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """Return a version (from 1) that is no longer current (consistent); None also for the current version."""

    def all_prefixes(self) -> Prefixes:
        """Return all registered prefixes, in the order of `position_of`; the newest may be missing.

        A full import of a public registry is some megabytes and takes more than one round trip.
        """

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        """Return all versions of a record, the newest first (consistent); none if there is no such record.

        With `newest`, return at most that many: fewer if they are large, but at least the current one, without gaps.
        Such a call is optional for its caller, so implementations may fail at once if the store has just failed.
        """

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """Return every public key that ever signed, as JSON Web Keys with `kid`, the newest last."""
