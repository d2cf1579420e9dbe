"""The custody of records: which operator is the authority for a LinkID, and how the authority was transferred.

A version of a record says this in its metadata member `linkid`, so that the version's proof, the chain of versions and
the log cover it. An operator who gives a record away writes two versions: the *offer* names the next operator, and the
*transfer* contains that operator's acceptance and leads to the record's new PID. The next version is the first one of
the new operator, who signs it with their own key on top of the transfer.

>>> custody = custody_of({"linkid": {"offer": {"to": "https://b.example", "at": "2026-10-08T12:00:00Z"}}})
>>> custody.offer.to, custody.transfers
('https://b.example', ())
>>> with_custody({"who": "A"}, custody)
{'who': 'A', 'linkid': {'offer': {'to': 'https://b.example', 'at': '2026-10-08T12:00:00Z'}}}
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, ValidationError, convert, json
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.model.records import EMPTY_METADATA, Record

MEMBER: Final = "linkid"
"""The member of a record's metadata. Only the service writes it."""


class CustodyOffer(Struct, frozen=True):
    """The offer of a record `to` the service with this public base URL, at this time (RFC 3339)."""

    to: str
    at: str


class CustodyTransfer(Struct, frozen=True, rename={"sender": "from", "recipient": "to"}):
    """A transfer from the issuer `sender` to the issuer `recipient`, in the `version` that the sender signed last.

    `acceptance` is the statement of the recipient about the offer: a compact JWS.
    """

    sender: str
    recipient: str
    at: str
    version: int
    acceptance: str


class Custody(Struct, frozen=True, omit_defaults=True):
    """The open `offer` of a version, if any, and all `transfers` of the record, oldest first.

    `state` is set in tombstones: `revoked` if the authority withdrew the identifier itself.
    """

    offer: CustodyOffer | None = None
    transfers: tuple[CustodyTransfer, ...] = ()
    state: str | None = None

    def transfer_by(self, issuer: str) -> CustodyTransfer | None:
        """Return the transfer by which the `issuer` of the version gave the record away, or None if it still has it."""
        return self.transfers[-1] if self.transfers and self.transfers[-1].sender == issuer else None


NO_CUSTODY: Final = Custody()
REVOKED: Final = "revoked"


def custody_of(metadata: Mapping[str, Any]) -> Custody:
    """Return what a version's metadata says about its custody. A malformed member counts as absent."""
    member = metadata.get(MEMBER)
    if member is None:
        return NO_CUSTODY
    try:
        return convert(dict(member), Custody)
    except (ValidationError, TypeError, ValueError):
        return NO_CUSTODY


def stated_custody(document: Mapping[str, Any]) -> Custody:
    """Return what a version's document, which may be malformed, says about its custody."""
    metadata = document.get("metadata")
    return custody_of(metadata) if isinstance(metadata, Mapping) else NO_CUSTODY


def with_custody(metadata: Mapping[str, Any], custody: Custody) -> dict[str, Any]:
    """Return metadata that says this about the custody."""
    others = {name: value for name, value in metadata.items() if name != MEMBER}
    member = json.decode(json.encode(custody))
    return others | ({MEMBER: member} if member else {})


def unchanged_custody(metadata: Mapping[str, Any], current: Mapping[str, Any] = EMPTY_METADATA) -> Mapping[str, Any]:
    """Return the metadata that a client sent, with what the current metadata says about custody.

    Clients may leave the member out, or send it as they received it. Raises `InvalidInput` if they set or change it.

    >>> unchanged_custody({"who": "B"}, with_custody({"who": "A"}, Custody(state=REVOKED)))
    {'who': 'B', 'linkid': {'state': 'revoked'}}
    """
    if MEMBER not in metadata:
        return metadata if custody_of(current) == NO_CUSTODY else {**metadata, MEMBER: current[MEMBER]}
    if MEMBER not in current or metadata[MEMBER] != current[MEMBER]:
        raise InvalidInput.at(f"/metadata/{MEMBER}", "only the service writes this member; leave it out")
    return metadata


def with_state(metadata: Mapping[str, Any], state: str | None) -> Mapping[str, Any]:
    """Return metadata whose custody has this state. Without custody and state it is the same object."""
    custody = custody_of(metadata)
    return metadata if custody.state == state else with_custody(metadata, replace(custody, state=state))


def authority_of(record: Record) -> str:
    """Return the public base URL of the service that is the authority for a record, by this version."""
    transferred = custody_of(record.metadata).transfer_by(record.issuer)
    return transferred.recipient if transferred is not None else record.issuer


def is_authority(record: Record) -> bool:
    """Return whether the service that stores this current version of a record is the authority for it.

    This does not compare URLs, because a service can be moved to another one.
    """
    return record.stated_repository is None and custody_of(record.metadata).transfer_by(record.issuer) is None


def is_unoffered_copy(record: Record) -> bool:
    """Return whether a record is a copy of another service's, which that service does not offer to this one any more.

    Such a copy may be out of date. A copy whose current version is an offer to another service is never stored.
    """
    return record.stated_repository is not None and custody_of(record.metadata).offer is None
