"""`coolid verify`: verification of records against the signatures of their issuer."""

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from coolid.cli.exit_codes import NO
from coolid.cli.log_checks import PROOF_HEADER, Log, LogChecks, PolicyFile, ProofFile
from coolid.cli.output import print_line
from coolid.cli.progress import progress, with_progress
from coolid.cli.record_files import (
    MAX_DOCUMENT_BYTES,
    ProvedLine,
    are_documents,
    join_lines,
    json_of,
    keys_of_export,
    load_line,
    records_of,
    skip_blank,
)
from coolid.cli.service_connection import STDIN, read_bounded
from coolid.cli.verdict_output import print_history, print_line_verdict, print_record
from coolid.client.errors import BadAnswer, NotServed, Unreachable
from coolid.errors import UsageError
from coolid.proofs.history_chain import VersionLink, check_chain
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version, verdict_with_history
from coolid.proofs.verification import verify as judge
from coolid.strict_json import NotJson
from coolid.transfer.export_format import InvalidExport, is_export

_Source = Annotated[
    str, typer.Argument(metavar="FILE|URL|-", help="A record or JSON Lines of records, or the URL of a PID.")
]
_Jwks = Annotated[str | None, typer.Option(metavar="FILE|URL", help="The key set to trust.")]
_Issuer = Annotated[
    str | None, typer.Option(metavar="URL", help="The issuer to trust, with its own key set unless --jwks is used.")
]
_Pid = Annotated[str | None, typer.Option(help="The PID that the record must have.")]
_Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing.")]
_Chain = Annotated[bool, typer.Option(help="Verify the earlier versions, too: those in the file, or fetched.")]
_Json = Annotated[bool, typer.Option("--json", help="Print a JSON object for each record.")]


@dataclass(frozen=True)
class _Options:
    """What to trust, how to verify by a log, and how to print the verdicts."""

    jwks: str | None
    issuer: str | None
    pid: str | None
    chain: bool
    log: LogChecks | None
    as_json: bool

    @property
    def keys_are_fetched(self) -> bool:
        """Whether the keys for a file are fetched from its issuer, so that its log can be looked up there, too."""
        return self.jwks is None


def verify(
    source: _Source,
    jwks: _Jwks = None,
    issuer: _Issuer = None,
    pid: _Pid = None,
    policy: PolicyFile = None,
    tlog_proof: ProofFile = None,
    offline: _Offline = False,
    chain: _Chain = True,
    log: Log = True,
    json: _Json = False,
) -> None:
    """Verify the proof of a record.

    Checks its signature, content and identity, the chain of its versions, and that the transparency log of its service
    has it. The issuer's keys are used only for a record that came from the issuer; for others use --jwks or --issuer. A
    file contains one JSON record or JSON Lines; every line of these is verified, and the versions of each PID as a
    chain. An export can be both the records and (by --jwks) the key set, which shows that it agrees with itself. A line
    has at most 1,000,000 bytes, a document in several lines 2,000,000.

    The log's key is the one that the service names at the first use, or that of --policy. Its last checkpoint is kept,
    and the log must continue it. Exits with 1 if a check failed, and with 3 if something needed could not be fetched.

        $ coolid verify https://id.example.org/2021/06/mp/tw0t-ywdj-94
        $ coolid verify backup.jsonl --issuer https://id.example.org
        $ coolid verify x.json --jwks keys.json --tlog-proof x.tlog-proof --offline
    """
    from coolid.client.proof_sources import is_url

    if offline and (is_url(source) or jwks is None or is_url(jwks)):
        raise UsageError("--offline needs a file, and the key set in another: --jwks FILE")
    if not log and (policy is not None or tlog_proof is not None):
        raise UsageError("--no-log excludes --policy and --tlog-proof")
    checks = LogChecks(policy, tlog_proof, offline=offline) if log else None
    options = _Options(jwks, issuer.rstrip("/") if issuer else None, pid, chain, checks, json)
    if not (_verify_url if is_url(source) else _verify_file)(source, options):
        raise typer.Exit(NO)


def _verify_url(url: str, options: _Options) -> bool:
    from coolid.client.proof_sources import check_requested, fetch_record, is_from_issuer

    document, issuer = fetch_record(url), options.issuer
    if options.jwks is None and issuer is None:
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not is_from_issuer(url, issuer):
            detail = (
                f"the record did not come from its issuer, {quoted(issuer)}; name a trusted one by --jwks or --issuer"
            )
            return print_record(document, Verdict((CheckOutcome("key", False, detail),)), as_json=options.as_json)
    keys = _keys(options.jwks, issuer)
    checks, newest = check_version(document, keys, pid=options.pid, issuer=issuer)
    is_good = newest is not None and all(check.passed for check in checks)
    older = _older_versions(document) if options.chain and is_good else ()
    verdict = verdict_with_history(checks, newest, keys, older)
    if options.pid is None and isinstance(document, dict):
        requested = check_requested(url, document)
        verdict = Verdict((requested, *verdict.checks), verdict.complete and requested.passed)
    if options.log is not None and verdict.ok:
        verdict = _with_log(url, document, verdict, options.log)
    return print_record(document, verdict, as_json=options.as_json)


def _with_log(url: str, document: Any, verdict: Verdict, log: LogChecks) -> Verdict:
    """Return the verdict with the checks of the log of a good record.

    A mirror can outlive the issuer, so an issuer whose log was never seen need not answer there.
    """
    from coolid.client.proof_sources import is_from_issuer

    try:
        return log.added(verdict, document)
    except Unreachable as error:
        if log.policy is not None or is_from_issuer(url, document["issuer"]) or log.has_seen(document):
            raise
        return replace(verdict, notes=(f"the issuer does not answer whether it has a transparency log: {error}",))


def _older_versions(document: Any) -> Iterable[Any]:
    from coolid.client.proof_sources import MOST_VERSIONS, fetch_older

    total = min(document["version"] - 1, MOST_VERSIONS)
    older = fetch_older(document)
    return with_progress(older, "Fetching older versions", total, "versions", on_stdout=False) if total > 1 else older


def _verify_file(file: str, options: _Options) -> bool:
    keys = _keys(options.jwks, options.issuer)
    size = None if file == STDIN else Path(file).stat().st_size
    with (
        nullcontext(sys.stdin.buffer) if file == STDIN else Path(file).open("rb") as read,
        progress("Verifying", size, "lines", on_stdout=True) as show,
    ):
        lines = skip_blank(read, show)
        first = list(islice(lines, 2))
        if first and first[0].content == PROOF_HEADER:
            raise UsageError(f"{file} is a proof of a log: name the record, and this file by --tlog-proof")
        lines = joined(first, lines)
        if are_documents(first):
            try:
                with_proofs = records_of(lines) if is_export(first[0].content) else ((line, None) for line in lines)
                return _verify_lines(with_proofs, keys, options)
            except InvalidExport as error:
                print_line(f"coolid: {file} is not a whole export: {error}")
                return False
        document = json_of(file, join_lines(file, lines))
    verdict = judge(document, keys, pid=options.pid, issuer=options.issuer)
    if (log := options.log) and (log.proof or log.policy or options.keys_are_fetched):
        verdict = log.added(verdict, document)
    return print_record(document, verdict, as_json=options.as_json)


def _verify_lines(lines: Iterable[ProvedLine], keys: Any, options: _Options) -> bool:
    """Verify every line by itself, then the versions of each PID as a chain. Return whether all are good."""
    if options.log is not None and options.log.proof is not None:
        raise UsageError("--tlog-proof is the proof of one record; the file has many")
    is_good = True
    links: dict[str, list[VersionLink]] = {}
    for line, proof in lines:
        document, link = None, None
        try:
            document = load_line(line)
        except NotJson as error:
            verdict = Verdict((CheckOutcome("document", False, str(error)),))
        else:
            checks, link = check_version(document, keys, pid=options.pid, issuer=options.issuer)
            verdict = Verdict(tuple(checks))
            if options.log is not None:
                verdict = options.log.added_to_line(verdict, document, proof, is_fetched=options.keys_are_fetched)
        is_good &= print_line_verdict(line.number, document, verdict, as_json=options.as_json)
        if link:
            links.setdefault(link.pid, []).append(link)
    for name, versions in links.items() if options.chain else ():
        newest = max(versions, key=lambda link: link.version)
        verdict = Verdict(*check_chain(newest, versions))
        if len(versions) > 1 or not verdict.ok:
            numbers = sorted({link.version for link in versions})
            is_good &= print_history(name, numbers, verdict, as_json=options.as_json)
    if options.log is not None:
        options.log.print_notes()
    return is_good


def _keys(jwks: str | None, issuer: str | None) -> Any:
    """Return the key set to trust. Exits with 2 if it is not named, or its file is invalid."""
    from coolid.client.proof_sources import fetch_issuer_keys, fetch_keys, is_url

    if jwks is None and issuer is None:
        raise UsageError("a file does not prove who its issuer is: name the trusted one by --jwks or --issuer")
    try:
        if jwks is None:
            return fetch_issuer_keys(str(issuer))
        if is_url(jwks):
            return fetch_keys(jwks)
    except NotServed as error:
        raise BadAnswer(f"there is no key set: {error}") from error
    return keys_of_export(Path(jwks)) or json_of(jwks, read_bounded(jwks, MAX_DOCUMENT_BYTES))
