"""The custody of a record as its page shows it: who was the authority from when to when, and an open offer.

See `coolid.model.custody` for offers and transfers.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from coolid.identifiers.schemes import linkid
from coolid.model.custody import NO_CUSTODY, Custody, CustodyOffer, CustodyTransfer, custody_of, is_authority
from coolid.model.records import Record, format_time

MAX_PERIODS: Final = 10
"""The most periods on a page, which bounds its size: the newest ones."""
TRANSFERRED: Final = "transferred"


class CustodyPeriod(Struct, frozen=True):
    """A period in which the service `issuer` was the authority, `until` a time or None. Times are RFC 3339.

    The other members are JSON pointers of these texts in the record.
    """

    issuer: str
    since: str
    until: str | None
    pointer: str
    since_pointer: str
    until_pointer: str


class CustodyView(Struct, frozen=True):
    """The newest periods of a record, oldest first, the open `offer`, and the `departure` by which it was given away.

    `next_pid` is the record's PID at the recipient of the departure, if it has a LinkID.
    """

    periods: tuple[CustodyPeriod, ...]
    offer: CustodyOffer | None
    departure: CustodyTransfer | None
    next_pid: str | None


class CustodyChange(Struct, frozen=True):
    """What a version says about custody that the one before does not: `what` happened, and the other service."""

    what: str
    service: str


def custody_view(record: Record) -> CustodyView | None:
    """Return the custody of a record, or None if it was never offered."""
    custody = custody_of(record.metadata)
    if custody.offer is None and not custody.transfers:
        return None
    departure = custody.transfer_by(record.issuer)
    own = linkid.format(record.id)
    next_pid = f"{departure.recipient}/{own}" if departure and linkid.is_valid(own) else None
    periods = tuple(_periods(record, custody))[-MAX_PERIODS:]
    return CustodyView(periods, custody.offer, departure, next_pid)


def is_locked(record: Record) -> bool:
    """Return whether the record cannot be changed here: it is offered, or another service is its authority."""
    return not is_authority(record) or custody_of(record.metadata).offer is not None


def custody_changes(older: Record, newer: Record) -> Iterator[CustodyChange]:
    """Yield the changes of custody between two versions, of which the newer one may have another issuer."""
    was, now = custody_of(older.metadata), custody_of(newer.metadata)
    if newer.issuer != older.issuer:
        yield CustodyChange("received", older.issuer)
    elif len(now.transfers) > len(was.transfers):
        yield CustodyChange(TRANSFERRED, now.transfers[-1].recipient)
    elif was.offer is not None and now.offer is None:
        yield CustodyChange("revoked", was.offer.to)
    if now.offer is not None and now.offer != was.offer:
        yield CustodyChange("offered", now.offer.to)


def has_custody(record: Record) -> bool:
    """Return whether the metadata has a valid member about custody, which a page shows apart from the others."""
    return custody_of(record.metadata) != NO_CUSTODY


def _periods(record: Record, custody: Custody) -> Iterator[CustodyPeriod]:
    issuer = custody.transfers[0].sender if custody.transfers else record.issuer
    since, issuer_pointer, since_pointer = format_time(record.created), "", "/created"
    for at, transfer in enumerate(custody.transfers):
        pointer = f"/metadata/linkid/transfers/{at}"
        sender_pointer = issuer_pointer or f"{pointer}/from"
        yield CustodyPeriod(issuer, since, transfer.at, sender_pointer, since_pointer, f"{pointer}/at")
        issuer, since = transfer.recipient, transfer.at
        issuer_pointer, since_pointer = f"{pointer}/to", f"{pointer}/at"
    yield CustodyPeriod(issuer, since, None, issuer_pointer or "/issuer", since_pointer, "")
