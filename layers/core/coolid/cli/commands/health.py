"""`coolid health`: the links of a repository's records, or the providers, that are dead, failing or moved."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from coolid.cli.output import NO, out, print_line
from coolid.cli.service_connection import Json, KeyFile, Url, refuse, report_errors, service
from coolid.cli.tables import BAD, GOOD, QUIET, Cell, cell, for_people, print_table
from coolid.cli.terminal_text import printable, safe_json
from coolid.client.management import Document, Management
from coolid.model.conditions import DOWN, UP

_STYLES: Final = {UP: GOOD, DOWN: BAD}
_LINK: Final = ("state", "since", "pid", "uri", "reason", "lastGood", "moved")
_PROVIDER: Final = ("state", "since", "code", "url", "reason", "lastGood", "moved")
_HEALTH_MEMBERS: Final = ("state", "since", "reason", "lastGood", "moved")
_HEADINGS: Final = {"lastGood": "last good", "uri": "leads to", "moved": "moved to"}


class ReportFormat(StrEnum):
    """The output formats other than a table."""

    JSON = "json"
    NDJSON = "ndjson"
    ATOM = "atom"
    CSV = "csv"


class State(StrEnum):
    """The states by which links can be selected."""

    DOWN = "down"
    DEGRADED = "degraded"
    MOVED = "moved"


def health(
    prefix: Annotated[str, typer.Argument(metavar="PREFIX", help="A repository's, or one of others' identifiers.")],
    state: Annotated[
        list[State] | None, typer.Option(help="Only links that are so; repeatable.", show_default=False)
    ] = None,
    format_: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="Print one of these; atom is a feed, csv for spreadsheets.", show_default=False),
    ] = None,
    url: Url = None,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """List links and providers that do not work.

    For a repository: its dead, failing and moved links; for a prefix of others: its providers. The list is of the
    service's own checks; nothing is checked now. Links need an API key that may watch, mint or update under the prefix.
    Exits with 1 if anything is dead.

        $ coolid health 2021/06/mp
        $ coolid health mp --state down --format csv > dead.csv
        $ coolid health go
    """
    chosen = ReportFormat.JSON if json else format_
    name = prefix.encode("utf-8", "replace").decode()  # undecodable bytes are in no prefix
    management = service(url, key_file, needs_key=False)
    with report_errors(url, json=chosen is ReportFormat.JSON):
        described = management.prefix(name)
        if described["kind"] == "provider":
            if state or chosen in (ReportFormat.ATOM, ReportFormat.CSV):
                refuse("--state, and the formats atom and csv, are for the links of a repository's records")
            found = _providers(described)
            document: Document = {"prefix": described.get("prefix"), "kind": "provider", "providers": found}
        elif management.key is None:
            refuse("the links of a repository are for its keepers: set COOLID_KEY, or give --key-file")
        else:
            states = [each.value for each in state or ()]
            if chosen is ReportFormat.ATOM:
                _print_feed(management, name, states)
                return
            found = list(management.links(name, states))
            document = {"prefix": described.get("prefix"), "kind": "namespace", "links": found}
    _print(document, found, chosen, _PROVIDER if described["kind"] == "provider" else _LINK)
    if any(each.get("state") == DOWN for each in found):
        raise typer.Exit(NO)


def _providers(described: Document) -> list[Document]:
    """Return each provider with its condition; `state` is null before the first check."""
    listed = described.get("providers")
    providers = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [{"code": each.get("code"), "url": each.get("url"), **_condition(each.get("health"))} for each in providers]


def _condition(state: Any) -> dict[str, Any]:
    members = state if isinstance(state, dict) else {}
    return {member: members.get(member) for member in _HEALTH_MEMBERS}


def _print(document: Document, found: Sequence[Document], chosen: ReportFormat | None, columns: Sequence[str]) -> None:
    if chosen is ReportFormat.JSON:
        print(safe_json(document))
    elif chosen is ReportFormat.NDJSON:
        for each in found:
            print(safe_json(each))
    elif chosen is ReportFormat.CSV:
        from coolid.http.formats.csv import links

        print(printable(links(found), lines=True), end="")
    elif not found:
        print_line("coolid: nothing is known to be dead, failing or moved")
    elif for_people():
        shown = [each for each in columns if any(row.get(each) for row in found)]
        print_table([_HEADINGS.get(each, each) for each in shown], _cells(found, shown))
    else:
        for each in found:
            values = [str(each.get(column) or "-") for column in columns]
            print_line("  ".join([f"{values[0]:<8}", f"{values[1]:<20}", *values[2:]]), to=out)


def _cells(found: Iterable[Document], columns: Sequence[str]) -> Iterable[Sequence[Cell]]:
    for each in found:
        state = str(each.get("state") or "not seen")
        rest = [str(each.get(column) or "") for column in columns if column != "state"]
        yield (cell(state, _STYLES.get(state, QUIET)), *rest)


def _print_feed(management: Management, name: str, states: Sequence[str]) -> None:
    """Print the first page of the feed. Its content does not affect the exit code."""
    print(printable(management.feed(name, states), lines=True), end="")
