"""Requests to a log: as few for a hundred million entries as the tree allows."""

from collections.abc import Callable, Sequence

import pytest

from coolid.client.flows import run
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.transparency.log_requests import LogRequests
from coolid.log.merkle_tree import check_consistency, check_inclusion
from coolid.log.tiles import ReadFiles, TileReader
from tests.support.builders.simulated_log import LEAVES, SimulatedLog, simulated_root

URL = "https://id.example.org/log"
OTHER_REQUESTS = 7
"""The record, its history, the keys, the discovery document, the proof, the checkpoint, and a bundle of entries."""


def computed(log: SimulatedLog, compute: Callable[[ReadFiles], Sequence[bytes]]) -> tuple[Sequence[bytes], list[str]]:
    """Return the hashes of a proof, and the paths that were requested for it."""
    paths = []

    def send(request: HttpRequest) -> HttpAnswer:
        paths.append(request.url.removeprefix(f"{URL}/"))
        found = log.read(paths[-1:])
        return HttpAnswer(request.url, 200 if found else 404, {}, b"".join(found.values()))

    return run(LogRequests().computed(URL, compute), send, lambda _: None), paths


@pytest.mark.parametrize("without_partial_tiles", [False, True])
@pytest.mark.parametrize("size", [10**7, 10**8])
def test_a_verifier_makes_at_most_20_requests(size: int, without_partial_tiles: bool) -> None:
    log = SimulatedLog(size, without_partial_tiles)
    index, old = size // 3, size - 70_000
    proof, paths = computed(log, lambda read: TileReader(size, read).inclusion_proof(index))
    check_inclusion(LEAVES[index % len(LEAVES)], index, size, proof, simulated_root(size))
    assert len(paths) == len(set(paths)) <= 20 - OTHER_REQUESTS
    proof, paths = computed(log, lambda read: TileReader(size, read).consistency_proof(old))
    check_consistency(old, simulated_root(old), size, simulated_root(size), proof)
    assert len(paths) == len(set(paths)) <= 20 - OTHER_REQUESTS
