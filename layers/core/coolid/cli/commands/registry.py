"""`coolid registry`: the registry of prefixes that a new service is filled with."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict

from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_line
from coolid.cli.row_output import print_rows
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.local.bioregistry_data.faults import Fault

app: Final = group("registry", help="Check the registry of prefixes.")

_TEXTS: Final = ("prefix", "kind", "member", "value", "reason", "fix")
_HEADINGS: Final = ("prefix", "fault", "member", "value", "reason", "proposed", "corrected here")


@app.callback()
def registry() -> None:
    """Check the registry of prefixes."""


@app.command(cls=Command)
def check(
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only faults of this kind.")] = None,
    prefix: Annotated[str | None, typer.Option(metavar="PREFIX", help="Only faults of this prefix.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each fault.")] = False,
) -> None:
    """Find faults in the installed Bioregistry.

    Compares the examples, patterns and URL formats of each prefix with each other, and with the registries that the
    Bioregistry takes formats over from. Each line has the prefix, the kind of fault, the member and its value, the
    reason and, if there is one, the proposed value. An import uses the values marked as corrected. Exits with 1 if
    there are faults.

        $ coolid registry check
        $ coolid registry check --kind beginning-missing --json > faults.jsonl
    """
    from coolid.local.bioregistry_data.faults import KINDS, all_faults
    from coolid.local.bioregistry_prefixes import bioregistry_manager

    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind} is not a kind of fault; the kinds are {', '.join(KINDS)}")

    found = [
        fault
        for fault in all_faults(bioregistry_manager().registry)
        if kind in (None, fault.kind) and prefix in (None, fault.prefix)
    ]
    print_rows(_HEADINGS, map(_row, found), as_json=json, nothing="such faults")
    if found:
        counts = sorted(Counter(each.kind for each in found).items())
        print_line(f"coolid: {len(found)} faults: {', '.join(f'{count} {name}' for name, count in counts)}")
        raise typer.Exit(NO)


def _row(fault: "Fault") -> tuple[dict[str, Any], Sequence[str]]:
    document = asdict(fault)
    return document, [*(document[each] or "" for each in _TEXTS), "yes" if fault.corrected else ""]
