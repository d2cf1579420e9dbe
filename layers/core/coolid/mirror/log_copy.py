"""The copy of a transparency log: its entries, the tiles computed from them, and the checkpoint that they lead to.

Only checkpoint and entries are read. The tiles and the root follow from the entries, so a copy is complete and right if
its root is that of the signed checkpoint. A later copy continues with the tiles of the earlier one. If the log does not
continue what was mirrored, its checkpoint is kept beside the one before: together they prove what the log did.
"""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.log.checkpoints import Checkpoint, read_checkpoint, verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import VerifierKey
from coolid.log.tiles import CHECKPOINT, WIDTH, ReadFiles, Tile, TileReader, bundle_of, bundle_path, read_tiles
from coolid.log.tree_edge import TreeEdge
from coolid.mirror.layout import EVIDENCE, LOG
from coolid.mirror.writer import MirrorWriter

BLOCK: Final = 32
"""Bundles of entries that are read at once."""


class CopiedLog(Struct, frozen=True):
    """A log in a mirror: the checkpoint, as signed and as read, and how many entries the mirror had before."""

    note: bytes
    checkpoint: Checkpoint
    mirrored: int


class ContradictoryLog(UsageError):
    """The log contradicts what the mirror has of it."""


class _Contradiction(Exception):
    """The entries are not those that the mirror has; the message is a clause."""


def copy_log(
    read: ReadFiles, key: VerifierKey | None, writer: MirrorWriter, on_entry: Callable[[int, bytes], None]
) -> CopiedLog:
    """Copy a log without its checkpoint, and call `on_entry` for each entry that the mirror lacked, with its index.

    Without a `key`, the signature of the checkpoint is not verified. Raises `ContradictoryLog`, `UsageError`, and the
    errors of `read`.
    """
    note = read([CHECKPOINT]).get(CHECKPOINT)
    if note is None:
        raise UsageError("there is no checkpoint of a log")
    try:
        checkpoint = (verified_checkpoint(note, key) if key else read_checkpoint(note))[0]
        before = mirrored_checkpoint(writer)
        _require_continuation(before, checkpoint, note, writer)
        edge = TreeEdge.read(before.size if before else 0, lambda paths: writer.folder.read_files(paths, f"{LOG}/"))
        for index, bundle in _bundles(edge.size, checkpoint.size, read):
            edge = _add_bundle(edge, index, bundle, writer, on_entry)
    except _Contradiction as error:
        raise _split_view(str(error), note, checkpoint, writer) from error
    except (MalformedData, FailedProof) as error:
        raise UsageError(f"the log cannot be mirrored: {error}") from error
    if edge.root() != checkpoint.root:
        raise _split_view("its entries do not lead to the root of its checkpoint", note, checkpoint, writer)
    for tile in TreeEdge.tiles_of(edge.size):
        level = tile.level or 0
        writer.write(f"{LOG}/{tile.path}", b"".join(edge.hashes[level]))
    return CopiedLog(note, checkpoint, before.size if before else 0)


def mirrored_checkpoint(writer: MirrorWriter) -> Checkpoint | None:
    """Return the checkpoint that the mirror has, or None. Raises `MalformedData`."""
    content = writer.folder.read(f"{LOG}/{CHECKPOINT}")
    return read_checkpoint(content)[0] if content is not None else None


def _require_continuation(before: Checkpoint | None, after: Checkpoint, note: bytes, writer: MirrorWriter) -> None:
    if before is None:
        return
    if before.origin != after.origin:
        raise UsageError(f"the mirror has the log {before.origin!a}, not {after.origin!a}")
    if after.size < before.size:
        raise _split_view(f"it has {after.size} entries; the mirror has {before.size}", note, after, writer)
    if after.size == before.size and after.root != before.root:
        raise _split_view("its checkpoint has another root for as many entries", note, after, writer)


def _split_view(reason: str, note: bytes, checkpoint: Checkpoint, writer: MirrorWriter) -> ContradictoryLog:
    """Write the checkpoint as evidence, and return the error."""
    path = f"{EVIDENCE}/{checkpoint.size}-{checkpoint.root.hex()[:16]}.checkpoint"
    writer.folder.write(path, [note])
    return ContradictoryLog(
        f"the log does not continue what the mirror has of it: {reason}. Both checkpoints are evidence: "
        f"{writer.folder.path / LOG / CHECKPOINT} and {writer.folder.path / path}"
    )


def _bundles(start: int, end: int, read: ReadFiles) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the bundles with the entries from `start` to `end`, with their numbers. Raises `MalformedData`."""
    numbers = range(start // WIDTH, -(-end // WIDTH)) if end > start else range(0)
    for first in range(numbers.start, numbers.stop, BLOCK):
        block = range(first, min(first + BLOCK, numbers.stop))
        yield from zip(block, read_tiles([Tile.of_tree(end, None, number) for number in block], read), strict=True)


def _add_bundle(
    edge: TreeEdge, index: int, entries: list[bytes], writer: MirrorWriter, on_entry: Callable[[int, bytes], None]
) -> TreeEdge:
    """Return the edge with the entries of a bundle that it lacks. Writes the bundle, and the tiles that are full."""
    present = edge.size - index * WIDTH
    hashes = [leaf_hash(entry) for entry in entries]
    if tuple(hashes[:present]) != (edge.hashes[0] if edge.hashes else ()):
        raise _Contradiction(f"the entries from {index * WIDTH} on differ from those in the mirror")
    for offset in range(present, len(entries)):
        on_entry(index * WIDTH + offset, entries[offset])
    edge, tiles = edge.extended(hashes[present:])
    for tile, content in tiles.items():
        if tile.width == WIDTH:
            writer.write(f"{LOG}/{tile.path}", content)
    writer.write(f"{LOG}/{bundle_path(index, len(entries))}", bundle_of(entries))
    return edge


def tile_reader(writer: MirrorWriter, size: int) -> TileReader:
    """Return a reader of the mirrored tiles of a tree, which computes proofs."""
    return TileReader(size, lambda paths: writer.folder.read_files(paths, f"{LOG}/"))
