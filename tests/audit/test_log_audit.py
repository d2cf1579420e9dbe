"""Audits of an honest log, and of a log and a service whose operator lies in one way."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from coolid.audit.evidence import GENUINE, PROVED, log_key, verify_evidence
from coolid.audit.log_audit import AuditReport
from coolid.audit.rules import TimeLimits
from coolid.client.errors import BadAnswer, ClientError, Unreachable
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.log.checkpoints import Checkpoint
from coolid.log.policies import Policy
from coolid.log.tiles import CHECKPOINT, bundle_of, bundle_path, entries_of
from tests.audit.conftest import RunAudit
from tests.support.builders.lying_service import LyingService
from tests.support.builders.signed_documents import Key
from tests.support.fixtures.note_keys import NoteKey


def honest() -> LyingService:
    """Return a service with some PIDs: changed, withdrawn, and one that was reserved at first."""
    service = LyingService()
    for name in ("mp:a", "mp:b", "mp:c"):
        service.write(name)
    service.write("mp:a")
    service.write("mp:a")
    service.withdraw("mp:b")
    service.write("mp:d", logged=False, status="reserved")
    service.write("mp:d")
    service.listed = [service.pid(name) for name in ("mp:a", "mp:c", "mp:d")]
    service.publish()
    return service


def rules(report: AuditReport) -> set[str]:
    return {observation.finding.rule for observation in report.observations}


def outcomes(report: AuditReport) -> dict[str, str]:
    """Return what others can verify of the evidence, which is passed on as text."""
    document = orjson.loads(orjson.dumps(report.evidence))
    return {verdict.rule: verdict.outcome for verdict in verify_evidence(document, log_key(document, []))}


def test_an_honest_log_has_no_findings_and_is_read_once(run_audit: RunAudit) -> None:
    service = honest()
    first = run_audit(service)
    assert (first.observations, first.is_good, first.evidence) == ([], True, None)
    assert (first.size, first.read, first.pids, first.compared) == (10, 10, 4, 4)
    service.requests.clear()
    service.write("mp:e")
    service.publish()
    second = run_audit(service, sample=0)
    assert (second.is_good, second.size, second.read, second.compared) == (True, 11, 1, 0)
    assert not any("mp:a" in url for url in service.requests)


def lie_about_entries(change: Callable[[LyingService], object]) -> LyingService:
    """Return an honest service after a lie that is in its signed tree."""
    service = honest()
    change(service)
    service.publish()
    return service


def drop(service: LyingService) -> None:
    """Leave out the second version of mp:a."""
    del service.entries[6]


def reorder(service: LyingService) -> None:
    service.entries[3], service.entries[6] = service.entries[6], service.entries[3]


def back_date(service: LyingService) -> None:
    service.write("mp:new", iat=service.time - 40_000_000)


def back_date_version(service: LyingService) -> None:
    service.write("mp:c", iat=service.time - 1_800)


def reuse(service: LyingService) -> None:
    service.documents[service.pid("mp:c")].clear()
    service.write("mp:c", repository="r0th-3r00-19")


def reuse_alias(service: LyingService) -> None:
    """Give the PID of an alias again under another alias, whose statement follows."""
    service.write("mp:tw0t-ywdj-94")
    service.write("papers:TW0TYWDJ94")
    service.add_change("prefix", "papers", kind="namespace", target="r4k2-9m3x-62", revision=1)
    service.aliases["papers"] = "r4k2-9m3x-62"


def move_alias(service: LyingService) -> None:
    service.add_change("prefix", "mp", kind="namespace", target="r0th-3r00-19", revision=2)


def alias_to_provider(service: LyingService) -> None:
    service.add_change("prefix", "mp", kind="provider", target=None, revision=2)


def change_after_withdrawal(service: LyingService) -> None:
    service.write("mp:b")


def forge(service: LyingService) -> None:
    entry = service.entries.pop()
    service.entries.append(entry[:-4] + (b"AAAA" if entry[-4:] != b"AAAA" else b"BBBA"))


def use_other_key(service: LyingService) -> None:
    service.write("mp:c", key=Key(2))


def use_published_key(service: LyingService) -> None:
    service.keys.append(Key(2))
    service.write("mp:c", key=Key(2))


def hide_key(service: LyingService) -> None:
    service.keys = []


def repeat(service: LyingService) -> None:
    service.entries.append(service.entries[4])


def restate(service: LyingService) -> None:
    service.add_change("repository", "r4k2-9m3x-62", revision=1, ttl=5)


def write_in_future(service: LyingService) -> None:
    service.write("mp:c", iat=service.time + 1_000_000)


def write_metadata(service: LyingService) -> None:
    service.log(service.key.proof({"pid": service.pid("mp:x"), "version": 1, "title": "My diary"}))


def break_chain(service: LyingService) -> None:
    service.write("mp:c", previous="sha-256=:" + "A" * 43 + "=:")


def change_repository(service: LyingService) -> None:
    service.write("mp:c", repository="r0th-3r00-19")


def sign_early(service: LyingService) -> None:
    service.write("mp:new", iat=service.time, updated="2027-01-01T00:00:00Z")


LIES_IN_ENTRIES: list[tuple[Callable[[LyingService], object], str, str]] = [
    (drop, "missing-version", GENUINE),
    (reorder, "reordered-version", PROVED),
    (back_date, "back-dated", GENUINE),
    (back_date_version, "back-dated", PROVED),
    (reuse, "reused-pid", PROVED),
    (reuse_alias, "respelled-pid", GENUINE),
    (move_alias, "moved-alias", PROVED),
    (alias_to_provider, "moved-alias", PROVED),
    (change_after_withdrawal, "after-withdrawal", PROVED),
    (forge, "bad-signature", PROVED),
    (use_other_key, "unknown-key", GENUINE),
    (use_published_key, "unlogged-key", GENUINE),
    (hide_key, "unpublished-key", GENUINE),
    (repeat, "repeated-entry", PROVED),
    (restate, "changed-statement", PROVED),
    (write_in_future, "future-dated", GENUINE),
    (write_metadata, "malformed-entry", PROVED),
    (break_chain, "broken-chain", PROVED),
    (change_repository, "broken-chain", PROVED),
    (sign_early, "early-signature", PROVED),
]


@pytest.mark.parametrize(("lie", "rule", "outcome"), LIES_IN_ENTRIES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_lie_in_the_signed_tree_is_found_and_its_evidence_holds(
    lie: Callable[[LyingService], object], rule: str, outcome: str, run_audit: RunAudit
) -> None:
    report = run_audit(lie_about_entries(lie))
    assert rule in rules(report)
    assert not report.is_good
    assert outcomes(report)[rule] == outcome
    assert "refuted" not in outcomes(report).values()


def hide_version(service: LyingService) -> None:
    del service.documents[service.pid("mp:a")][1]


def alter(service: LyingService) -> None:
    versions = service.documents[service.pid("mp:c")]
    versions[0] = service.key.sign({**versions[0], "metadata": {"what": "another"}}, iat=service.time)


def tamper(service: LyingService) -> None:
    service.documents[service.pid("mp:c")][0]["metadata"] = {"what": "another"}


def roll_record_back(service: LyingService) -> None:
    service.documents[service.pid("mp:a")].pop()


def remove(service: LyingService) -> None:
    del service.documents[service.pid("mp:c")]


def keep_from_log(service: LyingService) -> None:
    service.write("mp:c", logged=False)
    service.time += 1_000_000


def keep_pid_from_log(service: LyingService) -> None:
    service.write("mp:hidden", logged=False)
    service.listed.append(service.pid("mp:hidden"))
    service.time += 1_000_000


def show_reserved(service: LyingService) -> None:
    first = service.documents[service.pid("mp:d")][0]
    service.documents[service.pid("mp:d")][0] = service.key.sign({**first, "status": "active"})


def move_shown_alias(service: LyingService) -> None:
    service.aliases["mp"] = "r0th-3r00-19"


def hide_alias(service: LyingService) -> None:
    service.aliases.clear()


LIES_IN_ANSWERS: list[tuple[Callable[[LyingService], object], str, str]] = [
    (hide_version, "unserved-version", GENUINE),
    (alter, "altered-answer", PROVED),
    (tamper, "altered-answer", GENUINE),
    (roll_record_back, "stale-answer", GENUINE),
    (remove, "unserved-version", GENUINE),
    (keep_from_log, "unlogged-version", GENUINE),
    (keep_pid_from_log, "unlogged-version", GENUINE),
    (show_reserved, "unlogged-version", GENUINE),
    (move_shown_alias, "altered-alias", GENUINE),
    (hide_alias, "altered-alias", GENUINE),
]


@pytest.mark.parametrize(("lie", "rule", "outcome"), LIES_IN_ANSWERS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_answer_that_differs_from_the_log_is_found_and_forgotten_when_corrected(
    lie: Callable[[LyingService], object], rule: str, outcome: str, run_audit: RunAudit
) -> None:
    service = honest()
    liar = service.copy()
    assert run_audit(service).is_good
    lie(liar)
    report = run_audit(liar)
    assert not report.is_good
    assert outcomes(report)[rule] == outcome
    assert rules(report) == outcomes(report).keys() <= {rule, "unserved-version"}
    assert run_audit(service).is_good


class Redirector(LyingService):
    """Redirects to a target of its own, and shows the right record."""

    def answer(self, pid: str, query: Any, url: str) -> HttpAnswer:
        found = super().answer(pid, query, url)
        return HttpAnswer(url, 302, {"location": "https://evil.example/"}) if found.status == 302 else found


def test_a_redirect_to_another_target_is_found(run_audit: RunAudit) -> None:
    service = Redirector()
    service.write("mp:a")
    service.publish()
    report = run_audit(service)
    assert rules(report) == {"other-target"}


def test_a_version_that_waits_for_its_place_is_no_finding(run_audit: RunAudit) -> None:
    service = honest()
    service.write("mp:c", logged=False)
    service.time -= 3600
    assert run_audit(service).observations == []
    service.documents[service.pid("mp:c")].pop()
    service.write("mp:c", logged=False, iat=service.time + 5000)  # signed again and again
    later = run_audit(service, limits=TimeLimits(service.time + 5000))
    assert rules(later) == {"unlogged-version"}


def fail_for(service: LyingService, error: ClientError, *parts: str) -> None:
    """Let the service fail for addresses with one of these parts."""
    sent = service.send

    def send(request: HttpRequest) -> HttpAnswer:
        if any(part in request.url for part in parts):
            raise error
        return sent(request)

    service.send = send  # type: ignore[method-assign]


@pytest.mark.parametrize("error", [BadAnswer("its body is compressed"), Unreachable("connection refused")])
def test_a_service_cannot_hide_a_pid_by_failing_for_it(error: ClientError, run_audit: RunAudit) -> None:
    service = honest()
    fail_for(service, error, "mp:c")
    assert rules(run_audit(service)) == {"unanswered"}
    fail_for(service, error, "mp:")
    with pytest.raises(type(error)):
        run_audit(service)


def test_a_log_that_serves_unusable_bundles_or_claims_a_huge_size_is_found(run_audit: RunAudit) -> None:
    service = honest()
    fail_for(service, BadAnswer("its body is compressed"), "tile/entries")
    assert rules(run_audit(service)) == {"missing-file"}
    huge = honest()
    checkpoint = Checkpoint(huge.note_key.name, 2**62, bytes(32))
    huge.files[CHECKPOINT] = str(huge.note_key.signed(checkpoint)).encode()
    assert "wrong-tree" in rules(run_audit(huge))
    del huge.files[CHECKPOINT]
    assert rules(run_audit(huge)) == {"missing-file"}


def test_an_ark_may_return_to_the_public_and_is_reported(run_audit: RunAudit) -> None:
    service = honest()
    service.write("ark:99999/fk4x")
    service.withdraw("ark:99999/fk4x")
    service.write("ark:99999/fk4x")
    service.publish()
    report = run_audit(service)
    assert (rules(report), report.is_good) == ({"restored"}, True)


def test_a_fork_between_two_audits_is_proved_by_both_checkpoints(run_audit: RunAudit) -> None:
    service = honest()
    fork = service.copy()
    service.write("mp:a")
    service.publish()
    fork.write("mp:c")
    fork.write("mp:c")
    fork.publish()
    assert run_audit(service).is_good
    report = run_audit(fork)
    assert "split-view" in rules(report)
    assert outcomes(report)["split-view"] == PROVED
    checkpoints = report.evidence["findings"][0]["checkpoints"] if report.evidence else []
    assert len(checkpoints) == 2
    assert not run_audit(service).is_good  # the log stays guilty


@pytest.mark.parametrize("further", [1, 2])
def test_a_view_that_another_reader_received_shows_a_fork(further: int, run_audit: RunAudit) -> None:
    service = honest()
    fork = service.copy()
    service.write("mp:a")
    service.publish()
    for _ in range(further):
        fork.write("mp:c")
    view = fork.publish()
    if further == 1:  # trees of one size differ without any tile
        report = run_audit(service, views=[view])
        assert outcomes(report)["split-view"] == PROVED
    else:  # only the fork serves the tiles of its larger tree
        assert rules(run_audit(service, views=[view])) == {"wrong-tree"}
        assert outcomes(run_audit(fork, views=[service.files[CHECKPOINT]]))["split-view"] == PROVED


def test_a_replayed_checkpoint_is_a_rollback_to_those_who_saw_a_later_one(run_audit: RunAudit) -> None:
    service = honest()
    old = service.files[CHECKPOINT]
    service.write("mp:a")
    service.publish()
    assert run_audit(service).is_good
    service.files[CHECKPOINT] = old
    del service.files[bundle_path(0, 11)], service.files["tile/0/000.p/11"]
    report = run_audit(service)
    assert rules(report) == {"rollback"}
    assert outcomes(report) == {"rollback": GENUINE}
    service.publish()
    assert run_audit(service).is_good


def serve_other_bundle(service: LyingService) -> None:
    path = bundle_path(0, len(service.entries))
    entries = entries_of(service.files[path])
    service.files[path] = bundle_of([*entries[:4], entries[3], *entries[5:]])


def serve_short_bundle(service: LyingService) -> None:
    path = bundle_path(0, len(service.entries))
    service.files[path] = bundle_of(entries_of(service.files[path])[:-1])


def serve_no_bundle(service: LyingService) -> None:
    del service.files[bundle_path(0, len(service.entries))]


def serve_other_tile(service: LyingService) -> None:
    path = f"tile/0/000.p/{len(service.entries)}"
    service.files[path] = bytes(32) + service.files[path][32:]


@pytest.mark.parametrize(
    ("lie", "rule"),
    [
        (serve_other_bundle, "wrong-tree"),
        (serve_short_bundle, "missing-file"),
        (serve_no_bundle, "missing-file"),
        (serve_other_tile, "wrong-tree"),
    ],
)
def test_files_that_do_not_lead_to_the_root_are_found(
    lie: Callable[[LyingService], None], rule: str, run_audit: RunAudit
) -> None:
    service = honest()
    lie(service)
    assert rule in rules(run_audit(service))
    service.publish()
    assert rule == "wrong-tree" or run_audit(service).is_good  # what was read before was verified


def test_another_key_of_the_log_is_not_trusted(run_audit: RunAudit) -> None:
    service = honest()
    assert run_audit(service).is_good
    service.note_key = NoteKey(service.note_key.name, "other")
    service.publish()
    assert rules(run_audit(service)) == {"log-key"}


def test_a_service_cannot_disown_its_log(run_audit: RunAudit) -> None:
    service = honest()
    service.has_log = False
    with pytest.raises(BadAnswer, match="it has no transparency log"):
        run_audit(service)
    service.has_log = True
    assert run_audit(service).is_good
    service.has_log = False
    assert rules(run_audit(service)) == {"log-key"}


def test_the_policy_decides_which_cosignatures_are_needed(run_audit: RunAudit) -> None:
    service, witness = honest(), NoteKey("witness.example")
    policy = Policy.parse(f"log {service.note_key.verifier()}\nwitness w {witness.verifier(4)}\nquorum w\n")
    report = run_audit(service, policy=policy)
    assert rules(report) == {"quorum"}
    text = service.files[CHECKPOINT].decode()
    body = text[: text.rindex("\n\n") + 1]
    service.files[CHECKPOINT] = (text + str(witness.cosignature(body, service.time))).encode()
    assert run_audit(service, policy=policy).is_good


def test_records_that_existed_when_the_log_began_are_a_notice(run_audit: RunAudit) -> None:
    service = LyingService()
    for year in range(3):
        issued_at = service.time - (3 - year) * 31_000_000
        service.write(f"mp:{year}", iat=issued_at, updated="2020-01-01T00:00:00Z", created="2020-01-01T00:00:00Z")
    service.write("mp:new")
    service.publish()
    report = run_audit(service)
    assert (rules(report), report.is_good) == ({"older-than-log"}, True)


class KilledError(BaseException):
    """Ends the audit as a signal would."""


def test_an_audit_continues_where_it_was_killed(run_audit: RunAudit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coolid.audit.tree_blocks.BLOCK", 256)
    service = LyingService()
    proof = service.write("mp:0")["proof"]
    service.entries += [proof.encode()] * 900
    service.publish()
    sent = service.send

    def fail(request: HttpRequest) -> HttpAnswer:
        if request.url.endswith("tile/entries/003.p/136"):
            raise KilledError
        return sent(request)

    service.send = fail  # type: ignore[method-assign]
    with pytest.raises(KilledError):
        run_audit(service)
    service.send = sent  # type: ignore[method-assign]
    service.requests.clear()
    report = run_audit(service, sample=0)
    assert (report.size, report.read) == (904, 904 - 768)
    assert sum(each.finding.rule == "repeated-entry" for each in report.observations) == 900
    assert next(url for url in service.requests if "entries" in url).endswith("tile/entries/003.p/136")


def test_a_comparison_of_all_answers_continues_where_it_was_killed(
    run_audit: RunAudit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coolid.audit.answer_sample._PAGE", 2)
    service = honest()
    del service.documents[service.pid("mp:a")][0]
    sent = service.send

    def fail(request: HttpRequest) -> HttpAnswer:
        if "mp:d" in request.url:
            raise KilledError
        return sent(request)

    service.send = fail  # type: ignore[method-assign]
    with pytest.raises(KilledError):
        run_audit(service)
    service.send = sent  # type: ignore[method-assign]
    service.requests.clear()
    report = run_audit(service)
    assert (report.compared, "unserved-version" in rules(report)) == (4, True)
    assert not any("mp:a" in url for url in service.requests)
    run_audit(service)
    assert any("mp:a" in url for url in service.requests)
