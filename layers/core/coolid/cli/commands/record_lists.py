"""`coolid records list` and `coolid records search`: the records of a repository, through the service."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, Final, Literal

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import for_people
from coolid.cli.progress import with_progress
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.client.client import Client
from coolid.client.documents import Record
from coolid.client.service_api import PAGE_LENGTH
from coolid.errors import UsageError
from coolid.model.prefixes import fold

_HEADINGS: Final = ("pid", "status", "updated", "leads to", "title")

_Prefix = Annotated[str | None, typer.Option(help="A prefix of the repository.")]
_Status = Annotated[
    Literal["active", "reserved", "withdrawn"] | None, typer.Option(help="Only records with this status.")
]
_Limit = Annotated[int | None, typer.Option(min=1, help="The most to list.")]
_Text = Annotated[str, typer.Argument(metavar="TEXT", help="Text in a PID, in metadata or in a location's URL.")]


def list_records(
    prefix: _Prefix = None,
    status: _Status = None,
    limit: _Limit = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """List the records of a repository.

    Reserved and withdrawn ones are included. The API key must permit to mint or update under the prefix. With --json,
    each line is a record.

        $ coolid records list --prefix 2021/06/mp --limit 20
        $ coolid records list --prefix 2021/06/mp --status withdrawn --json
    """
    with service(url, key_file, profile) as client:
        _print(_records(client, prefix, status, limit), limit, as_json=json)


def search_records(
    text: _Text,
    prefix: _Prefix = None,
    status: _Status = None,
    limit: _Limit = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Search the records of a repository.

    All records of the repository are read, and compared on this machine without regard to case. Exits with 1 if none
    has the text.

        $ coolid records search spectra --prefix 2021/06/mp
        $ coolid records search old.example.org --prefix 2021/06/mp --json
    """
    folded = fold(text)
    if not folded.strip():
        raise UsageError("the text to search for is empty; `coolid records list` lists all records")
    with service(url, key_file, profile) as client:
        every = with_progress(_records(client, prefix, status, None), "Searching", None, "records", on_stdout=True)
        if not _print((each for each in every if _contains(each, folded)), limit, as_json=json):
            raise typer.Exit(NO)


def _records(client: Client, prefix: str | None, status: str | None, limit: int | None) -> Iterator[Record]:
    """Yield the records of a repository in pages, the first of which has at most `limit` if all are wanted."""
    if not prefix:
        raise UsageError("which repository? Use --prefix, such as --prefix demo; `coolid prefixes list` lists prefixes")
    found = client.list(prefix, page_length=limit if limit and limit < PAGE_LENGTH and status is None else PAGE_LENGTH)
    return (each for each in found if status in (None, each.status))


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


def _contains(record: Record, folded: str) -> bool:
    """Return whether a text occurs in the PID, in a value of the metadata, or in a location's URL."""
    locations = (each.uri for each in record.locations)
    return any(folded in fold(each) for each in (record.pid, *locations, *_texts(record.metadata)))


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts and numbers in a JSON value, except the names of members."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    elif value is not None:
        yield str(value)
