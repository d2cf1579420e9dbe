"""The transparency log: growing its tree, proofs from its tiles, and their verification; beside the floors.

The files are in memory, so no request is in these times. A verifier's requests are counted in a simulated log.
"""

from itertools import count
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from coolid.log.checkpoints import Checkpoint
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import ED25519, VerifierKey, signed
from coolid.log.tiles import TileReader
from coolid.log.tree_edge import TreeEdge
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.results import Figure, at_most, figure
from tests.support.builders.simulated_log import SimulatedLog

ENTRIES = 100_003
ADDED = 256
VERIFY = "transparency log: verify an inclusion proof and its checkpoint"
FLOORS = {"transparency log: verify, floor, Ed25519 and a hash": VERIFY}
LARGE = 10**8


def figures(scratch: Path, effort: Effort) -> list[Figure]:  # noqa: ARG001 - the files are in memory
    """Measure."""
    taken = measured(_cases(), effort.rounds())
    figures = [figure(name, "µs", samples) for name, samples in taken.items()]
    return [each.beside(FLOORS[each.name]) if each.name in FLOORS else each for each in figures] + [_requests()]


def _cases() -> list[Case]:
    entries = [b"%0450d" % number for number in range(ENTRIES)]
    edge, tiles = TreeEdge().extended(map(leaf_hash, entries))
    files = {tile.path: content for tile, content in tiles.items()}
    private = Ed25519PrivateKey.generate()
    public = private.public_key()
    key = VerifierKey("id.example.org/log", ED25519, public.public_bytes_raw())
    text = Checkpoint(key.name, edge.size, edge.root()).text
    note = signed(text, key, private.sign)
    warm, at = TileReader(ENTRIES, lambda paths: {path: files[path] for path in paths}), count()
    proof = InclusionProof(7, tuple(warm.inclusion_proof(7)), str(note).encode()).to_bytes()
    added, signature = [leaf_hash(entry) for entry in entries[:ADDED]], private.sign(text.encode())

    def add() -> bytes:
        grown, _ = edge.extended(added)
        return grown.root()

    def prove() -> object:
        reader = TileReader(ENTRIES, lambda paths: {path: files[path] for path in paths})
        return reader.inclusion_proof(next(at) % ENTRIES)

    def floor() -> None:
        public.verify(signature, text.encode())
        leaf_hash(entries[7])

    return [
        Case("transparency log: add an entry, of 256 at once", add, ADDED),
        Case("transparency log: sign a checkpoint", lambda: signed(text, key, private.sign)),
        Case("transparency log: prove an entry", prove),
        Case("transparency log: prove an entry, tiles cached", lambda: warm.inclusion_proof(next(at) % ENTRIES)),
        Case(VERIFY, lambda: InclusionProof.parse(proof).verify(entries[7], key)),
        *(Case(name, floor) for name in FLOORS),
    ]


def _requests() -> Figure:
    """Return the number of files for proofs of some entries of a large log, with its checkpoint and the bundle."""
    requests = []
    for index in range(0, LARGE, LARGE // 25 - 1):
        log = SimulatedLog(LARGE)
        log.reader().inclusion_proof(index)
        requests.append(log.requests + 2)
    return figure(f"transparency log: files read for a proof, {LARGE:,} entries", "files", requests).aiming(
        at_most(20, "files")
    )
