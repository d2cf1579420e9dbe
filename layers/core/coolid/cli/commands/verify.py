"""`coolid verify`: verification of records against the signatures of their issuer."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import orjson
import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line
from coolid.cli.progress import ShowProgress, progress, with_progress
from coolid.cli.service_connection import STDIN, read_bounded
from coolid.cli.verdict_output import print_history, print_line_verdict, print_record
from coolid.client.errors import BadAnswer, NotServed
from coolid.errors import UsageError
from coolid.proofs.history_chain import VersionLink, check_chain
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version, verdict_with_history
from coolid.proofs.verification import verify as judge
from coolid.strict_json import NotJson, load
from coolid.transfer.bounded_lines import TOO_LONG, Line, read_lines
from coolid.transfer.export_format import KEYS, RECORD, InvalidExport, checked, is_export

MAX_DOCUMENT_BYTES: Final = 2_000_000
"""The maximum size of one JSON document, the same as that of a response in `coolid.client`."""

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
    """What to trust, and how to print the verdicts."""

    jwks: str | None
    issuer: str | None
    pid: str | None
    chain: bool
    as_json: bool


def verify(
    source: _Source,
    jwks: _Jwks = None,
    issuer: _Issuer = None,
    pid: _Pid = None,
    offline: _Offline = False,
    chain: _Chain = True,
    json: _Json = False,
) -> None:
    """Verify the proof of a record.

    Checks its signature, content and identity, and the chain of its versions. The issuer's keys are used only for a
    record that came from the issuer; for others use --jwks or --issuer. A file contains one JSON record or JSON Lines;
    every line of these is verified, and the versions of each PID as a chain. An export can be both the records and (by
    --jwks) the key set, which shows that it agrees with itself. A line has at most 1,000,000 bytes, a document in
    several lines 2,000,000. Exits with 1 if a check failed, and with 3 if something needed could not be fetched.

        $ coolid verify https://id.example.org/2021/06/mp/tw0t-ywdj-94
        $ coolid verify backup.jsonl --issuer https://id.example.org
        $ coolid verify record.json --jwks keys.json --offline
    """
    from coolid.client.proof_sources import is_url

    if offline and (is_url(source) or jwks is None or is_url(jwks)):
        raise UsageError("--offline needs a file, and the key set in another: --jwks FILE")
    options = _Options(jwks, issuer.rstrip("/") if issuer else None, pid, chain, json)
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
    return print_record(document, verdict, as_json=options.as_json)


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
        lines = _skip_blank(read, show)
        first = list(islice(lines, 2))
        lines = joined(first, lines)
        if _are_documents(first):
            try:
                return _verify_lines(_records_of(lines) if is_export(first[0].content) else lines, keys, options)
            except InvalidExport as error:
                print_line(f"coolid: {file} is not a whole export: {error}")
                return False
        document = _json_of(file, _join_lines(file, lines))
    return print_record(
        document, judge(document, keys, pid=options.pid, issuer=options.issuer), as_json=options.as_json
    )


def _verify_lines(lines: Iterable[Line], keys: Any, options: _Options) -> bool:
    """Verify every line by itself, then the versions of each PID as a chain. Return whether all are good."""
    is_good = True
    links: dict[str, list[VersionLink]] = {}
    for line in lines:
        document, link = None, None
        try:
            document = _load_line(line)
        except NotJson as error:
            verdict = Verdict((CheckOutcome("document", False, str(error)),))
        else:
            checks, link = check_version(document, keys, pid=options.pid, issuer=options.issuer)
            verdict = Verdict(tuple(checks))
        is_good &= print_line_verdict(line.number, document, verdict, as_json=options.as_json)
        if link:
            links.setdefault(link.pid, []).append(link)
    for name, versions in links.items() if options.chain else ():
        newest = max(versions, key=lambda link: link.version)
        verdict = Verdict(*check_chain(newest, versions))
        if len(versions) > 1 or not verdict.ok:
            numbers = sorted({link.version for link in versions})
            is_good &= print_history(name, numbers, verdict, as_json=options.as_json)
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
    return _keys_of_export(Path(jwks)) or _json_of(jwks, read_bounded(jwks, MAX_DOCUMENT_BYTES))


def _join_lines(file: str, lines: Iterable[Line]) -> bytes:
    """Return the document in the lines of a file. Exits with 2 if it is larger than `MAX_DOCUMENT_BYTES`."""
    contents: list[bytes] = []
    size = 0
    for line in lines:
        size += len(line.content) + 1
        if line.is_too_long or size > MAX_DOCUMENT_BYTES:
            raise UsageError(f"{file} is not JSON: a line {TOO_LONG}, or the document than {MAX_DOCUMENT_BYTES:,}")
        contents.append(line.content)
    return b"\n".join(contents)


def _json_of(file: str, content: bytes) -> Any:
    try:
        return load(content)
    except NotJson as error:
        raise UsageError(f"{file} is not JSON: {quoted(str(error))}") from error


def _load_line(line: Line) -> Any:
    """Return the document of a line. Raises `NotJson` with a sentence as its message."""
    if line.is_too_long:
        raise NotJson(f"the line {TOO_LONG}")
    try:
        return load(line.content)
    except NotJson as error:
        raise NotJson(f"the line is not JSON: {quoted(str(error))}") from error


def _skip_blank(file: BinaryIO, show: ShowProgress) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, and display the progress of reading."""
    size = 0
    for line in read_lines(file):
        size += len(line.content) + 1
        show(size, line.number)
        if line.is_too_long or line.content.strip():
            yield line


def _are_documents(first: Sequence[Line]) -> bool:
    """Return whether a file that begins with these lines, at most two, has a document in each line."""
    if first and first[0].is_too_long:
        return True
    if len(first) < 2:
        return False
    try:
        load(first[0].content)
    except NotJson:
        return False
    return True


def _records_of(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the records of an export with their line numbers. Raises `InvalidExport`."""
    for number, document in checked(lines):
        if document["kind"] == RECORD:
            record = orjson.dumps(document.get("record"))
            yield Line(number, record)


def _keys_of_export(path: Path) -> Any:
    """Return the key set (RFC 7517) in an export, or None if there is none or the file is not an export."""
    with path.open("rb") as file:
        first_two = [line.content for line in islice(read_lines(file), 2)]
    if len(first_two) < 2 or not is_export(first_two[0]):
        return None
    try:
        document = orjson.loads(first_two[1])
    except ValueError:
        return None
    return {"keys": document.get("keys")} if isinstance(document, dict) and document.get("kind") == KEYS else None
