"""The sequencer: adds the waiting entries to the log, and publishes its checkpoints.

The order is that of Sunlight (https://sunlight.dev): write a staging file with all that a new tree adds, sign the tree,
move the head to it, write its files and rows, publish its checkpoint. The head is the only place where runs compete: of
two runs that grow the same tree, one moves the head and the other ends. A run that finds a head whose checkpoint is not
published repeats what follows the head. This writes the same bytes again, because the staging file never changes.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from coolid.errors import Outdated
from coolid.log.batches import BatchReader
from coolid.log.checkpoints import Checkpoint, read_checkpoint, verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import EMPTY_ROOT
from coolid.log.signed_notes import ED25519, SignedNote, VerifierKey, signed
from coolid.log.staged_trees import StagedTree, grow, read_edge
from coolid.log.tiles import CHECKPOINT, TileReader
from coolid.store.log import LogAccess, LogHead, staged_size, staging_path


class InconsistentLog(Exception):
    """The rows and the files of the log contradict each other. Nothing is signed until an operator restores them."""


class Cosigner(Protocol):
    """The witnesses of the log."""

    def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
        """Return the checkpoint with the cosignatures that it lacks, as many as arrive in time.

        Sends nothing if it lacks none. Raises no error of a witness or of the network.
        """


class NoCosigner:
    """Implements `Cosigner` for a log without witnesses."""

    def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:  # noqa: ARG002 - see the class
        """See `Cosigner`."""
        return checkpoint


class Progress(Struct, frozen=True):
    """The result of a run: the published tree's `size`, and the number of `added` entries.

    `since` is the earliest time from which an entry waited when the run began, in milliseconds since 1970, or None.
    `has_more` says that entries still wait that the next run can add.
    """

    size: int
    added: int = 0
    since: int | None = None
    has_more: bool = False


class Sequencer:
    """Grows the log of `access` by the batches of `batches`."""

    def __init__(self, access: LogAccess, batches: BatchReader, cosigner: Cosigner | None = None) -> None:
        self._rows = access.rows
        self._files = access.files
        self._origin = access.origin
        self._signer = access.signer
        self._batches = batches
        self._cosigner = cosigner or NoCosigner()

    def run(self) -> Progress:
        """Complete the current head, then add one batch of entries. The first run publishes an empty tree.

        If another run moves the head meanwhile, this one ends without a change. Raises `StoreUnavailable`,
        `SignerUnavailable` and `InconsistentLog`; what was begun is completed by the next run.
        """
        published = self._files.read([CHECKPOINT]).get(CHECKPOINT)
        head = self._rows.head()
        try:
            self._require_current(published, head)
            if head is not None:
                published = self._complete(head, published)
            return self._add_batch(head, published)
        except Outdated:
            return Progress(head.size if head else 0, has_more=True)
        except MalformedData as error:
            if self._rows.head() != head:  # another run has grown the log: files of an earlier tree may be gone
                return Progress(head.size if head else 0, has_more=True)
            raise InconsistentLog(str(error)) from error

    def _require_current(self, published: bytes | None, head: LogHead | None) -> None:
        """Raise `InconsistentLog` if the published tree is not older than the head.

        The rows are then those of a backup, for example. A head on top of them would be a second history.
        """
        if published is None:
            return
        checkpoint, current = _checkpoint_of(published), _checkpoint_of(head.checkpoint.encode()) if head else None
        is_older = current is not None and checkpoint.size < current.size
        is_same = current is not None and (checkpoint.size, checkpoint.root) == (current.size, current.root)
        if not is_older and not is_same:
            raise InconsistentLog(
                f"the published checkpoint has {checkpoint.size} entries, but the head of the log is another tree of "
                f"{head.size if head else 0}: restore rows and files of the same moment, the latest that exist"
            )

    def _complete(self, head: LogHead, published: bytes | None) -> bytes:
        """Write the files and rows of a head unless it is published, and publish it. Return what is published."""
        note = SignedNote.parse(published) if published else None
        if note is None or note.text != SignedNote.parse(head.checkpoint.encode()).text:
            content = self._files.read([head.staging]).get(head.staging)
            if content is None:
                self._require_head(head)
                raise InconsistentLog(f"the file {head.staging} is missing")
            self._apply(head, StagedTree.decode(content))
            note = None
        return self._publish(head, note, published)

    def _require_head(self, head: LogHead) -> None:
        if self._rows.head() != head:
            raise Outdated("the log's head")

    def _add_batch(self, head: LogHead | None, published: bytes | None) -> Progress:
        batch = self._batches.next_batch()
        if head is not None and not batch.leaves and self._has_signed(head):
            return Progress(head.size, since=batch.since)
        size, root = (head.size, _checkpoint_of(head.checkpoint.encode()).root) if head else (0, EMPTY_ROOT)
        tree = grow(*read_edge(size, root, self._read), batch.leaves)
        staging = staging_path(size, tree.root)
        self._files.write({staging: tree.encode()})
        new = LogHead(head.revision + 1 if head else 1, tree.size, self._sign(tree), staging)
        self._rows.replace_head(new, head)
        self._apply(new, tree)
        self._publish(new, None, published)
        return Progress(new.size, len(batch.leaves), batch.since, has_more=not batch.is_whole)

    @cached_property
    def _key(self) -> VerifierKey:
        return VerifierKey(self._origin, ED25519, self._signer.public_key())

    def _sign(self, tree: StagedTree) -> str:
        return str(signed(Checkpoint(self._origin, tree.size, tree.root).text, self._key, self._signer.sign))

    def _has_signed(self, head: LogHead) -> bool:
        """Return whether the head has the present origin and key. Otherwise, the same tree is signed again."""
        try:
            verified_checkpoint(head.checkpoint.encode(), self._key)
        except FailedProof:
            return False
        return True

    def _apply(self, head: LogHead, tree: StagedTree) -> None:
        """Write the files, then the indexes, of a head. Raises `InconsistentLog` if the tree is another one."""
        if (tree.size, tree.root) != (head.size, _checkpoint_of(head.checkpoint.encode()).root):
            raise InconsistentLog(f"the file {head.staging} has another tree than the head of the log")
        if tree.files:
            self._files.write(tree.files)
        if tree.indexes:
            self._rows.settle(tree.indexes)

    def _publish(self, head: LogHead, note: SignedNote | None, published: bytes | None) -> bytes:
        """Publish the checkpoint of a head whose files and rows are written, with cosignatures; return its content.

        `note` is the published checkpoint if it is that of the head. Raises `Outdated` if another run has published.
        """
        signed_note = note or SignedNote.parse(head.checkpoint.encode())
        cosigned = self._cosigner.cosigned(signed_note, TileReader(head.size, self._read))
        content = str(cosigned if cosigned.text == signed_note.text else signed_note).encode()
        if content != published:
            self._files.publish(content, published)
        if note is None:
            self._files.discard_staging(staged_size(head.staging))
        return content

    def _read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        return self._files.read(paths)


def _checkpoint_of(note: bytes) -> Checkpoint:
    """Return the checkpoint of a note of this log's own, unverified."""
    return read_checkpoint(note)[0]
