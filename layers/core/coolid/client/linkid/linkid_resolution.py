"""The outcome of the resolution of a LinkID: its state, the verified target, and what they are based on.

>>> unknown = LinkIdResolution("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c", states.UNKNOWN, "there is no record")
>>> unknown.target, unknown.to_document()["status"]
(None, 'unknown')
"""

from dataclasses import asdict, dataclass
from typing import Any

from msgspec import to_builtins

from coolid.client.discovery import DiscoveryAttempt
from coolid.linkid import states
from coolid.linkid.results import ResolutionResult, ResultTransfer
from coolid.proofs.verdicts import CheckOutcome


@dataclass(frozen=True, slots=True)
class LinkIdResolution:
    """The `status` of a LinkID (one of `coolid.linkid.states`), and the `reason` for it in a clause.

    - `target`: the verified target that the local policy allows; None unless the status is active.
    - `resolver`: the template of the endpoint that answered. `source`: who named it (`resolver_sources.MEANINGS`).
    - `authority`: the issuer that signed the record. `trust`: how far the answer is trusted, as a clause.
    - `result`: the answer, if it passed all `checks`; a failed check has its answer withheld.
    - `attempts`: the resolvers that gave no usable result, with their problems. `notes`: sentences for the user.
    """

    id: str
    status: str
    reason: str = ""
    target: str | None = None
    resolver: str | None = None
    source: str | None = None
    authority: str | None = None
    trust: str | None = None
    result: ResolutionResult | None = None
    checks: tuple[CheckOutcome, ...] = ()
    notes: tuple[str, ...] = ()
    attempts: tuple[DiscoveryAttempt, ...] = ()

    @property
    def successor(self) -> str | None:
        """The verified PID or URL that supersedes a deprecated LinkID. Programs do not go there by themselves."""
        return self.result.successor if self.result and self.status == states.DEPRECATED else None

    def to_document(self) -> dict[str, Any]:
        """Return the resolution as JSON."""
        result = self.result
        return {
            "id": self.id,
            "status": self.status,
            "target": self.target,
            "reason": self.reason,
            "resolver": self.resolver,
            "source": self.source,
            "authority": self.authority,
            "trust": self.trust,
            "version": result.version if result else None,
            "successor": self.successor,
            "withdrawn": _withdrawal(result) if result else None,
            "custody": [_transfer(each) for each in (result.custody if result else ())],
            "checks": to_builtins(self.checks),
            "notes": list(self.notes),
            "attempts": [asdict(each) for each in self.attempts],
        }


def _withdrawal(result: ResolutionResult) -> dict[str, Any] | None:
    return {"at": result.withdrawn_at, "reason": result.reason} if result.withdrawn_at else None


def _transfer(transfer: ResultTransfer) -> dict[str, Any]:
    return {"from": transfer.sender, "to": transfer.recipient, "at": transfer.at}
