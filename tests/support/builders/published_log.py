"""A transparency log as its readers see it: entries with their indexes, tiles, bundles and a signed checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from coolid.log.checkpoints import Checkpoint, cosign
from coolid.log.entries import origin_of
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import COSIGNATURE, ED25519, VerifierKey, signed
from coolid.log.tiles import CHECKPOINT, WIDTH, TreeEdge, bundle_of, bundle_path
from coolid.store.log import LogAccess
from tests.support.builders.samples import BASE_URL
from tests.support.stores.memory_log import MemoryLogFiles

WITNESS = Ed25519PrivateKey.from_private_bytes(b"w" * 32)
WITNESS_KEY = VerifierKey("witness.example/w", COSIGNATURE, WITNESS.public_key().public_bytes_raw())
POLICY = f"witness first {WITNESS_KEY} https://witness.example/w\nquorum first\n"


class NoteKey:
    """The private key of a log, from 32 bytes."""

    def __init__(self, seed: bytes = b"k" * 32) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    def public_key(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


@dataclass
class PublishedRows:
    """The rows of a log that only readers use."""

    known: dict[str, int | None] = field(default_factory=dict)

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        return {name: self.known[name] for name in names if name in self.known}

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"readers of a log do not call {name}")


def publish(entries: Mapping[str, bytes], base_url: str = BASE_URL, policy: str = "") -> LogAccess:
    """Return the log with these entries by name, in their order. With a policy, a witness cosigned the checkpoint."""
    signer, rows, files = NoteKey(), PublishedRows(), MemoryLogFiles()
    rows.known = {name: index for index, name in enumerate(entries)}
    leaves = [*entries.values()]
    edge, tiles = TreeEdge().extended(map(leaf_hash, leaves))
    files.write({tile.path: content for tile, content in tiles.items()})
    for start in range(0, len(leaves), WIDTH):
        bundled = leaves[start : start + WIDTH]
        files.write({bundle_path(start // WIDTH, len(bundled)): bundle_of(bundled)})
    origin = origin_of(base_url)
    text = Checkpoint(origin, edge.size, edge.root()).text
    note = str(signed(text, VerifierKey(origin, ED25519, signer.public_key()), signer.sign))
    if policy:
        note += str(cosign(text, WITNESS_KEY, 1_700_000_000, WITNESS.sign))
    files.write({CHECKPOINT: note.encode()})
    return LogAccess(origin, rows, files, signer, policy)
