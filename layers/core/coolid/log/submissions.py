"""Requests for a cosignature: an old size, a consistency proof from it, and a checkpoint (C2SP tlog-witness).

>>> note = "example.com/log\\n1\\nKgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\\n\\n— example.com/log AAAAAAAA\\n"
>>> body = f"old 0\\n\\n{note}".encode()
>>> submission = Submission.parse(body)
>>> submission.old_size, submission.origin, submission.to_bytes() == body
(0, 'example.com/log', True)
"""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Final

from msgspec import Struct

from coolid.log.checkpoints import MAX_SIZE
from coolid.log.malformed_data import MalformedData
from coolid.log.merkle_tree import HASH_BYTES, MAX_PROOF_HASHES
from coolid.log.signed_notes import SignedNote, from_base64

ADD_CHECKPOINT: Final = "/add-checkpoint"
SIZE_TYPE: Final = "text/x.tlog.size"
"""The media type of the size with which a witness answers another old size than its own."""
MAX_BODY_BYTES: Final = 131_072
"""The largest request that a witness accepts: 16 signatures of 5 kB (signed-note) take less."""
_OLD_SIZE: Final = re.compile("old (0|[1-9][0-9]{0,18})")


def origin_hash(origin: str) -> str:
    """Return the digest of a log's origin, which is in the URL of its checkpoint ("Monitor Retrieval Mechanism")."""
    return sha256(origin.encode()).hexdigest()


class Submission(Struct, frozen=True):
    """A signed checkpoint, and the proof that its tree begins with the first `old_size` entries that were cosigned."""

    old_size: int
    proof: tuple[bytes, ...]
    note: SignedNote

    @property
    def origin(self) -> str:
        """The origin of the checkpoint's log."""
        return self.note.text.split("\n", 1)[0]

    def to_bytes(self) -> bytes:
        """Return the body of the request."""
        lines = [f"old {self.old_size}", *(b64encode(each).decode() for each in self.proof), "", str(self.note)]
        return "\n".join(lines).encode()

    @classmethod
    def parse(cls, body: bytes) -> "Submission":
        """Return the submission in a body. The checkpoint is neither parsed nor verified. Raises `MalformedData`."""
        head, blank, note = body.partition(b"\n\n")
        try:
            first, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError as error:
            raise MalformedData("the lines before the checkpoint have characters outside ASCII") from error
        found = _OLD_SIZE.fullmatch(first)
        if found is None or not blank or int(found[1]) > MAX_SIZE:
            raise MalformedData("the first line must be the old size, such as: old 20852014")
        if len(lines) > MAX_PROOF_HASHES:
            raise MalformedData(f"the consistency proof has more than {MAX_PROOF_HASHES} lines")
        proof = tuple(from_base64(line, "a hash of the consistency proof", HASH_BYTES) for line in lines)
        return cls(int(found[1]), proof, SignedNote.parse(note))
