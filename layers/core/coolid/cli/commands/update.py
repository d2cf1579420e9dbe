"""`coolid update`: a new version of a record, made from the present one."""

from typing import Annotated, Any

import typer

from coolid.cli.conditional_update import IfMatch, etag_of, explained_conflict, required_etag
from coolid.cli.output import out, print_line
from coolid.cli.service_connection import Json, KeyFile, Pid, Url, object_of, refuse, report_errors, service
from coolid.cli.terminal_text import safe_json


def update(
    pid: Pid,
    uri: Annotated[str | None, typer.Option(help="Where the thing is, in place of all its locations.")] = None,
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
    json: Json = False,
) -> None:
    """Change a record. What you do not name stays as it is, and nothing changes if somebody else changed it meanwhile.

    $ coolid update demo:tw0t-ywdj-94 --uri https://example.org/moved
    $ coolid update demo:tw0t-ywdj-94 --set what=Spectra --unset who
    $ coolid update demo:tw0t-ywdj-94 --patch '{"status": "active"}'
    """
    changes = _changes(uri, sets or [], unset or [], metadata, patch)
    condition = etag_of(if_match)
    management = service(url, key_file)
    with report_errors(url, pid, json=json), explained_conflict(management, pid):
        stored = management.patch(pid, changes, condition or required_etag(management.record(pid)))
    if json:
        print(safe_json(stored.record))
    else:
        print_line(f"{stored.pid} is version {stored.record['version']} now", to=out)


def _changes(
    uri: str | None, sets: list[str], unset: list[str], metadata: str | None, patch: str | None
) -> dict[str, Any]:
    """Return the merge patch that the options describe."""
    merged: dict[str, Any] = object_of(metadata, "--metadata") if metadata is not None else {}
    for each in sets:
        name, equals, value = each.partition("=")
        if not (name and equals):
            refuse("--set takes NAME=VALUE, such as --set what=Spectra")
        merged[name] = value
    merged |= dict.fromkeys(unset)
    changes = ({"uri": uri} if uri is not None else {}) | ({"metadata": merged} if merged else {})
    if patch is None and not changes:
        refuse("what is to change? Give --uri, --set, --unset, --metadata or --patch")
    if patch is not None and changes:
        refuse("--patch says everything that changes; the other options would say it twice")
    return changes if patch is None else object_of(patch, "--patch")
