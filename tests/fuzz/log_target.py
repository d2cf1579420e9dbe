"""Fuzzing of the files of transparency logs: a changed one is malformed, or proves nothing, or says the same.

A value has the lines of a policy, a signed checkpoint and a proof of an entry, and paths of tiles.
"""

import json
from typing import Any

from coolid.log.checkpoints import Checkpoint
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash, node_hash
from coolid.log.policies import Policy
from coolid.log.signed_notes import COSIGNATURE, SignedNote
from coolid.log.submissions import Submission
from coolid.log.tiles import tile_of_path
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.system import System

LOG, WITNESS = NoteKey("id.example.org/log"), NoteKey("witness.example")
ENTRIES = [b"eyJhbGciOiJFUzI1NiJ9.e30.first", b"eyJhbGciOiJFUzI1NiJ9.e30.second"]
_HASHES = [leaf_hash(entry) for entry in ENTRIES]
TREE = Checkpoint(LOG.name, len(ENTRIES), node_hash(*_HASHES))
NOTE = WITNESS.cosigned(LOG.signed(TREE), 1_800_000_000)
POLICY = Policy.parse(f"log {LOG.verifier()}\nwitness w {WITNESS.verifier(COSIGNATURE)} https://w.example/\nquorum w\n")
EXAMPLE = {
    "policy": str(POLICY).split("\n"),
    "note": str(NOTE).split("\n"),
    "proof": InclusionProof(1, (_HASHES[0],), str(NOTE).encode()).to_bytes().decode().split("\n"),
    "submission": Submission(1, (_HASHES[1],), NOTE).to_bytes().decode().split("\n"),
    "paths": ["checkpoint", "tile/0/000", "tile/0/x001/x234/067.p/17", "tile/entries/003.p/255"],
}


def check_log_files(value: Any, _: System) -> None:
    """Parse and verify everything with the genuine keys."""
    if not isinstance(value, dict):
        return
    for name, parse in (("policy", Policy.parse), ("note", SignedNote.parse), ("submission", Submission.parse)):
        octets = _octets(value.get(name))
        try:
            parsed: Any = parse(octets)
        except MalformedData:
            continue
        written = str(parsed).encode("utf-8", "surrogateescape") if name != "submission" else parsed.to_bytes()
        assert written == octets or name == "policy"
    _check_verification(_octets(value.get("note")), _octets(value.get("proof")))
    paths = value.get("paths")
    for path in paths if isinstance(paths, list) else ():
        tile = tile_of_path(str(path))
        assert tile is None or tile.path == path


def _check_verification(note: bytes, proof: bytes) -> None:
    """Nothing but the genuine text and entry verifies."""
    try:
        assert POLICY.verified_checkpoint(note)[0] == TREE
    except (FailedProof, MalformedData):
        assert note != str(NOTE).encode()
    try:
        assert InclusionProof.parse(proof).verify(ENTRIES[1], LOG.verifier()) == TREE
        assert InclusionProof.parse(proof).index == 1
    except (FailedProof, MalformedData):
        assert proof != "\n".join(EXAMPLE["proof"]).encode()


def _octets(lines: Any) -> bytes:
    """Return lines as text; whatever is no text is written as JSON."""
    if not isinstance(lines, list):
        return json.dumps(lines).encode()
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return "\n".join(texts).encode("utf-8", "surrogatepass")
