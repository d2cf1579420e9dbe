"""Split views: two signed checkpoints of one log, of which neither tree begins the other.

A consistency proof from the larger tree binds the root that this tree has at the smaller size. If the log signed
another root for that size, the two notes and the proof suffice as evidence, which anybody can verify without network.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from coolid.log.checkpoints import Checkpoint, verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import HASH_BYTES, check_consistency, computed_roots
from coolid.log.signed_notes import VerifierKey, from_base64
from coolid.log.tiles import ReadFiles, TileReader

EVIDENCE_FORMAT: Final = "coolid-log-evidence/1"
"""The `format` of documents with evidence (`coolid.audit.evidence`)."""
SPLIT_VIEW: Final = "split-view"
ROLLBACK: Final = "rollback"
WRONG_TREE: Final = "wrong-tree"
MISSING_FILE: Final = "missing-file"
"""The rules of `coolid.audit.findings` that a log can break with its checkpoints, the first proved by signatures."""


class SignedTree(Struct, frozen=True):
    """A checkpoint and its `note`, the text with the signatures that were verified."""

    checkpoint: Checkpoint
    note: str

    @classmethod
    def read(cls, note: str, key: VerifierKey) -> "SignedTree":
        """Return the tree that this key of its log signed. Raises `MalformedData` or `FailedProof`."""
        return cls(verified_checkpoint(note.encode(), key)[0], note)


class SplitView(Struct, frozen=True):
    """Two signed trees, the smaller first, of which the second does not continue the first.

    `root` is the root of the second tree at the size of the first, which `hashes`, a consistency proof, shows.
    """

    first: SignedTree
    second: SignedTree
    root: bytes
    hashes: tuple[bytes, ...] = ()

    @property
    def detail(self) -> str:
        """What the two trees show, as a clause."""
        sizes = f"{self.first.checkpoint.size} and of {self.second.checkpoint.size}"
        return f"the trees of {sizes} entries are both signed and contradict each other"

    def check(self) -> None:
        """Raise `FailedProof` unless the checkpoints contradict each other. The signatures are not verified."""
        first, second = self.first.checkpoint, self.second.checkpoint
        if first.origin != second.origin:
            raise FailedProof("the checkpoints are of two logs")
        check_consistency(first.size, self.root, second.size, second.root, self.hashes)
        if first.size == 0 or self.root == first.root:
            raise FailedProof("the second checkpoint continues the first")

    def to_document(self) -> dict[str, Any]:
        """Return the members of the evidence: the notes, and the root and hashes in base64."""
        return {
            "checkpoints": [self.first.note, self.second.note],
            "root": b64encode(self.root).decode(),
            "hashes": [b64encode(each).decode() for each in self.hashes],
        }

    @classmethod
    def read(cls, document: Mapping[str, Any], key: VerifierKey) -> "SplitView":
        """Return the split view in a document, after a check of all of it with the log's key.

        Raises `MalformedData` or `FailedProof`.
        """
        try:
            evidence = convert(document, _Document)
        except ValidationError as error:
            raise MalformedData(f"the evidence of a split view is malformed: {error}") from error
        first, second = (SignedTree.read(note, key) for note in evidence.checkpoints)
        hashes = tuple(from_base64(each, "a hash of the evidence", HASH_BYTES) for each in evidence.hashes)
        found = cls(first, second, from_base64(evidence.root, "the root of the evidence", HASH_BYTES), hashes)
        found.check()
        return found


class _Document(Struct):
    checkpoints: tuple[str, str]
    root: str
    hashes: list[str] = []


def split_view(first: SignedTree, second: SignedTree, proof: Sequence[bytes] = ()) -> SplitView | None:
    """Return the contradiction that a consistency proof between two trees of one log shows, or None if it shows none.

    The second tree is not smaller. A proof that leads to neither root shows nothing, because anybody can invent it.
    """
    small, large = first.checkpoint, second.checkpoint
    found = SplitView(first, second, large.root)
    try:
        if 0 < small.size < large.size:
            found = SplitView(first, second, computed_roots(small.size, small.root, large.size, proof)[0], (*proof,))
        found.check()
    except FailedProof:
        return None
    return found


def compare_trees(one: SignedTree, other: SignedTree, read: ReadFiles) -> SplitView | None:
    """Return the contradiction between two trees of one log, or None if one continues the other.

    The proof is made from tiles of the larger tree. Raises `MalformedData` or `FailedProof` if these do not lead to its
    root, so that nothing is shown.
    """
    first, second = sorted((one, other), key=lambda each: each.checkpoint.size)
    small, large = first.checkpoint, second.checkpoint
    if small.size == 0:  # a signed root of an empty tree has only one value
        return None
    if small.size == large.size:
        return None if small.root == large.root else SplitView(first, second, large.root)
    tiles = TileReader(large.size, read)
    root, hashes = tiles.root(small.size), tuple(tiles.consistency_proof(small.size))
    check_consistency(small.size, root, large.size, large.root, hashes)
    return None if root == small.root else SplitView(first, second, root, hashes)


def evidence_document(log: str, findings: Iterable[Mapping[str, Any]], **context: int) -> dict[str, Any]:
    """Return the document with findings against the log of a verifier key, for `coolid.audit.evidence`."""
    return {"format": EVIDENCE_FORMAT, "log": log, **context, "findings": [*findings]}
