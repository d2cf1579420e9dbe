"""The right edge of a tree: the hashes from which the tree grows, by tiles (C2SP tlog-tiles).

>>> edge, _ = TreeEdge().extended([b"a" * 32, b"b" * 32])
>>> edge.size, [len(hashes) for hashes in edge.hashes]
(2, [2])
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from coolid.log.merkle_tree import EMPTY_ROOT, joined, perfect_root, range_plan
from coolid.log.tiles import HEIGHT, WIDTH, ReadFiles, Tile, read_tiles


class TreeEdge(Struct, frozen=True):
    """The right edge of a tree of `size` leaves: the hashes in the partial tile of each level, from level 0."""

    size: int = 0
    hashes: tuple[tuple[bytes, ...], ...] = ()

    def extended(self, leaves: Iterable[bytes]) -> tuple["TreeEdge", dict[Tile, bytes]]:
        """Return the edge with more leaves, given by their hashes, and the contents of all new tiles.

        These are the tiles that became full, and the partial ones of the new size.
        """
        edge = [list(hashes) for hashes in self.hashes]
        tiles: dict[Tile, bytes] = {}
        size, touched = self.size, 0
        for leaf in leaves:
            size += 1
            level, carried = 0, leaf
            while True:
                if level == len(edge):
                    edge.append([])
                edge[level].append(carried)
                touched = max(touched, level + 1)
                if len(edge[level]) < WIDTH:
                    break
                full, edge[level] = edge[level], []
                tiles[Tile(level, (size >> HEIGHT * (level + 1)) - 1)] = b"".join(full)
                level, carried = level + 1, perfect_root(full)
        for level, hashes in enumerate(edge[:touched]):
            if hashes:
                tiles[Tile(level, size >> HEIGHT * (level + 1), len(hashes))] = b"".join(hashes)
        return TreeEdge(size, tuple(map(tuple, edge))), tiles

    def root(self) -> bytes:
        """Return the root of the tree."""
        parts = [part for hashes in reversed(self.hashes) for part in _subtrees(hashes)]
        return joined(parts) if parts else EMPTY_ROOT

    @staticmethod
    def tiles_of(size: int) -> Iterator[Tile]:
        """Yield the partial tiles of the edge of a tree of this size."""
        level = 0
        while size >> HEIGHT * level:
            count = (size >> HEIGHT * level) % WIDTH
            if count:
                yield Tile(level, size >> HEIGHT * (level + 1), count)
            level += 1

    @classmethod
    def read(cls, size: int, read: ReadFiles) -> "TreeEdge":
        """Return the edge of a tree from its tiles. Raises `MalformedData` if one is missing."""
        tiles = list(cls.tiles_of(size))
        hashes = {tile.level: found for tile, found in zip(tiles, read_tiles(tiles, read), strict=True)}
        return cls(size, tuple(tuple(hashes.get(level, ())) for level in range(-(-size.bit_length() // HEIGHT))))


def _subtrees(hashes: Sequence[bytes]) -> list[bytes]:
    return [perfect_root(hashes[index << level : (index + 1) << level]) for level, index in range_plan(0, len(hashes))]
