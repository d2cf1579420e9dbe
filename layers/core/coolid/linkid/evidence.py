"""The verification of resolution results: what a resolver says about a LinkID counts only if signatures show it.

A result is verified with the public keys of issuers and a list of trusted issuers, without any request. It must be
about the requested LinkID. Its record must be signed by its issuer. That issuer must be trusted, or a chain of
transfers must lead to it from a trusted issuer (`custody_evidence`). The result must say what the record says
(`result_comparison`). A result without a record proves nothing, and may have no target.

The function serves clients, services that query peers, and services that accept records. Signatures are checked without
a library, unless the caller supplies another check.

>>> from coolid.linkid.results import from_document
>>> name = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
>>> result = from_document({"id": name, "status": "active", "target_url": "https://evil.example/"})
>>> verify_result(result, name, {}, ["https://a.example"], 0).failure
'the result has no signed record, so its status is not proved'
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from coolid.linkid.custody_evidence import (
    CUSTODY,
    LINKID,
    TRUST,
    KeysByIssuer,
    SignedVersions,
    UnknownIssuer,
    require_continuation,
    require_succession,
    root_of,
    verify_transfers,
)
from coolid.linkid.result_comparison import STATUS, TARGET, compare
from coolid.linkid.results import ResolutionResult
from coolid.linkid.states import ACTIVE, WITH_RECORD, WITHOUT_RECORD
from coolid.model.custody import stated_custody
from coolid.proofs.jws import SignatureCheck
from coolid.proofs.p256 import is_signature
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted
from coolid.proofs.version_links import VersionLink

IDENTIFIER: Final = "id"
RECORD: Final = "record"
KEY: Final = "key"


class ResultVerdict(Struct, frozen=True):
    """The outcomes of the checks of a result; the other members are set as far as it was verified.

    - `issuer`: of the record. `root`: the trusted issuer at which its verified chain of custody begins. `version` and
      `digest`: of the record.
    - `authority`: the issuer who has the record now. If that is not `issuer`, the record is its last version there, and
      refers to the authority; the result shows nothing about later versions.
    - `unknown_issuer`: the issuer whose keys are needed to continue. A trusted issuer, or a transfer that is verified
      except for the recipient's acceptance, names it. So its keys may be fetched for another attempt.
    """

    checks: tuple[CheckOutcome, ...]
    issuer: str | None = None
    root: str | None = None
    version: int | None = None
    digest: str | None = None
    authority: str | None = None
    unknown_issuer: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there were checks and none failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def failure(self) -> str | None:
        """Why the result is refused, or None."""
        return next((check.detail for check in self.checks if not check.passed), None)

    @property
    def is_referral(self) -> bool:
        """Whether the record only says that its issuer transferred it to the authority."""
        return self.authority is not None and self.authority != self.issuer


def verify_result(
    result: ResolutionResult,
    linkid: str,
    keys_by_issuer: KeysByIssuer,
    trusted_issuers: Sequence[str],
    now: float,
    *,
    signature_check: SignatureCheck = is_signature,
) -> ResultVerdict:
    """Return the verdict on a result for the request of a canonical LinkID. Makes no request and never raises.

    `keys_by_issuer` are JWK Sets by base URL. `now` is in seconds since 1970. A failed check is the last one.
    """
    verification = _Verification(linkid, SignedVersions(linkid, keys_by_issuer, signature_check), trusted_issuers)
    unknown_issuer = None
    try:
        verification.verify(result, datetime.fromtimestamp(now, UTC))
    except FailedCheck as failure:
        verification.checks.append(failure.check)
    except UnknownIssuer as error:
        verification.checks.append(CheckOutcome(KEY, False, str(error)))
        unknown_issuer = error.issuer
    link = verification.link
    return ResultVerdict(
        tuple(verification.checks),
        link.issuer if link else None,
        verification.root,
        link.version if link else None,
        link.digest if link else None,
        authority_of(link) if link else None,
        unknown_issuer,
        tuple(verification.notes),
    )


def authority_of(link: VersionLink) -> str:
    """Return the issuer who has the record after this version."""
    return link.transfer.recipient if link.transfer else link.issuer


class _Verification:
    """The checks of one result so far, and what they have shown."""

    def __init__(self, linkid: str, versions: SignedVersions, trusted_issuers: Sequence[str]) -> None:
        self.checks: list[CheckOutcome] = []
        self.notes: list[str] = []
        self.link: VersionLink | None = None
        self.root: str | None = None
        self._linkid = linkid
        self._versions = versions
        self._trusted_issuers = trusted_issuers

    def verify(self, result: ResolutionResult, now: datetime) -> None:
        """Add the checks of a result. Raises `FailedCheck` for the first that fails, or `UnknownIssuer`."""
        if result.id != self._linkid:
            raise FailedCheck(IDENTIFIER, f"the result is about {quoted(result.id)}, not about {self._linkid}")
        self._passed(IDENTIFIER, f"the result is about {self._linkid}")
        if result.status not in WITH_RECORD | WITHOUT_RECORD:
            raise FailedCheck(STATUS, f"{quoted(result.status)} is no status of a LinkID")
        if result.status != ACTIVE and result.target_url is not None:
            raise FailedCheck(TARGET, f"the status is {result.status}, but the result has a target")
        if result.record is not None:
            self._verify_record(result, result.record)
        elif result.status in WITH_RECORD:
            raise FailedCheck(RECORD, "the result has no signed record, so its status is not proved")
        if result.status in WITH_RECORD and result.record is not None and self.link is not None:
            self.checks += compare(result, result.record, authority_of(self.link), now)

    def _verify_record(self, result: ResolutionResult, record: Mapping[str, Any]) -> None:
        """Check who signed the record, and why that issuer is trusted.

        The transfers are taken from the record, whose signature over them is verified last.
        """
        issuer, transfers = record.get("issuer"), stated_custody(record).transfers
        if not isinstance(issuer, str):
            raise FailedCheck(RECORD, "the record has no issuer")
        require_succession(transfers, issuer)
        issuers = (*(transfer.sender for transfer in transfers), issuer)
        self.root = root_of(issuers, self._trusted_issuers)
        begin = issuers.index(self.root)
        if begin > 0:
            self.notes.append(f"transfers before {quoted(self.root)} were not verified, because that issuer is trusted")
        links = verify_transfers(transfers, result.custody, begin, self._versions)
        link, checks = self._versions.link(record, issuer, "the record")
        if links:
            require_continuation(link, links[-1], "the record")
        self.link = link
        self.checks += checks
        self._passed(LINKID, f"its PID is a name of {self._linkid}")
        for each in links:
            if each.transfer:
                recipient = quoted(each.transfer.recipient)
                self._passed(CUSTODY, f"{quoted(each.issuer)} transferred it to {recipient}, who signed the acceptance")
        self._passed(TRUST, f"{quoted(self.root)} is trusted")

    def _passed(self, name: str, detail: str) -> None:
        self.checks.append(CheckOutcome(name, True, detail))
