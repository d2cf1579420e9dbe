"""An operator who rewrites a log that a witness follows: the witness refuses, and an auditor and its evidence agree."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coolid.audit.evidence import GENUINE, PROVED, verify_evidence
from coolid.audit.rules import TimeLimits
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.deadlines import Deadline
from coolid.http.message import Request
from coolid.log.checkpoints import Checkpoint
from coolid.log.policies import Policy, PolicyKey
from coolid.log.signed_notes import SignedNote
from coolid.log.tiles import CHECKPOINT, TileReader
from coolid.log.witnesses import Witnesses
from coolid.witness.evidence import documents_of
from tests.audit.conftest import RunAudit
from tests.audit.test_log_audit import honest, outcomes, rules
from tests.support.builders.lying_service import LyingService
from tests.support.builders.witnesses import WITNESS, WitnessService

_URL = "https://witness.example"


class WitnessedLog:
    """A witness, to which a log sends its checkpoints before it publishes them."""

    def __init__(self, path: Path, service: LyingService) -> None:
        key = service.note_key.verifier()
        self.witness = WitnessService(path)
        self.witness.state.change(lambda rows: rows.add_key(key))
        self.witness.clock.pause(service.time * 1000 - self.witness.clock.milliseconds())
        self.policy = Policy("w", (PolicyKey(key),), {"w": PolicyKey(WITNESS.verifier(), _URL)})
        self.refusals: list[str] = []

    def post(self, _url: str, body: bytes, _deadline: Deadline) -> tuple[int, bytes]:
        """See `WitnessClient`."""
        answer = self.witness.post(body)
        return answer.status, str(answer.body).encode()

    def publish(self, service: LyingService) -> bool:
        """Request a cosignature of the published checkpoint, and add it. Return whether it cosigned."""
        witnesses = Witnesses(self.policy.witnesses, self, lambda _, reason: self.refusals.append(reason), lambda: 0.0)
        note = SignedNote.parse(service.files[CHECKPOINT])
        tree = TileReader(Checkpoint.parse(note.text).size, lambda paths: {path: service.files[path] for path in paths})
        cosigned = witnesses.cosigned(note, tree)
        service.files[CHECKPOINT] = str(cosigned).encode()
        return len(cosigned.signatures) > len(note.signatures)

    def serve_views(self, service: LyingService) -> None:
        """Let the auditor of a service reach the witness."""
        sent = service.send

        def send(request: HttpRequest) -> HttpAnswer:
            if not request.url.startswith(_URL):
                return sent(request)
            answer = self.witness.application.answer(Request("GET", request.url.removeprefix(_URL)))
            return HttpAnswer(request.url, answer.status, {}, str(answer.body).encode())

        service.send = send  # type: ignore[method-assign]

    def evidence(self) -> Any:
        """Return the evidence that the witness kept."""
        return documents_of(self.witness.state.read(lambda rows: list(rows.evidence())))


@pytest.fixture
def witnessed(tmp_path: Path) -> Iterator[tuple[LyingService, WitnessedLog]]:
    service = honest()
    log = WitnessedLog(tmp_path / "witness.db", service)
    assert log.publish(service)
    yield service, log
    log.witness.state.close()


def fork(service: LyingService) -> None:
    service.entries[-1] = service.entries[-2]


def fork_larger(service: LyingService) -> None:
    service.entries[5] = service.entries[4]
    service.write("mp:c")


def drop(service: LyingService) -> None:
    del service.entries[6]
    service.write("mp:c")
    service.write("mp:c")


def reorder(service: LyingService) -> None:
    service.entries[3], service.entries[6] = service.entries[6], service.entries[3]


def roll_back(service: LyingService) -> None:
    del service.entries[-2:]


def back_date(service: LyingService) -> None:
    """Enter a record before all that is there, as if it had been first."""
    service.write("mp:new", iat=service.time - 40_000_000)
    service.entries.insert(3, service.entries.pop())


REWRITES: list[tuple[Callable[[LyingService], object], str, str]] = [
    (fork, "split-view", PROVED),
    (fork_larger, "split-view", PROVED),
    (drop, "split-view", PROVED),
    (reorder, "split-view", PROVED),
    (roll_back, "rollback", GENUINE),
    (back_date, "split-view", PROVED),
]


@pytest.mark.parametrize(("rewrite", "rule", "outcome"), REWRITES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_rewritten_log_is_neither_cosigned_nor_passes_an_audit(
    rewrite: Callable[[LyingService], object],
    rule: str,
    outcome: str,
    witnessed: tuple[LyingService, WitnessedLog],
    run_audit: RunAudit,
) -> None:
    service, log = witnessed
    assert run_audit(service, policy=log.policy).is_good
    rewritten = service.copy()
    rewrite(rewritten)
    rewritten.publish()
    assert not log.publish(rewritten)
    assert log.refusals
    report = run_audit(rewritten, policy=log.policy)
    assert {rule, "quorum"} <= rules(report)
    assert outcomes(report)[rule] == outcome

    ((key, document),) = log.evidence().items()
    assert key == str(service.note_key.verifier())
    verdicts = verify_evidence(document, service.note_key.verifier())
    assert [(each.rule, each.outcome) for each in verdicts] == [(rule, outcome)]

    service.write("mp:a")
    service.publish()
    assert log.publish(service)  # the witness goes on with the honest log


def test_a_replayed_checkpoint_does_not_move_the_witness_back(
    witnessed: tuple[LyingService, WitnessedLog], run_audit: RunAudit
) -> None:
    service, log = witnessed
    old = service.files[CHECKPOINT]
    service.write("mp:a")
    service.publish()
    assert log.publish(service)
    assert run_audit(service, policy=log.policy).is_good
    new = service.files[CHECKPOINT]
    service.files[CHECKPOINT] = old  # with its genuine cosignature
    assert rules(run_audit(service, policy=log.policy)) == {"rollback"}
    service.files[CHECKPOINT] = new
    service.write("mp:a")
    service.publish()
    assert log.publish(service)


def test_the_witness_shows_a_replayed_checkpoint_and_a_fork_to_an_auditor_who_saw_nothing_before(
    witnessed: tuple[LyingService, WitnessedLog], run_audit: RunAudit
) -> None:
    service, log = witnessed
    replay, fork = service.copy(), service.copy()
    service.write("mp:a")
    service.publish()
    assert log.publish(service)
    for liar in (service, replay, fork):
        log.serve_views(liar)
    later = TimeLimits(service.time + 1_000_000)
    now = TimeLimits(service.time)
    assert run_audit(replay, policy=log.policy, limits=now).is_good  # it may publish the new tree in a moment
    assert rules(run_audit(replay, policy=log.policy, limits=later)) == {"rollback"}
    fork.write("mp:c")
    fork.write("mp:c")
    fork.publish()
    assert {"split-view", "quorum"} <= rules(run_audit(fork, policy=log.policy, limits=later))


def test_a_lie_that_only_grows_the_log_is_cosigned_and_left_to_auditors(
    witnessed: tuple[LyingService, WitnessedLog], run_audit: RunAudit
) -> None:
    """A witness does not read entries."""
    service, log = witnessed
    service.add_change("prefix", "mp", kind="namespace", target="r0th-3r00-19", revision=2)
    service.publish()
    assert log.publish(service)
    assert rules(run_audit(service, policy=log.policy)) == {"moved-alias"}
