"""The check of the transparency log in `coolid verify`, and the policies and keys that commands name."""

import time
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import replace

from coolid.cli.output import print_line
from coolid.cli.progress import progress
from coolid.cli.service_connection import read_bounded
from coolid.errors import UsageError
from coolid.proofs.verdicts import Verdict

if TYPE_CHECKING:  # a record in a file is verified without these modules
    from coolid.client.connections import Connections
    from coolid.client.transparency.log_verifier import LogVerifier
    from coolid.client.transparency.seen_logs import SeenLogs
    from coolid.log.policies import Policy
    from coolid.log.signed_notes import VerifierKey

MAX_POLICY_BYTES: Final = 100_000
MAX_PROOF_BYTES: Final = 200_000
PROOF_HEADER: Final = b"c2sp.org/tlog-proof@v1"
"""The first line of a proof in a file (C2SP tlog-proof)."""

PolicyFile = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE", help="The logs, witnesses and quorum to trust (tlog-policy)."),
]
ProofFile = Annotated[
    str | None, typer.Option("--tlog-proof", metavar="FILE", help="The proof of the log for one record in a file.")
]
Log = Annotated[bool, typer.Option(help="Verify that the record is in the transparency log of its service.")]


class LogChecks:
    """Verifies records by logs, with the `policy` and the `proof` in the files of these names, if any.

    With a policy, each record must be in a log. `offline` forbids requests. Exits with 2 if a file is invalid.
    """

    def __init__(self, policy: str | None, proof: str | None, *, offline: bool) -> None:
        self.policy = read_policy(policy) if policy is not None else None
        self.proof = read_bounded(proof, MAX_PROOF_BYTES) if proof is not None else None
        self.offline = offline
        self._has_seen: dict[str, bool] = {}
        self._notes: dict[str, None] = {}
        self._unchecked = 0

    def close(self) -> None:
        """Close the connections to logs, if there are any."""
        if "_connections" in self.__dict__:
            self._connections.close()

    def added(self, verdict: Verdict, document: Any, proof: bytes | None = None) -> Verdict:
        """Return the verdict with the checks of the log, if the record is good. `proof` replaces a service's."""
        from coolid.client.flows import run

        if not verdict.ok:
            return verdict
        found = run(self._verifier.verify(document, proof or self.proof), self._connections.send, _wait)
        return replace(verdict, checks=(*verdict.checks, *found.checks), notes=(*verdict.notes, *found.notes))

    def added_to_line(self, verdict: Verdict, document: Any, proof: bytes | None, *, is_fetched: bool) -> Verdict:
        """Return the verdict on one line of many, with the checks of the log if a key of it can be trusted.

        With `is_fetched`, that of the issuer is looked up. A line without proof needs none, unless there is a policy.
        """
        can_trust = self.policy is not None or is_fetched
        if not verdict.ok or (proof is None and self.policy is None):
            return verdict
        if not (can_trust or self.has_seen(document)):
            self._unchecked += 1
            return verdict
        verdict = self.added(verdict, document, proof)
        self._notes |= dict.fromkeys(verdict.notes)
        return verdict

    def has_seen(self, document: Mapping[str, Any]) -> bool:
        """Return whether this user has seen the log of the record's issuer, and so trusts a key of it."""
        from coolid.log.entries import origin_of

        origin = origin_of(document["issuer"])
        if origin not in self._has_seen:
            self._has_seen[origin] = self._seen.read(origin) is not None
        return self._has_seen[origin]

    def print_notes(self) -> None:
        """Print what could not be checked in the lines."""
        for note in self._notes:
            print_line(f"coolid: {note}")
        if self._unchecked:
            print_line(f"coolid: {self._unchecked} proofs of a log were not checked; --policy FILE names its key")

    @cached_property
    def _seen(self) -> "SeenLogs":
        from coolid.client.transparency.seen_logs import SeenLogs

        return SeenLogs()

    @cached_property
    def _verifier(self) -> "LogVerifier":
        from coolid.client.transparency.log_requests import LogRequests
        from coolid.client.transparency.log_verifier import LogVerifier

        return LogVerifier(self._seen, LogRequests(), self.policy, offline=self.offline)

    @cached_property
    def _connections(self) -> "Connections":
        from coolid.client.connections import Connections

        return Connections()


def read_policy(file: str) -> "Policy":
    """Return the policy in a file. Raises `UsageError`."""
    from coolid.log.malformed_data import MalformedData
    from coolid.log.policies import Policy

    try:
        return Policy.parse(read_bounded(file, MAX_POLICY_BYTES))
    except MalformedData as error:
        raise UsageError(f"{file} is not a policy of logs: {error}") from error


def read_log_key(text: str, name: str) -> "VerifierKey":
    """Return the verifier key of a log, which is the value of the option or argument `name`. Raises `UsageError`."""
    from coolid.log.malformed_data import MalformedData
    from coolid.log.signed_notes import ED25519, VerifierKey

    try:
        key = VerifierKey.parse(text)
    except MalformedData as error:
        raise UsageError(f"{name} is not a verifier key: {error}") from error
    if key.kind != ED25519:
        raise UsageError(f"{name} is the key of a witness, not of a log: {text}")
    return key


def _wait(seconds: float) -> None:
    with progress("Waiting for the log", None):
        time.sleep(seconds)
