"""Tiles and bundles: the examples of C2SP tlog-tiles, malformed files, and the number of files that a proof needs."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import HASH_BYTES, check_consistency, check_inclusion, root_of
from coolid.log.staged_trees import grow, read_edge
from coolid.log.tiles import (
    MAX_ENTRY_BYTES,
    WIDTH,
    Tile,
    TileReader,
    bundle_of,
    bundle_path,
    entries_of,
    split_hashes,
    tile_of_path,
    tile_path,
    width_in,
)
from coolid.log.tree_edge import TreeEdge
from tests.support.builders.simulated_log import LEAVES, SimulatedLog, simulated_root

BILLION = 10**9


def test_paths_are_those_of_the_specification() -> None:
    assert tile_path(0, 1234067) == "tile/0/x001/x234/067"
    assert bundle_path(0, 1) == "tile/entries/000.p/1"
    for path in ("tile/0/000", "tile/63/x123/x456/078", "tile/5/x123/x456/078.p/2", "tile/entries/x003/x057/500.p/255"):
        found = tile_of_path(path)
        assert found is not None
        assert found.path == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "checkpoint",
        "tile/0/000/",
        "/tile/0/000",
        "tile//000",
        "tile/0/0",
        "tile/0/00",
        "tile/0/1000",
        "tile/0/x000",
        "tile/0/x000/000",
        "tile/0/x000/x001/000",
        "tile/0/001/002",
        "tile/00/000",
        "tile/64/000",
        "tile/-1/000",
        "tile/+1/000",
        "tile/data/000",
        "tile/entries",
        "tile/8/0/001",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/999",
        "tile/0/000.p/-1",
        "tile/0/000.p/1/1",
        "tile/0/000.P/1",
        "tile/0/000\n",
        "tile/0/٠٠٠",
        "tile/0/../../checkpoint",
        "tile/0/" + "x999/" * 2_000 + "000",
    ],
)
def test_other_paths_are_no_tiles(path: str) -> None:
    assert tile_of_path(path) is None


@given(st.none() | st.integers(0, 63), st.integers(0, 10**21 - 1), st.integers(1, WIDTH), st.text("0x9/.p"))
def test_every_tile_has_one_path(level: int | None, index: int, width: int, text: str) -> None:
    tile = Tile(level, index, width)
    assert tile_of_path(tile.path) == tile
    found = tile_of_path(f"tile/{text}")
    assert found is None or found.path == f"tile/{text}"


def test_a_tree_of_70_000_has_the_tiles_of_the_specification() -> None:
    assert list(TreeEdge.tiles_of(70_000)) == [Tile(0, 273, 112), Tile(1, 1, 17), Tile(2, 0, 1)]
    assert list(TreeEdge.tiles_of(256)) == [Tile(1, 0, 1)]
    _, tiles = TreeEdge().extended(LEAVES[number % WIDTH] for number in range(70_000))
    full = [tile for tile in tiles if tile.width == WIDTH]
    assert [sum(tile.level == level for tile in full) for level in range(3)] == [273, 1, 0]
    assert set(tiles) - set(full) == set(TreeEdge.tiles_of(70_000))
    assert [width_in(70_000, *place) for place in ((0, 272), (0, 273), (1, 1), (2, 0), (3, 0))] == [256, 112, 17, 1, 0]
    assert width_in(70_000, 0, 274) <= 0


@given(st.lists(st.integers(0, 700), max_size=4))
def test_a_tree_is_the_same_in_whatever_steps_it_grew(steps: list[int]) -> None:
    edge, files, size = TreeEdge(), dict[str, bytes](), 0
    for step in steps:
        edge, tiles = edge.extended(LEAVES[number % WIDTH] for number in range(size, size + step))
        files |= {tile.path: content for tile, content in tiles.items()}
        size += step
    at_once, tiles = TreeEdge().extended(LEAVES[number % WIDTH] for number in range(size))
    assert edge == at_once
    assert edge.root() == root_of([LEAVES[number % WIDTH] for number in range(size)]) == simulated_root(size)
    assert {tile.path: content for tile, content in tiles.items()}.items() <= files.items()
    assert TreeEdge.read(size, lambda paths: files) == edge


def test_the_edge_of_an_outgrown_tree_is_read_from_full_tiles() -> None:
    """A run may have read the head before another run grew the tree, which deletes partial tiles."""
    small, large = (grow(TreeEdge(), (), {str(each): b"%d" % each for each in range(size)}) for size in (300, 600))
    files = {**small.files, **large.files}
    del files["tile/0/001.p/44"], files["tile/entries/001.p/44"]
    edge, entries = read_edge(small.size, small.root, lambda _: files)
    assert (edge.size, edge.root()) == (small.size, small.root)
    assert entries == [b"%d" % each for each in range(256, 300)]


@given(st.lists(st.binary(max_size=40), max_size=WIDTH))
def test_entries_are_read_as_they_are_bundled(entries: list[bytes]) -> None:
    assert entries_of(bundle_of(entries)) == entries


@pytest.mark.parametrize("content", [b"\0", b"\0\1", b"\0\1ab", b"\0\0" * 257, b"\xff\xff" + b"e" * 65_534])
def test_a_malformed_bundle_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedData, match="the bundle"):
        entries_of(content)


def test_an_entry_has_at_most_65_535_bytes() -> None:
    assert entries_of(bundle_of([b"e" * MAX_ENTRY_BYTES])) == [b"e" * MAX_ENTRY_BYTES]
    with pytest.raises(OverflowError):
        bundle_of([b"e" * (MAX_ENTRY_BYTES + 1)])


@pytest.mark.parametrize("size", [0, 31, 33, HASH_BYTES * (WIDTH + 1)])
def test_a_malformed_tile_is_refused(size: int) -> None:
    with pytest.raises(MalformedData, match=f"a tile of {size} bytes"):
        split_hashes(b"h" * size)


def test_a_missing_or_wrong_tile_is_named() -> None:
    files = {"tile/0/000.p/2": LEAVES[0]}
    for read, problem in (
        (lambda _: {}, "tile/0/000.p/2 is missing"),
        (lambda _: files, "tile/0/000.p/2 has 1 hashes"),
    ):
        with pytest.raises(MalformedData, match=problem):
            TileReader(2, read).inclusion_proof(0)
    with pytest.raises(MalformedData, match=r"tile/0/000.p/2 is missing"):
        TreeEdge.read(2, lambda _: {})


def test_only_entries_and_sizes_of_the_tree_have_proofs() -> None:
    reader = SimulatedLog(300).reader()
    for index in (-1, 300, 2**63):
        with pytest.raises(ValueError, match="has no leaf"):
            reader.inclusion_proof(index)
    for old in (-1, 301):
        with pytest.raises(ValueError, match="no consistency proof"):
            reader.consistency_proof(old)


@pytest.mark.parametrize("without_partial_tiles", [False, True])
@pytest.mark.parametrize("size", [10**7, 10**8, 10**8 - 1, 2**27 - 1, BILLION])
def test_a_proof_needs_few_files_of_a_large_log(size: int, without_partial_tiles: bool) -> None:
    """With the checkpoint and the entry's bundle a verifier makes at most 20 requests."""
    for index in {0, 1, 255, 256, size // 3, size - 257, size - 2, size - 1}:
        log = SimulatedLog(size, without_partial_tiles)
        proof = log.reader().inclusion_proof(index)
        check_inclusion(LEAVES[index % WIDTH], index, size, proof, simulated_root(size))
        assert log.requests + len(("checkpoint", "bundle")) <= (14 if without_partial_tiles else 9)
        assert log.batches <= 2
    for old in {1, 255, 256, size // 3, size - 257, size - 1}:
        log = SimulatedLog(size, without_partial_tiles)
        proof = log.reader().consistency_proof(old)
        check_consistency(old, simulated_root(old), size, simulated_root(size), proof)
        assert log.requests + len(("checkpoint",)) <= 20
        assert log.batches <= 2


def test_a_reader_reads_each_tile_once_and_keeps_few() -> None:
    log = SimulatedLog(10**6)
    reader = log.reader()
    for index in range(1_000):
        reader.inclusion_proof(index)
    assert log.requests <= 10
    for index in range(0, 10**6, 1_000):
        reader.inclusion_proof(index)
    assert log.requests < 1_100
    assert len(reader._rows) < 600


@given(st.integers(1, 2**40), st.data())
def test_every_proof_of_a_log_of_any_size_verifies_and_no_changed_one(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(0, size))
    reader = SimulatedLog(size).reader()
    inclusion, consistency = reader.inclusion_proof(index), reader.consistency_proof(old)
    assert reader.root() == simulated_root(size)
    assert reader.root(old) == simulated_root(old)
    assert reader.leaf_hash(index) == LEAVES[index % WIDTH]
    checks: list[tuple[Callable[[Sequence[bytes]], None], list[bytes]]] = [
        (lambda proof: check_inclusion(LEAVES[index % WIDTH], index, size, proof, simulated_root(size)), inclusion),
        (lambda proof: check_consistency(old, simulated_root(old), size, simulated_root(size), proof), consistency),
    ]
    for check, proof in checks:
        check(proof)
        changed = list(proof)
        kind = data.draw(st.sampled_from(["more", "fewer", "other"]))
        if not changed or kind == "more":
            changed.insert(data.draw(st.integers(0, len(changed))), b"h" * HASH_BYTES)
        elif kind == "fewer":
            changed.pop(data.draw(st.integers(0, len(changed) - 1)))
        else:
            changed[data.draw(st.integers(0, len(changed) - 1))] = b"h" * HASH_BYTES
        with pytest.raises(FailedProof):
            check(changed)
