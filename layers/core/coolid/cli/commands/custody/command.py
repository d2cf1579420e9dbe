"""`coolid custody`: records given to another operator, and received from one."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Annotated, Final

import typer

from coolid.cli.commands.custody import record_flows
from coolid.cli.commands.custody.offer_file import OfferWriter, read_offers
from coolid.cli.commands.custody.outcomes import CustodyOutcome, CustodyOutcomes
from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_line
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service, service_and_key
from coolid.client.client import Client
from coolid.client.custody.custody_operations import canonical_linkid
from coolid.client.documents import Record
from coolid.client.service_api import ServiceApi
from coolid.client.url_policy import service_url
from coolid.errors import UsageError

app: Final = group("custody", help="Give records to another operator, or receive.")

_Pids = Annotated[list[str] | None, typer.Argument(metavar="PID", help="LinkIDs, or other spellings of PIDs.")]
_Prefix = Annotated[str | None, typer.Option(help="Offer all public records of the prefix's repository.")]
_To = Annotated[str, typer.Option(metavar="URL", help="The public base URL of the other operator's service.")]
_Output = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="The file for the other operator. An existing one is continued."),
]
_Preview = Annotated[bool, typer.Option("--preview", help="Show what would be offered, and change nothing.")]
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
_Offers = Annotated[list[str], typer.Argument(metavar="FILE|LINKID", help="The other operator's file, or LinkIDs.")]
_Revoked = Annotated[list[str], typer.Argument(metavar="FILE|PID", help="The file of the offers, or PIDs.")]
_From = Annotated[
    str | None,
    typer.Option("--from", metavar="URL", help="The service that offers LinkIDs; a file names it itself."),
]
_Parallel = Annotated[int, typer.Option(metavar="N", min=1, max=32, help="The most records at a time.")]


@app.command(cls=Command)
def offer(
    to: _To,
    pids: _Pids = None,
    prefix: _Prefix = None,
    output: _Output = None,
    preview: _Preview = False,
    yes: _Yes = False,
    parallel: _Parallel = 8,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Offer records to another operator.

    The records resolve as before and cannot be changed until the other operator accepts them with `coolid custody
    accept`, or you revoke the offer with `coolid custody revoke`. A transfer cannot be undone: only the other operator
    can offer the records back.

    Repeat the command to continue: what is offered is left out, but listed in the file. Exits with 1 if a record was
    refused.

        $ coolid custody offer linkid:UUID --to https://b.example.org
        $ coolid custody offer --prefix linkid --to https://b.example.org --preview
        $ coolid custody offer --prefix lid --to https://b.example --output b.jsonl
    """
    if bool(pids) == (prefix is not None):
        raise UsageError("which records? Name PIDs, or --prefix for all records of its repository")
    recipient = service_url(to)
    api = ServiceApi(*service_and_key(url, key_file, profile))
    writer = OfferWriter(output, recipient) if output and not preview else None
    if prefix is not None and not preview and not yes and sys.stdin.isatty():
        _confirm(f"Offer all public records of {prefix} to {recipient}?")
    outcomes = CustodyOutcomes(parallel)
    with service(url, key_file, profile) as client:
        subjects = _subjects(client, pids or (), prefix)
        flows = ((_name(each), record_flows.offer(api, each, recipient, preview=preview)) for each in subjects)
        found = outcomes.of(flows, "Offering", len(pids) if pids else None)
        outcomes.report(_written(found, writer) if writer else found, as_json=json)


@app.command(cls=Command)
def accept(
    offers: _Offers,
    sender: _From = None,
    parallel: _Parallel = 8,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Accept records that another operator offers.

    Your service reads and verifies each record with its history, and signs the acceptance. From then on it is the
    authority, and the other service redirects to it. Your key needs the scope to mint under the prefix `linkid`.

    Repeat the command to continue. Exits with 1 if a record was refused.

        $ coolid custody accept offers.jsonl
        $ coolid custody accept linkid:UUID --from https://a.example.org
    """
    path = _file_of(offers)
    if path is not None:
        parties, linkids = read_offers(path)
        if sender is not None and service_url(sender) != parties.sender:
            raise UsageError(f"{path} has the offers of {parties.sender}, not those of {sender}")
        sender = parties.sender
    elif sender is None:
        raise UsageError("which service offers them? Name it by --from, or use a file of `coolid custody offer`")
    else:
        linkids = tuple(map(canonical_linkid, offers))
    api = ServiceApi(*service_and_key(url, key_file, profile))
    flows = ((each, record_flows.accept(api, each, sender)) for each in linkids)
    outcomes = CustodyOutcomes(parallel)
    outcomes.report(outcomes.of(flows, "Accepting", len(linkids)), as_json=json)


@app.command(cls=Command)
def revoke(
    offers: _Revoked,
    parallel: _Parallel = 8,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Revoke offers that were not accepted yet.

    The records can then be changed again, and can be offered to somebody else. With a file, only its offers to the
    operator that it names are revoked. Repeat the command to continue. Exits with 1 if a record was refused.

        $ coolid custody revoke offers.jsonl
        $ coolid custody revoke linkid:UUID
    """
    path = _file_of(offers)
    recipient, pids = None, tuple(offers)
    if path is not None:
        parties, pids = read_offers(path)
        recipient = parties.recipient
    api = ServiceApi(*service_and_key(url, key_file, profile))
    flows = ((each, record_flows.revoke(api, each, recipient)) for each in pids)
    outcomes = CustodyOutcomes(parallel)
    outcomes.report(outcomes.of(flows, "Revoking", len(pids)), as_json=json)


def _file_of(arguments: Sequence[str]) -> Path | None:
    """Return the file that the only argument names, or None. Exits with 2 for a file among other arguments."""
    files = [path for each in arguments if (path := Path(each)).is_file()]
    if files and len(arguments) > 1:
        raise UsageError(f"{files[0]} is a file; name it alone")
    return files[0] if files else None


def _subjects(client: Client, pids: Sequence[str], prefix: str | None) -> Iterable[str | Record]:
    return client.list(prefix) if prefix is not None else pids


def _name(subject: str | Record) -> str:
    return subject if isinstance(subject, str) else record_flows.linkid_of(subject) or subject.pid


def _written(outcomes: Iterator[CustodyOutcome], writer: OfferWriter) -> Iterator[CustodyOutcome]:
    """Yield the outcomes, and write the offers to a file before they are printed. Print at the end what it is for."""
    with closing(writer):
        for each in outcomes:
            if each.linkid is not None and each.sender is not None:
                writer.add(each.linkid, each.sender)
            yield each
    if writer.path.exists():
        accepting = f"coolid custody accept {quote(writer.path.name)}"
        print_line(f"coolid: send {writer.path} to the operator of {writer.recipient}, who runs: {accepting}")


def _confirm(question: str) -> None:
    """Ask; exit with 1 unless the answer is yes."""
    if not typer.confirm(question, err=True):
        print_line("coolid: nothing was changed")
        raise typer.Exit(NO)
