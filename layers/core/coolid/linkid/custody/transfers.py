"""The sender's side of a transfer: an acceptance is verified, and answered with the transfer of the record.

The acceptance itself authorises the request. Keys are requested only from the recipient that the own offer names.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import BoundedSemaphore
from typing import Any, Final

from coolid.errors import Contended, InvalidInput, NoSuchOffer, OtherServiceUnavailable, Outdated
from coolid.linkid.custody.key_source import KeySource
from coolid.linkid.custody.received_versions import CLOCK_TOLERANCE
from coolid.model.custody import custody_of, is_authority
from coolid.model.records import RESERVED, Record, format_time
from coolid.ports import Clock
from coolid.proofs.acceptances import Acceptance, read_acceptance, require_signature
from coolid.proofs.verdicts import FailedCheck
from coolid.proofs.verification import time_text
from coolid.records.custody.linkid_records import linkid_namespace, linkid_record
from coolid.records.custody.versions import CustodyVersions
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordReader

MAX_REQUESTS: Final = 16
"""The most acceptances that may wait for a recipient's keys at a time: half the threads of `coolid serve`."""
_MAX_ATTEMPTS: Final = 8


class CustodyTransfers:
    """Transfers offered records; `on_change` is called with repository and key of each."""

    def __init__(
        self,
        prefixes: PrefixReader,
        records: RecordReader,
        versions: CustodyVersions,
        keys: KeySource,
        clock: Clock,
        on_change: Callable[[str, str], None],
    ) -> None:
        self._prefixes = prefixes
        self._records = records
        self._versions = versions
        self._keys = keys
        self._clock = clock
        self._slots = BoundedSemaphore(MAX_REQUESTS)
        self._on_change = on_change

    def accept(self, jws: str) -> Record:
        """Return the version that transfers the record, also if an earlier request wrote it.

        Raises `InvalidInput` for a malformed or wrong acceptance, `NoSuchOffer`, `OtherServiceUnavailable`,
        `InvalidAnswer`, and the errors of `CustodyVersions.transfer`.
        """
        try:
            key_id, acceptance = read_acceptance(jws)
        except FailedCheck as failure:
            raise InvalidInput.at("/acceptance", str(failure)) from failure
        for _ in range(_MAX_ATTEMPTS):
            with suppress(Outdated):
                return self._attempt(jws, key_id, acceptance)
        raise Contended("others have changed the record at the same time")

    def _attempt(self, jws: str, key_id: str, acceptance: Acceptance) -> Record:
        current = self._current(acceptance.linkid)
        if current is None or current.status == RESERVED:
            raise NoSuchOffer(f"{acceptance.linkid} is not registered here")
        earlier = self._transferred_before(current, acceptance)
        if earlier is not None:
            return earlier
        offer = custody_of(current.metadata).offer
        if offer is None or not is_authority(current) or not acceptance.accepts(current, offer.to):
            raise NoSuchOffer("the acceptance is not of the record's current version", current.to_document())
        self._require_recent(acceptance)
        try:
            require_signature(jws, self._recipient_keys(offer.to, key_id))
        except FailedCheck as failure:
            raise InvalidInput.at("/acceptance", str(failure)) from failure
        try:
            return self._versions.transfer(current, jws)
        finally:  # the write may have succeeded although its response was lost
            self._on_change(current.repository, current.key)

    def _recipient_keys(self, recipient: str, key_id: str) -> Mapping[str, Any]:
        """Return the keys of a recipient. Anyone may cause such a request, and the recipient may be slow."""
        if not self._slots.acquire(blocking=False):
            raise OtherServiceUnavailable(f"{MAX_REQUESTS} other acceptances are being verified")
        try:
            return self._keys.keys(recipient, [key_id])
        finally:
            self._slots.release()

    def _require_recent(self, acceptance: Acceptance) -> None:
        """Raise `InvalidInput` for an acceptance so old that the recipient would refuse the transfer as of the future.

        Recipients sign acceptances when they send them, so an old one shows that the clocks differ.
        """
        now = self._clock.now()
        if acceptance.issued_at < (now - CLOCK_TOLERANCE).timestamp():
            times = f"it was signed at {time_text(acceptance.issued_at)}; here it is {format_time(now)}"
            raise InvalidInput.at("/acceptance", f"{times}: one of the clocks is wrong, or it is not new")

    def _current(self, text: str) -> Record | None:
        namespace = linkid_namespace(self._prefixes)
        return linkid_record(namespace, text, self._records) if namespace is not None else None

    def _transferred_before(self, current: Record, acceptance: Acceptance) -> Record | None:
        """Return the transfer by an earlier acceptance of the same offer, or None.

        A repeated acceptance may have another signature and time. Nothing is verified, because the transfer is public.
        """
        transfer = custody_of(current.metadata).transfer_by(current.issuer)
        if transfer is None or current.stated_repository is not None:
            return None
        if current.version != acceptance.version + 1 or current.previous != acceptance.digest:
            return None
        return current if transfer.recipient == acceptance.to == acceptance.issuer else None
