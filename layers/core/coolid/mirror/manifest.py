"""The manifest of a mirror: a note, signed by its maker, about the digests of all files and the log's checkpoint.

The lists of digests have the format of `sha256sum`: `_mirror/SHA256SUMS` for all files but those of identifiers, and
one in each folder of `_mirror/records`, whose own digest is in the first list. So any program can check the files, and
an update changes few lists. The text of the note (C2SP signed-note) has these lines:

    coolid-mirror/1
    service https://id.example.org
    files 61234
    sha256 b1946ac9...
    checkpoint id.example.org/log 1234 2HQUJfN4...=

The `sha256` is that of `_mirror/SHA256SUMS`. A mirror that was made without a log has `checkpoint none`.
"""

import re
from base64 import b64encode
from typing import Final

from msgspec import Struct

from coolid.log.checkpoints import Checkpoint
from coolid.log.malformed_data import MalformedData
from coolid.log.signed_notes import ED25519, SignedNote, VerifierKey, signed
from coolid.mirror.layout import MANIFEST, sums_file
from coolid.mirror.writer import MirrorWriter
from coolid.ports import NoteSigner

FORMAT: Final = "coolid-mirror/1"
_TEXT: Final = re.compile(
    rf"{re.escape(FORMAT)}\nservice (?P<service>\S+)\nfiles (?P<files>[0-9]+)\nsha256 (?P<digest>[0-9a-f]{{64}})\n"
    r"checkpoint (?P<checkpoint>.+)\n"
)


class Manifest(Struct, frozen=True):
    """What a manifest says: the `service`, the number of `files`, the digest of their list, and the checkpoint.

    `checkpoint` has the log's origin, size and root in base64, between spaces, or is `none`.
    """

    service: str
    files: int
    digest: str
    checkpoint: str

    @property
    def text(self) -> str:
        """The text of the note."""
        return (
            f"{FORMAT}\nservice {self.service}\nfiles {self.files}\nsha256 {self.digest}\n"
            f"checkpoint {self.checkpoint}\n"
        )

    @classmethod
    def parse(cls, octets: bytes) -> tuple["Manifest", SignedNote]:
        """Return the manifest in a note, whose signature is not verified, and the note. Raises `MalformedData`."""
        note = SignedNote.parse(octets)
        found = _TEXT.fullmatch(note.text)
        if found is None:
            raise MalformedData(f"the manifest does not have the format {FORMAT}")
        return cls(found["service"], int(found["files"]), found["digest"], found["checkpoint"]), note


def checkpoint_line(checkpoint: Checkpoint | None) -> str:
    """Return the member `checkpoint` of a manifest."""
    if checkpoint is None:
        return "none"
    return f"{checkpoint.origin} {checkpoint.size} {b64encode(checkpoint.root).decode()}"


def key_name(service: str) -> str:
    """Return the name of the key that signs the manifest of a service's mirror.

    >>> key_name("https://id.example.org")
    'id.example.org/mirror'
    """
    return f"{service.partition('://')[2]}/mirror"


def verifier_key(signer: NoteSigner, service: str) -> VerifierKey:
    """Return the verifier key of the maker of a mirror."""
    return VerifierKey(key_name(service), ED25519, signer.public_key())


def write_manifest(writer: MirrorWriter, service: str, checkpoint: Checkpoint | None, signer: NoteSigner) -> None:
    """Write the lists of files, and then the manifest."""
    inventory = writer.inventory
    for shard in inventory.file_shards():
        writer.write(sums_file(shard), b"".join(inventory.sums(shard)))
    files = inventory.file_count()
    digest = writer.write_pieces(sums_file(""), inventory.sums(""), is_listed=False)
    manifest = Manifest(service, files, digest, checkpoint_line(checkpoint))
    note = signed(manifest.text, verifier_key(signer, service), signer.sign)
    writer.write_pieces(MANIFEST, [str(note).encode()], is_listed=False)
