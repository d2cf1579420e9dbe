"""Evidence: checkpoints that a log signed and a witness refused.

A proof shows a split view (`coolid.log.split_views`), and anybody can verify it without network. A suspicion is a pair
of signed checkpoints to be compared with the log. It proves nothing alone, because replaying an old checkpoint, or
adding a wrong proof to a new one, causes it as well.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from coolid.log.checkpoints import Checkpoint
from coolid.log.split_views import (
    ROLLBACK,
    SPLIT_VIEW,
    WRONG_TREE,
    SignedTree,
    SplitView,
    evidence_document,
    split_view,
)
from coolid.log.submissions import Submission
from coolid.witness.checkpoint_rules import Refused


class Evidence(Struct, frozen=True):
    """Evidence about the tree of a refused checkpoint.

    Members of the `document` are `rule`, `subject`, `detail`, `checkpoints` (two notes, that of the witness first), and
    for a split view `root` and `hashes` (`SplitView`), and what the caller of `find_evidence` adds.
    """

    checkpoint: Checkpoint
    document: Mapping[str, Any]

    @property
    def is_proof(self) -> bool:
        """Whether the document proves that the log signed two histories."""
        return bool(self.document["rule"] == SPLIT_VIEW)

    def with_cosigned(self, cosigned: SignedTree) -> "Evidence":
        """Return the proof that this suspicion gives with a cosigned tree of the same size but another root."""
        submitted = next(each for each in self.document["checkpoints"] if each.startswith(self.checkpoint.text))
        view = SplitView(cosigned, SignedTree(self.checkpoint, submitted), self.checkpoint.root)
        return Evidence(self.checkpoint, {**self.document, **_proof(view)})


def find_evidence(
    submission: Submission, tree: SignedTree, latest: SignedTree | None, same_size: SignedTree | None, refusal: Refused
) -> Evidence | None:
    """Return the evidence that a refused submission gives with the latest cosigned tree and that of the same size.

    None for trees that were cosigned, and for larger ones with another old size, which only need a new proof.
    """
    size = tree.checkpoint.size
    if latest is None or not latest.checkpoint.size or not tree.checkpoint.root:
        return None
    if same_size is not None:
        view = split_view(same_size, tree)
        return Evidence(tree.checkpoint, {"subject": submission.origin, **_proof(view)}) if view else None
    notes = {"subject": submission.origin, "checkpoints": [latest.note, tree.note]}
    if size < latest.checkpoint.size:
        detail = f"{size} entries were submitted after {latest.checkpoint.size} had been cosigned"
        return Evidence(tree.checkpoint, {"rule": ROLLBACK, "detail": detail, **notes})
    if refusal.status != 422:
        return None
    view = split_view(latest, tree, submission.proof)
    found = _proof(view) if view else {"rule": WRONG_TREE, "detail": str(refusal)}
    return Evidence(tree.checkpoint, {**notes, **found})


def _proof(view: SplitView) -> dict[str, Any]:
    return {"rule": SPLIT_VIEW, "detail": view.detail, **view.to_document()}


def documents_of(evidence: Sequence[Evidence]) -> dict[str, dict[str, Any]]:
    """Return a document for each key of a log that others can verify (`coolid.audit.evidence`), by verifier key."""
    findings: dict[str, list[Mapping[str, Any]]] = {}
    for each in evidence:
        findings.setdefault(each.document["log"], []).append(each.document)
    return {key: evidence_document(key, found) for key, found in findings.items()}
