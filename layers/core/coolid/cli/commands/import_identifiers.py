"""`coolid import`: identifiers of other services, with their targets and histories, directly into the store."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

import orjson
import typer

from coolid.cli.continued_minters import print_continuation
from coolid.cli.exit_codes import NO, UNREACHABLE, exit_code
from coolid.cli.output import out, print_json, print_line
from coolid.cli.progress import progress
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, Profile, Url, service_and_key
from coolid.cli.store_options import Data, Stack, transfer_settings
from coolid.errors import UsageError
from coolid.migration.source_catalog import SOURCES, source_entry

if TYPE_CHECKING:
    from coolid.migration.import_report import Finding, ImportReport
    from coolid.migration.minter_states.minter_state import MinterState
    from coolid.migration.missing_prefixes import PrefixPlan
    from coolid.migration.survey import Survey
    from coolid.wiring.migration import Migration

_MAX_PRINTED: Final = 20
_Row = tuple[dict[str, Any], tuple[str, ...]]
"""A document and cells, as `print_rows` takes them."""

_File = Annotated[Path, typer.Argument(dir_okay=False, help="The dump, plain or zipped.")]
_From = Annotated[
    str,
    typer.Option(
        "--from", metavar="SOURCE", autocompletion=lambda: list(SOURCES), help=f"One of {', '.join(SOURCES)}."
    ),
]
_Prefix = Annotated[str | None, typer.Option(metavar="PREFIX", help="The prefix of names that have none.")]
_Preview = Annotated[bool, typer.Option("--preview", help="Show what an import would do, and write nothing.")]
_Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Where to write each finding, as JSON Lines."),
]
_Check = Annotated[bool, typer.Option("--check", help="Compare what the service at --url answers for each identifier.")]
_Old = Annotated[
    str | None,
    typer.Option(metavar="URL", help="With --check: compare with this service, not with the dump."),
]
_Parallel = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="With --check: the most requests at a time.")]
_CreatePrefixes = Annotated[bool, typer.Option("--create-prefixes", help="Create the prefixes that are missing.")]


_Minters = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        dir_okay=False,
        help="With --create-prefixes: continue the minters in this file (Noid, EZID, arklet).",
    ),
]


def import_(
    file: _File,
    source: _From,
    prefix: _Prefix = None,
    preview: _Preview = False,
    report: _Report = None,
    create_prefixes: _CreatePrefixes = False,
    minters: _Minters = None,
    check: _Check = False,
    old: _Old = None,
    url: Url = None,
    profile: Profile = None,
    parallel: _Parallel = 8,
    stack: Stack = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Import identifiers from another service.

    Each becomes a signed record with its target, metadata, and history. Nothing that exists is overwritten. Repeat the
    command to continue an import that was interrupted. Targets that the target policy refuses are left out, and the
    report lists them. Exits with 1 if an identifier was refused.

    With --check, nothing is imported: the command compares the answers of the new service with the dump, or with the
    answers of the old service, and prints each difference. Exits with 1 if there is one.

        $ coolid import --from ezid ezid.xml.gz --preview --data .local/coolid.db
        $ coolid import --from ezid ezid.xml.gz --create-prefixes --report losses.jsonl --stack coolid
        $ coolid import --from ezid ezid.xml.gz --create-prefixes --minters minters.json --stack coolid
        $ coolid import --from ezid ezid.xml.gz --check --url https://id.example.org --old https://n2t.net
    """
    from coolid.wiring import transfer
    from coolid.wiring.migration import Migration

    not_kept = source_entry(source).not_kept
    if report and report.resolve() == file.resolve():
        raise UsageError("the report would replace the dump")
    if minters and not (create_prefixes or preview):
        raise UsageError("--minters is for prefixes that --create-prefixes creates")
    if check:
        from coolid.cli.commands.import_check import check_import

        service_url = service_and_key(url, None, profile, needs_key=False)[0]
        if check_import(file, source, prefix or "", service_url, old, parallel, report, json):
            raise typer.Exit(NO)
        return
    settings = transfer_settings(stack, data, signs=True)
    with transfer.open_access(settings) as access, _resumable():
        migration = Migration(access, source, file, prefix or "")
        states = _states(minters)
        with progress("Reading", None, "identifiers") as show:
            survey = migration.survey(lambda count: show(count, count), states)
        plans = survey.missing.plans()
        if create_prefixes and not preview:
            _create(migration, plans)
        found = _run(migration, survey, plans, report, preview=preview)
    is_missing = bool(plans) and (preview or not create_prefixes)
    if json:
        print_json(_summary(survey, plans, found))
    else:
        _print_summary(survey, plans if is_missing else [], found, preview=preview)
        if not_kept:
            print_line(f"No import keeps {not_kept} of {source_entry(source).service}.", to=out)
    if found.refused:
        raise typer.Exit(NO)


@contextmanager
def _resumable() -> Iterator[None]:
    """Print a line if the import is interrupted."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or exit_code(error) == UNREACHABLE:
            print_line("coolid: the import was interrupted; repeat the command to continue it")
        raise


def _states(minters: Path | None) -> "Mapping[str, MinterState]":
    """Return the states of minters by prefix, and print those that cannot be continued."""
    if minters is None:
        return {}
    from coolid.migration.minter_states.state_selection import states_by_prefix

    states, refusals = states_by_prefix(minters)
    for refusal in refusals:
        print_line(f"coolid: a minter cannot be continued: {refusal}")
    return states


def _create(migration: "Migration", plans: "list[PrefixPlan]") -> None:
    """Create prefixes, and print which. End the command if a minter cannot be continued, before names are imported."""
    refused = migration.create(plans)
    for plan in plans:
        if plan.name in refused:
            print_line(f"coolid: the prefix {plan.name} cannot be created: {refused[plan.name]}")
            if plan.state is not None:
                print_line("coolid: nothing was imported, because its minter would not be continued")
                raise typer.Exit(NO)
        else:
            print_line(f"coolid: created the prefix {plan.name}, scheme {plan.rules.scheme}")
            if plan.state is not None:
                print_continuation(plan.state, plan.name)


def _run(
    migration: "Migration", survey: "Survey", plans: "list[PrefixPlan]", report: Path | None, *, preview: bool
) -> "ImportReport":
    """Import the dump or preview the import, and return what was found."""
    from coolid.migration.import_report import ImportReport

    with (
        report.open("wb") if report else nullcontext() as opened,
        progress("Checking" if preview else "Importing", survey.entries, "identifiers") as show,
    ):
        found = ImportReport(lambda finding: _write(opened, finding))
        migration.run(found, lambda count: show(count, count), preview=plans if preview else None)
    return found


def _write(report: BinaryIO | None, finding: "Finding") -> None:
    if report is not None:
        document = {
            "position": finding.position,
            "identifier": finding.identifier,
            "kind": finding.kind,
            "name": finding.name,
            "reason": finding.reason,
            "value": finding.value,
        }
        report.write(orjson.dumps({name: value for name, value in document.items() if value != ""}) + b"\n")


def _summary(survey: "Survey", plans: "list[PrefixPlan]", found: "ImportReport") -> dict[str, Any]:
    return {
        "identifiers": survey.entries,
        "written": found.written,
        "present": found.present,
        "refused": found.refused,
        "incomplete": found.incomplete,
        "prefixes": {name: dict(counts) for name, counts in survey.statuses.items()},
        "missing": [
            {"prefix": plan.name, "identifiers": plan.count, "commands": list(plan.commands())} for plan in plans
        ],
        "reasons": [
            {
                "kind": each.kind,
                "name": each.name,
                "reason": each.reason,
                "count": each.count,
                "examples": each.examples,
            }
            for each in found.reasons()
        ],
    }


def _print_summary(survey: "Survey", missing: "list[PrefixPlan]", found: "ImportReport", *, preview: bool) -> None:
    counts: list[_Row] = [
        ({}, (name, status, str(count)))
        for name, of_prefix in sorted(survey.statuses.items())
        for status, count in sorted(of_prefix.items())
    ]
    print_rows(("prefix", "status", "identifiers"), counts, as_json=False, nothing="identifiers")
    for plan in missing:
        print_line("", to=out)
        print_line(f"The prefix {plan.name} is missing, for {plan.count:,} identifiers. Create it:", to=out)
        for command in plan.commands():
            print_line(f"  {command}", to=out)
    if missing:
        print_line("", to=out)
        print_line("Or let the import create them all: --create-prefixes", to=out)
    reasons: list[_Row] = [
        ({}, (str(each.count), each.kind, each.name or "the identifier", each.reason, ", ".join(each.examples)))
        for each in found.reasons()
    ]
    if reasons:
        print_line("", to=out)
        headings = ("number", "kind", "what", "reason", "for example")
        print_rows(headings, reasons[:_MAX_PRINTED], as_json=False, nothing="reasons")
    if len(reasons) > _MAX_PRINTED:
        print_line(f"and {len(reasons) - _MAX_PRINTED} more reasons; --report FILE writes all", to=out)
    written = "to write" if preview else "written"
    totals = f"{found.written} {written}, {found.present} already present, {found.refused} refused"
    print_line(f"{totals}; {found.incomplete} with losses", to=out)
