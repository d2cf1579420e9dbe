"""`coolid verify`: whether records are what their issuer signed."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from coolid.cli import exports
from coolid.cli.nextsteps import after_silence
from coolid.cli.output import NO, UNREACHABLE, USAGE, advise, let_go, tell
from coolid.cli.progress import Show, progress, watched
from coolid.cli.verdicts import print_history, print_line, print_record
from coolid.domain.documents import NotJson, load
from coolid.domain.histories import Link, follow
from coolid.domain.verdicts import Check, Verdict, shown
from coolid.domain.verifying import examine, with_history
from coolid.domain.verifying import verify as judge

STDIN = "-"


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
    --jwks) the key set: that shows that it agrees with itself. Exits with 1 if a check failed, and with 3 if something
    needed could not be fetched.

        $ coolid verify https://id.example.org/2021/06/mp/tw0t-ywdj-94
        $ coolid verify backup.jsonl --issuer https://id.example.org
        $ coolid verify record.json --jwks keys.json --offline
    """
    from coolid.client.errors import ClientError, Refused
    from coolid.client.fetching import NotServed, is_url

    issuer = issuer.rstrip("/") if issuer else None
    if offline and (is_url(source) or jwks is None or is_url(jwks)):
        tell("coolid: --offline needs a file, and the key set in another: --jwks FILE")
        raise typer.Exit(USAGE)
    try:
        if is_url(source):
            sound = _verify_url(source, jwks, issuer, pid, chain=chain, as_json=json)
        else:
            sound = _verify_file(source, jwks, issuer, pid, chain=chain, as_json=json)
    except (Usage, Refused) as error:
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
    from coolid.client.fetching import MOST_VERSIONS, asked_check, fetch_older, fetch_record, vouches

    document = fetch_record(url)
    if jwks is None and issuer is None:
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not vouches(url, issuer):
            said = (
                f"the record did not come from its issuer, {shown(issuer)}, so the issuer's keys are not simply taken:"
            )
            said += " say whom you believe, by --jwks or --issuer"
            return print_record(document, Verdict((Check("key", False, said),)), as_json=as_json)
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
            lines = _heard(read, show)
            first = list(islice(lines, 2))
            if len(first) == 2 and _is_json(first[0][1]):
                several = exports.records(joined(first, lines)) if exports.is_one(first[0][1]) else joined(first, lines)
                return _verify_lines(several, keys, issuer, pid, chain=chain, as_json=as_json)
            whole = b"".join(line for _, line in joined(first, lines))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}") from error
    except exports.BadExport as error:
        tell(f"coolid: {file} is not a whole export: {error}")
        return False
    document = _json_of(file, whole)
    return print_record(document, judge(document, keys, pid=pid, issuer=issuer), as_json=as_json)


def _verify_lines(
    lines: Iterable[tuple[int, bytes]], keys: Any, issuer: str | None, pid: str | None, *, chain: bool, as_json: bool
) -> bool:
    """Every line by itself, then the versions of each PID as a chain."""
    sound = True
    links: dict[str, list[Link]] = {}
    for number, line in lines:
        try:
            document = load(line)
        except NotJson as error:
            unread = Verdict((Check("document", False, f"the line is not JSON: {shown(str(error))}"),))
            sound = print_line(number, None, unread, as_json=as_json) and sound
            continue
        checks, link = examine(document, keys, pid=pid, issuer=issuer)
        sound = print_line(number, document, Verdict(tuple(checks)), as_json=as_json) and sound
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
    from coolid.client.fetching import NotServed, fetch_issuer_keys, fetch_keys, is_url

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
        return exports.keys(Path(jwks)) or _json_of(jwks, Path(jwks).read_bytes())
    except OSError as error:
        raise Usage(f"{jwks} cannot be read: {error.strerror}") from error


def _json_of(file: str, octets: bytes) -> Any:
    try:
        return load(octets)
    except NotJson as error:
        raise Usage(f"{file} is not JSON that all read alike: {shown(str(error))}") from error


def _heard(read: Iterable[bytes], show: Show) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers, while it is shown how far they are read."""
    octets = 0
    for number, line in enumerate(read, 1):
        octets += len(line)
        show(octets, number)
        if line.strip():
            yield number, line


def _is_json(line: bytes) -> bool:
    try:
        load(line)
    except NotJson:
        return False
    return True
