"""`coolid records list` and `coolid records search`: one's own records, through the service."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, Final, Literal, NamedTuple

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import for_people
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.client.client import Client
from coolid.client.documents import Record
from coolid.client.service_api import PAGE_LENGTH
from coolid.errors import UsageError

_HEADINGS: Final = ("pid", "status", "updated", "leads to", "title")

_Prefix = Annotated[str | None, typer.Option(help="A prefix of the repository; by default all that the key may see.")]
_Status = Annotated[
    Literal["active", "reserved", "withdrawn"] | None, typer.Option(help="Only records with this status.")
]
_Limit = Annotated[int | None, typer.Option(min=1, help="The most to list.")]
_Words = Annotated[
    list[str], typer.Argument(metavar="WORDS", help="Words of the PID, titles, creators or targets; a PID; or a URL.")
]
_Host = Annotated[
    str | None, typer.Option("--target-host", help="Only records with a target at this host or below it.")
]
_Health = Annotated[
    Literal["up", "degraded", "down", "moved", "unchecked"] | None,
    typer.Option(help="Only records with this worst state of a target, or with a target that has moved."),
]
_After = Annotated[
    str | None, typer.Option("--updated-after", metavar="TIME", help="Only changes at this time or date, or later.")
]


def list_records(
    prefix: _Prefix = None,
    status: _Status = None,
    target_host: _Host = None,
    health: _Health = None,
    updated_after: _After = None,
    limit: _Limit = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """List records.

    Reserved and withdrawn ones are included. The API key must permit to mint or update under a prefix of the
    repository. The records of a prefix are in the order of their identifiers; with other options, or without a prefix,
    the newest changes come first. With --json, each line is a record.

        $ coolid records list --prefix 2021/06/mp --limit 20
        $ coolid records list --status withdrawn --updated-after 2026-01-01 --json
    """
    search = _Search(prefix, status, target_host, health, updated_after)
    with service(url, key_file, profile) as client:
        if prefix and search == _Search(prefix):
            found = client.list(prefix, page_length=_page_length(limit))
        else:
            found = search.run(client, "", limit)
        _print(found, limit, as_json=json)


def search_records(
    words: _Words,
    prefix: _Prefix = None,
    status: _Status = None,
    target_host: _Host = None,
    health: _Health = None,
    updated_after: _After = None,
    limit: _Limit = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Search records by words.

    A record is found if it has all words. Case, accents and hyphens do not matter. The newest changes come first.
    Exits with 1 if there is no such record.

        $ coolid records search annual report --prefix 2021/06/mp
        $ coolid records search spectra --target-host old.example.org --json
    """
    text = " ".join(words)
    if not text.strip():
        raise UsageError("the text to search for is empty; `coolid records list` lists all records")
    search = _Search(prefix, status, target_host, health, updated_after)
    with service(url, key_file, profile) as client:
        if not _print(search.run(client, text, limit), limit, as_json=json):
            raise typer.Exit(NO)


class _Search(NamedTuple):
    """The options of a search."""

    prefix: str | None = None
    status: str | None = None
    target_host: str | None = None
    health: str | None = None
    updated_after: str | None = None

    def run(self, client: Client, words: str, limit: int | None) -> Iterator[Record]:
        """Yield the records that match."""
        return client.search(words, page_length=_page_length(limit), **self._asdict())


def _page_length(limit: int | None) -> int:
    return min(limit or PAGE_LENGTH, PAGE_LENGTH)


def _print(records: Iterable[Record], limit: int | None, *, as_json: bool) -> int:
    return print_rows(_HEADINGS, map(_row, islice(records, limit)), as_json=as_json, nothing="such records")


def _row(record: Record) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a record's document, and its cells; a table has only the date."""
    updated = str(record.document.get("updated") or "")
    updated = updated.partition("T")[0] if for_people() else updated
    return record.document, (
        record.pid,
        record.status,
        updated,
        record.target or "",
        str(record.metadata.get("what", "")),
    )
