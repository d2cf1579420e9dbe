"""`coolid withdraw`: the permanent replacement of a record by a tombstone."""

import sys
from typing import Annotated, Literal

import typer

from coolid.cli.commands.show import record_lines
from coolid.cli.commands.update import IfMatch, etag_of, explained_conflict
from coolid.cli.exit_codes import NO
from coolid.cli.output import err, print_line, print_pairs, print_result
from coolid.cli.service_connection import Json, KeyFile, Pid, Profile, Url, service
from coolid.client.documents import Record
from coolid.errors import UsageError


def withdraw(
    pid: Pid,
    reason: Annotated[str, typer.Option(help="The reason, which is public.")],
    successor: Annotated[str | None, typer.Option(metavar="PID", help="What replaces it: a PID, or a URL.")] = None,
    state: Annotated[
        Literal["revoked"] | None, typer.Option(help="Withdraw the identifier itself, not only the thing it names.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    if_match: IfMatch = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Withdraw a record for good.

    Its PID answers 410 with the reason from then on, and can never be minted again. At a terminal, you are asked first.

        $ coolid withdraw demo:tw0t-ywdj-94 --reason 'Published by mistake'
        $ coolid withdraw demo:tw0t-ywdj-94 --reason 'A copy' --yes
        $ coolid withdraw demo:tw0t-ywdj-94 --reason 'An error' --state revoked
    """
    if not reason.strip():
        raise UsageError("--reason cannot be empty, because it is published in place of the record")
    etag = etag_of(if_match)
    client = service(url, key_file, profile)
    with explained_conflict(client, pid):
        if not yes and sys.stdin.isatty():
            record = client.get(pid)
            _confirm(record)
            etag = etag or record.etag
        tombstone = client.withdraw(pid, reason, successor=successor, state=state, etag=etag)
    print_result(tombstone.document, f"{tombstone.pid} is withdrawn", as_json=json)


def _confirm(record: Record) -> None:
    """Show the record and ask; exit with 1 unless the answer is yes."""
    print_pairs(record_lines(record), to=err)
    if not typer.confirm("Withdraw it, for good?", err=True):
        print_line("coolid: nothing was changed")
        raise typer.Exit(NO)
