"""The integrity of a record that is served under its LinkID.

A LinkID's record is served only if its issuer signed exactly what is stored, about this LinkID. Other aliases of the
same record are not checked, because their clients can verify the proof themselves, and records of earlier releases may
have none.
"""

from coolid.errors import IntegrityFailure
from coolid.identifiers.schemes import uuid
from coolid.model.records import Record
from coolid.proofs.record_integrity import find_failure
from coolid.store.public_keys import PublicKeyReader


def require_integrity(record: Record, reader: PublicKeyReader) -> None:
    """Raise `IntegrityFailure` unless a published key signed the record as that of its LinkID, or `StoreUnavailable`.

    A copy of another service's record is not checked again, because that service's keys are not stored here.
    """
    if uuid.compact(record.id) != uuid.compact(record.key):
        raise IntegrityFailure(record.pid, "identifier", "it is the record of another identifier")
    if record.stated_repository is not None:
        return
    failure = find_failure(record.to_document(), reader.public_keys())
    if failure is not None:
        raise IntegrityFailure(record.pid, failure.name, failure.detail)
