"""The browser's check of a proof of inclusion has the same result as the Python one."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from coolid.log.checkpoints import cosign, read_checkpoint
from coolid.log.entries import origin_of
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.signed_notes import COSIGNATURE, ED25519, VerifierKey
from coolid.log.tiles import CHECKPOINT, TileReader
from tests.http.pages.script_calls import Calls, Refused, calls_in
from tests.support.builders.published_log import POLICY, WITNESS, WITNESS_KEY, publish
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.note_keys import NoteKey

KEY = NoteKey(origin_of(BASE_URL)).verifier()
SIZES = (1, 2, 3, 255, 256, 257, 700)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    with calls_in(tmp_path_factory.mktemp("scripts")) as calls:
        yield calls


def entry(index: int) -> str:
    return f"h.{index}.s"


def proof(size: int, index: int, policy: str = "") -> str:
    """Return the text of the proof of an entry in a log of this size."""
    log = publish({str(number): entry(number).encode() for number in range(size)}, policy=policy)
    checkpoint = log.files.read([CHECKPOINT])[CHECKPOINT]
    return InclusionProof.compute(index, TileReader(size, log.files.read), checkpoint).to_bytes().decode()


def agree(calls: Calls, text: str, leaf: str, key: str = str(KEY), policy: str = "") -> Any:
    """Both accept the proof, or both refuse it: what the script returned."""
    (returned,) = calls([("inclusion-proof.verifyInclusion", text, leaf, key, policy)])
    try:
        InclusionProof.parse(text.encode()).verify(leaf.encode(), VerifierKey.parse(key))
    except (MalformedData, FailedProof):
        assert isinstance(returned, Refused), text
    else:
        assert not isinstance(returned, Refused), text
    return returned


PROOF = proof(257, 200)
LINES = PROOF.split("\n")


@pytest.mark.parametrize("size", SIZES)
def test_entries_of_logs_of_many_sizes_are_found(calls: Calls, size: int) -> None:
    for index in {0, size // 2, size - 1}:
        found = agree(calls, proof(size, index), entry(index))
        assert found == {"index": index, "size": size, "origin": KEY.name, "isSigned": True, "witnesses": 0}
        assert isinstance(agree(calls, proof(size, index), entry(index + 1)), Refused)


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_proof_with_a_line_left_out_doubled_or_changed_is_refused(calls: Calls, number: int) -> None:
    before, line, after = LINES[:number], LINES[number], LINES[number + 1 :]
    changes = [
        [], [line, line], [f"{line} "], [f" {line}"], [line[:-1]], [f"{line}="], [line.swapcase()], [f"{line}\r"],
        [line.replace("2", "3", 1)], [f"x{line}"],
    ]  # fmt: skip
    for changed in changes:
        text = "\n".join([*before, *changed, *after])
        is_same = text == PROOF or (changed == [line, line] and line == LINES[-2])  # a signature may be repeated
        assert is_same is not isinstance(agree(calls, text, entry(200)), Refused)


def test_extra_data_and_extensions_are_accepted(calls: Calls) -> None:
    extra = PROOF.replace("\n", "\nextra eA==\n", 1)
    assert agree(calls, extra, entry(200))["index"] == 200
    assert isinstance(agree(calls, PROOF.replace("\n", "\nextra e\n", 1), entry(200)), Refused)


def test_keys_of_other_logs_and_malformed_keys_are_refused(calls: Calls) -> None:
    others = [
        NoteKey(KEY.name, "other").verifier(),
        VerifierKey("other.example/log", ED25519, KEY.public_key),
        VerifierKey(KEY.name, COSIGNATURE, KEY.public_key),
    ]
    for key in (*map(str, others), str(KEY)[:-4], str(KEY).replace("+", " "), f"{KEY.name}+00000000+AQ==", ""):
        assert isinstance(agree(calls, PROOF, entry(200), key), Refused)


def test_witnesses_of_the_policy_that_cosigned_are_counted(calls: Calls) -> None:
    text = proof(3, 1, POLICY)
    assert agree(calls, text, entry(1), policy=POLICY)["witnesses"] == 1
    assert agree(calls, text, entry(1))["witnesses"] == 0
    other = VerifierKey("witness.example/other", COSIGNATURE, WITNESS.public_key())
    assert agree(calls, text, entry(1), policy=f"witness a {other}\nwitness b x\n")["witnesses"] == 0
    note = read_checkpoint(InclusionProof.parse(text.encode()).checkpoint)[1]
    valid = str(cosign(note.text, WITNESS_KEY, 5, WITNESS.sign))
    assert agree(calls, text + valid, entry(1), policy=POLICY)["witnesses"] == 1
    wrong = b64encode(WITNESS_KEY.key_id + bytes(72)).decode()
    forged = f"{text}— {WITNESS_KEY.name} {wrong}\n"
    assert agree(calls, forged, entry(1), policy=POLICY)["witnesses"] == 0
