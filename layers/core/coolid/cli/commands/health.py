"""`coolid health`: the links of a repository's records, or the providers, that are dead, failing or moved."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import BAD, GOOD, QUIET, cell, for_people, out, print_json, print_line, print_table, printable
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.errors import UsageError
from coolid.model.conditions import DOWN, UP

_STYLES: Final = {UP: GOOD, DOWN: BAD}
_LINK: Final = ("state", "since", "pid", "uri", "reason", "lastGood", "moved")
_PROVIDER: Final = ("state", "since", "code", "url", "reason", "lastGood", "moved")
_CONDITION: Final = ("state", "since", "reason", "lastGood", "moved")
_HEADINGS: Final = {"lastGood": "last good", "uri": "leads to", "moved": "moved to"}


ReportFormat = Literal["json", "ndjson", "atom", "csv"]


class State(StrEnum):
    """The states by which links can be selected."""

    DOWN = "down"
    DEGRADED = "degraded"
    MOVED = "moved"


_Prefix = Annotated[str, typer.Argument(metavar="PREFIX", help="The prefix of a repository or of providers.")]
_State = Annotated[list[State] | None, typer.Option(help="Only links in this state; repeatable.", show_default=False)]
_Format = Annotated[
    ReportFormat | None,
    typer.Option("--format", help="Print a format for programs; atom is a feed.", show_default=False),
]


def health(
    prefix: _Prefix,
    state: _State = None,
    format_: _Format = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """List links and providers that do not work.

    For a repository: its dead, failing and moved links. For a provider prefix: its providers. The list shows the
    service's own checks; this command checks nothing. Links need an API key that may watch, mint or update under the
    prefix. Exits with 1 if anything is dead.

        $ coolid health 2021/06/mp
        $ coolid health mp --state down --format csv > dead.csv
        $ coolid health go
    """
    chosen = "json" if json else format_
    name = prefix.encode("utf-8", "replace").decode()  # undecodable bytes are in no prefix
    client = service(url, key_file, profile, needs_key=False)
    described = client.prefixes.get_public(name).document
    if described["kind"] == "provider":
        if state or chosen in ("atom", "csv"):
            raise UsageError("--state, and the formats atom and csv, are for the links of a repository's records")
        found, member, columns = _providers(described), "providers", _PROVIDER
    elif not client.has_key:
        raise UsageError("the links of a repository are not public: use `coolid login`, COOLID_KEY or --key-file")
    elif chosen == "atom":
        print(printable(client.reports.feed(name, state or ()), lines=True), end="")
        return  # the first page does not show whether anything is dead
    else:
        found, member, columns = [link.document for link in client.reports.links(name, state or ())], "links", _LINK
    if chosen == "json":
        print_json({"prefix": described.get("prefix"), "kind": described["kind"], member: found})
    else:
        _print(found, chosen, columns)
    if any(each.get("state") == DOWN for each in found):
        raise typer.Exit(NO)


def _providers(described: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each provider with its condition; `state` is null before the first check."""
    listed = described.get("providers")
    providers = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [{"code": each.get("code"), "url": each.get("url"), **_condition(each.get("health"))} for each in providers]


def _condition(state: Any) -> dict[str, Any]:
    members = state if isinstance(state, dict) else {}
    return {member: members.get(member) for member in _CONDITION}


def _print(found: Sequence[dict[str, Any]], chosen: ReportFormat | None, columns: Sequence[str]) -> None:
    if chosen == "ndjson":
        for each in found:
            print_json(each)
    elif chosen == "csv":
        from coolid.http.formats.csv import links

        print(printable(links(found), lines=True), end="")
    elif not found:
        print_line("coolid: no link or provider is dead, failing or moved")
    elif for_people():
        _print_table(found, [each for each in columns if any(row.get(each) for row in found)])
    else:
        for each in found:
            state, since, *values = [str(each.get(column) or "-") for column in columns]
            print_line("  ".join([f"{state:<8}", f"{since:<20}", *values]), to=out)


def _print_table(found: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    rows = [{**each, "state": each.get("state") or "not checked"} for each in found]
    print_table(
        [_HEADINGS.get(each, each) for each in columns],
        [
            [
                cell(str(row.get(column) or ""), _STYLES.get(row["state"], QUIET) if column == "state" else "")
                for column in columns
            ]
            for row in rows
        ],
    )
