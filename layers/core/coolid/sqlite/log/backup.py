"""The files of the transparency log for a backup: those that a copy of the database expects.

The sequencer may go on while database and files are copied. Files never change, so those of the copied head can be read
when there are later ones. A checkpoint later than this head would be refused after a restore.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Final

from coolid.errors import UsageError
from coolid.log.signed_notes import SignedNote
from coolid.log.tiles import CHECKPOINT, HEIGHT, WIDTH, Tile, content_of_partial, stored_tiles
from coolid.log.tree_edge import TreeEdge
from coolid.sqlite.connections import IMMUTABLE, connect
from coolid.sqlite.log.rows import head_of
from coolid.store.log import LogFiles, LogHead

_PORTION: Final = 256


def log_files_for(copy: Path, files: LogFiles) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files that belong to a complete copy of a database.

    Raises `UsageError` if some are missing, `StoreUnavailable`.
    """
    with closing(connect(copy.absolute(), IMMUTABLE)) as connection:
        head = head_of(connection)
        ((settled,),) = connection.execute("SELECT count(*) FROM log_entries WHERE position IS NOT NULL")
    if head is None:
        return
    staging = files.read([head.staging])
    tiles, is_whole = tree_tiles(head.size), settled == head.size
    while portion := [*islice(tiles, _PORTION)]:
        found = _read(portion, files)
        yield from found.items()
        is_whole = is_whole and len(found) == len(portion)
    if not is_whole and not staging:
        raise UsageError(f"the files of the transparency log lack some of its {head.size} entries; try again")
    yield from staging.items()
    if is_whole:
        yield CHECKPOINT, _checkpoint(head, files.read([CHECKPOINT]))


def _read(tiles: Sequence[Tile], files: LogFiles) -> dict[str, bytes]:
    """Return the contents of tiles by their paths. Partial ones that no longer exist are cut from the full ones."""
    return {
        tile.path: content if stored == tile else content_of_partial(tile, content)
        for tile, (stored, content) in stored_tiles(tiles, files.read).items()
        if content or stored == tile
    }


def tree_tiles(size: int) -> Iterator[Tile]:
    """Yield all tiles and bundles of a tree.

    >>> [tile.path for tile in tree_tiles(257)]
    ['tile/entries/000', 'tile/entries/001.p/1', 'tile/0/000', 'tile/0/001.p/1', 'tile/1/000.p/1']
    """
    yield from (Tile.of_tree(size, None, index) for index in range(-(-size // WIDTH)))
    partial = {tile.level: tile for tile in TreeEdge.tiles_of(size)}
    for level in range(-(-size.bit_length() // HEIGHT)):
        full = (Tile(level, index) for index in range(size >> HEIGHT * (level + 1)))
        yield from chain(full, [partial[level]] if level in partial else [])


def _checkpoint(head: LogHead, published: Mapping[str, bytes]) -> bytes:
    """Return the published checkpoint of the head, with its cosignatures, or the head's own if there is a later one."""
    for content in published.values():
        if SignedNote.parse(content).text == SignedNote.parse(head.checkpoint.encode()).text:
            return content
    return head.checkpoint.encode()
