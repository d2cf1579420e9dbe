"""Checkpoints, the signed sizes and roots of a log (C2SP tlog-checkpoint), and their cosignatures by witnesses.

>>> print(Checkpoint("example.com/log", 0, EMPTY_ROOT).text, end="")
example.com/log
0
47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
"""

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import EMPTY_ROOT, HASH_BYTES
from coolid.log.signed_notes import (
    COSIGNATURE,
    NoteSignature,
    SignedNote,
    VerifierKey,
    from_base64,
    is_signature,
    verify,
)
from coolid.proofs.verdicts import quoted

MAX_SIZE: Final = 2**63 - 1
_TIME_BYTES: Final = 8
_SIZE: Final = re.compile("0|[1-9][0-9]{0,18}")


class WrongEmptyRoot(MalformedData):
    """A checkpoint of size 0 has another root than the empty tree."""


class Checkpoint(Struct, frozen=True):
    """The `size` and `root` of the tree of the log `origin`; `extensions` are further lines."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the note."""
        return "".join(
            f"{line}\n" for line in (self.origin, self.size, b64encode(self.root).decode(), *self.extensions)
        )

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Return the checkpoint in the text of a note. Raises `MalformedData`, such as `WrongEmptyRoot`."""
        *lines, end = text.split("\n")
        if len(lines) < len(("origin", "size", "root")) or end or not all(lines):
            raise MalformedData("a checkpoint has at least three lines, none of them empty: origin, size and root")
        origin, size, root, *extensions = lines
        if not _SIZE.fullmatch(size) or int(size) > MAX_SIZE:
            raise MalformedData("the checkpoint's size is not a number without leading zeroes")
        decoded = from_base64(root, "the checkpoint's root", HASH_BYTES)
        if size == "0" and decoded != EMPTY_ROOT:
            raise WrongEmptyRoot("the checkpoint of an empty tree has another root than an empty tree")
        return cls(origin, int(size), decoded, tuple(extensions))


def read_checkpoint(octets: bytes) -> tuple[Checkpoint, SignedNote]:
    """Return the checkpoint of a note, unverified, and the note. Raises `MalformedData`."""
    note = SignedNote.parse(octets)
    return Checkpoint.parse(note.text), note


def verified_checkpoint(octets: bytes, key: VerifierKey) -> tuple[Checkpoint, SignedNote]:
    """Return the checkpoint that this key of its log signed. Raises `MalformedData` or `FailedProof`."""
    checkpoint, note = read_checkpoint(octets)
    if checkpoint.origin != key.name:
        raise FailedProof(f"the checkpoint is of the log {quoted(checkpoint.origin)}, not of {key.name}")
    verify(note, key)
    return checkpoint, note


def cosign(text: str, key: VerifierKey, time: int, sign: Callable[[bytes], bytes]) -> NoteSignature:
    """Return a witness's cosignature of a checkpoint's text at a POSIX time, by a key of type `COSIGNATURE`."""
    signature = sign(_cosigned_message(text, time))
    return NoteSignature(key.name, key.key_id, time.to_bytes(_TIME_BYTES) + signature)


def cosigned_at(note: SignedNote, key: VerifierKey) -> int | None:
    """Return the latest POSIX time of a valid cosignature of this witness, or None. Raises `FailedProof` if invalid."""
    times = []
    for signature in note.signatures:
        if key.kind != COSIGNATURE or not key.made(signature):
            continue
        time = int.from_bytes(signature.signature[:_TIME_BYTES])
        message = _cosigned_message(note.text, time)
        if time > MAX_SIZE or not is_signature(message, signature.signature[_TIME_BYTES:], key.public_key):
            raise FailedProof(f"the cosignature of {key.name} is invalid")
        times.append(time)
    return max(times, default=None)


def _cosigned_message(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()
