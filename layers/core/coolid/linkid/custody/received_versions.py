"""Verification of the versions of a record that another service offers, before they are stored here.

All of them must be genuine, complete and about the LinkID, and their documents must survive storage without a change.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidAnswer, OtherServiceUnavailable
from coolid.identifiers.schemes import linkid
from coolid.linkid.custody.key_source import KeySource
from coolid.linkid.custody.other_service import ends_with_transfer
from coolid.linkid.custody_evidence import is_pid_of
from coolid.model.custody import custody_of
from coolid.model.records import RESERVED, Record, format_time
from coolid.proofs.jws import read_proof
from coolid.proofs.statements import PROOF
from coolid.proofs.verdicts import FailedCheck
from coolid.proofs.verification import verify
from coolid.records.custody.versions import MAX_VERSIONS

MAX_ISSUERS: Final = 16
CLOCK_TOLERANCE: Final = timedelta(minutes=10)


class ReceivedVersions(Struct, frozen=True):
    """The verified versions of a record, the oldest first, with repository and key of this service."""

    versions: tuple[Record, ...]

    @property
    def newest(self) -> Record:
        """The current version of the other service."""
        return self.versions[-1]

    def transfer_to(self, recipient: str) -> Record | None:
        """Return the newest version if it transfers the record to the recipient, or None."""
        transfer = custody_of(self.newest.metadata).transfer_by(self.newest.issuer)
        return self.newest if transfer is not None and transfer.recipient == recipient else None

    def offered_to(self, recipient: str) -> tuple[Record, ...]:
        """Return the versions up to an offer to the recipient that is open or was accepted; none without one."""
        versions = self.versions[:-1] if self.transfer_to(recipient) is not None else self.versions
        offer = custody_of(versions[-1].metadata).offer if versions else None
        return versions if offer is not None and offer.to == recipient else ()

    def without_offer(self) -> tuple[Record, ...]:
        """Return the versions without an open offer at the end. Copies of such are answered with a redirect."""
        is_offer = len(self.versions) > 1 and custody_of(self.newest.metadata).offer is not None
        return self.versions[:-1] if is_offer else self.versions


class ExpectedRecord(Struct, frozen=True):
    """The canonical LinkID that is expected from the service `sender`, and the key and repository of the copy here."""

    linkid: str
    key: str
    repository: str
    sender: str


def received_versions(
    documents: Sequence[Mapping[str, Any]], expected: ExpectedRecord, keys: KeySource, now: datetime
) -> ReceivedVersions:
    """Return the versions of the documents, the oldest first, if all checks pass.

    Raises `InvalidAnswer` with the reason, and `OtherServiceUnavailable` without the sender's keys. Versions of an
    earlier issuer whose keys cannot be read must be continued by the sender's.
    """
    sender = expected.sender
    most = MAX_VERSIONS + (1 if ends_with_transfer(documents) else 0)
    if not documents or len(documents) > most:
        raise InvalidAnswer(f"{sender} answers with {len(documents)} versions; 1 to {most} are possible")
    issuers = {document.get("issuer") for document in documents}
    if len(issuers) > MAX_ISSUERS:
        raise InvalidAnswer(f"{sender} answers with versions of more than {MAX_ISSUERS} issuers")
    verdict = verify(
        documents[-1],
        keys.keys(sender, _key_ids(documents, sender)),
        documents[:-1],
        issuer=sender,
        issuer_keys=_available_keys(issuers - {sender}, keys),
    )
    failed = [check.detail for check in verdict.checks if not check.passed]
    if failed:
        raise InvalidAnswer(f"the record of {sender} fails verification: {failed[0]}")
    versions = tuple(_record(document, expected) for document in documents)
    numbers = [each.version for each in versions]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise InvalidAnswer(f"{sender} leaves out versions of the record")
    if versions[-1].updated > now + CLOCK_TOLERANCE:
        raise InvalidAnswer(
            f"the current version of {sender} is dated {format_time(versions[-1].updated)}, in the future"
        )
    return ReceivedVersions(versions)


def _available_keys(issuers: Collection[Any], keys: KeySource) -> dict[str, Mapping[str, Any]]:
    found = {}
    for issuer in issuers:
        if isinstance(issuer, str):
            with suppress(InvalidAnswer, OtherServiceUnavailable):
                found[issuer] = keys.keys(issuer)
    return found


def _key_ids(documents: Sequence[Mapping[str, Any]], issuer: str) -> set[str]:
    """Return the ids of the keys that signed the versions of an issuer."""
    found = set()
    for document in documents:
        if document.get("issuer") == issuer:
            with suppress(FailedCheck):
                found.add(read_proof(document.get(PROOF)).key_id)
    return found


def _record(document: Mapping[str, Any], expected: ExpectedRecord) -> Record:
    """Return the record of a verified document, if the document is of this LinkID and can be stored as it is."""
    sender = expected.sender
    try:
        record = Record.from_document(document, None, expected.key)
        is_same = record.to_document() == document
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidAnswer(f"a version of {sender} is no record that this release understands: {error!r}") from error
    if not is_same:
        raise InvalidAnswer(f"version {record.version} of {sender} has members that this release cannot store")
    if linkid.format(record.id) != expected.linkid:
        raise InvalidAnswer(f"version {record.version} of {sender} is about {record.id}, not about {expected.linkid}")
    if not is_pid_of(record.pid, record.issuer, expected.linkid):
        raise InvalidAnswer(f"version {record.version} of {sender} is about {record.pid}, not about {expected.linkid}")
    if record.repository == expected.repository and record.issuer == sender:
        raise InvalidAnswer(f"the record of {sender} is in a repository with the id of one here, {record.repository}")
    if record.status == RESERVED:
        raise InvalidAnswer(f"version {record.version} of {sender} is reserved, so it was never public")
    return record.stored_in(expected.repository)
