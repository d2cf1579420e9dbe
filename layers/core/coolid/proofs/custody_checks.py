"""Checks of records with several issuers: acceptances in transfers, and versions whose issuer has no known keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from coolid.model.custody import stated_custody
from coolid.proofs.acceptances import require_signature
from coolid.proofs.jws import SignatureCheck, read_proof
from coolid.proofs.statements import is_signature
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted
from coolid.proofs.version_links import VersionLink


def check_acceptances(
    links: Iterable[VersionLink],
    issuer_keys: Mapping[str, Mapping[str, Any]],
    signature_check: SignatureCheck = is_signature,
) -> tuple[list[CheckOutcome], list[str]]:
    """Return the checks of the signatures of the acceptances in transfers, and notes on recipients without keys."""
    checks, notes = [], []
    for link in links:
        if (transfer := link.transfer) is None:
            continue
        recipient = quoted(transfer.recipient)
        if transfer.recipient not in issuer_keys:
            notes.append(f"the acceptance of {recipient} in version {link.version} was not verified without its keys")
            continue
        try:
            require_signature(transfer.acceptance, issuer_keys[transfer.recipient], signature_check)
        except FailedCheck as failure:
            checks.append(CheckOutcome("custody", False, f"version {link.version}: {failure}"))
        else:
            detail = f"version {link.version} transfers the record to {recipient}, who signed the acceptance"
            checks.append(CheckOutcome("custody", True, detail))
    return checks, notes


def check_continuation(unsigned: Sequence[VersionLink], links: Sequence[VersionLink]) -> list[CheckOutcome]:
    """Check that each version without a verified signature is continued, by its digest, up to a verified version."""
    numbers = {link.version for link in links}
    return [
        CheckOutcome("key", False, f"version {link.version} is of {quoted(link.issuer)}, whose keys are not known here")
        for link in unsigned
        if link.version + 1 not in numbers
    ]


def issuer_notes(unsigned: Sequence[VersionLink]) -> Iterator[str]:
    for issuer in sorted({link.issuer for link in unsigned}):
        numbers = [link.version for link in unsigned if link.issuer == issuer]
        versions = f"version {numbers[0]}" if len(numbers) == 1 else f"the versions {min(numbers)} to {max(numbers)}"
        yield (
            f"{versions} of {quoted(issuer)} are confirmed by the later versions alone, because the keys of that "
            f"issuer are not known here"
        )


def issuers_of(link: VersionLink) -> tuple[str, ...]:
    """Return all issuers of a record that a version names, each once."""
    transfers = link.custody.transfers
    return tuple(dict.fromkeys((*(side for each in transfers for side in (each.sender, each.recipient)), link.issuer)))


def departure_notes(newest: VersionLink) -> Iterator[str]:
    """Yield a note if a version transferred the record, so that its issuer has no later version."""
    if newest.transfer:
        recipient = quoted(newest.transfer.recipient)
        yield f"version {newest.version} transferred the record to {recipient}, who has its later versions"


def is_received(document: Mapping[str, Any], issuer: str, keys: Mapping[str, Any]) -> bool:
    """Return whether another service signed a version, in which it offers or transfers the record to `issuer`.

    `keys` are the keys of the service `issuer`, whose log has only the versions that it signed itself.
    """
    custody = stated_custody(document)
    recipients = {transfer.recipient for transfer in custody.transfers}
    recipients |= {custody.offer.to} if custody.offer else set()
    return issuer in recipients and is_of_other(document, issuer, keys)


def is_of_other(document: Mapping[str, Any], issuer: str, keys: Mapping[str, Any]) -> bool:
    """Return whether a version has another issuer, and none of the `keys` of `issuer` signed it."""
    if document.get("issuer") == issuer:
        return False
    try:
        key_id = read_proof(document.get("proof")).key_id
    except FailedCheck:
        return False
    return key_id not in {key.get("kid") for key in keys.get("keys", ())}
