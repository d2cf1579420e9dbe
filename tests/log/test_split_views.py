"""Split views: what proves that a log signed two histories, and what does not."""

import pytest

from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import root_of
from coolid.log.split_views import SignedTree, SplitView, split_view
from coolid.strict_json import dump, load
from tests.support.builders.signed_logs import SignedLog
from tests.support.fixtures.note_keys import NoteKey

LOG = SignedLog()
FORK = SignedLog(fork_at=5)


def tree(log: SignedLog, size: int) -> SignedTree:
    return SignedTree.read(log.note(size), LOG.key.verifier())


def test_two_trees_of_one_size_contradict_each_other() -> None:
    found = split_view(tree(LOG, 6), tree(FORK, 6))
    assert found is not None
    assert SplitView.read(load(dump(found.to_document()).encode()), LOG.key.verifier()) == found


@pytest.mark.parametrize("size", range(1, 40))
def test_a_proof_of_the_larger_tree_shows_the_fork_unless_the_smaller_tree_is_complete(size: int) -> None:
    found = split_view(tree(LOG, size), tree(FORK, 40), FORK.proof(size, 40))
    if size <= 5 or size & (size - 1) == 0:
        assert found is None
    else:
        assert found is not None
        assert found.root == FORK.checkpoint(size).root
        assert SplitView.read(found.to_document(), LOG.key.verifier()) == found


@pytest.mark.parametrize("size", [8, 16, 32])
def test_a_reader_of_the_tree_can_show_each_fork(size: int) -> None:
    found = SplitView(tree(LOG, size), tree(FORK, 40), root_of(FORK.leaves[:size]), (*FORK.proof(size, 40),))
    assert SplitView.read(found.to_document(), LOG.key.verifier()) == found


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 7), (6, 6), (6, 33), (8, 9)])
def test_an_honest_log_cannot_be_accused(first: int, second: int) -> None:
    for proof in (LOG.proof(first, second) if first else [], FORK.proof(first, second) if first else [], [b"x" * 32]):
        assert split_view(tree(LOG, first), tree(LOG, second), proof) is None


def test_evidence_counts_only_with_signatures_of_the_log() -> None:
    found = split_view(tree(LOG, 6), tree(FORK, 6))
    assert found is not None
    with pytest.raises(FailedProof):
        SplitView.read(found.to_document(), NoteKey(LOG.origin, seed=2).verifier())
    with pytest.raises(FailedProof):
        SplitView.read(found.to_document(), NoteKey("other.example/log").verifier())
    with pytest.raises(FailedProof):
        SplitView.read(found.to_document() | {"checkpoints": [LOG.note(6), LOG.note(6)]}, LOG.key.verifier())
    for member in ("checkpoints", "root", "hashes"):
        with pytest.raises(MalformedData):
            SplitView.read(found.to_document() | {member: "x"}, LOG.key.verifier())
