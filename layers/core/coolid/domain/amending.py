"""Amending: a new version of a record, or its tombstone. What was written before stays.

Each version names the digest of the one before it (`previous`), so that a history is a chain which nobody can change
afterwards without being seen. The store takes a version only on top of the one that it was made from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from coolid.domain.errors import AlreadyWithdrawn, InvalidInput
from coolid.domain.ports import Clock
from coolid.domain.proofs import digest_of
from coolid.domain.proving import Prover
from coolid.domain.records import INACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.domain.stores import Store


@dataclass(frozen=True, slots=True)
class Content:
    """All of a record that its keeper may change."""

    locations: tuple[Location, ...]
    metadata: Mapping[str, Any]
    alternates: tuple[Mapping[str, str], ...]
    status: str
    ttl: int | None


class Amender:
    """Writes versions into `store`, signed by `prover`."""

    def __init__(self, store: Store, clock: Clock, prover: Prover) -> None:
        self.store = store
        self._clock = clock
        self._prover = prover

    def update(self, current: Record, key: str, content: Content) -> Record:
        """The version after `current`, written; `current` itself where nothing would change.

        Raises `InvalidInput`, `AlreadyWithdrawn`, `Outdated` (there is a newer version), `SignerUnavailable`,
        `StoreUnavailable`.
        """
        if content.status == RESERVED != current.status:
            raise InvalidInput.at("/status", "an identifier that was public cannot be reserved again; withdraw it")
        changed = replace(
            current,
            records=content.locations,
            metadata=content.metadata,
            alternates=content.alternates,
            status=content.status,
            ttl=content.ttl,
        )
        return current if changed == current else self._write(current, key, changed)

    def withdraw(self, current: Record, key: str, reason: str, successor: str | None = None) -> Record:
        """The tombstone of `current`, written: it says when and why, and leads nowhere. Errors as of `update`."""
        buried = tuple(replace(location, status=INACTIVE) for location in current.records)
        withdrawal = Withdrawal(max(self._clock.now(), current.updated), reason, successor)
        return self._write(current, key, replace(current, records=buried, status=WITHDRAWN, withdrawn=withdrawal))

    def _write(self, current: Record, key: str, changed: Record) -> Record:
        if current.status == WITHDRAWN:
            raise AlreadyWithdrawn(current.id)
        unsigned = replace(
            changed,
            version=current.version + 1,
            updated=max(self._clock.now(), current.updated),  # clocks of several writers may differ
            previous=digest_of(current.to_document()),
            proof=None,
        )
        record = self._prover.prove(unsigned)
        self.store.replace_record(record, key, current)
        return record
