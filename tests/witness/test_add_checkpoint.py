"""Requests for cosignatures: each answer of C2SP tlog-witness, the state after it, and the evidence that remains."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from coolid.audit.evidence import GENUINE, PROVED, log_key, verify_evidence
from coolid.http.message import Request
from coolid.log.checkpoints import cosigned_at, verified_checkpoint
from coolid.log.signed_notes import signed
from coolid.strict_json import dump, load
from coolid.witness import state_rows
from coolid.witness.evidence import documents_of
from tests.support.builders.signed_logs import SignedLog
from tests.support.builders.witnesses import WITNESS, WitnessService, body_of
from tests.support.fixtures.note_keys import NoteKey

LOG = SignedLog()
FORK = SignedLog(fork_at=5)
HASH = b"x" * 32


@pytest.fixture
def service(tmp_path: Path) -> Iterator[WitnessService]:
    service = WitnessService(tmp_path / "witness.db", LOG)
    yield service
    service.state.close()


def signed_body(text: str, key: NoteKey = LOG.key, old: int = 0) -> bytes:
    return f"old {old}\n\n{signed(text, key.verifier(), key.sign)}".encode()


class TestCosignatures:
    def test_the_answer_is_a_valid_cosignature_and_monitors_get_it_with_the_checkpoint(
        self, service: WitnessService
    ) -> None:
        path = f"/{sha256(LOG.origin.encode()).hexdigest()}/checkpoint"
        assert service.application.answer(Request("GET", path)).status == 404
        for old, new in ((0, 3), (3, 17), (17, 17)):
            response = service.post(body_of(LOG, old, new))
            assert (response.status, response.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
            note = LOG.note(new) + str(response.body)
            checkpoint, parsed = verified_checkpoint(note.encode(), LOG.key.verifier())
            assert checkpoint == LOG.checkpoint(new)
            assert cosigned_at(parsed, WITNESS.verifier()) == service.clock.milliseconds() // 1000
            assert service.application.answer(Request("GET", path)).body == note
            service.clock.pause(60_000)

    def test_an_empty_tree_can_be_cosigned_and_grows(self, service: WitnessService) -> None:
        assert [service.submit(LOG, 0, size) for size in (0, 0, 9)] == [200, 200, 200]

    def test_foreign_signatures_are_ignored_and_not_served(self, service: WitnessService) -> None:
        other = signed(LOG.checkpoint(3).text, *(NoteKey("x.example").verifier(), NoteKey("x.example").sign))
        response = service.post(body_of(LOG, 0, 3) + str(other).rpartition("\n\n")[2].encode())
        assert response.status == 200
        latest = service.state.read(lambda rows: rows.latest(LOG.origin))
        assert latest is not None
        assert latest.note == LOG.note(3) + str(response.body)

    def test_a_log_can_change_its_key(self, service: WitnessService) -> None:
        new = NoteKey(LOG.origin, seed=2)
        body = signed_body(LOG.checkpoint(4).text, new)
        assert service.post(body).status == 403
        service.state.change(lambda rows: rows.add_key(new.verifier()))
        assert service.post(body).status == 200
        service.state.change(lambda rows: rows.remove_key(LOG.key.verifier()))
        assert service.submit(LOG, 4, 9) == 403
        assert service.size(LOG) == 4


NOTE = LOG.note(3).encode()
MALFORMED = {
    "no body": b"",
    "no old size": NOTE,
    "no empty line": b"old 0\n" + NOTE,
    "leading zero": b"old 00\n\n" + NOTE,
    "negative": b"old -1\n\n" + NOTE,
    "Arabic digits": "old \u0663\n\n".encode() + NOTE,
    "carriage return": b"old 0\r\n\r\n" + NOTE,
    "two spaces": b"old  0\n\n" + NOTE,
    "too large": b"old 9223372036854775808\n\n" + NOTE,
    "hash of 31 bytes": b"old 0\n" + b"eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eA==\n\n" + NOTE,
    "no base64": b"old 0\n" + b"!" * 44 + b"\n\n" + NOTE,
    "64 hashes": body_of(LOG, 2, 3, [HASH] * 64),
    "no signature": b"old 0\n\n" + NOTE.split(b"\n\n")[0] + b"\n",
    "a checkpoint of two lines": signed_body("log.example/log\n3\n"),
    "a size with a sign": signed_body(LOG.checkpoint(3).text.replace("\n3\n", "\n+3\n")),
    "a root of 31 bytes": signed_body("log.example/log\n3\neHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eA==\n"),
    "an old size above the new one": body_of(LOG, 4, 3),
}


class TestRefusals:
    @pytest.mark.parametrize("what", MALFORMED)
    def test_malformed_requests_are_400(self, service: WitnessService, what: str) -> None:
        assert service.post(MALFORMED[what]).status == 400
        assert service.size(LOG) is None

    def test_unknown_logs_are_404_and_foreign_or_invalid_signatures_403(self, service: WitnessService) -> None:
        assert service.submit(SignedLog("other.example/log"), 0, 3) == 404
        assert service.post(signed_body(LOG.checkpoint(3).text, NoteKey(LOG.origin, seed=2))).status == 403
        assert service.post(body_of(LOG, 0, 3).replace(b"\n3\n", b"\n4\n")).status == 403
        twice = body_of(LOG, 0, 3) + body_of(LOG, 0, 4).rpartition(b"\n\n")[2]
        assert service.post(twice).status == 403
        assert service.size(LOG) is None

    def test_another_old_size_is_409_with_the_cosigned_one(self, service: WitnessService) -> None:
        response = service.post(body_of(LOG, 2, 9))
        assert (response.status, response.headers["Content-Type"], response.body) == (409, "text/x.tlog.size", "0\n")
        assert service.submit(LOG, 0, 9) == 200
        for old, new in ((0, 9), (0, 20), (8, 20), (10, 20), (8, 8)):
            response = service.post(body_of(LOG, old, new))
            assert (response.status, response.body) == (409, "9\n")
        assert service.size(LOG) == 9

    def test_wrong_proofs_and_roots_are_422(self, service: WitnessService) -> None:
        assert service.submit(LOG, 0, 9, [HASH]) == 422
        assert service.post(signed_body(LOG.checkpoint(3).text.replace("\n3\n", "\n0\n"))).status == 422
        assert service.submit(LOG, 0, 9) == 200
        right = LOG.proof(9, 20)
        for proof in ([], right[1:], [*right, HASH], [HASH, *right[1:]], FORK.proof(9, 20)):
            assert service.submit(LOG, 9, 20, proof) == 422
        assert service.submit(LOG, 9, 9, [HASH]) == 422
        assert service.submit(FORK, 9, 9) == 422
        assert service.size(LOG) == 9

    def test_other_addresses_and_methods_are_refused(self, service: WitnessService) -> None:
        statuses = {
            ("GET", "/add-checkpoint"): 405,
            ("POST", f"/{'0' * 64}/checkpoint"): 405,
            ("GET", f"/{'A' * 64}/checkpoint"): 404,
            ("POST", "/sign-subtree"): 404,
            ("GET", "/"): 200,
        }
        for (method, path), status in statuses.items():
            assert service.application.answer(Request(method, path)).status == status


class TestEvidence:
    """Forks are proven, and nobody can make a witness accuse an honest log."""

    def kept(self, service: WitnessService) -> list[bool]:
        found = service.state.read(lambda rows: [*rows.evidence()])
        if not found:
            return []
        document = load(dump(documents_of(found)[str(LOG.key.verifier())]).encode())
        assert log_key(document, [LOG.key.verifier()]) == LOG.key.verifier()
        outcomes = [verdict.outcome for verdict in verify_evidence(document, LOG.key.verifier())]
        assert outcomes == [PROVED if each.is_proof else GENUINE for each in found]
        return [each.is_proof for each in found]

    @pytest.mark.parametrize(("old", "new"), [(9, 9), (0, 9), (9, 20), (3, 6)])
    def test_forks_are_proven(self, service: WitnessService, old: int, new: int) -> None:
        assert [service.submit(LOG, 0, 6), service.submit(LOG, 6, 9)] == [200, 200]
        assert service.submit(FORK, old, new) in (409, 422)
        assert self.kept(service) == [True]
        assert len(service.reports) == 1
        service.submit(FORK, old, new)
        assert len(service.reports) == 1
        assert service.size(LOG) == 9

    def test_a_suspicion_becomes_a_proof_when_the_other_tree_is_cosigned(self, service: WitnessService) -> None:
        assert service.submit(LOG, 0, 8) == 200  # a complete tree, which the proof does not contain
        assert service.submit(FORK, 8, 20) == 422
        assert self.kept(service) == [False]
        assert service.submit(LOG, 8, 20) == 200
        assert self.kept(service) == [True]

    def test_a_rollback_is_refused_and_suspected(self, service: WitnessService) -> None:
        assert service.submit(LOG, 0, 20) == 200
        assert service.submit(FORK, 0, 9) == 409
        assert self.kept(service) == [False]

    def test_honest_logs_are_not_accused(self, service: WitnessService) -> None:
        assert service.submit(LOG, 0, 9) == 200
        assert service.submit(LOG, 0, 9) == 409  # repeated
        assert service.submit(LOG, 5, 20) == 409  # outdated
        assert self.kept(service) == []
        assert service.submit(LOG, 9, 20, [HASH]) == 422  # somebody adds a wrong proof to the log's checkpoint
        assert self.kept(service) == [False]
        assert service.submit(LOG, 9, 20) == 200
        assert service.submit(LOG, 0, 9) == 409  # replayed
        assert self.kept(service) == []

    def test_evidence_and_checkpoints_are_limited(
        self, service: WitnessService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(state_rows, "MAX_EVIDENCE", 2)
        monkeypatch.setattr(state_rows, "MAX_CHECKPOINTS", 3)
        assert {service.submit(LOG, old, new) for old, new in pairwise([0, *range(6, 20)])} == {200}
        for size in range(6, 20):
            assert service.submit(FORK, 0, size) == 409
        assert self.kept(service) == [False, False, True, True]
