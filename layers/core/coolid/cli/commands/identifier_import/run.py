"""The import of a dump or its preview, with progress and report."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import orjson
import typer
from msgspec.structs import asdict

from coolid.cli.commands.identifier_import.request import ImportRequest
from coolid.cli.commands.identifier_import.summary import print_summary
from coolid.cli.continued_minters import print_continuation
from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line
from coolid.cli.progress import progress
from coolid.cli.store_transfer import open_report, resumable_import

if TYPE_CHECKING:
    from coolid.migration.import_report import ImportFinding, ImportReport
    from coolid.migration.minter_states.minter_state import MinterState
    from coolid.migration.missing_prefixes import PrefixPlan
    from coolid.migration.survey import Survey
    from coolid.wiring.migration import Migration

_MAX_LISTED: Final = 10


def run_import(request: ImportRequest, settings: Any, minters: Path | None, creates_prefixes: bool) -> None:
    """Import the dump or preview the import, and print a summary. Exit with 1 if an identifier was refused."""
    from coolid.wiring import transfer
    from coolid.wiring.migration import Migration

    with transfer.open_access(settings) as access, resumable_import():
        migration = Migration(
            access, request.source, request.file, request.prefix, encodes_targets=request.encodes_targets
        )
        states = _states(minters)
        with progress("Reading", None, "identifiers") as show:
            survey = migration.survey(lambda count: show(count, count), states)
        plans = survey.missing.plans()
        _print_not_continued(migration.minters_not_continued(plans))
        if creates_prefixes and not request.preview:
            _create(migration, plans)
        found = _run(migration, survey, plans, request)
    print_summary(request, survey, plans, found, are_missing=request.preview or not creates_prefixes)
    if found.refused:
        raise typer.Exit(NO)


def _states(minters: Path | None) -> "Mapping[str, MinterState]":
    """Return the states of minters by prefix, and print those that cannot be continued."""
    if minters is None:
        return {}
    from coolid.migration.minter_states.state_selection import states_by_prefix

    states, refusals = states_by_prefix(minters)
    for refusal in refusals:
        print_line(f"coolid: a minter cannot be continued: {refusal}")
    return states


def _print_not_continued(prefixes: "list[str]") -> None:
    """Print the prefixes whose minters the import does not continue; an empty one is that of bare names."""
    if prefixes:
        listed = ", ".join(prefix or "one without a NAAN" for prefix in prefixes[:_MAX_LISTED])
        more = f" and {len(prefixes) - _MAX_LISTED} more" if len(prefixes) > _MAX_LISTED else ""
        print_line(f"coolid: minters not continued, because the import does not create their prefixes: {listed}{more}")


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


def _run(migration: "Migration", survey: "Survey", plans: "list[PrefixPlan]", request: ImportRequest) -> "ImportReport":
    """Import the dump or preview the import, and return what was found."""
    from coolid.migration.import_report import ImportReport

    with (
        open_report(request.report) as opened,
        progress("Checking" if request.preview else "Importing", survey.entries, "identifiers") as show,
    ):
        found = ImportReport(lambda finding: _write(opened, finding))
        preview = plans if request.preview else None
        migration.run(found, lambda count: show(count, count), preview=preview, updates=request.update)
    return found


def _write(report: BinaryIO | None, finding: "ImportFinding") -> None:
    if report is not None:
        document = {name: value for name, value in asdict(finding).items() if value != ""}
        report.write(orjson.dumps(document) + b"\n")
