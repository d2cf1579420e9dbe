"""`coolid doctor`: what is wrong with a service, seen from this machine, and what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.text import Text

from coolid.cli.connection_checks import Finding, Level
from coolid.cli.exit_codes import NO, UNREACHABLE
from coolid.cli.output import QUIET, cell, for_people, mark, out, print_json, print_line, print_list
from coolid.cli.service_connection import Json, KeyFile, Profile, service_and_key, without_environment
from coolid.client.service_api import ServiceApi

_NAME_WIDTH: Final = 10

_Url = Annotated[
    str | None,
    typer.Argument(
        metavar="URL", envvar="COOLID_URL", callback=without_environment, help="The service; else the profile's."
    ),
]
_Pid = Annotated[str | None, typer.Option(metavar="PID", help="The record whose proof is verified.")]


def doctor(
    url: _Url = None, pid: _Pid = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False
) -> None:
    """Find out why a service does not work.

    Checks the name of its host, its certificate, health, clock, your API key, the documents by which clients discover
    it, the proof of a record, and the releases. Each line is ok, a warning or failed, with what to do. Nothing is
    changed. Exits with 1 if a check failed, and with 3 if the service cannot answer.

        $ coolid doctor https://id.example.org
        $ coolid doctor --pid demo:tw0t-ywdj-94
    """
    from coolid.cli.service_checks import check_service  # imported here, because it imports all of the client

    api = ServiceApi(*service_and_key(url, key_file, profile, needs_key=False))
    found = list(check_service(api, pid)) if json else _print_all(check_service(api, pid))
    levels = {each.check: each.level for each in found}
    if json:
        checks = [asdict(each) for each in found]
        print_json({"url": api.base_url, "level": _worst(levels.values()), "checks": checks})
    if Level.FAILED in levels.values():
        raise typer.Exit(UNREACHABLE if levels.get("health") is Level.FAILED else NO)


def _print_all(findings: Iterable[Finding]) -> list[Finding]:
    """Print each finding as soon as there is one. Return all."""
    found = []
    for each in findings:
        _print(each)
        found.append(each)
    return found


def _print(finding: Finding) -> None:
    if for_people():
        rows = [(_mark(finding.level), cell(f"{finding.check:<{_NAME_WIDTH}}"), cell(finding.detail))]
        rows += [(Text(), cell(""), cell(finding.advice, QUIET))] if finding.advice else []
        print_list(rows)
        return
    for line in _lines(finding):
        print_line(line, to=out)


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{finding.level:<9}{finding.check:<{_NAME_WIDTH}}{finding.detail}"
    if finding.advice:
        yield f"  {finding.advice}"


def _mark(level: Level) -> Text:
    return Text("!", "yellow") if level is Level.WARNING else mark(good=level is Level.OK)


def _worst(levels: Iterable[Level]) -> Level:
    found = set(levels)
    return next((level for level in (Level.FAILED, Level.WARNING) if level in found), Level.OK)
