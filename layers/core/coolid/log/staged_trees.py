"""Staged trees: all that a new head adds to the log, in one file that is written before the head.

With this file, the files and the rows of the head are written again after a crash.

>>> leaves = {"version/r4k2/x5#1": b"eyJ...", "version/r4k2/x5#2": b"eyK..."}
>>> grown = grow(TreeEdge(), (), leaves)
>>> sorted(grown.files), grown.indexes["version/r4k2/x5#2"], StagedTree.decode(grown.encode()) == grown
(['tile/0/000.p/2', 'tile/entries/000.p/2'], 1, True)
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import MsgspecError, Struct, msgpack

from coolid.log.malformed_data import MalformedData
from coolid.log.merkle_tree import leaf_hash
from coolid.log.tiles import WIDTH, ReadFiles, Tile, bundle_of, bundle_path, read_tiles
from coolid.log.tree_edge import TreeEdge


class StagedTree(Struct, frozen=True):
    """The `size` and `root` of a tree, its new `files` by their paths, and the `indexes` of its new entries by name."""

    size: int
    root: bytes
    files: dict[str, bytes]
    indexes: dict[str, int]

    def encode(self) -> bytes:
        """Return the content of the staging file (MessagePack)."""
        return _ENCODER.encode(self)

    @classmethod
    def decode(cls, content: bytes) -> "StagedTree":
        """Return the tree of a staging file. Raises `MalformedData`."""
        try:
            return _DECODER.decode(content)
        except MsgspecError as error:
            raise MalformedData(f"the staging file cannot be read: {error}") from error


_ENCODER: Final = msgpack.Encoder()
_DECODER: Final = msgpack.Decoder(StagedTree)


def read_edge(size: int, root: bytes, read: ReadFiles) -> tuple[TreeEdge, Sequence[bytes]]:
    """Return the right edge of a tree, and the entries of its last, incomplete bundle, from the log's files.

    Raises `MalformedData` if a file is missing, or if the files have another tree.
    """
    edge = TreeEdge.read(size, read)
    if edge.root() != root:
        raise MalformedData(f"the tiles of the tree of {size} entries have another root than its checkpoint")
    if size % WIDTH == 0:
        return edge, ()
    bundle = Tile.of_tree(size, None, size // WIDTH)
    [entries] = read_tiles([bundle], read)
    if tuple(map(leaf_hash, entries)) != edge.hashes[0]:
        raise MalformedData(f"the file {bundle.path} does not have the entries of its tile")
    return edge, entries


def grow(edge: TreeEdge, last_entries: Sequence[bytes], leaves: Mapping[str, bytes]) -> StagedTree:
    """Return the tree with more leaves, given by the names of their entries, and all files that this adds."""
    grown, tiles = edge.extended(map(leaf_hash, leaves.values()))
    files = {tile.path: content for tile, content in tiles.items()}
    if leaves:
        files |= _bundles(edge.size // WIDTH, [*last_entries, *leaves.values()])
    indexes = {name: index for index, name in enumerate(leaves, edge.size)}
    return StagedTree(grown.size, grown.root(), files, indexes)


def _bundles(first: int, entries: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of bundles from an index on."""
    for number, start in enumerate(range(0, len(entries), WIDTH), first):
        bundle = entries[start : start + WIDTH]
        yield bundle_path(number, len(bundle)), bundle_of(bundle)
