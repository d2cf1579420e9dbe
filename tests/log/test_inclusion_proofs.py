"""Proofs in the form of C2SP tlog-proof: what is written is read, and anything else is refused with a reason."""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.log.checkpoints import Checkpoint
from coolid.log.inclusion_proofs import MAX_PROOF_BYTES, InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash, node_hash
from tests.support.fixtures.note_keys import NoteKey

LOG = NoteKey("example.com/log")
ENTRIES = [b"first", b"second"]
HASHES = [leaf_hash(entry) for entry in ENTRIES]
TREE = Checkpoint(LOG.name, 2, node_hash(*HASHES))
NOTE = str(LOG.signed(TREE))
PROOF = InclusionProof(1, (HASHES[0],), NOTE.encode())
FIRST_HASH = b64encode(HASHES[0]).decode()


def test_a_proof_has_the_form_of_the_specification() -> None:
    text = f"c2sp.org/tlog-proof@v1\nindex 1\n{FIRST_HASH}\n\n{NOTE}"
    assert PROOF.to_bytes().decode() == text
    assert InclusionProof.parse(text.encode()) == PROOF
    extra = InclusionProof(1, (HASHES[0],), NOTE.encode(), b"more")
    assert extra.to_bytes().decode() == text.replace("@v1\n", "@v1\nextra bW9yZQ==\n")
    assert InclusionProof.parse(extra.to_bytes()) == extra
    alone = InclusionProof(0, (), NOTE.encode())
    assert alone.to_bytes().decode() == f"c2sp.org/tlog-proof@v1\nindex 0\n\n{NOTE}"
    assert InclusionProof.parse(alone.to_bytes()) == alone


def test_a_proof_is_of_one_entry_in_a_tree_that_the_log_signed() -> None:
    assert PROOF.verify(ENTRIES[1], LOG.verifier()) == TREE
    with pytest.raises(FailedProof, match="does not lead to the root"):
        PROOF.verify(ENTRIES[0], LOG.verifier())
    with pytest.raises(FailedProof, match="does not lead to the root"):
        InclusionProof(0, PROOF.hashes, PROOF.checkpoint).verify(ENTRIES[1], LOG.verifier())
    with pytest.raises(FailedProof, match="of the log"):
        PROOF.verify(ENTRIES[1], NoteKey("example.com/other").verifier())
    with pytest.raises(FailedProof, match="no signature"):
        PROOF.verify(ENTRIES[1], NoteKey(LOG.name, "another key").verifier())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not begin with"),
        ("wrong-header\nindex 0\n\ncheckpoint\n", "does not begin with"),
        ("c2sp.org/tlog-proof@v2\nindex 0\n\ncheckpoint\n", "does not begin with"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n", "has no checkpoint"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n\n", "has no checkpoint"),
        ("c2sp.org/tlog-proof@v1\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nHASH\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex \n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex one\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex 05\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex 1 \n\ncheckpoint\n", "has no index"),
        (f"c2sp.org/tlog-proof@v1\nindex {'9' * 5_000}\n\ncheckpoint\n", "has no index"),
        ("c2sp.org/tlog-proof@v1\nindex ٥\n\ncheckpoint\n", "outside ASCII"),
        ("c2sp.org/tlog-proof@v1\nextra !!\nindex 0\n\ncheckpoint\n", "extra data is not base64"),
        ("c2sp.org/tlog-proof@v1\nindex 0\nextra AAAA\n\ncheckpoint\n", "a hash of the proof"),
        ("c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\ncheckpoint\n", "3 bytes; it must have 32"),
        ("c2sp.org/tlog-proof@v1\nindex 0\nHASH \n\ncheckpoint\n", "not base64"),
        ("c2sp.org/tlog-proof@v1\r\nindex 0\r\n\ncheckpoint\n", "does not begin with"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n" + "HASH\n" * 64 + "\ncheckpoint\n", "more than 63 hashes"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n\n" + "c" * MAX_PROOF_BYTES, "more than 2000000 bytes"),
    ],
)
def test_a_malformed_proof_is_refused_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(MalformedData, match=problem):
        InclusionProof.parse(text.replace("HASH", FIRST_HASH).encode())


def test_a_malformed_checkpoint_in_a_proof_is_refused() -> None:
    for checkpoint in (b"checkpoint\n", NOTE.encode()[:-1], NOTE.replace("\n2\n", "\n02\n").encode()):
        with pytest.raises(MalformedData):
            InclusionProof(1, PROOF.hashes, checkpoint).verify(ENTRIES[1], LOG.verifier())


@given(st.binary() | st.lists(st.sampled_from(PROOF.to_bytes().splitlines(keepends=True))).map(b"".join))
def test_any_octets_are_a_proof_or_malformed(octets: bytes) -> None:
    try:
        proof = InclusionProof.parse(octets)
    except MalformedData:
        return
    assert proof.to_bytes() == octets
