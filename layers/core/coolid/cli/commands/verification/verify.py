"""`coolid verify`: verification of records against the signatures of their issuer."""

import sys
from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import replace

from coolid.cli.commands.verification.record_lines import LineOptions, RecordLines
from coolid.cli.commands.verification.trusted_keys import stored_keys, trusted_keys
from coolid.cli.exit_codes import NO
from coolid.cli.log_checks import PROOF_HEADER, Log, LogChecks, PolicyFile, ProofFile
from coolid.cli.output import print_line
from coolid.cli.progress import progress, with_progress
from coolid.cli.record_files import (
    are_documents,
    join_lines,
    json_of,
    records_of,
    skip_blank,
)
from coolid.cli.service_connection import STDIN
from coolid.cli.verdict_output import print_record
from coolid.client.errors import Unreachable
from coolid.errors import UsageError
from coolid.proofs.custody_checks import issuers_of
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version, verdict_with_history
from coolid.transfer.export_format import InvalidExport, is_export

if TYPE_CHECKING:
    from coolid.client.user_state.stored_keys import StoredKeys

_Source = Annotated[
    str, typer.Argument(metavar="FILE|URL|-", help="A record or JSON Lines of records, or the URL of a PID.")
]
_Jwks = Annotated[list[str] | None, typer.Option(metavar="FILE|URL", help="The key set to trust; repeatable.")]
_Issuer = Annotated[
    str | None, typer.Option(metavar="URL", help="The issuer to trust, with its own key set unless --jwks is used.")
]
_Pid = Annotated[str | None, typer.Option(help="The PID that the record must have.")]
_Resolvers = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Trusted resolvers, whose keys verify versions from before a transfer."),
]
_Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing.")]
_Chain = Annotated[bool, typer.Option(help="Verify the earlier versions, too: those in the file, or fetched.")]
_Json = Annotated[bool, typer.Option("--json", help="Print a JSON object for each record.")]


@dataclass(frozen=True)
class _Options:
    """What to trust, how to verify by a log, and how to print the verdicts."""

    jwks: tuple[str, ...]
    issuer: str | None
    pid: str | None
    chain: bool
    log: LogChecks | None
    stored: "StoredKeys"
    as_json: bool

    @property
    def of_lines(self) -> LineOptions:
        """The options for files with many records."""
        return LineOptions(
            self.pid, self.issuer, self.chain, self.log, self.stored, self.keys_are_fetched, self.as_json
        )

    @property
    def keys_are_fetched(self) -> bool:
        """Whether the keys for a file are fetched from its issuer, so that its log can be looked up there, too."""
        return not self.jwks


def verify(
    source: _Source,
    jwks: _Jwks = None,
    issuer: _Issuer = None,
    pid: _Pid = None,
    policy: PolicyFile = None,
    tlog_proof: ProofFile = None,
    resolvers: _Resolvers = None,
    offline: _Offline = False,
    chain: _Chain = True,
    log: Log = True,
    json: _Json = False,
) -> None:
    """Verify the proof of a record.

    Checks its signature, content and identity, the chain of its versions, and that the transparency log of its service
    has it. The issuer's keys are used only for a record that came from the issuer; for others use --jwks or --issuer. A
    file contains one JSON record or JSON Lines; every line is verified, and the versions of each record as a chain. An
    export can be both the records and (by --jwks) the key set. Documents have at most 2,000,000 bytes, lines 1,000,000.

    A record whose custody was transferred has versions of several issuers. Their keys are those in the list of trusted
    resolvers (--resolvers FILE, or coolid/resolvers.json in ~/.config), those that an earlier resolution trusted, or
    for a URL, those that the issuer publishes. Without keys, the later versions confirm the earlier ones.

    The log's key is the one that the service names at the first use, or that of --policy. Its last checkpoint is kept,
    and the log must continue it. Exits with 1 if a check failed, and with 3 if something needed could not be fetched.

        $ coolid verify https://id.example.org/2021/06/mp/tw0t-ywdj-94
        $ coolid verify backup.jsonl --issuer https://id.example.org
        $ coolid verify x.json --jwks keys.json --tlog-proof x.tlog-proof --offline
    """
    from coolid.client.proof_sources import is_url

    if offline and (is_url(source) or not jwks or any(map(is_url, jwks))):
        raise UsageError("--offline needs a file, and the key set in another: --jwks FILE")
    checks = _log_checks(policy, tlog_proof, log=log, offline=offline)
    stored = stored_keys(resolvers)
    options = _Options(tuple(jwks or ()), issuer and issuer.rstrip("/"), pid, chain, checks, stored, json)
    if not _is_verified(source, options):
        raise typer.Exit(NO)


def _is_verified(source: str, options: _Options) -> bool:
    """Verify what is at a URL or in a file, and close the connections to logs."""
    from coolid.client.proof_sources import is_url

    with closing(options.log) if options.log else nullcontext():
        return (_verify_url if is_url(source) else _verify_file)(source, options)


def _log_checks(policy: str | None, proof: str | None, *, log: bool, offline: bool) -> LogChecks | None:
    if not log and (policy is not None or proof is not None):
        raise UsageError("--no-log excludes --policy and --tlog-proof")
    return LogChecks(policy, proof, offline=offline) if log else None


def _verify_url(url: str, options: _Options) -> bool:
    from coolid.client.proof_sources import check_requested, fetch_other_keys, fetch_record, is_from_issuer

    document, issuer = fetch_record(url), options.issuer
    if not options.jwks and issuer is None:
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not is_from_issuer(url, issuer):
            detail = (
                f"the record did not come from its issuer, {quoted(issuer)}; name a trusted one by --jwks or --issuer"
            )
            return print_record(document, Verdict((CheckOutcome("key", False, detail),)), as_json=options.as_json)
    keys = trusted_keys(options.jwks, issuer)
    checks, newest = check_version(document, keys, pid=options.pid, issuer=issuer)
    is_good = newest is not None and all(check.passed for check in checks)
    older = _older_versions(document) if options.chain and is_good else ()
    stored = options.stored.of(issuers_of(newest)) if newest is not None else {}
    others = fetch_other_keys(document, stored) if options.chain and is_good else {}
    verdict = verdict_with_history(checks, newest, keys, older, {**others, **stored})
    if options.pid is None and isinstance(document, dict):
        requested = check_requested(url, document)
        is_complete = verdict.complete and requested.passed
        verdict = replace(verdict, checks=(requested, *verdict.checks), complete=is_complete)
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
        note = f"the issuer does not answer whether it has a transparency log: {error}"
        return replace(verdict, notes=(*verdict.notes, note))


def _older_versions(document: Any) -> Iterable[Any]:
    from coolid.client.proof_sources import MOST_VERSIONS, fetch_older

    total = min(document["version"] - 1, MOST_VERSIONS)
    older = fetch_older(document)
    return with_progress(older, "Fetching older versions", total, "versions", on_stdout=False) if total > 1 else older


def _verify_file(file: str, options: _Options) -> bool:
    keys = trusted_keys(options.jwks, options.issuer)
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
                return RecordLines(keys, options.of_lines).verify(with_proofs)
            except InvalidExport as error:
                print_line(f"coolid: {file} is not a whole export: {error}")
                return False
        document = json_of(file, join_lines(file, lines))
    checks, newest = check_version(document, keys, pid=options.pid, issuer=options.issuer)
    stored = options.stored.of(issuers_of(newest)) if newest is not None else {}
    verdict = verdict_with_history(checks, newest, keys, (), stored)
    if (log := options.log) and (log.proof or log.policy or options.keys_are_fetched):
        verdict = log.added(verdict, document)
    return print_record(document, verdict, as_json=options.as_json)
