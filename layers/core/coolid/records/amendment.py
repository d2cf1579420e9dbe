"""New versions and tombstones of records. Earlier versions stay unchanged.

Each version contains the digest of the one before (`previous`), so that later changes of the history are detectable.
The store accepts a version only on top of the version that it was made from.
"""

from msgspec.structs import replace

from coolid.errors import AlreadyWithdrawn, InvalidInput
from coolid.model.records import (
    ACTIVE,
    INACTIVE,
    RESERVED,
    WITHDRAWN,
    Content,
    Record,
    Withdrawal,
    refuse_self_reference,
)
from coolid.ports import Clock
from coolid.proofs.statements import Prover, digest_of
from coolid.records.idempotency import IdempotentRequest
from coolid.records.minter import HomeCheck, any_home
from coolid.store.limits import require_record_size
from coolid.store.records import RecordStore
from coolid.store.rows import record_body


class RecordAmender:
    """Writes versions into `records`, signed by `prover`.

    Callers can use `require_home` for a check in advance.
    """

    def __init__(self, records: RecordStore, clock: Clock, prover: Prover, require_home: HomeCheck = any_home) -> None:
        self._records = records
        self._clock = clock
        self._prover = prover
        self.require_home = require_home

    def update(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Write and return the version after `current`, or return `current` if nothing would change.

        Raises the errors of `next_version` and `write`.
        """
        return self.write(self.next_version(current, content, author), current)

    def withdraw(self, current: Record, reason: str, successor: str | None = None, author: str | None = None) -> Record:
        """Write and return the tombstone of `current`. Raises the errors of `tombstone` and `write`."""
        return self.write(self.tombstone(current, reason, successor, author), current)

    def restore(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Write and return the active version after the tombstone `current`.

        Raises the errors of `restoration` and `write`.
        """
        return self.write(self.restoration(current, content, author), current)

    def write(self, version: Record, current: Record, idempotent: IdempotentRequest | None = None) -> Record:
        """Sign and write an unsigned version after `current`, and return it. `current` itself is not written again.

        The idempotency record of `idempotent` is written together with the version. Raises `Outdated` (there is a newer
        version), `IdempotencyRecordTaken`, `InvalidInput`, `SignerUnavailable`, `StoreUnavailable`.
        """
        if version is current:
            return current
        record = self._prover.prove(version)
        outcome = f"{record.repository}/{record.key}"
        new = idempotent.record(outcome, record.updated) if idempotent else None
        self._records.replace_record(record, current, new)
        return record

    def next_version(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Return the unsigned version after `current`, or `current` if nothing would change. Writes nothing.

        Raises `HomeElsewhere`, `HomeMoving`, `InvalidInput`, `AlreadyWithdrawn`.
        """
        _require_changeable(current)
        if content.status == RESERVED != current.status:
            raise InvalidInput.at("/status", "an identifier that was public cannot be reserved again; withdraw it")
        changed = replace(
            current,
            records=content.records,
            metadata=content.metadata,
            alternates=content.alternates,
            status=content.status,
            ttl=content.ttl,
            author=author,
        )
        return current if _is_same_content(changed, current) else self._unsigned(current, changed)

    def tombstone(
        self, current: Record, reason: str, successor: str | None = None, author: str | None = None
    ) -> Record:
        """Return the unsigned tombstone of `current`, with its time and reason. Writes nothing.

        The tombstone of a reserved record has no locations or metadata, because these were never public. Raises the
        errors of `next_version`.
        """
        _require_changeable(current)
        never_public = current.status == RESERVED
        locations = () if never_public else tuple(replace(location, status=INACTIVE) for location in current.records)
        tombstone = replace(
            current,
            records=locations,
            metadata={} if never_public else current.metadata,
            alternates=() if never_public else current.alternates,
            status=WITHDRAWN,
            withdrawn=Withdrawal(max(self._clock.now(), current.updated), reason, successor),
            author=author,
        )
        return self._unsigned(current, tombstone)

    def restoration(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Return the unsigned active version after the tombstone `current`, which stays in the history. Writes nothing.

        Only for EZID's API and imports from EZID, whose clients may return an unavailable identifier to the public.
        Raises `InvalidInput`, `HomeElsewhere`, `HomeMoving`.
        """
        restored = replace(
            current,
            records=content.records,
            metadata=content.metadata,
            alternates=content.alternates,
            status=ACTIVE,
            withdrawn=None,
            ttl=content.ttl,
            author=author,
        )
        return self._unsigned(current, restored)

    def check(self, unsigned: Record) -> None:
        """Raise the `InvalidInput` that the write of this version would raise. Writes nothing."""
        self._prover.check(unsigned)
        require_record_size(unsigned, record_body(unsigned))

    def _unsigned(self, current: Record, changed: Record) -> Record:
        unsigned = replace(
            changed,
            version=current.version + 1,
            updated=max(self._clock.now(), current.updated),  # clocks of several writers may differ
            previous=digest_of(current.to_document()),
            proof=None,
        )
        refuse_self_reference(unsigned)
        self.require_home(unsigned.repository)
        return unsigned


def _is_same_content(one: Record, other: Record) -> bool:
    """Return whether both have the same digest (`==` would equate true and 1). Unsignable content is refused later."""
    try:
        return digest_of(one.to_document()) == digest_of(other.to_document())
    except ValueError:
        return False


def _require_changeable(record: Record) -> None:
    if record.status == WITHDRAWN:
        raise AlreadyWithdrawn(record.id)
