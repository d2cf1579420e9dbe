"""Requests that other software made for its own witness (`torchwood.json`): the answers here are the same."""

from pathlib import Path

import pytest

from coolid.log.checkpoints import cosigned_at, verified_checkpoint
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.strict_json import load
from tests.support.builders.witnesses import WITNESS, WitnessService

VECTORS = load((Path(__file__).parent / "torchwood.json").read_bytes())
KEY = VerifierKey(VECTORS["origin"], ED25519, bytes.fromhex(VECTORS["public_key"]))


@pytest.fixture
def service(tmp_path: Path) -> WitnessService:
    service = WitnessService(tmp_path / "witness.db")
    service.state.change(lambda rows: rows.add_key(KEY))
    return service


def test_its_tests_have_the_same_results(service: WitnessService) -> None:
    """A cosignature of size 1, of size 5, and then a conflict for size 3, which was requested at the same time."""
    for request in VECTORS["requests"]:
        response = service.post(request["body"].encode())
        assert response.status == request["status"], request["what"]
        if response.status == 200:
            note = (request["body"].split("\n\n", 1)[1] + str(response.body)).encode()
            checkpoint, parsed = verified_checkpoint(note, KEY)
            assert cosigned_at(parsed, WITNESS.verifier())
            assert checkpoint.origin == VECTORS["origin"]
        elif response.status == 409:
            assert response.body == request["answer"]
    latest = service.state.read(lambda rows: rows.latest(VECTORS["origin"]))
    assert latest is not None
    assert (latest.checkpoint.size, latest.checkpoint.root.hex()) == (5, VECTORS["last_root"])
