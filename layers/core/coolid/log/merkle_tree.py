"""Merkle trees and their proofs (RFC 6962, section 2.1), with SHA-256.

A complete subtree of 2^level leaves is a node `(level, index)`: it begins at leaf `index * 2^level`. A proof is first a
plan, the nodes from which each of its hashes is computed. So a caller can read the hashes of all nodes at once.

>>> leaves = [leaf_hash(text) for text in (b"a", b"b", b"c")]
>>> [len(plan) for plan in inclusion_plan(2, 3)]
[1]
>>> root = root_of(leaves)
>>> root == node_hash(node_hash(leaves[0], leaves[1]), leaves[2])
True
>>> check_inclusion(leaves[2], 2, 3, [node_hash(leaves[0], leaves[1])], root)
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from hashlib import sha256
from typing import Final

from coolid.log.malformed_data import FailedProof

HASH_BYTES: Final = 32
MAX_PROOF_HASHES: Final = 63
EMPTY_ROOT: Final = sha256(b"").digest()

Node = tuple[int, int]
Plan = Sequence[Node]
"""The nodes, from the left, whose hashes together give one hash."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf with this entry."""
    return sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with these children."""
    return sha256(b"\1" + left + right).digest()


def joined(hashes: Sequence[bytes]) -> bytes:
    """Return the hash of a range of leaves from the hashes of the nodes of its plan; at least one."""
    return reduce(lambda right, left: node_hash(left, right), reversed(hashes))


def perfect_root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a complete tree; the number of hashes is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a tree from the hashes of all its leaves."""
    if not leaves:
        return EMPTY_ROOT
    nodes = range_plan(0, len(leaves))
    return joined([perfect_root(leaves[index << level : (index + 1) << level]) for level, index in nodes])


def range_plan(start: int, end: int) -> Plan:
    """Return the nodes of the leaves from `start` to `end`, where a subtree of a tree begins at `start`.

    >>> range_plan(0, 7), range_plan(4, 7)
    ([(2, 0), (1, 2), (0, 6)], [(1, 2), (0, 6)])
    """
    nodes = []
    while start < end:
        level = (end - start).bit_length() - 1
        nodes.append((level, start >> level))
        start += 1 << level
    return nodes


def inclusion_plan(index: int, size: int) -> Sequence[Plan]:
    """Return the plans of an inclusion proof, from the leaf to the root. Raises `ValueError` without such a leaf."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    return [range_plan(*other) for other in _siblings(index, 0, size)][::-1]


def _siblings(index: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges beside the path to a leaf, from the root."""
    while end - start > 1:
        middle = start + _left_size(end - start)
        if index < middle:
            yield middle, end
            end = middle
        else:
            yield start, middle
            start = middle


def consistency_plan(old: int, new: int) -> Sequence[Plan]:
    """Return the plans of a consistency proof (section 2.1.2). Raises `ValueError` unless 0 < old <= new."""
    if not 0 < old <= new:
        raise ValueError(f"there is no consistency proof from {old} to {new} leaves")
    plans = []
    start, end, is_whole = 0, new, True
    while old != end:
        middle = start + _left_size(end - start)
        if old <= middle:
            plans.append(range_plan(middle, end))
            end = middle
        else:
            plans.append(range_plan(start, middle))
            start, is_whole = middle, False
    if not is_whole:
        plans.append(range_plan(start, end))
    return plans[::-1]


def _left_size(size: int) -> int:
    """Return the greatest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def hashes_of(plans: Sequence[Plan], hash_of: Callable[[Node], bytes]) -> list[bytes]:
    """Return the hashes of a proof from the hashes of nodes."""
    return [joined([hash_of(node) for node in plan]) for plan in plans]


def check_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise `FailedProof` unless the leaf of this hash is at `index` in the tree (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        raise FailedProof(f"a tree of {size} entries has no entry {index}")
    sides = list(_siblings(index, 0, size))[::-1]
    if len(sides) != len(proof):
        raise FailedProof(f"the inclusion proof has {len(proof)} hashes; entry {index} of {size} needs {len(sides)}")
    computed = leaf
    for (start, _), sibling in zip(sides, proof, strict=True):
        computed = node_hash(sibling, computed) if start <= index else node_hash(computed, sibling)
    if computed != root:
        raise FailedProof(f"the inclusion proof of entry {index} does not lead to the root of the {size} entries")


def check_consistency(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Raise `FailedProof` unless the smaller tree begins the larger one (RFC 9162, section 2.1.4.2)."""
    if not 0 <= old <= new:
        raise FailedProof(f"a tree of {new} entries cannot continue one of {old}")
    if old in (0, new):
        if proof:
            raise FailedProof("the consistency proof must be empty")
        if old_root != (new_root if old == new else EMPTY_ROOT):
            raise FailedProof(f"there are two different trees of {old} entries")
        return
    computed_old, computed_new = computed_roots(old, old_root, new, proof)
    if computed_old != old_root:
        raise FailedProof("the consistency proof does not lead to the root of the smaller tree")
    if computed_new != new_root:
        raise FailedProof("the consistency proof does not lead to the root of the larger tree")


def computed_roots(old: int, old_root: bytes, new: int, proof: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Return the roots of both trees that a consistency proof leads to, for 0 < old < new.

    The proof contains no hash of a smaller tree that is complete, so `old_root` is used then. Raises `FailedProof` if
    there are more or fewer hashes.
    """
    sides = _consistency_sides(old, new)
    is_complete = old & (old - 1) == 0
    needed = len(sides) + (not is_complete)
    if len(proof) != needed:
        raise FailedProof(f"the consistency proof has {len(proof)} hashes; {old} to {new} need {needed}")
    hashes = [old_root, *proof] if is_complete else proof
    computed_old = computed_new = hashes[0]
    for is_of_both, part in zip(sides, hashes[1:], strict=True):
        if is_of_both:
            computed_old, computed_new = node_hash(part, computed_old), node_hash(part, computed_new)
        else:
            computed_new = node_hash(computed_new, part)
    return computed_old, computed_new


def _consistency_sides(old: int, new: int) -> list[bool]:
    """Return whether each hash after the first is of both trees, or only of the larger one."""
    sides = []
    start, end = 0, new
    while old != end:
        middle = start + _left_size(end - start)
        sides.append(old > middle)
        if old <= middle:
            end = middle
        else:
            start = middle
    return sides[::-1]
