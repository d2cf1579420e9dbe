"""The summary of an import: identifiers by prefix and status, missing prefixes, and reasons of refusals and losses."""

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict

from coolid.cli.commands.identifier_import.request import ImportRequest
from coolid.cli.output import out, print_json, print_line
from coolid.cli.row_output import print_rows
from coolid.migration.source_catalog import source_entry

if TYPE_CHECKING:
    from coolid.migration.import_report import ImportReport
    from coolid.migration.missing_prefixes import PrefixPlan
    from coolid.migration.survey import Survey

_MAX_PRINTED: Final = 20
_Row = tuple[dict[str, Any], tuple[str, ...]]
"""A document and cells, as `print_rows` takes them."""


def print_summary(
    request: ImportRequest, survey: "Survey", plans: "list[PrefixPlan]", found: "ImportReport", *, are_missing: bool
) -> None:
    """Print the summary as tables or JSON; `are_missing` if the planned prefixes were not created."""
    if request.json:
        print_json(_summary(survey, plans, found))
        return
    _print_tables(request, survey, plans if are_missing else [], found)
    entry = source_entry(request.source)
    if entry.not_kept:
        print_line(f"No import keeps {entry.not_kept} of {entry.service}.", to=out)


def _summary(survey: "Survey", plans: "list[PrefixPlan]", found: "ImportReport") -> dict[str, Any]:
    return {
        "identifiers": survey.entries,
        "written": found.written,
        "updated": found.updated,
        "present": found.present,
        "refused": found.refused,
        "incomplete": found.incomplete,
        "encoded": found.encoded,
        "prefixes": {name: dict(counts) for name, counts in survey.statuses.items()},
        "missing": [
            {"prefix": plan.name, "identifiers": plan.count, "commands": list(plan.commands())} for plan in plans
        ],
        "reasons": [asdict(each) for each in found.reasons()],
    }


def _print_tables(request: ImportRequest, survey: "Survey", missing: "list[PrefixPlan]", found: "ImportReport") -> None:
    counts: list[_Row] = [
        ({}, (name, status, str(count)))
        for name, of_prefix in sorted(survey.statuses.items())
        for status, count in sorted(of_prefix.items())
    ]
    print_rows(("prefix", "status", "identifiers"), counts, as_json=False, nothing="identifiers")
    for plan in missing:
        print_line("", to=out)
        identifiers = "1 identifier" if plan.count == 1 else f"{plan.count:,} identifiers"
        print_line(f"The prefix {plan.name} is missing, for {identifiers}. Create it:", to=out)
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
    written, updated = ("to write", "to update") if request.preview else ("written", "updated")
    changes = f"{found.written} {written}, {found.updated} {updated}"
    totals = f"{changes}, {found.present} already present, {found.refused} refused"
    encoded = f", {found.encoded} with encoded targets" if request.encodes_targets else ""
    print_line(f"{totals}; {found.incomplete} with losses{encoded}", to=out)
