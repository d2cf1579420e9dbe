"""Proofs that an entry is in a log, which can be verified without network (C2SP tlog-proof)."""

import re
from base64 import b64encode
from typing import Final

from msgspec import Struct

from coolid.log.checkpoints import Checkpoint, read_checkpoint, verified_checkpoint
from coolid.log.malformed_data import MalformedData
from coolid.log.merkle_tree import HASH_BYTES, MAX_PROOF_HASHES, check_inclusion, leaf_hash
from coolid.log.signed_notes import MAX_NOTE_BYTES, VerifierKey, from_base64
from coolid.log.tiles import TileReader

MEDIA_TYPE: Final = "text/plain; charset=utf-8"
EXTENSION: Final = ".tlog-proof"
MAX_PROOF_BYTES: Final = 2 * MAX_NOTE_BYTES
_HEADER: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = re.compile("index (0|[1-9][0-9]{0,18})")


class InclusionProof(Struct, frozen=True):
    """The `index` of an entry, the hashes from its sibling to the root's child, and the signed `checkpoint`.

    `extra` is data of the application, which nothing authenticates.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None

    @classmethod
    def compute(cls, index: int, tiles: TileReader, checkpoint: bytes) -> "InclusionProof":
        """Return the proof of an entry from the tiles of a checkpoint's tree. Raises the errors of `TileReader`."""
        return cls(index, tuple(tiles.inclusion_proof(index)), checkpoint)

    def to_bytes(self) -> bytes:
        """Return the text of the proof, in UTF-8."""
        extra = [] if self.extra is None else [f"extra {b64encode(self.extra).decode()}"]
        lines = [_HEADER, *extra, f"index {self.index}", *(b64encode(each).decode() for each in self.hashes), "", ""]
        return "\n".join(lines).encode() + self.checkpoint

    @classmethod
    def parse(cls, octets: bytes) -> "InclusionProof":
        """Return the proof of a text. Nothing is verified. Raises `MalformedData`."""
        if len(octets) > MAX_PROOF_BYTES:
            raise MalformedData(f"the proof has more than {MAX_PROOF_BYTES} bytes")
        head, blank, checkpoint = octets.partition(b"\n\n")
        try:
            header, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError as error:
            raise MalformedData("the proof has characters outside ASCII before its checkpoint") from error
        if header != _HEADER or not blank or not checkpoint:
            raise MalformedData(f"the proof does not begin with {_HEADER} or has no checkpoint")
        extra = None
        if lines and lines[0].startswith("extra "):
            extra = from_base64(lines.pop(0).removeprefix("extra "), "the proof's extra data")
        found = _INDEX.fullmatch(lines[0]) if lines else None
        if found is None:
            raise MalformedData("the proof has no index")
        if len(lines) - 1 > MAX_PROOF_HASHES:
            raise MalformedData(f"the proof has more than {MAX_PROOF_HASHES} hashes")
        hashes = tuple(from_base64(line, "a hash of the proof", HASH_BYTES) for line in lines[1:])
        return cls(int(found[1]), hashes, checkpoint, extra)

    def check(self, entry: bytes) -> Checkpoint:
        """Return the checkpoint, whose tree has this entry. The signature of the checkpoint is not verified.

        Raises `MalformedData` or `FailedProof`.
        """
        checkpoint, _ = read_checkpoint(self.checkpoint)
        check_inclusion(leaf_hash(entry), self.index, checkpoint.size, self.hashes, checkpoint.root)
        return checkpoint

    def verify(self, entry: bytes, key: VerifierKey) -> Checkpoint:
        """Return the checkpoint, whose tree has this entry and which the log's key signed.

        Raises `MalformedData` or `FailedProof`.
        """
        verified_checkpoint(self.checkpoint, key)
        return self.check(entry)
