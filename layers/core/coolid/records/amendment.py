"""New versions and tombstones of records. Earlier versions stay unchanged.

Each version contains the digest of the one before (`previous`), so that later changes of the history are detectable.
The store accepts a version only on top of the version that it was made from.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from coolid.errors import AlreadyWithdrawn, CustodyElsewhere, CustodyOffered, InvalidInput
from coolid.model.custody import REVOKED, authority_of, custody_of, is_authority, unchanged_custody, with_state
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

    def withdraw(
        self,
        current: Record,
        reason: str,
        successor: str | None = None,
        author: str | None = None,
        *,
        state: str | None = None,
    ) -> Record:
        """Write and return the tombstone of `current`. Raises the errors of `tombstone` and `write`."""
        return self.write(self.tombstone(current, reason, successor, author, state=state), current)

    def restore(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Write and return the active version after the tombstone `current`.

        Raises the errors of `restoration` and `write`.
        """
        return self.write(self.restoration(current, content, author), current)

    def write(
        self,
        version: Record,
        current: Record,
        idempotent: IdempotentRequest | None = None,
        between: Sequence[Record] = (),
    ) -> Record:
        """Sign and write an unsigned version after `current`, and return it. `current` itself is not written again.

        The idempotency record of `idempotent`, and the versions `between`, are written together with the version.
        Raises `Outdated` (there is a newer version), `IdempotencyRecordTaken`, `InvalidInput`, `SignerUnavailable`,
        `StoreUnavailable`.
        """
        if version is current:
            return current
        record = self._prover.prove(version)
        outcome = f"{record.repository}/{record.key}"
        new = idempotent.record(outcome, record.updated) if idempotent else None
        self._records.replace_record(record, current, new, between)
        return record

    def next_version(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Return the unsigned version after `current`, or `current` if nothing would change. Writes nothing.

        Raises the errors of `require_changeable`, `HomeElsewhere`, `HomeMoving`, `InvalidInput`.
        """
        require_changeable(current)
        if content.status == RESERVED != current.status:
            raise InvalidInput.at("/status", "an identifier that was public cannot be reserved again; withdraw it")
        changed = replace(
            current,
            records=content.records,
            metadata=unchanged_custody(content.metadata, current.metadata),
            alternates=content.alternates,
            status=content.status,
            ttl=content.ttl,
            author=author,
        )
        return current if _is_same_content(changed, current) else self.following(current, changed)

    def tombstone(
        self,
        current: Record,
        reason: str,
        successor: str | None = None,
        author: str | None = None,
        *,
        state: str | None = None,
    ) -> Record:
        """Return the unsigned tombstone of `current`, with its time and reason. Writes nothing.

        `state` is that of its custody (`coolid.model.custody`), such as `REVOKED`. The tombstone of a reserved record
        has no locations or metadata, because these were never public. Raises the errors of `next_version`.
        """
        require_changeable(current)
        never_public = current.status == RESERVED
        locations = () if never_public else tuple(replace(location, status=INACTIVE) for location in current.records)
        tombstone = replace(
            current,
            records=locations,
            metadata=with_state({} if never_public else current.metadata, state),
            alternates=() if never_public else current.alternates,
            status=WITHDRAWN,
            withdrawn=Withdrawal(max(self._clock.now(), current.updated), reason, successor),
            author=author,
        )
        return self.following(current, tombstone)

    def restoration(self, current: Record, content: Content, author: str | None = None) -> Record:
        """Return the unsigned active version after the tombstone `current`, which stays in the history. Writes nothing.

        Only for EZID's API and imports from EZID, whose clients may return an unavailable identifier to the public.
        A revoked LinkID remains withdrawn, because EZID has no such state. Raises `AlreadyWithdrawn` for it, the errors
        of `require_own`, `InvalidInput`, `HomeElsewhere`, `HomeMoving`.
        """
        require_own(current)
        if custody_of(current.metadata).state == REVOKED:
            raise AlreadyWithdrawn(current.id)
        restored = replace(
            current,
            records=content.records,
            metadata=unchanged_custody(content.metadata, current.metadata),
            alternates=content.alternates,
            status=ACTIVE,
            withdrawn=None,
            ttl=content.ttl,
            author=author,
        )
        return self.following(current, restored)

    def check(self, unsigned: Record) -> None:
        """Raise the `InvalidInput` that the write of this version would raise. Writes nothing."""
        self._prover.check(unsigned)
        require_record_size(unsigned, record_body(unsigned))

    def following(self, current: Record, changed: Record) -> Record:
        """Return `changed` as the unsigned version after `current`: with its number, time and previous digest.

        It may say anything, also about custody. Raises `HomeElsewhere`, `HomeMoving`, and `InvalidInput` for a location
        that is the PID itself.
        """
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


def require_changeable(record: Record) -> None:
    """Raise `AlreadyWithdrawn` for a tombstone, and the errors of `require_own`."""
    require_own(record)
    if record.status == WITHDRAWN:
        raise AlreadyWithdrawn(record.id)


def require_own(record: Record) -> None:
    """Raise `CustodyOffered` if a record is offered, and `CustodyElsewhere` if another service is its authority.

    All changes except those of `coolid.records.custody` pass here.
    """
    if not is_authority(record):
        raise CustodyElsewhere(record.id, authority_of(record))
    offer = custody_of(record.metadata).offer
    if offer is not None:
        raise CustodyOffered(record.id, offer.to)
