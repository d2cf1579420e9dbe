"""The `Prover`, which signs each version of a record before it is written.

The key is published before it signs, and statement and signature are checked, because neither can be corrected later.
If the key cannot sign, nothing is written. `coolid.proofs.statements` specifies proofs.
"""

import re
from typing import Any, Final

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Record
from coolid.ports import Clock, Signer
from coolid.proofs.statements import sign, statement_of
from coolid.store.public_keys import PublicKeyStore

_DIGEST: Final = re.compile(r"sha-256=:[A-Za-z0-9+/]{43}=:")


class InconsistentRecord(Exception):
    """A record to sign contradicts itself, which is an error in this program, not in a request."""


class Prover:
    """Signs records with `signer`, and publishes its public key in `keys`."""

    def __init__(self, signer: Signer, keys: PublicKeyStore, clock: Clock) -> None:
        self._signer = signer
        self._keys = keys
        self._clock = clock
        self._published: set[str] = set()

    def prove(self, record: Record) -> Record:
        """Return the record with its proof.

        Raises `InvalidInput` if it cannot be signed, `InconsistentRecord`, `SignerUnavailable`, `StoreUnavailable`.
        """
        statement = _checked(record, round(self._clock.now().timestamp()))
        public_key = self._signer.public_key()
        self._publish(public_key)
        return replace(record, proof=sign(statement, public_key, self._signer.sign))

    def _publish(self, public_key: Any) -> None:
        """Publish the key if necessary: a record that is signed with an unpublished key cannot be verified."""
        if public_key["kid"] not in self._published:
            self._keys.add_public_key(public_key)
            self._published.add(public_key["kid"])


def _checked(record: Record, now: int) -> dict[str, Any]:
    """Return the record's statement if the record is consistent."""
    document = record.to_document()
    try:
        statement = statement_of(document, now)
    except ValueError as error:  # a value without an RFC 8785 form
        raise InvalidInput.at("", f"the record cannot be signed: {error}") from error
    for requirement, met in _requirements(record).items():
        if not met:
            raise InconsistentRecord(f"the record {record.pid} was not signed: {requirement}")
    if not record.has_document(document):
        raise InconsistentRecord(f"the record {record.pid} was not signed: its document must say all of it")
    return statement


def _requirements(record: Record) -> dict[str, bool]:
    """Return each requirement and whether the record meets it."""
    all_inactive = all(location.status == INACTIVE for location in record.records)
    return {
        "it must not have a proof yet": record.proof is None,
        "its PID must be of its issuer": record.pid.startswith(record.issuer + "/"),
        "its version must be 1 or more": record.version >= 1,
        "the first version has no previous one, all others have": (record.version == 1) == (record.previous is None),
        "previous must be a digest": record.previous is None or _DIGEST.fullmatch(record.previous) is not None,
        "it must not be changed before it was created": record.created <= record.updated,
        "its status must be one that there is": record.status in (ACTIVE, RESERVED, WITHDRAWN),
        "a tombstone, and nothing else, says why": (record.status == WITHDRAWN) == (record.withdrawn is not None),
        "a tombstone leads nowhere": record.withdrawn is None or all_inactive,
    }
