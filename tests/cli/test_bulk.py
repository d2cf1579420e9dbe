"""`coolid bulk`: preview, confirmation, progress, results and exit codes."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.client.client import Client
from tests.support.servers.coolid_server import Server
from tests.support.servers.http_server import KEY
from tests.support.servers.job_service import JOB, RESULTS, JobService, job, job_service
from tests.support.servers.loopback import nobody

runner = CliRunner()

VALID = {"rows": 2, "counts": {"valid": 2}}
DONE = {"rows": 2, "counts": {"valid": 2, "succeeded": 2}}
WRONG: dict[str, Any] = {
    "rows": 3,
    "counts": {"valid": 2, "invalid": 1},
    "errors": [{"row": 2, "column": "URL", "reason": "it is no URL"}],
}
ALL = [job("validating"), job("previewed", **VALID), job("running", **VALID), job("done", **DONE)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("uri\nhttps://a.example.org/\nhttps://b.example.org/\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coolid.cli.service_connection._wait", lambda _: None)


@pytest.fixture
def service() -> Iterator[JobService]:
    with job_service(*ALL) as running:
        yield running


def bulk(service: JobService, *arguments: object) -> Result:
    environment = {"COOLID_URL": service.server.url, "COOLID_KEY": KEY}
    return runner.invoke(app, ["bulk", *map(str, arguments)], env=environment)


def test_a_file_is_previewed_carried_out_and_its_results_are_written(
    service: JobService, file: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results.csv"
    done = bulk(service, "mint", file, "--prefix", "demo", "--columns", "URL=uri", "--yes", "--results", results)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "2 rows are right; 0 are wrong" in done.stderr
    assert "done; 2 succeeded, 0 refused" in done.stderr
    assert results.read_bytes() == RESULTS
    assert service.calls == ["POST jobs", f"GET jobs/{JOB}", f"POST jobs/{JOB}/run", f"GET jobs/{JOB}",
                             f"GET jobs/{JOB}/results"]  # fmt: skip
    assert b'{"operation":"mint","dry_run":true,"columns":{"URL":"uri"},"prefix":"demo"}' in service.created[0].body


def test_a_dry_run_ends_with_the_preview(file: Path) -> None:
    preview = [{"pid": "demo/x", "before": "https://a/", "after": "https://b/"}]
    previewed = job("previewed", preview=preview, **WRONG | {"counts": WRONG["counts"] | {"outside_domains": 1}})
    with job_service(previewed) as service:
        done = bulk(service, "update", file, "--dry-run", "--json")
        assert service.calls == ["POST jobs"]
    assert done.exit_code == 1
    assert json.loads(done.stdout) == previewed
    assert "2 rows are right; 1 are wrong, 1 of them outside the repository's domains" in done.stderr
    assert "row 2, URL: it is no URL" in done.stderr
    assert "demo/x: https://a/ -> https://b/" in done.stderr


def test_wrong_rows_stop_the_job_unless_they_are_skipped(file: Path) -> None:
    with job_service(job("previewed", **WRONG), job("done", **WRONG)) as service:
        refused = bulk(service, "mint", file, "--yes")
        assert (refused.exit_code, service.calls) == (1, ["POST jobs"])
        assert "--skip-errors" in refused.stderr
        skipped = bulk(service, "mint", file, "--yes", "--skip-errors")
    assert (skipped.exit_code, "done; 0 succeeded, 0 refused" in skipped.stderr) == (1, True)


def test_without_a_terminal_a_job_is_carried_out_only_if_requested(file: Path) -> None:
    with job_service(job("previewed", **VALID)) as service:
        done = bulk(service, "withdraw", file)
        assert (done.exit_code, service.calls) == (2, ["POST jobs"])
    assert f"coolid bulk resume {JOB} --yes" in done.stderr


@pytest.mark.parametrize(("answer", "code", "calls"), [("y\n", 0, 2), ("n\n", 1, 1)])
def test_a_question_at_a_terminal_decides(
    file: Path, answer: str, code: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coolid.cli.bulk_jobs.is_interactive", lambda: True)
    with job_service(job("previewed", **VALID), job("done", **DONE)) as service:
        environment = {"COOLID_URL": service.server.url, "COOLID_KEY": KEY}
        done = runner.invoke(app, ["bulk", "publish", str(file)], env=environment, input=answer)
        assert (done.exit_code, len(service.calls)) == (code, calls)
    assert "Carry out 2 rows?" in done.stderr


def test_a_repeated_command_continues_the_same_job_and_again_starts_another(file: Path) -> None:
    with job_service(job("done", **DONE)) as service:
        for more in ([], [], ["--prefix", "demo"], ["--again"], ["--again"]):
            assert bulk(service, "mint", file, "--yes", *more).exit_code == 0
        keys = [each.headers["idempotency-key"] for each in service.created]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


@pytest.mark.parametrize(
    ("end", "reason"), [(job("failed", failure="The key was revoked."), "failed: The key was revoked."),
                        (job("cancelled"), "cancelled"),
                        (job("done", counts={"succeeded": 1, "refused": 1}), "done; 1 succeeded, 1 refused")],
)  # fmt: skip
def test_a_job_that_did_not_do_everything_ends_with_1(end: dict[str, Any], reason: str) -> None:
    with job_service(job("running"), end) as service:
        done = bulk(service, "resume", JOB)
    assert (done.exit_code, reason in done.stderr) == (1, True)


def test_a_service_that_ends_meanwhile_is_reported_with_the_way_to_continue(file: Path) -> None:
    with job_service(*ALL) as service:
        reply = service.reply

        def broken(sent: Any) -> Any:
            return (503, {}, b"") if sent.method == "GET" else reply(sent)

        service.reply = broken  # type: ignore[method-assign]
        done = bulk(service, "mint", file, "--yes")
    assert (done.exit_code, f"coolid bulk resume {JOB}" in done.stderr) == (3, True)
    with nobody() as url:
        assert runner.invoke(app, ["bulk", "list", "--url", url], env={"COOLID_KEY": KEY}).exit_code == 3


@pytest.mark.parametrize(
    "arguments",
    [["mint", "no-such-file"], ["retarget"], ["retarget", "FILE", "--from", "https://a/"],
     ["retarget", "FILE", "--columns", "x"], ["mint", "FILE", "--results", "FILE"]],
)  # fmt: skip
def test_wrong_arguments_end_with_2_before_anything_is_done(
    service: JobService, file: Path, arguments: list[str]
) -> None:
    given = [str(file) if each == "FILE" else each for each in arguments]
    done = bulk(service, *given, "--yes")
    assert (done.exit_code, service.calls) == (2, [])


def test_a_rule_needs_no_file(service: JobService) -> None:
    rule = ["--pattern", "^http:", "--replacement", "https:"]
    assert bulk(service, "retarget", "--prefix", "demo", *rule, "--yes").exit_code == 0
    assert service.created[0].json()["rule"] == {"pattern": "^http:", "replacement": "https:"}


def test_jobs_are_listed_shown_and_cancelled(service: JobService) -> None:
    listed = bulk(service, "list")
    assert listed.stdout.splitlines()[0].split("\t")[:3] == [JOB, "mint", "validating"]
    assert JOB in bulk(service, "show", JOB).stdout
    assert json.loads(bulk(service, "show", JOB, "--json").stdout)["state"] == "previewed"
    cancelled = bulk(service, "cancel", JOB)
    assert (cancelled.exit_code, "is cancelled" in cancelled.stdout) == (0, True)
    assert bulk(service, "results", JOB, "--format", "csv").stdout_bytes == RESULTS


def test_a_real_service_mints_and_retargets(server: Server, tmp_path: Path) -> None:
    environment = {"COOLID_URL": server.url, "COOLID_KEY": server.key}

    def run(operation: str, *arguments: str) -> list[dict[str, str]]:
        results = tmp_path / f"{operation}.out.csv"
        command = ["bulk", operation, *arguments, "--yes", "--skip-errors", "--results", str(results)]
        done = runner.invoke(app, command, env=environment)
        assert done.exit_code == (operation == "mint"), done.stderr  # one row is wrong
        return list(csv.DictReader(StringIO(results.read_text("utf-8"))))

    host = "https://old-place.example.org"
    table = tmp_path / "rows.csv"
    table.write_text(f"URL,Title\n{host}/1,First\n{host}/2,Second\nno URL,Third\n", encoding="utf-8")
    columns = ["--columns", "URL=uri", "--columns", "Title=what"]
    minted = run("mint", str(table), "--prefix", "demo", *columns)
    assert [(each["Title"], each["status"]) for each in minted] == [
        ("First", "succeeded"), ("Second", "succeeded"), ("Third", "refused"),
    ]  # fmt: skip
    rule = ["--prefix", "demo", "--from", host, "--to", "https://new-place.example.org"]
    assert {each["pid"] for each in run("retarget", *rule)} == {each["pid"] for each in minted[:2]}
    with Client(server.url) as client:
        assert client.resolve(minted[0]["pid"]).target == "https://new-place.example.org/1"
