"""The witness: each checkpoint is compared with the latest one of its log, cosigned and stored in one step."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from coolid.log.checkpoints import cosign
from coolid.log.signed_notes import SignedNote, VerifierKey
from coolid.log.split_views import SignedTree
from coolid.log.submissions import Submission
from coolid.ports import Clock
from coolid.witness.checkpoint_rules import Refused, read_tree, require_continuation, require_signature
from coolid.witness.evidence import Evidence, find_evidence
from coolid.witness.state import WitnessState
from coolid.witness.state_rows import StateRows

Report = Callable[[Evidence], None]
"""Receives evidence that was kept."""


class Witness:
    """Cosigns with a key of type `COSIGNATURE`, by which `sign` signs. Several may share one state."""

    def __init__(
        self, state: WitnessState, key: VerifierKey, sign: Callable[[bytes], bytes], clock: Clock, report: Report
    ) -> None:
        self.key = key
        self._state = state
        self._sign = sign
        self._clock = clock
        self._report = report

    def add_checkpoint(self, body: bytes) -> str:
        """Return the line of the cosignature that was requested, after its tree is on the disk.

        Raises `MalformedData`, `Refused` or `StoreUnavailable`.
        """
        submission = Submission.parse(body)
        keys = self._state.read(lambda rows: rows.keys(submission.origin))
        tree = read_tree(require_signature(submission.note, submission.origin, keys))
        outcome, found = self._state.change(lambda rows: self._decide(rows, submission, tree, keys))
        for evidence in found:
            self._report(evidence)
        if isinstance(outcome, Refused):
            raise outcome
        return outcome

    def checkpoint(self, origin_hash: str) -> str | None:
        """Return the latest cosigned checkpoint of the log whose origin has this digest, or None."""
        return self._state.read(lambda rows: rows.latest_note(origin_hash))

    def _decide(
        self, rows: StateRows, submission: Submission, tree: SignedTree, keys: Sequence[VerifierKey]
    ) -> tuple[str | Refused, Sequence[Evidence]]:
        """Return the cosignature or the refusal, and evidence that was kept. An error would undo what was written."""
        latest = rows.latest(submission.origin)
        time = self._clock.milliseconds() // 1000
        try:
            require_continuation(submission, tree.checkpoint, latest.checkpoint if latest else None)
        except Refused as refusal:
            same_size = rows.cosigned(submission.origin, tree.checkpoint.size)
            evidence = find_evidence(submission, tree, latest, same_size, refusal)
            context = {"log": str(_signer(keys, submission.note)), "received": time}
            found = replace(evidence, document={**evidence.document, **context}) if evidence else None
            return refusal, [found] if found and rows.keep(found) else []
        line = str(cosign(submission.note.text, self.key, time, self._sign))
        cosigned = SignedTree(tree.checkpoint, tree.note + line)
        rows.put_checkpoint(cosigned)
        rows.drop_suspicion(tree.checkpoint)
        suspicions = [each for each in rows.evidence(submission.origin, tree.checkpoint.size) if not each.is_proof]
        proofs = [each.with_cosigned(cosigned) for each in suspicions]
        return line, [each for each in proofs if rows.keep(each)]


def _signer(keys: Sequence[VerifierKey], note: SignedNote) -> VerifierKey:
    """Return the first of the keys that signed a note, which was verified."""
    return next(key for key in keys if any(map(key.made, note.signatures)))
