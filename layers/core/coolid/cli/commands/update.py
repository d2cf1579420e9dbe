"""`coolid update`: a new version of a record, made from the present one."""

from typing import Annotated, Any

import typer

from coolid.cli.conditional_update import IfMatch, etag_of, explained_conflict, required_etag
from coolid.cli.output import print_result
from coolid.cli.service_connection import Json, KeyFile, Pid, Url, json_of, service
from coolid.errors import UsageError


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
    json: Json = False,
) -> None:
    """Change a record. Other members stay, and nothing changes if somebody else changed the record meanwhile.

    $ coolid update demo:tw0t-ywdj-94 --uri https://example.org/moved
    $ coolid update demo:tw0t-ywdj-94 --set what=Spectra --unset who
    $ coolid update demo:tw0t-ywdj-94 --patch '{"status": "active"}'
    """
    changes = _changes(uri, sets or [], unset or [], metadata, patch)
    etag = etag_of(if_match)
    management = service(url, key_file)
    with explained_conflict(management, pid):
        stored = management.patch(pid, changes, etag or required_etag(management.record(pid)))
    print_result(stored.record, f"{stored.pid} is version {stored.record['version']} now", as_json=json)


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
