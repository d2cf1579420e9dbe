"""Amending: a new version of a record, or its tombstone. What was written before stays.

Each version names the digest of the one before it (`previous`), so that a history is a chain which nobody can change
afterwards without being seen. The store takes a version only on top of the one that it was made from.
"""

from collections.abc import Callable

from msgspec.structs import replace

from coolid.errors import AlreadyWithdrawn, InvalidInput
from coolid.model.locations import refuse_circle
from coolid.model.records import INACTIVE, RESERVED, WITHDRAWN, Content, Record, Withdrawal
from coolid.ports import Clock
from coolid.proofs.prover import Prover
from coolid.proofs.statements import digest_of
from coolid.store.store import Store


class RecordAmender:
    """Writes versions into `store`, signed by `prover`.

    `demand_home` is asked, with a repository's id, whether its records may be written here and now
    (`coolid.registry.home_regions.Homes`), by the amender and by whoever wants to know before.
    """

    def __init__(
        self, store: Store, clock: Clock, prover: Prover, demand_home: Callable[[str], None] = lambda _: None
    ) -> None:
        self.store = store
        self._clock = clock
        self._prover = prover
        self.demand_home = demand_home

    def update(self, current: Record, key: str, content: Content, author: str | None = None) -> Record:
        """The version after `current`, written; `current` itself where nothing would change.

        Raises `HomeElsewhere`, `HomeMoving`, `InvalidInput`, `AlreadyWithdrawn`, `Outdated` (there is a newer version),
        `SignerUnavailable`, `StoreUnavailable`.
        """
        _demand_changeable(current)
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
        return current if _says_the_same(changed, current) else self._write(current, key, changed)

    def withdraw(
        self, current: Record, key: str, reason: str, successor: str | None = None, author: str | None = None
    ) -> Record:
        """The tombstone of `current`, written: it says when and why, and leads nowhere. Errors as of `update`.

        What was reserved was never public, so that its tombstone says nothing of it.
        """
        _demand_changeable(current)
        never_public = current.status == RESERVED
        buried = () if never_public else tuple(replace(location, status=INACTIVE) for location in current.records)
        tombstone = replace(
            current,
            records=buried,
            metadata={} if never_public else current.metadata,
            alternates=() if never_public else current.alternates,
            status=WITHDRAWN,
            withdrawn=Withdrawal(max(self._clock.now(), current.updated), reason, successor),
            author=author,
        )
        return self._write(current, key, tombstone)

    def _write(self, current: Record, key: str, changed: Record) -> Record:
        unsigned = replace(
            changed,
            version=current.version + 1,
            updated=max(self._clock.now(), current.updated),  # clocks of several writers may differ
            previous=digest_of(current.to_document()),
            proof=None,
        )
        refuse_circle(unsigned)
        self.demand_home(unsigned.repository)
        record = self._prover.prove(unsigned)
        self.store.replace_record(record, key, current)
        return record


def _says_the_same(one: Record, other: Record) -> bool:
    """Whether the same would be signed of both: to Python, true is 1. What cannot be signed is refused later."""
    try:
        return digest_of(one.to_document()) == digest_of(other.to_document())
    except ValueError:
        return False


def _demand_changeable(record: Record) -> None:
    if record.status == WITHDRAWN:
        raise AlreadyWithdrawn(record.id)
