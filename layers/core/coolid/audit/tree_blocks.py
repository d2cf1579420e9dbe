"""Blocks of a log's entries, verified against its signed root before anything else uses them.

The hash tree is computed from the entries. After each block, a consistency proof shows that the tree so far begins the
signed one. The log's tiles are compared with the computed ones, because all proofs for readers come from these.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Final

from msgspec import Struct

from coolid.audit.findings import AuditFinding
from coolid.audit.log_source import LogSource
from coolid.client.errors import BadAnswer
from coolid.log.checkpoints import Checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import check_consistency, leaf_hash
from coolid.log.split_views import MISSING_FILE, WRONG_TREE
from coolid.log.tiles import WIDTH, Tile, TileReader, bundle_path, cached, entries_of, width_in
from coolid.log.tree_edge import TreeEdge

BLOCK: Final = 16 * WIDTH
"""The most entries of a block. Two blocks are in memory at a time."""


class BrokenTree(Exception):
    """The log cannot be read further. `finding` says why."""

    def __init__(self, finding: AuditFinding) -> None:
        super().__init__(finding.detail)
        self.finding = finding


class Block(Struct, frozen=True):
    """Verified entries from index `start`, the right edge of the tree behind them, and findings about tiles."""

    start: int
    entries: Sequence[bytes]
    edge: TreeEdge
    findings: Sequence[AuditFinding]


def _block_end(start: int) -> int:
    return (start // BLOCK + 1) * BLOCK


class TreeBlocks:
    """The blocks of the tree of a verified checkpoint, read from `source`."""

    def __init__(self, checkpoint: Checkpoint, source: LogSource) -> None:
        self._checkpoint = checkpoint
        self._source = source
        self._read = cached(source.read)

    def behind(self, edge: TreeEdge) -> Iterator[Block]:
        """Yield the blocks behind an edge. The next block is read while the caller uses one.

        Raises `BrokenTree`, and `ClientError` if the log cannot be reached.
        """
        start = edge.size
        following = self._request(start)
        while start < self._checkpoint.size:
            bundles, following = following, self._request(_block_end(start))
            entries = [entry for bundle in bundles for entry in bundle.result()][start % WIDTH :]
            block = self._verified(start, entries, edge)
            start, edge = _block_end(start), block.edge
            yield block

    def _request(self, start: int) -> "list[Future[list[bytes]]]":
        """Request the bundles of the block from an index; none behind the tree."""
        end = min(_block_end(start), self._checkpoint.size)
        return [self._source.submit(self._entries, at) for at in range(start // WIDTH, -(-end // WIDTH))]

    def _entries(self, index: int) -> list[bytes]:
        """Return the entries of a bundle that the tree has. Raises `BrokenTree`."""
        width = width_in(self._checkpoint.size, 0, index)
        paths = [bundle_path(index, width)] + ([bundle_path(index)] if width < WIDTH else [])
        for path in paths:  # the full bundle may replace a partial one
            try:
                content = self._source.file(f"{self._source.log_url}/{path}")
                if content is None:
                    continue
                entries = entries_of(content)
            except (MalformedData, BadAnswer) as error:
                raise BrokenTree(AuditFinding(MISSING_FILE, path, str(error))) from error
            if len(entries) < width:
                detail = f"the bundle has {len(entries)} entries, not {width}"
                raise BrokenTree(AuditFinding(MISSING_FILE, path, detail, (index * WIDTH + len(entries),)))
            return entries[:width]
        raise BrokenTree(AuditFinding(MISSING_FILE, paths[0], "the log does not serve this bundle of entries"))

    def _verified(self, start: int, entries: Sequence[bytes], before: TreeEdge) -> Block:
        edge, computed = before.extended(map(leaf_hash, entries))
        tiles = {tile: content for tile, content in computed.items() if self._is_final(tile)}
        findings = list(self._tile_findings(tiles))
        try:
            self._require_beginning(edge)
        except (FailedProof, MalformedData) as error:
            where = f"entries {start} to {edge.size - 1}"
            subject = findings[0].subject if findings else where
            detail = f"{where} do not lead to the signed root of {self._checkpoint.size} entries: {error}"
            raise BrokenTree(AuditFinding(WRONG_TREE, subject, detail)) from error
        return Block(start, entries, edge, findings)

    def _require_beginning(self, edge: TreeEdge) -> None:
        """Raise `FailedProof` or `MalformedData` unless the computed tree begins the signed one."""
        size, root = self._checkpoint.size, self._checkpoint.root
        proof = TileReader(size, self._read).consistency_proof(edge.size) if edge.size < size else []
        check_consistency(edge.size, edge.root(), size, root, proof)

    def _is_final(self, tile: Tile) -> bool:
        return tile.width == width_in(self._checkpoint.size, tile.level or 0, tile.index)

    def _tile_findings(self, computed: dict[Tile, bytes]) -> Iterator[AuditFinding]:
        served = self._read([tile.path for tile in computed])
        partial = [Tile(tile.level, tile.index) for tile in computed if tile.path not in served and tile.width < WIDTH]
        full = self._read([tile.path for tile in partial]) if partial else {}
        for tile, content in computed.items():
            found = served.get(tile.path, full.get(Tile(tile.level, tile.index).path, b"")[: len(content)])
            if not found:
                yield AuditFinding(MISSING_FILE, tile.path, "the log does not serve this tile")
            elif found != content:
                yield AuditFinding(WRONG_TREE, tile.path, "the tile does not have the hashes of the entries")
