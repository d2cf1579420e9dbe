"""Merkle trees, against the definitions of RFC 6962 written down as recursions."""

from collections.abc import Mapping, Sequence

import pytest

from coolid.log.malformed_data import FailedProof
from coolid.log.merkle_tree import EMPTY_ROOT, check_consistency, check_inclusion, leaf_hash, node_hash, root_of
from coolid.log.tiles import WIDTH, TileReader, TreeEdge

LEAVES = [leaf_hash(b"%d" % number) for number in range(600)]
SIZES = [0, 1, 2, 3, 5, 7, 8, 255, 256, 257, 511, 512, 513, 600]


def split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """MTH of section 2.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY_ROOT
    k = split(len(leaves))
    return node_hash(tree_hash(leaves[:k]), tree_hash(leaves[k:]))


def path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of section 2.1.1."""
    if len(leaves) < 2:
        return []
    k = split(len(leaves))
    return [*path(m, leaves[:k]), tree_hash(leaves[k:])] if m < k else [*path(m - k, leaves[k:]), tree_hash(leaves[:k])]


def subproof(m: int, leaves: Sequence[bytes], is_whole: bool) -> list[bytes]:
    """SUBPROOF of section 2.1.2."""
    if m == len(leaves):
        return [] if is_whole else [tree_hash(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], is_whole), tree_hash(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), tree_hash(leaves[:k])]


def tree(size: int) -> tuple[TreeEdge, dict[str, bytes]]:
    """The edge and the files of a tree that grew in uneven steps."""
    edge, files, step = TreeEdge(), dict[str, bytes](), 1
    while edge.size < size:
        edge, tiles = edge.extended(LEAVES[edge.size : min(size, edge.size + step)])
        files |= {tile.path: content for tile, content in tiles.items()}
        step = step * 3 + 1
    return edge, files


def reader_of(files: Mapping[str, bytes], size: int) -> TileReader:
    return TileReader(size, lambda paths: {path: files[path] for path in paths if path in files})


@pytest.mark.parametrize("size", SIZES)
def test_roots_and_proofs_from_tiles_follow_the_definitions(size: int) -> None:
    edge, files = tree(size)
    root = tree_hash(LEAVES[:size])
    assert edge.root() == root_of(LEAVES[:size]) == root
    reader = reader_of(files, size)
    assert reader.root() == root
    assert TreeEdge.read(size, lambda paths: {each: files[each] for each in paths}) == edge
    for index in {0, 1, 2, size // 2, size - 2, size - 1, WIDTH - 1, WIDTH} & set(range(size)):
        proof = reader.inclusion_proof(index)
        assert proof == path(index, LEAVES[:size])
        check_inclusion(LEAVES[index], index, size, proof, root)
        with pytest.raises(FailedProof):
            check_inclusion(LEAVES[(index + 1) % 600], index, size, proof, root)
    for old in (each for each in SIZES if each <= size):
        proof = reader.consistency_proof(old)
        assert proof == (subproof(old, LEAVES[:size], True) if old else [])
        check_consistency(old, tree_hash(LEAVES[:old]), size, root, proof)
        if old > 0:
            with pytest.raises(FailedProof):
                check_consistency(old, LEAVES[-1], size, root, proof)
