"""`coolid audit`: the audit of a service's transparency log and answers, and the verification of evidence."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import replace

from coolid import private_files
from coolid.audit.rules import LATE_SECONDS, TimeLimits
from coolid.cli.audit_output import print_report, print_verdicts
from coolid.cli.exit_codes import NO
from coolid.cli.log_checks import MAX_POLICY_BYTES, read_log_key, read_policy
from coolid.cli.output import print_line
from coolid.cli.progress import ShowProgress, progress
from coolid.cli.service_connection import Json, read_bounded
from coolid.errors import UsageError
from coolid.strict_json import NotJson, dump, load

if TYPE_CHECKING:
    from coolid.audit.log_audit import AuditOptions, AuditReport
    from coolid.log.policies import Policy
    from coolid.log.signed_notes import VerifierKey

_ALL: Final = "all"
_MAX_EVIDENCE_BYTES: Final = 100_000_000

_Url = Annotated[str | None, typer.Argument(metavar="[URL]", help="The service, such as https://id.example.org.")]
_Policy = Annotated[
    Path | None, typer.Option(metavar="FILE", dir_okay=False, help="The logs, witnesses and quorum to trust.")
]
_Log = Annotated[str | None, typer.Option(metavar="KEY", help="The verifier key of the log to trust.")]
_State = Annotated[
    Path | None,
    typer.Option(metavar="DIR", file_okay=False, help="The state, from which the next audit continues."),
]
_Sample = Annotated[
    str, typer.Option(metavar="N|all", help="How many PIDs to compare with the service's answers, chosen at random.")
]
_Views = Annotated[
    list[Path] | None,
    typer.Option("--checkpoint", metavar="FILE", help="A checkpoint that others received, to compare; repeatable."),
]
_Tolerance = Annotated[int, typer.Option(metavar="SECONDS", min=0, help="By how much an entry may be late.")]
_Backfill = Annotated[
    int, typer.Option(metavar="SIZE", min=0, help="Entries before this index may be older than the log.")
]
_Parallel = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="The most requests at a time.")]
_Strict = Annotated[bool, typer.Option("--strict", help="Let notices fail the audit, too.")]
_Evidence = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Verify evidence of an audit, without network."),
]


def audit(
    url: _Url = None,
    policy: _Policy = None,
    log: _Log = None,
    state: _State = None,
    sample: _Sample = "100",
    checkpoint: _Views = None,
    tolerance: _Tolerance = LATE_SECONDS,
    backfill: _Backfill = 0,
    parallel: _Parallel = 8,
    strict: _Strict = False,
    evidence: _Evidence = None,
    json: Json = False,
) -> None:
    """Audit a service by its transparency log.

    Reads the log, verifies its tree, signatures and keys, and whether its entries keep the rules of a resolver. Then
    compares the service's answers with it. Repeat the command to continue an interrupted audit, or to read what is new.
    Exits with 1 if the operator broke a rule, and writes evidence that others can verify.

    With --evidence, the command verifies the evidence of another auditor without network, by the key of the log that
    you trust. Exits with 1 if the evidence does not hold.

        $ coolid audit https://id.example.org --policy policy.txt --sample all
        $ coolid audit --evidence evidence.json --log 'id.example/log+1f2e3d...'
    """
    if (url is None) == (evidence is None):
        raise UsageError("name the URL of a service to audit, or --evidence FILE to verify")
    trusted = _trusted(policy, log)
    if evidence is not None:
        is_good = _verify(evidence, [each.key for each in trusted.logs] if trusted else [], as_json=json)
    else:
        limits = TimeLimits(int(time.time()), tolerance, backfill)
        options = _options(limits, trusted, checkpoint or [], sample)
        is_good = _audit(str(url), state, options, parallel, as_json=json, is_strict=strict)
    if not is_good:
        raise typer.Exit(NO)


def _audit(
    url: str, state: Path | None, options: "AuditOptions", parallel: int, *, as_json: bool, is_strict: bool
) -> bool:
    """Audit a service, and print the report. Return whether it is good."""
    from coolid.audit.audit_database import AuditDatabase
    from coolid.audit.log_audit import LogAudit
    from coolid.audit.log_source import LogSource
    from coolid.client.connections import Connections

    connections = Connections()
    source = LogSource(url, connections.send, parallel)
    folder = state or _default_folder(source.base_url)
    with ExitStack() as stack:
        stack.callback(connections.close)
        stack.callback(source.close)
        stack.enter_context(_locked(folder))
        stack.enter_context(_state_errors(folder))
        database = AuditDatabase(_private_file(folder / "audit.sqlite"))
        stack.callback(database.close)
        report = LogAudit(source, database, options, stack.enter_context(_phases())).run()
    file = _write_evidence(folder, report)
    print_report(report, file, as_json=as_json)
    return report.is_good and not (is_strict and report.observations)


def _verify(file: Path, trusted: "list[VerifierKey]", *, as_json: bool) -> bool:
    """Verify evidence, and print the verdicts. Return whether all of it holds."""
    from coolid.audit.evidence import REFUTED, log_key, verify_evidence
    from coolid.log.malformed_data import MalformedData

    try:
        document = load(read_bounded(str(file), _MAX_EVIDENCE_BYTES))
        key = log_key(document, trusted)
        verdicts = list(verify_evidence(document, key))
    except (NotJson, MalformedData) as error:
        raise UsageError(f"{file} is no evidence: {error}") from error
    if not trusted:
        print_line(f"coolid: no key was named with --log or --policy; is this the key of the log? {key}")
    print_verdicts(key, verdicts, as_json=as_json)
    return bool(verdicts) and all(verdict.outcome != REFUTED for verdict in verdicts)


@contextmanager
def _phases() -> Iterator[Any]:
    """Yield a function that shows what is under way, each phase with a progress display of its own."""
    with ExitStack() as stack:
        shown: dict[str, ShowProgress] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in shown:
                stack.pop_all().close()
                unit = "entries" if phase == "Reading" else "PIDs"
                shown[phase] = stack.enter_context(progress(phase, total, unit))
            shown[phase](done, done)

        yield show


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Exclude other audits with the same state."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        lock = private_files.open_locked(folder / "lock")
    except BlockingIOError:
        raise UsageError(f"another audit uses the state in {folder}") from None
    with lock:
        yield


@contextmanager
def _state_errors(folder: Path) -> Iterator[None]:
    """Raise errors of the state, such as a damaged file or a full disk, as wrong usage."""
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(f"the state of the audit in {folder} cannot be used: {error}") from error


def _private_file(path: Path) -> Path:
    """Return the path of a file that only this user can read, which is created if there is none."""
    private_files.open_locked(path).close()
    return path


def _write_evidence(folder: Path, report: "AuditReport") -> Path | None:
    """Write the evidence to a file named after its content. Return its path."""
    if report.evidence is None:
        return None
    content = dump(report.evidence).encode()
    file = folder / f"evidence-{sha256(content).hexdigest()[:16]}.json"
    if not private_files.exists(file):
        private_files.create(file, content)
    return file


def _default_folder(base_url: str) -> Path:
    from coolid.client.user_state.state_folder import file_name

    state = private_files.user_folder("XDG_STATE_HOME", ".local/state")
    if state is None:
        raise UsageError("there is no home folder for the state of the audit: name one with --state DIR")
    return state / "coolid" / "audits" / file_name(base_url)


def _options(limits: TimeLimits, policy: "Policy | None", views: list[Path], sample: str) -> "AuditOptions":
    from coolid.audit.log_audit import ALL, AuditOptions

    if sample != _ALL and not (sample.isascii() and sample.isdecimal() and len(sample) < 10):
        raise UsageError("--sample is a number of PIDs, or all")
    number = ALL if sample == _ALL else int(sample)
    notes = [read_bounded(str(file), MAX_POLICY_BYTES) for file in views]
    return AuditOptions(limits, policy, notes, _checkpoint_of_verifier, number)


def _checkpoint_of_verifier(origin: str) -> list[bytes]:
    """Return the last checkpoint that this user's `coolid verify` saw of a log, if any."""
    from coolid.client.transparency.seen_logs import SeenLogs

    seen = SeenLogs().read(origin)
    return [seen.checkpoint.encode()] if seen and seen.checkpoint else []


def _trusted(file: Path | None, log: str | None) -> "Policy | None":
    """Return the policy in a file, with the key of a log, or None without both."""
    from coolid.log.policies import NO_QUORUM, Policy, PolicyKey

    if file is None and log is None:
        return None
    policy = Policy(NO_QUORUM) if file is None else read_policy(str(file))
    return policy if log is None else replace(policy, logs=(*policy.logs, PolicyKey(read_log_key(log, "--log"))))
