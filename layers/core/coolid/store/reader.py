"""What resolving asks of a store: a protocol, with the duties of whoever implements it written on it.

Apart from `coolid.store.store`, so that whoever only reads need not load what is written.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record

Prefixes = Sequence[Namespace | ProviderPrefix]
"""All that resolve, as of `Reader.all_prefixes`."""


def position_of(prefix: Namespace | ProviderPrefix) -> str:
    """Its place in a list of all prefixes: namespaces come first, both kinds in the order of their names."""
    return f"{'namespace' if isinstance(prefix, Namespace) else 'provider'} {prefix.name}"


class Reader(Protocol):
    """What resolving needs; each question is one round trip.

    Answers may lag a completed write by the store's replication delay (a second or so), unless `consistent` asks
    for the newest. An absent thing is an answer, never an error; a store that cannot answer raises
    `StoreUnavailable`, so that "does not exist" is only ever said when it is known.
    """

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """The registered ones of at most 100 folded names, in one batch; `Synonym` and `Stem` rows as they stand."""

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """The current version of the record with this key."""

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The current versions of those that exist of at most 100 keys, in one batch."""

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """A version (from 1) that is no longer the current one (consistent); None for the current one as well."""

    def all_prefixes(self) -> Prefixes:
        """All that are registered, in the order of `position_of`; what was registered a moment ago may be missing.

        Of a whole registry of the world that is some megabytes, and more than one round trip.
        """

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        """All versions of a record, the newest first (consistent); none if there is no such record.

        Or at most so many of the `newest`: fewer where they are large, but at least the current one, and without gaps.
        Whoever asks for these alone can do without, so that they need not be asked for where the store just failed.
        """

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """Every public key that ever signed, as JSON Web Keys with `kid`, the newest last."""
