"""The recipient's side of a transfer: from the offer of another service to the first own version of a record.

The steps are: read and verify the versions of the sender, store copies, sign the acceptance, send it, verify and store
the transfer, write the first own version. After a failure the whole request is repeated; each step then finds what the
former attempt did. From the copies on, this service answers with the sender's targets. Nothing is signed for the record
before the transfer is verified, so that there is one authority at any time.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from coolid.errors import Contended, IdentifierTaken, InvalidAnswer, NoSuchOffer, Outdated
from coolid.linkid.custody.key_source import KeySource
from coolid.linkid.custody.other_service import OtherService, ServiceClient
from coolid.linkid.custody.received_versions import ExpectedRecord, ReceivedVersions, received_versions
from coolid.model.custody import custody_of, is_authority
from coolid.model.prefixes import Namespace
from coolid.model.records import Record
from coolid.ports import Clock
from coolid.proofs.acceptances import acceptance_statement, read_acceptance, require_signature
from coolid.proofs.statements import Prover
from coolid.proofs.verdicts import FailedCheck
from coolid.records.custody.adoption import RecordAdoption
from coolid.records.custody.versions import CustodyVersions
from coolid.store.records import RecordReader

_MAX_ATTEMPTS: Final = 4


class AcceptanceRequest(Struct, frozen=True):
    """A request to accept a canonical LinkID from the service `sender`, under the `key` in a namespace of this service.

    `author` is the id of the client. `check` raises `InvalidInput` for content that the repository does not allow.
    """

    linkid: str
    key: str
    sender: str
    namespace: Namespace
    author: str
    check: Callable[[Record], None]


class CustodyAcceptances:
    """Accepts records for the service with the public base URL `base_url`.

    `on_change` is called with repository and key of each.
    """

    def __init__(
        self,
        client: ServiceClient,
        records: RecordReader,
        adoption: RecordAdoption,
        versions: CustodyVersions,
        keys: KeySource,
        prover: Prover,
        clock: Clock,
        base_url: str,
        on_change: Callable[[str, str], None],
    ) -> None:
        self._client = client
        self._records = records
        self._adoption = adoption
        self._versions = versions
        self._keys = keys
        self._prover = prover
        self._clock = clock
        self._base_url = base_url
        self._on_change = on_change

    def accept(self, request: AcceptanceRequest) -> Record:
        """Return the first own version, or the current one if the record was accepted from the sender before.

        Raises `IdentifierTaken` (this service is the authority otherwise), `NoSuchOffer`, `InvalidAnswer`,
        `OtherServiceUnavailable`, `InvalidInput`, `Contended`, and errors of store and key.
        """
        repository = request.namespace.repository.id
        for _ in range(_MAX_ATTEMPTS):
            current = self._records.record(repository, request.key, consistent=True)
            if current is not None and is_authority(current):
                return _accepted_before(current, request.sender)
            received = self._received(request)
            try:
                with suppress(Outdated):  # another acceptance, or a change at the sender, was faster
                    return self._attempt(request, current, received)
            finally:
                self._on_change(repository, request.key)
        raise Contended("others have changed the record at the same time")

    def _received(self, request: AcceptanceRequest) -> ReceivedVersions:
        documents = OtherService(self._client, request.sender).versions(request.linkid)
        if not documents:
            raise NoSuchOffer(f"{request.sender} has no public record of {request.linkid}")
        if documents[-1].get("issuer") != request.sender:
            raise NoSuchOffer(f"{request.sender} is not the authority for {request.linkid}")
        return self._verified(request, documents)

    def _attempt(self, request: AcceptanceRequest, current: Record | None, received: ReceivedVersions) -> Record:
        versions = received.offered_to(self._base_url)
        if not versions:
            if current is not None and current.stated_repository is not None:
                self._adoption.adopt(received.without_offer(), current)  # so that it redirects to its authority
            reason = f"{request.sender} does not offer {request.linkid} to {self._base_url}"
            raise NoSuchOffer(reason, received.newest.to_document())
        offer, pid = versions[-1], f"{self._base_url}/{request.linkid}"
        request.check(offer)
        self._versions.check_first_own(offer, pid, self._base_url)
        self._adoption.adopt(versions, current)
        self._on_change(offer.repository, offer.key)  # from the transfer on, the sender redirects to this service
        transfer = received.transfer_to(self._base_url) or self._requested_transfer(request, offer)
        self._require_transfer(transfer, offer)
        own = self._versions.first_own(offer, transfer, pid, self._base_url, request.author)
        return self._versions.take_over(own, offer, transfer)

    def _requested_transfer(self, request: AcceptanceRequest, offer: Record) -> Record:
        """Sign and send the acceptance of an offer, and return the transfer, verified as the next version.

        Raises `NoSuchOffer` if the sender refuses, and `Outdated` if the sender made another offer meanwhile.
        """
        acceptance = self._prover.prove_statement(acceptance_statement(offer, self._base_url), self._base_url)
        try:
            document = OtherService(self._client, request.sender).transfer(acceptance)
        except NoSuchOffer:
            received = self._received(request)
            if received.offered_to(self._base_url):
                raise Outdated(offer.id) from None
            self._adoption.adopt(received.without_offer(), offer)  # so that it redirects to its authority
            raise
        documents: list[Mapping[str, Any]] = [offer.to_document(), document]
        return self._verified(request, documents).newest

    def _verified(self, request: AcceptanceRequest, documents: Sequence[Mapping[str, Any]]) -> ReceivedVersions:
        expected = ExpectedRecord(request.linkid, request.key, request.namespace.repository.id, request.sender)
        return received_versions(documents, expected, self._keys, self._clock.now())

    def _require_transfer(self, transfer: Record, offer: Record) -> None:
        """Raise `InvalidAnswer` unless a verified version after the offer transfers the record to this service."""
        stated = custody_of(transfer.metadata)
        made = stated.transfer_by(transfer.issuer)
        earlier = custody_of(offer.metadata).transfers
        if (
            made is None
            or (made.sender, made.recipient) != (offer.issuer, self._base_url)
            or made.version != transfer.version
            or stated.transfers[:-1] != earlier
            or stated.offer is not None
        ):
            raise InvalidAnswer(f"the version {transfer.version} of {offer.issuer} does not transfer the record")
        try:
            _, acceptance = read_acceptance(made.acceptance)
            require_signature(made.acceptance, self._keys.keys(self._base_url))
        except FailedCheck as failure:
            raise InvalidAnswer(f"the acceptance in the transfer fails verification: {failure}") from failure
        if not acceptance.accepts(offer, self._base_url):
            raise InvalidAnswer("the transfer has the acceptance of another offer")


def _accepted_before(current: Record, sender: str) -> Record:
    """Return a record that was accepted from the sender. Raises `IdentifierTaken` if it was not."""
    transfers = custody_of(current.metadata).transfers
    if not transfers or transfers[-1].sender != sender:
        raise IdentifierTaken(current.id)
    return current
