"""Merkle trees, against the definitions of RFC 6962 written down as recursions."""

from collections.abc import Mapping, Sequence

import pytest

from coolid.log.malformed_data import FailedProof
from coolid.log.merkle_tree import EMPTY_ROOT, check_consistency, check_inclusion, leaf_hash, node_hash, root_of
from coolid.log.tiles import WIDTH, TileReader
from coolid.log.tree_edge import TreeEdge

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


def test_the_published_trees_of_certificate_transparency_have_these_roots() -> None:
    """The tree hashes of `merkletree` in google/certificate-transparency, with the leaves of its tests."""
    leaves = [leaf_hash(bytes.fromhex(each)) for each in ("", "00", "10", "2021", "3031", "40414243")]
    leaves += [leaf_hash(bytes(range(0x50, 0x58))), leaf_hash(bytes(range(0x60, 0x70)))]
    roots = """
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
    6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d
    fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125
    aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77
    d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7
    4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4
    76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef
    ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c
    5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
    """
    assert [root_of(leaves[:size]).hex() for size in range(9)] == roots.split()


@pytest.mark.parametrize(
    ("old", "old_root", "new", "new_root", "proof", "problem"),
    [
        (3, LEAVES[0], 2, LEAVES[1], [], "cannot continue"),
        (-1, LEAVES[0], 2, LEAVES[1], [], "cannot continue"),
        (0, LEAVES[0], 2, LEAVES[1], [], "two different trees of 0 entries"),
        (0, EMPTY_ROOT, 2, LEAVES[1], [LEAVES[0]], "must be empty"),
        (2, LEAVES[0], 2, LEAVES[1], [], "two different trees of 2 entries"),
        (2, LEAVES[0], 2, LEAVES[0], [LEAVES[0]], "must be empty"),
        (1, LEAVES[0], 2, LEAVES[1], [], "has 0 hashes; 1 to 2 need 1"),
        (1, LEAVES[0], 2, LEAVES[1], [LEAVES[1]], "root of the larger tree"),
        (3, LEAVES[0], 4, LEAVES[1], LEAVES[:3], "root of the smaller tree"),
        (2**62 + 1, LEAVES[0], 2**63 - 1, LEAVES[1], LEAVES[:62], "has 62 hashes"),
    ],
)
def test_a_wrong_consistency_proof_is_refused_with_a_reason(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes], problem: str
) -> None:
    with pytest.raises(FailedProof, match=problem):
        check_consistency(old, old_root, new, new_root, proof)


@pytest.mark.parametrize(
    ("index", "size", "proof", "problem"),
    [
        (2, 2, [], "no entry 2"),
        (-1, 2, [], "no entry -1"),
        (0, 0, [], "no entry 0"),
        (0, 2, [], "has 0 hashes; entry 0 of 2 needs 1"),
        (0, 1, [LEAVES[1]], "has 1 hashes; entry 0 of 1 needs 0"),
        (0, 2, [LEAVES[1]], "does not lead to the root"),
    ],
)
def test_a_wrong_inclusion_proof_is_refused_with_a_reason(
    index: int, size: int, proof: Sequence[bytes], problem: str
) -> None:
    with pytest.raises(FailedProof, match=problem):
        check_inclusion(LEAVES[0], index, size, proof, LEAVES[5])
