"""`coolid verify`: whether records are what their issuer signed."""

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
from coolid.cli.next_steps import after_silence
from coolid.cli.output import NO, UNREACHABLE, USAGE, advise, let_go, tell
from coolid.cli.progress import Show, progress, watched
from coolid.cli.verdict_output import print_history, print_line, print_record
from coolid.proofs.history_chain import VersionLink, follow
from coolid.proofs.verdicts import CheckOutcome, Verdict, shown
from coolid.proofs.verification import examine, with_history
from coolid.proofs.verification import verify as judge
from coolid.strict_json import NotJson, load

STDIN = "-"
MAX_DOCUMENT_BYTES: Final = 2_000_000
"""The most bytes of one JSON document: as many as `coolid.client` reads of a response."""


class Usage(Exception):
    """The command cannot be done as it was given; says why."""


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
    from coolid.client.errors import ClientError, RefusedByClient
    from coolid.client.proof_sources import NotServed, is_url

    issuer = issuer.rstrip("/") if issuer else None
    if offline and (is_url(source) or jwks is None or is_url(jwks)):
        tell("coolid: --offline needs a file, and the key set in another: --jwks FILE")
        raise typer.Exit(USAGE)
    try:
        if is_url(source):
            sound = _verify_url(source, jwks, issuer, pid, chain=chain, as_json=json)
        else:
            sound = _verify_file(source, jwks, issuer, pid, chain=chain, as_json=json)
    except (Usage, RefusedByClient) as error:
        tell(f"coolid: {error}")
        raise typer.Exit(USAGE) from error
    except NotServed as error:
        tell(f"coolid: there is no record to verify: {error}")
        raise typer.Exit(NO) from error
    except BrokenPipeError:  # `| head` has enough
        let_go()
        raise typer.Exit(NO) from None  # not all was judged
    except ClientError as error:
        tell(f"coolid: what is needed could not be fetched: {error}")
        advise(after_silence(error, source))
        raise typer.Exit(UNREACHABLE) from error
    if not sound:
        raise typer.Exit(NO)


def _verify_url(url: str, jwks: str | None, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool) -> bool:
    from coolid.client.proof_sources import MOST_VERSIONS, asked_check, fetch_older, fetch_record, vouches

    document = fetch_record(url)
    if jwks is None and issuer is None:
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not vouches(url, issuer):
            said = (
                f"the record did not come from its issuer, {shown(issuer)}, so the issuer's keys are not simply taken:"
            )
            said += " say whom you believe, by --jwks or --issuer"
            return print_record(document, Verdict((CheckOutcome("key", False, said),)), as_json=as_json)
    keys = _keys(jwks, issuer)
    checks, newest = examine(document, keys, pid=pid, issuer=issuer)
    older: Iterable[Any] = ()
    if chain and newest and all(check.passed for check in checks):
        total = min(newest.version - 1, MOST_VERSIONS)
        older = fetch_older(document)
        if total > 1:
            older = watched(older, "Fetching older versions", total, "versions", answers=False)
    verdict = with_history(checks, newest, keys, older)
    if pid is None and isinstance(document, dict):
        asked = asked_check(url, document)
        verdict = Verdict((asked, *verdict.checks), verdict.complete and asked.passed)
    return print_record(document, verdict, as_json=as_json)


def _verify_file(
    file: str, jwks: str | None, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool
) -> bool:
    keys = _keys(jwks, issuer)
    try:
        size = None if file == STDIN else Path(file).stat().st_size
        with (
            nullcontext(sys.stdin.buffer) if file == STDIN else Path(file).open("rb") as read,
            progress("Verifying", size, "lines", answers=True) as show,
        ):
            lines = _skip_blank(read, show)
            first = list(islice(lines, 2))
            if _are_documents(first):
                every = joined(first, lines)
                several = export_reader.records(every) if export_reader.is_one(first[0].content) else every
                return _verify_lines(several, keys, issuer, pid, chain=chain, as_json=as_json)
            whole = _join_lines(file, joined(first, lines))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}") from error
    except export_reader.InvalidExport as error:
        tell(f"coolid: {file} is not a whole export: {error}")
        return False
    document = _json_of(file, whole)
    return print_record(document, judge(document, keys, pid=pid, issuer=issuer), as_json=as_json)


def _verify_lines(
    lines: Iterable[Line], keys: Any, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool
) -> bool:
    """Every line by itself, then the versions of each PID as a chain."""
    sound = True
    links: dict[str, list[VersionLink]] = {}
    for line in lines:
        try:
            document = _load_line(line)
        except NotJson as error:
            unread = Verdict((CheckOutcome("document", False, str(error)),))
            sound = print_line(line.number, None, unread, as_json=as_json) and sound
            continue
        checks, link = examine(document, keys, pid=pid, issuer=issuer)
        sound = print_line(line.number, document, Verdict(tuple(checks)), as_json=as_json) and sound
        if link:
            links.setdefault(link.pid, []).append(link)
    for name, versions in links.items() if chain else ():
        newest = max(versions, key=lambda link: link.version)
        verdict = Verdict(*follow(newest, versions))
        if len(versions) > 1 or not verdict.ok:
            numbers = sorted({link.version for link in versions})
            sound = print_history(name, numbers, verdict, as_json=as_json) and sound
    return sound


def _keys(jwks: str | None, issuer: str | None) -> Any:
    from coolid.client.errors import BadAnswer
    from coolid.client.proof_sources import NotServed, fetch_issuer_keys, fetch_keys, is_url

    if jwks is None and issuer is None:
        raise Usage("what a file says of its issuer is no proof: say whom you believe, by --jwks or --issuer")
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
        raise Usage(f"{jwks} cannot be read: {error.strerror}") from error


def _json_of(file: str, octets: bytes) -> Any:
    try:
        return load(octets)
    except NotJson as error:
        raise Usage(f"{file} is not JSON that all read alike: {shown(str(error))}") from error


def _load_line(line: Line) -> Any:
    """Return the document of a line. Raises `NotJson` with a whole sentence."""
    if line.is_too_long:
        raise NotJson(f"the line {TOO_LONG}")
    try:
        return load(line.content)
    except NotJson as error:
        raise NotJson(f"the line is not JSON: {shown(str(error))}") from error


def _skip_blank(file: BinaryIO, show: Show) -> Iterator[Line]:
    """Return the lines of a file that are not blank, and show the progress of reading."""
    size = 0
    for line in read_lines(file):
        size += line.size
        show(size, line.number)
        if line.is_too_long or line.content.strip():
            yield line


def _are_documents(first: Sequence[Line]) -> bool:
    """Return whether a file that begins with these lines, two at most, has a document in each line."""
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
    """Return the lines of one document together. Raises `Usage` if they are more than `MAX_DOCUMENT_BYTES`."""
    contents: list[bytes] = []
    size = 0
    for line in lines:
        size += line.size
        if line.is_too_long or size > MAX_DOCUMENT_BYTES:
            raise _too_large(file)
        contents.append(line.content)
    return b"\n".join(contents)


def _read_document(path: Path) -> bytes:
    """Return what a file contains. Raises `Usage` if it is more than `MAX_DOCUMENT_BYTES`."""
    with path.open("rb") as file:
        content = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise _too_large(str(path))
    return content


def _too_large(file: str) -> Usage:
    return Usage(f"{file} is not JSON: a line {TOO_LONG}, or all of it than {MAX_DOCUMENT_BYTES:,}")
