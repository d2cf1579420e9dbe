"""The evidence that a LinkID's record came from one issuer to another: a chain of transfers, signed by both sides.

A result contains the version by which each sender transferred the record. That version names the recipient, and
contains the recipient's acceptance of exactly the version before. The transfers that the record states must be those of
the chain: none may be missing, added, or from another history.

The chain is verified from its *root* on, the first issuer that the configuration trusts. So the keys of a recipient are
needed only after a trusted issuer, or one to whom such an issuer transferred the record, has named the recipient.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.identifiers.schemes import lid, linkid, uuid
from coolid.linkid.results import ResultTransfer
from coolid.linkid.trusted_resolvers import base_url_of
from coolid.model.custody import CustodyTransfer
from coolid.proofs.acceptances import require_signature
from coolid.proofs.jws import SignatureCheck
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted
from coolid.proofs.verification import check_version
from coolid.proofs.version_links import VersionLink, transfer_contradictions

CUSTODY: Final = "custody"
LINKID: Final = "linkid"
TRUST: Final = "trust"
MAX_TRANSFERS: Final = 32
"""The most transfers of a record whose evidence is verified."""

KeysByIssuer = Mapping[str, Mapping[str, Any]]
"""The JWK Sets of issuers by their public base URLs."""


class UnknownIssuer(Exception):
    """The keys of an `issuer` are needed, whom a trusted issuer or a verified transfer names."""

    def __init__(self, issuer: str) -> None:
        super().__init__(f"the keys of {quoted(issuer)} are not known")
        self.issuer = issuer


class SignedVersions(Struct, frozen=True):
    """Verifies signed versions of the record `linkid` with `keys`, by a check of signatures."""

    linkid: str
    keys: KeysByIssuer
    signature_check: SignatureCheck

    def keys_of(self, issuer: str) -> Mapping[str, Any]:
        """Return the keys of an issuer. Raises `UnknownIssuer`."""
        if issuer not in self.keys:
            raise UnknownIssuer(issuer)
        return self.keys[issuer]

    def link(self, document: Any, issuer: str, what: str) -> tuple[VersionLink, list[CheckOutcome]]:
        """Return a version of this record and issuer, and its checks. Raises `FailedCheck`, `UnknownIssuer`."""
        checks, link = check_version(
            document, self.keys_of(issuer), issuer=issuer, signature_check=self.signature_check
        )
        failed = next((check for check in checks if not check.passed), None)
        if failed is not None or link is None:
            failed = failed or CheckOutcome("document", False, "it is no version")
            raise FailedCheck(failed.name, f"{what}: {failed.detail}")
        if not is_pid_of(link.pid, link.issuer, self.linkid) or link.linkid != self.linkid:
            raise FailedCheck(LINKID, f"{what}: its PID, {quoted(link.pid)}, is no name of {self.linkid}")
        if problem := next(transfer_contradictions(link), None):
            raise FailedCheck(CUSTODY, f"{what}: {problem}")
        return link, checks


def is_pid_of(pid: str, issuer: str, name: str) -> bool:
    """Return whether a PID is the issuer's for a canonical LinkID, under either of the scheme's labels.

    A repository may have UUIDs under other prefixes, too. These are other names, and prove nothing about the LinkID.

    >>> name = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
    >>> is_pid_of(f"https://a.example/{name}", "https://a.example", name)
    True
    >>> is_pid_of("https://a.example/x:00c538ea-846b-47a6-a3d4-70a9ebd29d7c", "https://a.example", name)
    False
    """
    key = linkid.compact(name)
    return pid in {f"{issuer}/{label}{form}" for label in (linkid.LABEL, lid.LABEL) for form in (key, uuid.format(key))}


def require_succession(transfers: Sequence[CustodyTransfer], issuer: str) -> None:
    """Raise `FailedCheck` unless each transfer is by the recipient of the one before, and `issuer` has the last.

    So whoever is named is a side of a transfer by the one before, whose signature is verified first.
    """
    for earlier, later in pairwise(transfers):
        if later.sender != earlier.recipient:
            recipient, sender = quoted(earlier.recipient), quoted(later.sender)
            raise FailedCheck(CUSTODY, f"the record states a transfer to {recipient}, and then one from {sender}")
    if transfers and issuer not in (transfers[-1].sender, transfers[-1].recipient):
        recipient = quoted(transfers[-1].recipient)
        raise FailedCheck(CUSTODY, f"the record of {quoted(issuer)} states that it was transferred to {recipient}")


def root_of(issuers: Sequence[str], trusted_issuers: Sequence[str]) -> str:
    """Return the oldest issuer that is trusted. Raises `FailedCheck` if none is, or one is malformed."""
    for issuer in issuers:
        try:
            is_canonical = base_url_of(issuer) == issuer
        except UsageError as error:
            raise FailedCheck(TRUST, f"{quoted(issuer)} cannot be an issuer: {error}") from error
        if not is_canonical:
            raise FailedCheck(TRUST, f"the issuer {quoted(issuer)} is not written in its canonical form")
    root = next((issuer for issuer in issuers if issuer in trusted_issuers), None)
    if root is None:
        *earlier, last = issuers
        others = f", nor is {quoted(earlier[0])}, from whom the record came" if earlier else ""
        raise FailedCheck(TRUST, f"the issuer {quoted(last)} is not trusted{others}")
    return root


def verify_transfers(
    transfers: Sequence[CustodyTransfer], custody: Sequence[ResultTransfer], begin: int, versions: SignedVersions
) -> list[VersionLink]:
    """Return the verified versions of the transfers that a record states, from the one at `begin` on.

    `custody` is the evidence in the result. Raises `FailedCheck`, `UnknownIssuer`.
    """
    if len(transfers) > MAX_TRANSFERS:
        raise FailedCheck(CUSTODY, f"the record states {len(transfers)} transfers, more than {MAX_TRANSFERS}")
    if len(custody) != len(transfers):
        problem = f"the record states {len(transfers)} transfers of custody, and the result has {len(custody)}"
        raise FailedCheck(CUSTODY, f"{problem}: the chain is not complete")
    links: list[VersionLink] = []
    for place, (transfer, evidence) in enumerate(zip(transfers, custody, strict=True)):
        if (evidence.sender, evidence.recipient, evidence.at) != (transfer.sender, transfer.recipient, transfer.at):
            raise FailedCheck(CUSTODY, f"the result and the record differ about transfer {place + 1}")
        if place < begin:
            continue
        what = f"the transfer from {quoted(transfer.sender)} to {quoted(transfer.recipient)}"
        link, _ = versions.link(evidence.record, transfer.sender, what)
        if link.custody.transfers != tuple(transfers[: place + 1]) or link.transfer != transfer:
            raise FailedCheck(CUSTODY, f"{what}: version {link.version} states other transfers than the record")
        if links:
            require_continuation(link, links[-1], what)
        require_signature(transfer.acceptance, versions.keys_of(transfer.recipient), versions.signature_check)
        links.append(link)
    return links


def require_continuation(later: VersionLink, earlier: VersionLink, what: str) -> None:
    """Raise `FailedCheck` if a version cannot follow another one, which may not be the one before."""
    if later.version == earlier.version and later.digest != earlier.digest:
        raise FailedCheck(CUSTODY, f"{what}: there are two different versions {later.version}: the history forks")
    if later.version < earlier.version or later.updated < earlier.updated or later.created != earlier.created:
        raise FailedCheck(CUSTODY, f"{what}: version {later.version} cannot follow version {earlier.version}")
    if later.version == earlier.version + 1 and later.previous != earlier.digest:
        raise FailedCheck(CUSTODY, f"{what}: version {later.version} is not based on that version {earlier.version}")
