"""The versions by which the custody of a record changes: offer, revocation, transfer, and the recipient's first one.

The sender's service writes the first three on top of the current version. The recipient's service writes the last one
on top of the transfer, which it has verified. See `coolid.model.custody` for what they contain.
"""

from typing import Final

from msgspec.structs import replace

from coolid.errors import CustodyElsewhere, CustodyOffered, InvalidInput, NoSuchOffer
from coolid.identifiers.schemes import linkid
from coolid.model.custody import (
    CustodyOffer,
    CustodyTransfer,
    authority_of,
    custody_of,
    is_authority,
    with_custody,
)
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record, format_time
from coolid.ports import Clock
from coolid.proofs.statements import digest_of
from coolid.records.amendment import RecordAmender

MAX_VERSIONS: Final = 1_000
"""The longest history that can be transferred, with the offer."""


class CustodyVersions:
    """Writes versions that change the custody of records, by `amender`."""

    def __init__(self, amender: RecordAmender, clock: Clock) -> None:
        self._amender = amender
        self._clock = clock

    def offer(self, current: Record, recipient: str, author: str | None = None) -> Record:
        """Write and return the version that offers a record to `recipient`, a public base URL.

        Return `current` if it is this offer. Raises `InvalidInput` (reserved, too many versions), `CustodyOffered` (to
        another service), `CustodyElsewhere`, and the errors of `RecordAmender.write`.
        """
        _require_authority(current)
        custody = custody_of(current.metadata)
        if custody.offer is not None:
            if custody.offer.to == recipient:
                return current
            raise CustodyOffered(current.id, custody.offer.to)
        if current.status == RESERVED:
            raise InvalidInput.at("", "a reserved identifier cannot be offered, because it is not public")
        if current.version >= MAX_VERSIONS:
            raise InvalidInput.at("", f"it has {current.version} versions; {MAX_VERSIONS} with the offer are possible")
        offered = replace(custody, offer=CustodyOffer(recipient, self._time_after(current)))
        return self._write(current, replace(current, metadata=with_custody(current.metadata, offered)), author)

    def revocation(self, current: Record, author: str | None = None) -> Record:
        """Write and return the version that revokes the open offer of a record.

        Raises `NoSuchOffer`, `CustodyElsewhere`, and the errors of `RecordAmender.write`.
        """
        _require_authority(current)
        custody = custody_of(current.metadata)
        if custody.offer is None:
            raise NoSuchOffer(f"the record {current.id} is not offered to any service", current.to_document())
        metadata = with_custody(current.metadata, replace(custody, offer=None))
        return self._write(current, replace(current, metadata=metadata), author)

    def transfer(self, offered: Record, acceptance: str) -> Record:
        """Write and return the version that transfers an offered record, with the verified acceptance.

        It leads to the record's PID at the recipient. A tombstone leads nowhere. Raises `NoSuchOffer`, `Outdated`, and
        the errors of `RecordAmender.write`.
        """
        custody = custody_of(offered.metadata)
        if custody.offer is None:
            raise NoSuchOffer(f"the record {offered.id} is not offered to any service", offered.to_document())
        recipient = custody.offer.to
        transferred = CustodyTransfer(
            offered.issuer, recipient, self._time_after(offered), offered.version + 1, acceptance
        )
        custody = replace(custody, offer=None, transfers=(*custody.transfers, transferred))
        locations = (Location(f"{recipient}/{linkid.format(offered.id)}"),)
        changed = replace(
            offered,
            records=offered.records if offered.status == WITHDRAWN else locations,
            metadata=with_custody(offered.metadata, custody),
        )
        return self._write(offered, changed, None)

    def first_own(self, offered: Record, transfer: Record, pid: str, issuer: str, author: str | None = None) -> Record:
        """Return the unsigned first version of this service, with the content of the adopted offer.

        Raises `InvalidInput` if it would lead to itself, `HomeElsewhere`, `HomeMoving`.
        """
        custody = replace(custody_of(transfer.metadata), offer=None)
        own = replace(
            offered,
            issuer=issuer,
            pid=pid,
            stated_repository=None,
            metadata=with_custody(offered.metadata, custody),
            author=author,
        )
        return self._amender.following(transfer, own)

    def check_first_own(self, offered: Record, pid: str, issuer: str) -> None:
        """Raise the `InvalidInput` that the first version of this service would raise. Writes nothing."""
        unsigned = self.first_own(offered, offered, pid, issuer)
        self._amender.check(unsigned)

    def take_over(self, version: Record, offered: Record, transfer: Record) -> Record:
        """Sign and write the first version of this service, with the transfer before it. See `RecordAmender.write`."""
        return self._amender.write(version, offered, between=[transfer])

    def _write(self, current: Record, changed: Record, author: str | None) -> Record:
        return self._amender.write(self._amender.following(current, replace(changed, author=author)), current)

    def _time_after(self, record: Record) -> str:
        return format_time(max(self._clock.now(), record.updated))


def _require_authority(record: Record) -> None:
    if not is_authority(record):
        raise CustodyElsewhere(record.id, authority_of(record))


def has_same_document(one: Record, other: Record) -> bool:
    """Return whether two versions have the same document, without their proofs."""
    return digest_of(one.to_document()) == digest_of(other.to_document())
