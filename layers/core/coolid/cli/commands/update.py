"""`coolid update`: a new version of a record, made from the present one; and the explanation of a conflict."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from coolid.cli.error_report import AFTER_CONFLICT, with_pid
from coolid.cli.output import print_line, print_result
from coolid.cli.service_connection import Json, KeyFile, Pid, Profile, Url, json_of, service
from coolid.client.client import Client
from coolid.client.errors import ClientError, PreconditionFailed
from coolid.client.record_operations import ETAG
from coolid.errors import UsageError

IfMatch = Annotated[
    str | None,
    typer.Option(metavar="ETAG", help="Change only this version, by its etag from `coolid show`."),
]


def update(
    pid: Pid,
    uri: Annotated[str | None, typer.Option(help="The URL that replaces all locations.")] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Metadata to set; repeatable.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Metadata to remove; repeatable.")] = None,
    metadata: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE", help="Metadata to merge in; null removes a member.")
    ] = None,
    patch: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE|-", help='A merge patch, such as {"status": "active"}.')
    ] = None,
    if_match: IfMatch = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Change a record. Other members stay, and nothing changes if somebody else changed the record meanwhile.

    $ coolid update demo:tw0t-ywdj-94 --uri https://example.org/moved
    $ coolid update demo:tw0t-ywdj-94 --set what=Spectra --unset who
    $ coolid update demo:tw0t-ywdj-94 --patch '{"status": "active"}'
    """
    changes = _changes(uri, sets or [], unset or [], metadata, patch)
    etag = etag_of(if_match)
    client = service(url, key_file, profile)
    with explained_conflict(client, pid):
        record = client.update(pid, changes, etag=etag)
    print_result(record.document, f"{record.pid} is version {record.version} now", as_json=json)


def _changes(
    uri: str | None, sets: list[str], unset: list[str], metadata: str | None, patch: str | None
) -> dict[str, Any]:
    """Return the merge patch that the options describe."""
    merged = json_of(metadata, "--metadata", dict) if metadata is not None else {}
    for each in sets:
        name, equals, value = each.partition("=")
        if not (name and equals):
            raise UsageError("--set takes NAME=VALUE, such as --set what=Spectra")
        merged[name] = value
    merged |= dict.fromkeys(unset)
    changes = ({"uri": uri} if uri is not None else {}) | ({"metadata": merged} if merged else {})
    if patch is None and not changes:
        raise UsageError("nothing to change: use --uri, --set, --unset, --metadata or --patch")
    if patch is not None and changes:
        raise UsageError("--patch describes the whole change, so it excludes the other options")
    return changes if patch is None else json_of(patch, "--patch", dict)


def etag_of(text: str | None) -> str | None:
    """Return the entity tag in HTTP's form; a shell may have removed its quotation marks. Exits with 2 if invalid.

    >>> etag_of("abc"), etag_of('"abc"')
    ('"abc"', '"abc"')
    """
    if text is None or ETAG.fullmatch(text):
        return text
    tag = f'"{text}"'
    if not ETAG.fullmatch(tag):
        raise UsageError("--if-match is not an etag from `coolid show`")
    return tag


@contextmanager
def explained_conflict(client: Client, pid: str) -> Iterator[None]:
    """Print why a change conflicts, and what to do next. The error itself is raised again."""
    try:
        yield
    except PreconditionFailed as declined:
        now = _present_version(client, pid)
        retried = "perhaps this very change was made, and its first answer was lost"
        cause = retried if declined.tries > 1 else "somebody else changed the record"
        print_line(f"coolid: {cause}: {now}")
        print_line(f"  {with_pid(AFTER_CONFLICT, pid)}")
        raise


def _present_version(client: Client, pid: str) -> str:
    try:
        record = client.get(pid)
    except ClientError:
        return "it is another version now"
    return f"it is version {record.version} now, of {record.document.get('updated')}"
