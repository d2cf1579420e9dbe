"""`coolid verify`: verification of records against the signatures of their issuer."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import typer

from coolid.aws.transfer.bounded_lines import TOO_LONG, Line, read_lines
from coolid.cli import export_reader
from coolid.cli.next_steps import after_unreachable
from coolid.cli.output import NO, UNREACHABLE, USAGE, let_go, print_line, print_next_step
from coolid.cli.progress import ShowProgress, progress, with_progress
from coolid.cli.verdict_output import print_history, print_line_verdict, print_record
from coolid.proofs.history_chain import VersionLink, check_chain
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version, verdict_with_history
from coolid.proofs.verification import verify as judge
from coolid.strict_json import NotJson, load

STDIN = "-"
MAX_DOCUMENT_BYTES: Final = 2_000_000
"""The maximum size of one JSON document, the same as that of a response in `coolid.client`."""


class UsageError(Exception):
    """The command cannot be executed with its arguments."""


def verify(
    source: Annotated[
        str, typer.Argument(metavar="FILE|URL|-", help="A record, or one a line; or where a PID resolves.")
    ],
    jwks: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="The key set whose signatures are believed.")
    ] = None,
    issuer: Annotated[
        str | None, typer.Option(metavar="URL", help="Whose records are believed; its key set, unless --jwks.")
    ] = None,
    pid: Annotated[str | None, typer.Option(help="The PID that the record must be of.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    chain: Annotated[bool, typer.Option(help="Verify the versions before, too: those in the file, or fetched.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each record.")] = False,
) -> None:
    """Verify the proof of a record.

    Checks its signature, content and identity, and the chain of its versions. The issuer's keys are used only for a
    record that came from the issuer; for others give --jwks or --issuer. A file contains one JSON record or JSON Lines;
    of these every line is verified, and the versions of each PID as a chain. An export can be both, the records and (by
    --jwks) the key set: that shows that it agrees with itself. A line has at most
    1,000,000 bytes, a document in several lines 2,000,000. Exits with 1 if a check failed, and with 3 if something
    needed could not be fetched.

        $ coolid verify https://id.example.org/2021/06/mp/tw0t-ywdj-94
        $ coolid verify backup.jsonl --issuer https://id.example.org
        $ coolid verify record.json --jwks keys.json --offline
    """
    from coolid.client.errors import ClientError, NotServed, RefusedByClient
    from coolid.client.proof_sources import is_url

    issuer = issuer.rstrip("/") if issuer else None
    if offline and (is_url(source) or jwks is None or is_url(jwks)):
        print_line("coolid: --offline needs a file, and the key set in another: --jwks FILE")
        raise typer.Exit(USAGE)
    try:
        if is_url(source):
            sound = _verify_url(source, jwks, issuer, pid, chain=chain, as_json=json)
        else:
            sound = _verify_file(source, jwks, issuer, pid, chain=chain, as_json=json)
    except (UsageError, RefusedByClient) as error:
        print_line(f"coolid: {error}")
        raise typer.Exit(USAGE) from error
    except NotServed as error:
        print_line(f"coolid: there is no record to verify: {error}")
        raise typer.Exit(NO) from error
    except BrokenPipeError:  # for example `| head`
        let_go()
        raise typer.Exit(NO) from None  # some records were not verified
    except ClientError as error:
        print_line(f"coolid: what is needed could not be fetched: {error}")
        print_next_step(after_unreachable(error, source))
        raise typer.Exit(UNREACHABLE) from error
    if not sound:
        raise typer.Exit(NO)


def _verify_url(url: str, jwks: str | None, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool) -> bool:
    from coolid.client.proof_sources import MOST_VERSIONS, check_requested, fetch_older, fetch_record, is_from_issuer

    document = fetch_record(url)
    if jwks is None and issuer is None:
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not is_from_issuer(url, issuer):
            detail = (
                f"the record did not come from its issuer, {quoted(issuer)}, so the issuer's keys are not simply taken:"
            )
            detail += " say whom you believe, by --jwks or --issuer"
            return print_record(document, Verdict((CheckOutcome("key", False, detail),)), as_json=as_json)
    keys = _keys(jwks, issuer)
    checks, newest = check_version(document, keys, pid=pid, issuer=issuer)
    older: Iterable[Any] = ()
    if chain and newest and all(check.passed for check in checks):
        total = min(newest.version - 1, MOST_VERSIONS)
        older = fetch_older(document)
        if total > 1:
            older = with_progress(older, "Fetching older versions", total, "versions", on_stdout=False)
    verdict = verdict_with_history(checks, newest, keys, older)
    if pid is None and isinstance(document, dict):
        requested = check_requested(url, document)
        verdict = Verdict((requested, *verdict.checks), verdict.complete and requested.passed)
    return print_record(document, verdict, as_json=as_json)


def _verify_file(
    file: str, jwks: str | None, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool
) -> bool:
    keys = _keys(jwks, issuer)
    try:
        size = None if file == STDIN else Path(file).stat().st_size
        with (
            nullcontext(sys.stdin.buffer) if file == STDIN else Path(file).open("rb") as read,
            progress("Verifying", size, "lines", on_stdout=True) as show,
        ):
            lines = _skip_blank(read, show)
            first = list(islice(lines, 2))
            if _are_documents(first):
                all_lines = joined(first, lines)
                records = export_reader.records(all_lines) if export_reader.is_one(first[0].content) else all_lines
                return _verify_lines(records, keys, issuer, pid, chain=chain, as_json=as_json)
            whole = _join_lines(file, joined(first, lines))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except export_reader.InvalidExport as error:
        print_line(f"coolid: {file} is not a whole export: {error}")
        return False
    document = _json_of(file, whole)
    return print_record(document, judge(document, keys, pid=pid, issuer=issuer), as_json=as_json)


def _verify_lines(
    lines: Iterable[Line], keys: Any, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool
) -> bool:
    """Verify every line by itself, then the versions of each PID as a chain. Return whether all are good."""
    sound = True
    links: dict[str, list[VersionLink]] = {}
    for line in lines:
        try:
            document = _load_line(line)
        except NotJson as error:
            unread = Verdict((CheckOutcome("document", False, str(error)),))
            sound = print_line_verdict(line.number, None, unread, as_json=as_json) and sound
            continue
        checks, link = check_version(document, keys, pid=pid, issuer=issuer)
        sound = print_line_verdict(line.number, document, Verdict(tuple(checks)), as_json=as_json) and sound
        if link:
            links.setdefault(link.pid, []).append(link)
    for name, versions in links.items() if chain else ():
        newest = max(versions, key=lambda link: link.version)
        verdict = Verdict(*check_chain(newest, versions))
        if len(versions) > 1 or not verdict.ok:
            numbers = sorted({link.version for link in versions})
            sound = print_history(name, numbers, verdict, as_json=as_json) and sound
    return sound


def _keys(jwks: str | None, issuer: str | None) -> Any:
    from coolid.client.errors import BadAnswer, NotServed
    from coolid.client.proof_sources import fetch_issuer_keys, fetch_keys, is_url

    if jwks is None and issuer is None:
        raise UsageError("what a file says of its issuer is no proof: say whom you believe, by --jwks or --issuer")
    try:
        if jwks is None:
            return fetch_issuer_keys(str(issuer))
        if is_url(jwks):
            return fetch_keys(jwks)
    except NotServed as error:
        raise BadAnswer(f"there is no key set: {error}") from error
    try:
        return export_reader.keys(Path(jwks)) or _json_of(jwks, _read_document(Path(jwks)))
    except OSError as error:
        raise UsageError(f"{jwks} cannot be read: {error.strerror}") from error


def _json_of(file: str, octets: bytes) -> Any:
    try:
        return load(octets)
    except NotJson as error:
        raise UsageError(f"{file} is not JSON that all read alike: {quoted(str(error))}") from error


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
        size += line.size
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


def _join_lines(file: str, lines: Iterable[Line]) -> bytes:
    """Join the lines of one document. Raises `UsageError` if they exceed `MAX_DOCUMENT_BYTES`."""
    contents: list[bytes] = []
    size = 0
    for line in lines:
        size += line.size
        if line.is_too_long or size > MAX_DOCUMENT_BYTES:
            raise _too_large(file)
        contents.append(line.content)
    return b"\n".join(contents)


def _read_document(path: Path) -> bytes:
    """Return the content of a file. Raises `UsageError` if it exceeds `MAX_DOCUMENT_BYTES`."""
    with path.open("rb") as file:
        content = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise _too_large(str(path))
    return content


def _too_large(file: str) -> UsageError:
    return UsageError(f"{file} is not JSON: a line {TOO_LONG}, or all of it than {MAX_DOCUMENT_BYTES:,}")
