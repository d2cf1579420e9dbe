"""The files of a log of any size, made when they are read. Its entries repeat, so nothing else is stored."""

from collections.abc import Mapping, Sequence
from functools import cache

from coolid.log.merkle_tree import EMPTY_ROOT, leaf_hash, node_hash, perfect_root
from coolid.log.tiles import HEIGHT, WIDTH, TileReader, tile_of_path, width_in

LEAVES = [leaf_hash(b"%d" % number) for number in range(WIDTH)]
"""The hashes of the leaves; the leaf `index` has that of `index % 256`."""


class SimulatedLog:
    """The files of a log of any size in which every 256 entries repeat, so that all full tiles of a level are equal.

    `requests` and `batches` count the files read, and how often several were read together.
    """

    def __init__(self, size: int, without_partial_tiles: bool = False) -> None:
        self.size = size
        self.requests = self.batches = 0
        self._without_partial_tiles = without_partial_tiles

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return those of the files that the log serves."""
        self.batches += 1
        self.requests += len(paths)
        return {path: content for path in paths if (content := self._content(path)) is not None}

    def reader(self) -> TileReader:
        """Return a reader of a verifier."""
        return TileReader(self.size, self.read)

    def _content(self, path: str) -> bytes | None:
        tile = tile_of_path(path)
        assert tile is not None
        assert tile.level is not None
        width = width_in(self.size, tile.level, tile.index)
        assert tile.width in (width, WIDTH), f"no client may request {path}"
        if tile.width < WIDTH and self._without_partial_tiles:
            return None
        return b"".join(_full_tile(tile.level)[: tile.width])


@cache
def _full_tile(level: int) -> list[bytes]:
    return LEAVES if level == 0 else [perfect_root(_full_tile(level - 1))] * WIDTH


def simulated_root(size: int) -> bytes:
    """Return the root of the simulated log, without tiles."""
    return _root(0, size)


def _root(start: int, end: int) -> bytes:
    if end - start == 1:
        return LEAVES[start % WIDTH]
    if end - start == 0:
        return EMPTY_ROOT
    count = end - start
    level = count.bit_length() - 1
    if count == 1 << level and level >= HEIGHT:
        hashed = perfect_root(LEAVES)
        for _ in range(level - HEIGHT):
            hashed = node_hash(hashed, hashed)
        return hashed
    half = 1 << ((count - 1).bit_length() - 1)
    return node_hash(_root(start, start + half), _root(start + half, end))
