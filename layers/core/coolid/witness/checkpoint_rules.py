"""The rules by which a witness accepts a checkpoint (C2SP tlog-witness, section "add-checkpoint")."""

from collections.abc import Sequence

from coolid.log.checkpoints import Checkpoint, WrongEmptyRoot
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import EMPTY_ROOT, check_consistency
from coolid.log.signed_notes import SignedNote, VerifierKey, verify
from coolid.log.split_views import SignedTree
from coolid.log.submissions import Submission


class Refused(Exception):
    """The witness does not cosign, with an HTTP status and a reason. With 409, `size` is the one it has cosigned."""

    def __init__(self, status: int, reason: str, size: int | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.size = size


def require_signature(note: SignedNote, origin: str, keys: Sequence[VerifierKey]) -> SignedNote:
    """Return the note with only the signatures of trusted keys of the origin, one at least, all of them valid.

    Raises `Refused`.
    """
    if not keys:
        raise Refused(404, "the log is unknown to this witness")
    signers = [key for key in keys if any(map(key.made, note.signatures))]
    if not signers:
        raise Refused(403, f"no trusted key of {origin} signed the checkpoint")
    try:
        for key in signers:
            verify(note, key)
    except FailedProof as error:
        raise Refused(403, str(error)) from error
    return SignedNote(note.text, tuple(each for each in note.signatures if any(key.made(each) for key in signers)))


def read_tree(note: SignedNote) -> SignedTree:
    """Return the tree in a verified note. That of a wrong empty tree has a root without bytes. Raises `Refused`."""
    try:
        checkpoint = Checkpoint.parse(note.text)
    except WrongEmptyRoot:
        checkpoint = Checkpoint(note.text.split("\n", 1)[0], 0, b"")
    except MalformedData as error:
        raise Refused(400, str(error)) from error
    return SignedTree(checkpoint, str(note))


def require_continuation(submission: Submission, submitted: Checkpoint, latest: Checkpoint | None) -> None:
    """Raise `Refused` unless the submitted tree continues the latest one that the witness has cosigned, if any."""
    if submission.old_size > submitted.size:
        raise Refused(400, f"the old size {submission.old_size} is larger than the checkpoint's, {submitted.size}")
    size, root = (latest.size, latest.root) if latest else (0, EMPTY_ROOT)
    if submission.old_size != size:
        raise Refused(409, f"the latest cosigned size is {size}, not {submission.old_size}", size)
    try:
        check_consistency(size, root, submitted.size, submitted.root, submission.proof)
    except FailedProof as error:
        raise Refused(422, str(error)) from error
