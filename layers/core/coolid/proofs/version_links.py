"""The chained members of a record's version, and what they say about its custody.

A transfer of custody is the last version of its issuer, the sender. Its metadata have one more transfer than those of
the version before, with the recipient's acceptance of the offer in that version. The version after it is the
recipient's first one. See `coolid.model.custody`.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct

from coolid.identifiers.schemes import linkid
from coolid.model.custody import NO_CUSTODY, Custody, CustodyTransfer
from coolid.proofs.acceptances import read_acceptance
from coolid.proofs.verdicts import FailedCheck, quoted


class VersionLink(Struct, frozen=True):
    """The chained members of a version; `previous` is the digest that it states for the version before.

    `withdrawn` is the document's member, and `custody` that of its metadata.
    """

    pid: str
    id: str
    repository: str
    issuer: str
    version: int
    created: str
    updated: str
    status: str
    digest: str
    previous: str | None
    withdrawn: Mapping[str, Any] | None = None
    custody: Custody = NO_CUSTODY

    @property
    def transfer(self) -> CustodyTransfer | None:
        """The transfer that this version makes, or None."""
        transfers = self.custody.transfers
        return transfers[-1] if transfers and transfers[-1].version == self.version else None

    @property
    def tenure(self) -> int:
        """How many transfers there were before this version."""
        return len(self.custody.transfers) - (self.transfer is not None)

    @property
    def linkid(self) -> str | None:
        """The canonical LinkID, or None if the id is no UUID."""
        name = linkid.format(self.id)
        return name if linkid.is_valid(name) else None


def transfer_contradictions(link: VersionLink) -> Iterator[str]:
    """Yield what is wrong with the transfers that a version states, and with its issuer by these."""
    transfers = link.custody.transfers
    where = f"version {link.version}"
    for transfer in transfers:
        if not 1 < transfer.version <= link.version:
            yield f"{where} states a transfer in version {transfer.version}"
        if transfer.sender == transfer.recipient:
            yield f"{where} states a transfer from {quoted(transfer.sender)} to itself"
    for earlier, later in pairwise(transfers):
        if later.sender != earlier.recipient:
            yield f"{where} states a transfer to {quoted(earlier.recipient)}, then one from {quoted(later.sender)}"
        if later.version < earlier.version + 2:
            yield f"{where} states transfers in the versions {earlier.version} and {later.version}"
    if transfers:
        last = transfers[-1]
        expected = last.sender if link.transfer else last.recipient
        if link.issuer != expected:
            yield f"{where} is of {quoted(link.issuer)}; by its transfers, the record is one of {quoted(expected)}"
    if link.transfer:
        yield from _acceptance_contradictions(link, link.transfer)


def _acceptance_contradictions(link: VersionLink, transfer: CustodyTransfer) -> Iterator[str]:
    """Yield what is wrong with a transfer's acceptance, except for its signature."""
    where = f"version {link.version} transfers the record to {quoted(transfer.recipient)}"
    if link.custody.offer is not None:
        yield f"{where}, and offers it at the same time"
    try:
        _, acceptance = read_acceptance(transfer.acceptance)
    except FailedCheck as failure:
        yield f"{where}: {failure}"
        return
    if link.linkid is None:
        yield f"{where}, but its id {quoted(link.id)} is no LinkID"
    elif not acceptance.covers(link.linkid, link.pid, link.version - 1, link.previous, transfer.recipient):
        yield f"{where}, whose acceptance is of another offer"
