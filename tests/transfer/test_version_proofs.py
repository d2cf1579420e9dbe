"""Proofs of the transparency log in exports: complete, verifiable elsewhere, and ignored by imports."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from coolid.log.entries import version_name
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.log.tiles import CHECKPOINT
from coolid.store.log import LogAccess
from coolid.transfer import version_proofs
from coolid.transfer.export_format import TLOG_PROOF
from coolid.transfer.version_proofs import VersionProofs
from coolid.wiring import transfer
from tests.support.builders.published_log import publish
from tests.support.fixtures.installations import Installation


def exported(installation: Installation, proofs: VersionProofs | None = None) -> list[dict[str, object]]:
    with transfer.open_access(installation.settings) as access:
        return [json.loads(line) for line in transfer.export_lines(access, proofs)]


def entries(installation: Installation) -> dict[str, bytes]:
    """Return the entries of all versions by name, in the order of an export."""
    return {
        version_name(str(each["repository"]), str(each["key"]), each["version"]): each["record"]["proof"].encode()  # type: ignore[arg-type, index]
        for each in exported(installation)
        if each["kind"] == "record"
    }


def key_of(log: LogAccess) -> VerifierKey:
    return VerifierKey(log.origin, ED25519, log.signer.public_key())


def test_each_version_in_the_log_has_a_proof_and_others_have_none(furnished: Installation) -> None:
    every = entries(furnished)
    logged = dict(list(every.items())[:-2])
    log = publish({f"other {number}": b"%d" % number for number in range(700)} | logged)
    proofs = VersionProofs(log.rows, log.files)
    records = [each for each in exported(furnished, proofs) if each["kind"] == "record"]
    assert [TLOG_PROOF in each for each in records] == [True] * len(logged) + [False] * 2
    assert (proofs.missing, proofs.damaged) == (2, 0)
    for each in records[:-2]:
        proof = InclusionProof.parse(str(each[TLOG_PROOF]).encode())
        proof.verify(each["record"]["proof"].encode(), key_of(log))  # type: ignore[index]


def test_apart_from_proofs_the_export_is_the_same_and_imports_ignore_them(
    furnished: Installation, other: Installation, tmp_path: Path
) -> None:
    log = publish(entries(furnished))
    with transfer.open_access(furnished.settings) as access:
        export = b"".join(transfer.export_lines(access, VersionProofs(log.rows, log.files)))
    lines = [json.loads(line) for line in export.splitlines()]
    plain = exported(furnished)
    assert [{name: each[name] for name in each if name != TLOG_PROOF} for each in lines[:-1]] == plain[:-1]
    progress, refusals = other.restore(export, tmp_path)
    assert (progress.refused, refusals) == (0, [])
    assert exported(other) == plain
    assert other.restore(export, tmp_path)[0].written == 2  # counters


def test_a_damaged_log_leaves_versions_without_proof(furnished: Installation) -> None:
    log = publish(entries(furnished))
    log.files.write({path: bytes(len(log.files.read([path])[path])) for path in ["tile/0/000.p/18"]})
    proofs = VersionProofs(log.rows, log.files)
    assert not any(TLOG_PROOF in each for each in exported(furnished, proofs))
    assert proofs.damaged == 18


def test_a_log_without_a_checkpoint_has_no_proofs(furnished: Installation) -> None:
    log = publish({})
    del log.files.contents[CHECKPOINT]  # type: ignore[attr-defined]
    assert not VersionProofs(log.rows, log.files).is_published


def test_a_bounded_number_of_tiles_is_kept(furnished: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_proofs, "MAX_TILES", 1)
    log = publish({f"other {number}": b"%d" % number for number in range(700)} | entries(furnished))
    reads: list[str] = []
    read = log.files.read

    def counting(paths: Sequence[str]) -> Mapping[str, bytes]:
        reads.extend(paths)
        return read(paths)

    monkeypatch.setattr(log.files, "read", counting)
    proofs = VersionProofs(log.rows, log.files)
    assert all(TLOG_PROOF in each for each in exported(furnished, proofs) if each["kind"] == "record")
    assert len(reads) > 18
