"""What the commands of custody do with a record, as flows that return its outcome.

What is done already is not done again, so that an interrupted command can be repeated.
"""

from coolid.cli.commands.custody.outcomes import REFUSED, CustodyOutcome
from coolid.client.custody import custody_operations
from coolid.client.documents import Record
from coolid.client.flows import Flow
from coolid.client.record_operations import get
from coolid.client.service_api import ServiceApi
from coolid.identifiers.schemes import linkid
from coolid.model.custody import custody_of
from coolid.model.records import RESERVED


def offer(api: ServiceApi, pid: str | Record, to: str, *, preview: bool) -> Flow[CustodyOutcome]:
    """Offer a record to the service `to`, unless it is offered or was transferred to it already."""
    record = pid if isinstance(pid, Record) else (yield from get(api, pid))
    own = linkid_of(record)
    if own is None:
        return CustodyOutcome(record.pid, REFUSED, "its identifier is no UUID, so it has no LinkID")
    settled = _settled(record, own, to)
    if settled is not None or preview:
        return settled or CustodyOutcome(own, "can be offered", "", own)
    offered = yield from custody_operations.offer(api, record, to)
    return CustodyOutcome(own, "offered", "", own, offered.issuer)


def _settled(record: Record, own: str, to: str) -> CustodyOutcome | None:
    """Return the outcome for a record that need not or cannot be offered, otherwise None."""
    if record.status == RESERVED:
        return CustodyOutcome(own, "reserved", "it is not public", own)
    custody = custody_of(record.metadata)
    transfer = custody.transfer_by(record.issuer)
    if transfer is not None:
        if transfer.recipient == to:
            return CustodyOutcome(own, "transferred already", "", own, record.issuer)
        return CustodyOutcome(own, REFUSED, f"it was transferred to {transfer.recipient} on {transfer.at}", own)
    if custody.offer is None:
        return None
    if custody.offer.to == to:
        return CustodyOutcome(own, "offered already", "", own, record.issuer)
    return CustodyOutcome(own, REFUSED, f"it is offered to {custody.offer.to}; revoke that offer first", own)


def revoke(api: ServiceApi, pid: str, recipient: str | None) -> Flow[CustodyOutcome]:
    """Revoke the offer of a record to the `recipient`, or to any service if that is None."""
    record = yield from get(api, pid)
    custody = custody_of(record.metadata)
    transfer = custody.transfer_by(record.issuer)
    own = linkid_of(record)
    name = own or record.pid
    if transfer is not None:
        reason = f"it was transferred to {transfer.recipient} on {transfer.at}; only that operator can offer it back"
        return CustodyOutcome(name, REFUSED, reason, own)
    if custody.offer is None:
        return CustodyOutcome(name, "not offered", "", own)
    if recipient is not None and custody.offer.to != recipient:
        return CustodyOutcome(name, REFUSED, f"it is offered to {custody.offer.to}, which the file does not name", own)
    yield from custody_operations.revoke(api, record)
    return CustodyOutcome(name, "revoked", "", own)


def accept(api: ServiceApi, linkid_uri: str, sender: str) -> Flow[CustodyOutcome]:
    """Accept a LinkID from the service `sender`."""
    record = yield from custody_operations.accept(api, linkid_uri, sender)
    return CustodyOutcome(linkid_uri, "accepted", "", linkid_uri, record.issuer)


def linkid_of(record: Record) -> str | None:
    """Return the LinkID of a record, or None if its identifier is no UUID.

    >>> linkid_of(Record(id="00c538ea846b47a6a3d470a9ebd29d7c"))
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
    """
    found = linkid.format(record.id)
    return found if linkid.is_valid(found) and linkid.compact(found) == record.id else None
