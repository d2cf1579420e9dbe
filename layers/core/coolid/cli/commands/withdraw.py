"""`coolid withdraw`: the permanent replacement of a record by a tombstone."""

import sys
from typing import Annotated

import typer

from coolid.cli.commands.show import lines
from coolid.cli.conditional_update import IfMatch, etag_of, explained_conflict, required_etag
from coolid.cli.output import NO, err, on_screen, out, print_line
from coolid.cli.service_connection import Json, KeyFile, Pid, Url, refuse, report_errors, service
from coolid.cli.tables import print_pairs
from coolid.cli.terminal_text import safe_json


def withdraw(
    pid: Pid,
    reason: Annotated[str, typer.Option(help="Why, for everybody to read.")],
    successor: Annotated[str | None, typer.Option(metavar="PID", help="What takes its place: a PID, or a URL.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    if_match: IfMatch = None,
    url: Url = None,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """Withdraw a record for good.

    Its PID answers 410 with the reason from then on, and can never be minted again. At a terminal you are asked first.

        $ coolid withdraw demo:tw0t-ywdj-94 --reason 'Published by mistake'
        $ coolid withdraw demo:tw0t-ywdj-94 --reason 'A copy' --yes
    """
    if not reason.strip():
        refuse("--reason is what everybody will read in its place; it cannot be empty")
    condition = etag_of(if_match)
    management = service(url, key_file)
    with report_errors(url, pid, json=json), explained_conflict(management, pid):
        if not yes and sys.stdin.isatty():
            stored = management.record(pid)
            if on_screen(err):
                print_pairs(lines(stored), to_error=True)
            else:
                for name, value in lines(stored):
                    print_line(f"  {name:<12}{value}")
            if not typer.confirm("Withdraw it, for good?", err=True):
                err.print("coolid: nothing was changed")
                raise typer.Exit(NO)
            condition = condition or required_etag(stored)
        stored = management.withdraw(pid, reason, condition or required_etag(management.record(pid)), successor)
    if json:
        print(safe_json(stored.record))
    else:
        print_line(f"{stored.pid} is withdrawn", to=out)
