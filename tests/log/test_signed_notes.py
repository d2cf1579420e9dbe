"""Signed notes, checkpoints and cosignatures: published vectors, and what must be refused.

The notes and keys of Peter Neumann and Enoch Root are from `sumdb/note/note_test.go` of golang.org/x/mod (BSD-3-Clause,
Copyright 2019 The Go Authors). The checkpoint of arche2025h1 is from that public log, with its cosignature by remora.
The other examples are from the C2SP specifications (BSD-1-Clause, Copyright 2020 The C2SP Authors), and the points of
low order from `ed25519` in C2SP/CCTV.
"""

from base64 import b64encode
from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import SignerUnavailable
from coolid.log.checkpoints import (
    MAX_SIZE,
    Checkpoint,
    WrongEmptyRoot,
    cosign,
    cosigned_at,
    read_checkpoint,
    verified_checkpoint,
)
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import EMPTY_ROOT
from coolid.log.signed_notes import (
    COSIGNATURE,
    ED25519,
    MAX_NOTE_BYTES,
    MAX_SIGNATURES,
    NoteSignature,
    SignedNote,
    VerifierKey,
    signature_of_line,
    signed,
    verify,
)
from tests.support.fixtures.note_keys import NoteKey

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = bytes.fromhex("810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173")
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETERS = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
ENOCHS = "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"

FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOOS_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
COSIGNED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— witness.example.com/w1 "
    "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)
ARCHE = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
REMORA = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
ARCHES_CHECKPOINT = (
    "arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n\n"
    "— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIg"
    "IpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=\n"
    "— arche2025h1.staging.ct.transparency.dev "
    "ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=\n"
    "— transparency.dev/DEV:witness-little-garden "
    "2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==\n"
    "— remora.n621.de "
    "2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==\n"
)
LOW_ORDER_POINTS = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]

LOG = NoteKey("example.com/log")
WITNESS = NoteKey("witness.example")
KEY = LOG.verifier()
TREE = Checkpoint(LOG.name, 7, b"r" * 32)


def note_of(text: str) -> SignedNote:
    return SignedNote.parse(text.encode())


def test_the_notes_of_go_and_of_the_specification_verify() -> None:
    note = note_of(f"{TEXT}\n{PETERS}{ENOCHS}")
    assert (note.text, [each.name for each in note.signatures]) == (TEXT, ["PeterNeumann", "EnochRoot"])
    for key in (PETER, ENOCH):
        verify(note, VerifierKey.parse(key))
        assert str(VerifierKey.parse(key)) == key
    verify(note_of(FOOS_NOTE), VerifierKey.parse(FOO))
    assert str(note_of(FOOS_NOTE)) == FOOS_NOTE


def test_a_note_of_the_key_of_go_is_the_one_that_go_makes() -> None:
    key = Ed25519PrivateKey.from_private_bytes(PETER_SEED)
    assert str(signed(TEXT, VerifierKey.parse(PETER), key.sign)) == f"{TEXT}\n{PETERS}"


def test_the_examples_of_checkpoints_are_read() -> None:
    checkpoint, note = read_checkpoint(COSIGNED.encode())
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.text == note.text
    assert str(note) == COSIGNED
    assert int.from_bytes(note.signatures[1].signature[:8]) == 1679315147


def test_the_checkpoint_of_a_public_log_and_its_witness_verify() -> None:
    checkpoint, note = verified_checkpoint(ARCHES_CHECKPOINT.encode(), VerifierKey.parse(ARCHE))
    assert checkpoint.size == 1432088532
    assert cosigned_at(note, VerifierKey.parse(REMORA)) == 0x6A122120
    larger = SignedNote(Checkpoint(checkpoint.origin, checkpoint.size + 1, checkpoint.root).text, note.signatures)
    with pytest.raises(FailedProof):
        verify(larger, VerifierKey.parse(ARCHE))
    with pytest.raises(FailedProof):
        cosigned_at(larger, VerifierKey.parse(REMORA))


@pytest.mark.parametrize("kind", [ED25519, COSIGNATURE])
def test_every_change_of_a_key_is_refused(kind: int) -> None:
    text = str(LOG.verifier(kind))
    assert VerifierKey.parse(text) == LOG.verifier(kind)
    changed = {text[:start] + text[end:] for start, end in pairwise(range(len(text) + 1))}
    changed |= {text[:end] for end in range(len(text))} | {text[start:] for start in range(1, len(text))}
    changed |= {text[:at] + chr(ord(text[at]) + 1) + text[at + 1 :] for at in range(len(text))}
    changed |= {f"{text}\n", f" {text}", text.upper(), f"{text}=", f"\udc80{text}"}
    changed |= {
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",  # the length
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",  # the type
    }
    for each in changed:
        with pytest.raises(MalformedData):
            VerifierKey.parse(each)


@pytest.mark.parametrize("point", LOW_ORDER_POINTS)
def test_a_key_for_which_anyone_can_sign_is_refused(point: str) -> None:
    key = VerifierKey("example.com/log", ED25519, bytes.fromhex(point))
    with pytest.raises(MalformedData, match="low order"):
        VerifierKey.parse(str(key))


@pytest.mark.parametrize(
    ("note", "problem"),
    [
        (TEXT, "no signature lines"),
        (f"{TEXT}\n", "no signature lines"),
        (PETERS, "no signature lines"),
        (f"{TEXT}\n{PETERS}"[:-1], "no signature lines"),
        (f"{TEXT}\n{PETERS}\n", "no signature lines"),
        (f"\x01{TEXT}\n{PETERS}", "control character"),
        (f"{TEXT}\r\n{PETERS}", "control character"),
        (f"{TEXT}\n{PETERS}".replace("is", "i\t"), "control character"),
        (f"{TEXT}\n{PETERS}a line\n", "does not have a dash"),
        (f"{TEXT}\n{PETERS}".replace("—", "-"), "does not have a dash"),
        (f"{TEXT}\n— PeterNeumann\n", "does not have a dash"),
        (f"{TEXT}\n— Peter Neumann x08go/ZJ\n", "not base64"),
        (f"{TEXT}\n— Peter\u2003Neumann x08go/ZJ\n", "a key's name"),
        (f"{TEXT}\n— Peter+Neumann x08go/ZJ\n", "a key's name"),
        (f"{TEXT}\n—  x08go/ZJ\n", "a key's name"),
        (f"{TEXT}\n— PeterNeumann x08go_ZJ\n", "not base64"),
        (f"{TEXT}\n— PeterNeumann x08go/ZJkr==\n", "the only form"),
        (f"{TEXT}\n— PeterNeumann x08gow==\n", "too short"),
        (f"{TEXT}\n— PeterNeumann \n", "too short"),
        (f"{TEXT}\n{PETERS * (MAX_SIGNATURES + 1)}", "more than 100 signatures"),
        ("x" * MAX_NOTE_BYTES + f"\n\n{PETERS}", "more than 1000000 bytes"),
    ],
)
def test_a_malformed_note_is_refused_with_a_reason(note: str, problem: str) -> None:
    with pytest.raises(MalformedData, match=problem):
        note_of(note)


def test_a_note_is_utf_8_and_may_have_a_hundred_signatures_of_any_size() -> None:
    with pytest.raises(MalformedData, match="not UTF-8"):
        SignedNote.parse(b"\xff" + f"{TEXT}\n{PETERS}".encode())
    large = "".join(str(NoteSignature(f"key-{number}", b"1234", b"s" * 5_000)) for number in range(16))
    verify(note_of(f"{TEXT}\n{large}{PETERS}"), VerifierKey.parse(PETER))
    verify(note_of(f"{TEXT}\n{PETERS * MAX_SIGNATURES}"), VerifierKey.parse(PETER))


def test_only_the_key_with_the_name_and_the_id_counts() -> None:
    peter = VerifierKey.parse(PETER)
    other_name = PETERS.replace("PeterNeumann", "CarmenSandiego")
    other_id = PETERS.replace("x08g", "xxxx")
    for lines in (ENOCHS, other_name, other_id, str(WITNESS.cosignature(TEXT, 1))):
        with pytest.raises(FailedProof, match="no signature of PeterNeumann"):
            verify(note_of(f"{TEXT}\n{lines}"), peter)
    verify(note_of(f"{TEXT}\n{ENOCHS}{other_name}{PETERS}{other_id}"), peter)
    as_witness = VerifierKey(peter.name, COSIGNATURE, peter.public_key)
    with pytest.raises(FailedProof, match="no signature"):
        verify(note_of(f"{TEXT}\n{PETERS}"), as_witness)


def test_an_invalid_signature_of_the_key_spoils_the_note_beside_a_valid_one() -> None:
    wrong = str(NoteSignature(KEY.name, KEY.key_id, b"s" * 64))
    short = str(NoteSignature(KEY.name, KEY.key_id, b"s"))
    note = str(LOG.signed(TREE))
    for line in (wrong, short):
        with pytest.raises(FailedProof, match=r"signature of .* is invalid"):
            verify(note_of(note + line), KEY)


def test_a_text_that_no_note_can_have_is_not_signed() -> None:
    for text in ("no end of line", "a\tb\n", "a\0\n", "x" * MAX_NOTE_BYTES + "\n"):
        with pytest.raises(MalformedData):
            LOG.signed_text(text)
    with pytest.raises(SignerUnavailable, match="invalid signature"):
        signed(TREE.text, KEY, WITNESS.sign)


def test_a_changed_signature_scalar_is_refused() -> None:
    """The order of the group added to the second half gives a signature that a lax verifier accepts."""
    order = 2**252 + 27742317777372353535851937790883648493
    (line,) = LOG.signed(TREE).signatures
    scalar = int.from_bytes(line.signature[32:], "little") + order
    forged = NoteSignature(line.name, line.key_id, line.signature[:32] + scalar.to_bytes(32, "little"))
    with pytest.raises(FailedProof):
        verify(SignedNote(TREE.text, (forged,)), KEY)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "at least three lines"),
        ("example.com/log\n7\n", "at least three lines"),
        ("example.com/log\n7\nROOT", "at least three lines"),
        ("\n7\nROOT\n", "none of them empty"),
        ("example.com/log\n7\nROOT\n\n", "none of them empty"),
        ("example.com/log\n7\nROOT\n\nextension\n", "none of them empty"),
        ("example.com/log\n07\nROOT\n", "size"),
        ("example.com/log\n-7\nROOT\n", "size"),
        ("example.com/log\n+7\nROOT\n", "size"),
        ("example.com/log\n 7\nROOT\n", "size"),
        ("example.com/log\n٧\nROOT\n", "size"),
        ("example.com/log\n7_0\nROOT\n", "size"),
        (f"example.com/log\n{MAX_SIZE + 1}\nROOT\n", "size"),
        (f"example.com/log\n{'9' * 5_000}\nROOT\n", "size"),
        ("example.com/log\n7\nROO\n", "root is not base64"),
        ("example.com/log\n7\nROOT=\n", "root is not base64"),
        ("example.com/log\n7\ncm9vdA==\n", "4 bytes; it must have 32"),
    ],
)
def test_a_malformed_checkpoint_is_refused_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(MalformedData, match=problem):
        Checkpoint.parse(text.replace("ROOT", b64encode(b"r" * 32).decode()))


def test_an_empty_tree_has_one_root() -> None:
    assert Checkpoint.parse(Checkpoint("example.com/log", 0, EMPTY_ROOT).text).size == 0
    with pytest.raises(WrongEmptyRoot):
        Checkpoint.parse(Checkpoint("example.com/log", 0, b"r" * 32).text)


def test_a_checkpoint_is_of_the_log_that_signed_it() -> None:
    note = str(LOG.signed(TREE)).encode()
    assert verified_checkpoint(note, KEY)[0] == TREE
    foreign = LOG.signed(Checkpoint("example.com/\x9bother", 7, b"r" * 32))
    with pytest.raises(FailedProof, match=r"of the log 'example.com/\\x9bother', not of example.com/log"):
        verified_checkpoint(str(foreign).encode(), KEY)


def test_a_cosignature_states_a_time_and_the_whole_text() -> None:
    key = WITNESS.verifier(COSIGNATURE)
    note = LOG.signed_text(f"{TREE.text}an extension\n")
    assert cosigned_at(note, key) is None
    assert cosigned_at(WITNESS.cosigned(note, 5), key) == 5
    assert cosigned_at(WITNESS.cosigned(WITNESS.cosigned(note, 9), 7), key) == 9
    assert cosigned_at(WITNESS.cosigned(note, 0), key) == 0
    assert cosigned_at(WITNESS.cosigned(note, 5), WITNESS.verifier()) is None
    line = cosign(note.text, key, 5, WITNESS.sign)
    later = NoteSignature(line.name, line.key_id, (6).to_bytes(8) + line.signature[8:])
    too_late = cosign(note.text, key, MAX_SIZE + 1, WITNESS.sign)
    of_another_text = cosign(TREE.text, key, 5, WITNESS.sign)
    without_time = NoteSignature(line.name, line.key_id, WITNESS.sign(note.text.encode()))
    for wrong in (later, too_late, of_another_text, without_time, NoteSignature(line.name, line.key_id, b"s")):
        with pytest.raises(FailedProof, match=r"the cosignature of witness.example is invalid"):
            cosigned_at(SignedNote(note.text, (line, wrong)), key)


@given(st.binary(max_size=200) | st.text(st.sampled_from("— \nAB+=/x08go"), max_size=200).map(str.encode))
def test_any_octets_are_a_note_or_malformed(octets: bytes) -> None:
    try:
        note = SignedNote.parse(octets)
    except MalformedData:
        return
    assert str(note).encode() == octets


@given(st.text(max_size=30), st.integers(-1, 2**64), st.binary(min_size=30, max_size=33), st.lists(st.text()))
def test_any_checkpoint_is_read_as_it_is_written(origin: str, size: int, root: bytes, extensions: list[str]) -> None:
    written = Checkpoint(origin, size, root, tuple(extensions))
    try:
        read = Checkpoint.parse(written.text)
    except MalformedData:
        return
    assert read.text == written.text
    assert (read.size, read.root) == (size, root)


@given(st.text(max_size=40))
def test_any_line_is_a_signature_or_malformed(line: str) -> None:
    try:
        signature = signature_of_line(line)
    except MalformedData:
        return
    assert str(signature) == f"{line}\n"
