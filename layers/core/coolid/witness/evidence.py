"""Evidence: checkpoints that a log signed and a witness refused.

A proof shows a split view (`coolid.log.split_views`), and anybody can verify it without network. A suspicion is a pair
of signed checkpoints to be compared with the log. It proves nothing alone, because replaying an old checkpoint, or
adding a wrong proof to a new one, causes it as well.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.log.checkpoints import Checkpoint
from coolid.log.split_views import SignedTree, SplitView, split_view
from coolid.log.submissions import Submission
from coolid.witness.checkpoint_rules import Refused

_PROOF: Final = "the log signed two trees of which neither continues the other"


class Evidence(Struct, frozen=True):
    """Evidence about the tree of a refused checkpoint.

    Members of the `document` are `is_proof`, `reason`, `checkpoints` (two notes, the smaller tree first), in a proof
    `root` and `hashes` (`SplitView`), and what the caller of `find_evidence` adds.
    """

    checkpoint: Checkpoint
    is_proof: bool
    document: Mapping[str, Any]

    def with_cosigned(self, cosigned: SignedTree) -> "Evidence":
        """Return the proof that this suspicion gives with a cosigned tree of the same size but another root."""
        submitted = next(each for each in self.document["checkpoints"] if each.startswith(self.checkpoint.text))
        view = SplitView(cosigned, SignedTree(self.checkpoint, submitted), self.checkpoint.root)
        return _evidence(self.checkpoint, view, self.document)


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
        return _evidence(tree.checkpoint, view, {}) if view else None
    if size < latest.checkpoint.size:
        reason = f"{size} entries were submitted after {latest.checkpoint.size} had been cosigned"
        return _evidence(tree.checkpoint, None, {"reason": reason, "checkpoints": [tree.note, latest.note]})
    if refusal.status != 422:
        return None
    view = split_view(latest, tree, submission.proof)
    return _evidence(tree.checkpoint, view, {"reason": str(refusal), "checkpoints": [latest.note, tree.note]})


def _evidence(checkpoint: Checkpoint, view: SplitView | None, members: Mapping[str, Any]) -> Evidence:
    shown = {"reason": _PROOF, **view.to_document()} if view else {}
    return Evidence(checkpoint, view is not None, {**members, "is_proof": view is not None, **shown})
