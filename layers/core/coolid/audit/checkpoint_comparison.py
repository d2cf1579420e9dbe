"""The comparison of two checkpoints of one log: of the last audit and of now, or of two readers."""

from coolid.log.merkle_tree import check_consistency
from coolid.log.split_views import SignedTree, SplitView
from coolid.log.tiles import ReadFiles, TileReader


def compare(one: SignedTree, other: SignedTree, read: ReadFiles) -> SplitView | None:
    """Return the contradiction between two checkpoints, or None if one continues the other.

    The proof is made from tiles of the larger tree. Raises `MalformedData` or `FailedProof` if these do not lead to its
    root, so that nothing is shown.
    """
    first, second = sorted((one, other), key=lambda each: each.checkpoint.size)
    small, large = first.checkpoint, second.checkpoint
    if small.size == 0:  # a signed root of an empty tree has only one value
        return None
    if small.size == large.size:
        return None if small.root == large.root else SplitView(first, second, large.root)
    tiles = TileReader(large.size, read)
    root, hashes = tiles.root(small.size), tuple(tiles.consistency_proof(small.size))
    check_consistency(small.size, root, large.size, large.root, hashes)
    return None if root == small.root else SplitView(first, second, root, hashes)
