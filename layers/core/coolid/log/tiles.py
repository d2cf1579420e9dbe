"""Tiles: the hashes of a tree in files of 256, and the entries in bundles of 256 (C2SP tlog-tiles).

>>> tile_path(0, 1234067), tile_path(1, 0, 17), bundle_path(4, 3)
('tile/0/x001/x234/067', 'tile/1/000.p/17', 'tile/entries/004.p/3')
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from coolid.log.malformed_data import MalformedData
from coolid.log.merkle_tree import (
    EMPTY_ROOT,
    HASH_BYTES,
    Node,
    Plan,
    consistency_plan,
    hashes_of,
    inclusion_plan,
    node_hash,
    range_plan,
)

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
MAX_ENTRY_BYTES: Final = 65_535
MAX_BUNDLE_BYTES: Final = WIDTH * (2 + MAX_ENTRY_BYTES)
CHECKPOINT: Final = "checkpoint"
ENTRIES: Final = "entries"
_CACHED_TILES: Final = 500
_PATH: Final = re.compile(
    r"tile/(entries|[0-9]|[1-5][0-9]|6[0-3])/((?:x[0-9]{3}/){0,6})([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII
)

ReadFiles = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Returns the contents of those of the named files that exist."""


def cached(read: ReadFiles, limit: int = _CACHED_TILES) -> ReadFiles:
    """Return a function that reads like `read`, and keeps the latest `limit` files."""
    files: OrderedDict[str, bytes] = OrderedDict()

    def read_cached(paths: Sequence[str]) -> Mapping[str, bytes]:
        missing = [path for path in paths if path not in files]
        found = dict(read(missing)) if missing else {}
        found |= {path: files[path] for path in paths if path in files}
        for path, content in found.items():
            files[path] = content
            files.move_to_end(path)
        while len(files) > limit:
            files.popitem(last=False)
        return found

    return read_cached


class Tile(Struct, frozen=True):
    """The place of a tile (`level` 0 to 63) or of a bundle of entries (`level` None); `width` is 1 to 256."""

    level: int | None
    index: int
    width: int = WIDTH

    @classmethod
    def of_tree(cls, size: int, level: int | None, index: int) -> "Tile":
        """Return the tile or bundle with the width that it has in a tree of `size` leaves.

        >>> Tile.of_tree(513, None, 2), Tile.of_tree(513, 1, 0)
        (Tile(level=None, index=2, width=1), Tile(level=1, index=0, width=2))
        """
        return cls(level, index, width_in(size, level or 0, index))

    @property
    def path(self) -> str:
        """The path below the log's URL."""
        level = ENTRIES if self.level is None else str(self.level)
        return f"tile/{level}/{_index_path(self.index)}" + (f".p/{self.width}" if self.width < WIDTH else "")


def tile_path(level: int, index: int, width: int = WIDTH) -> str:
    """Return the path of a tile of hashes."""
    return Tile(level, index, width).path


def bundle_path(index: int, width: int = WIDTH) -> str:
    """Return the path of a bundle of entries."""
    return Tile(None, index, width).path


def tile_of_path(path: str) -> Tile | None:
    """Return the tile with this path, or None if it is the path of none. The inverse of `Tile.path`.

    >>> tile_of_path("tile/0/x001/x234/067")
    Tile(level=0, index=1234067, width=256)
    >>> tile_of_path("tile/0/x000/001"), tile_of_path("tile/0/001.p/256")
    (None, None)
    """
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    level, elements, last, width = found.groups()
    index = int(elements.replace("x", "").replace("/", "") + last)
    tile = Tile(None if level == ENTRIES else int(level), index, int(width or WIDTH))
    return tile if tile.path == path else None


def _index_path(index: int) -> str:
    digits = f"{index:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[start : start + 3] for start in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])


def width_in(size: int, level: int, index: int) -> int:
    """Return the number of hashes that a tile has in a tree of `size` leaves; 0 or less if it is not in it."""
    return min(WIDTH, (size >> HEIGHT * level) - index * WIDTH)


def bundle_of(entries: Iterable[bytes]) -> bytes:
    """Return the bundle of at most 256 entries. Raises `OverflowError` if one is longer than `MAX_ENTRY_BYTES`."""
    return b"".join(len(entry).to_bytes(2) + entry for entry in entries)


def entries_of(bundle: bytes) -> list[bytes]:
    """Return the entries of a bundle; the inverse of `bundle_of`. Raises `MalformedData`."""
    entries, at = [], 0
    while at < len(bundle):
        end = at + 2 + int.from_bytes(bundle[at : at + 2])
        if at + 2 > len(bundle) or end > len(bundle):
            raise MalformedData("the bundle of entries ends within an entry")
        entries.append(bundle[at + 2 : end])
        at = end
        if len(entries) > WIDTH:
            raise MalformedData(f"the bundle has more than {WIDTH} entries")
    return entries


def content_of_partial(tile: Tile, full: bytes) -> bytes:
    """Return the content of a partial tile, or of a partial bundle, from the full one. Raises `MalformedData`.

    >>> content_of_partial(Tile(None, 4, 1), bundle_of([b"first", b"second"]))
    b'\\x00\\x05first'
    """
    return bundle_of(entries_of(full)[: tile.width]) if tile.level is None else full[: tile.width * HASH_BYTES]


def split_hashes(content: bytes) -> list[bytes]:
    """Return the hashes in a tile. Raises `MalformedData`."""
    if not content or len(content) % HASH_BYTES or len(content) > WIDTH * HASH_BYTES:
        raise MalformedData(f"a tile of {len(content)} bytes does not contain 1 to {WIDTH} hashes")
    return [content[at : at + HASH_BYTES] for at in range(0, len(content), HASH_BYTES)]


def stored_tiles(tiles: Sequence[Tile], read: ReadFiles) -> Mapping[Tile, tuple[Tile, bytes]]:
    """Return for each tile or bundle what is stored of it, and the content, in one or two reads.

    That is the full one if a partial one no longer exists. Those of which nothing is stored are absent.
    """
    files = dict(read([tile.path for tile in tiles])) if tiles else {}
    full = {tile: Tile(tile.level, tile.index) for tile in tiles if tile.path not in files and tile.width < WIDTH}
    if full:
        files |= read([tile.path for tile in full.values()])
    stored = {tile: full.get(tile, tile) for tile in tiles}
    return {tile: (each, files[each.path]) for tile, each in stored.items() if each.path in files}


def read_tiles(tiles: Sequence[Tile], read: ReadFiles) -> list[list[bytes]]:
    """Return the hashes of each tile, or the entries of each bundle, from what `stored_tiles` returns.

    Raises `MalformedData` if a file is missing, or has not as many hashes or entries as its path says.
    """
    stored = stored_tiles(tiles, read)
    found = []
    for tile in tiles:
        if tile not in stored:
            raise MalformedData(f"the file {tile.path} is missing")
        file, content = stored[tile]
        parts = (entries_of if tile.level is None else split_hashes)(content)
        if len(parts) != file.width:
            kind = ENTRIES if tile.level is None else "hashes"
            raise MalformedData(f"the file {file.path} has {len(parts)} {kind}")
        found.append(parts[: tile.width])
    return found


class TileReader:
    """Computes proofs about a tree of `size` leaves from its tiles. Each proof reads all tiles that it lacks at once.

    In a tree of 10^8 leaves these are at most 7 tiles. They may come from anybody: a proof of wrong ones does not lead
    to the signed root. The latest tiles are cached, with the nodes within them, so that proofs of neighbouring entries
    are cheap.
    """

    def __init__(self, size: int, read: ReadFiles) -> None:
        self.size = size
        self._read = read
        self._rows: dict[tuple[int, int], list[list[bytes]]] = {}

    def inclusion_proof(self, index: int) -> list[bytes]:
        """Return the inclusion proof of an entry. Raises `MalformedData`, and `ValueError` without such an entry."""
        return self._proof(inclusion_plan(index, self.size))

    def consistency_proof(self, old: int) -> list[bytes]:
        """Return the proof that a tree of `old` leaves begins this one; empty if `old` is 0. Raises `MalformedData`."""
        return self._proof(consistency_plan(old, self.size)) if old else []

    def root(self, size: int | None = None) -> bytes:
        """Return the root of the tree, or of its first `size` leaves, as the tiles have it. Raises `MalformedData`."""
        size = self.size if size is None else size
        return self._proof([range_plan(0, size)])[0] if size else EMPTY_ROOT

    def leaf_hash(self, index: int) -> bytes:
        """Return the hash of a leaf, as the tiles have it."""
        return self._proof([[(0, index)]])[0]

    def _proof(self, plans: Sequence[Plan]) -> list[bytes]:
        self._load({_tile_of_node(node)[:2] for plan in plans for node in plan})
        return hashes_of(plans, self._node)

    def _node(self, node: Node) -> bytes:
        level, index, row, place = _tile_of_node(node)
        return self._rows[level, index][row][place]

    def _load(self, needed: set[tuple[int, int]]) -> None:
        missing = [Tile.of_tree(self.size, level, index) for level, index in sorted(needed - self._rows.keys())]
        for key in list(self._rows)[: max(0, len(self._rows) + len(missing) - _CACHED_TILES)]:
            if key not in needed:
                del self._rows[key]
        for tile, hashes in zip(missing, read_tiles(missing, self._read), strict=True):
            self._rows[tile.level or 0, tile.index] = _rows(hashes)


def _rows(hashes: list[bytes]) -> list[list[bytes]]:
    """Return the rows of all complete nodes of a tile, from its hashes to at most one."""
    rows = [hashes]
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=False)]
        rows.append(hashes)
    return rows


def _tile_of_node(node: Node) -> tuple[int, int, int, int]:
    """Return the level and index of a node's tile, and its row and place in it."""
    level, index = node
    tile_level, row = divmod(level, HEIGHT)
    width = HEIGHT - row
    return tile_level, index >> width, row, index % (1 << width)
