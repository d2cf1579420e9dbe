"""`coolid registry`: the Bioregistry, whose prefixes fill a new service."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict

from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_line, print_result
from coolid.cli.progress import progress
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json
from coolid.cli.store_options import Data, Stack, transfer_settings
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.local.bioregistry_data.faults import Fault

app: Final = group("registry", help="Import and check the registry of prefixes.")

_TEXTS: Final = ("prefix", "kind", "member", "value", "reason", "fix")
_HEADINGS: Final = ("prefix", "fault", "member", "value", "reason", "proposed", "corrected here")


@app.command("import", cls=Command)
def import_(stack: Stack = None, data: Data = None, json: Json = False) -> None:
    """Import the Bioregistry into a store.

    The first start of `coolid serve` does this. Use this command for the tables of a stack, and after an update of
    coolid or of the package bioregistry. Prefixes that you registered or changed stay as they are: they are skipped.
    Repeat the command if it was interrupted.

        $ coolid registry import --stack coolid
        $ coolid registry import --data coolid.db
    """
    from coolid.aws.clock import SystemClock
    from coolid.local.bioregistry_data.registry_import import SKIPPED, import_registry
    from coolid.local.bioregistry_prefixes import prefixes
    from coolid.wiring import transfer

    settings = transfer_settings(stack, data, signs=False)
    imported = list(prefixes())
    counts: Counter[str] = Counter()
    skipped: list[str] = []
    with transfer.open_access(settings) as access, progress("Importing", len(imported), "prefixes") as show:
        outcomes = import_registry(imported, access.store.prefixes, SystemClock())
        for done, (name, outcome) in enumerate(outcomes, 1):
            counts[outcome] += 1
            skipped += [name] if outcome == SKIPPED else []
            show(done, done)
    summary = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items()))
    names = f"; skipped: {', '.join(skipped)}" if skipped else ""
    print_result({**counts, "skipped": skipped}, f"{len(imported):,} prefixes: {summary}{names}", as_json=json)


@app.command(cls=Command)
def check(
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only faults of this kind.")] = None,
    prefix: Annotated[str | None, typer.Option(metavar="PREFIX", help="Only faults of this prefix.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each fault.")] = False,
) -> None:
    """Find faults in the installed Bioregistry.

    Compares the examples, patterns and URL formats of each prefix with each other, and with the registries from which
    the Bioregistry takes formats. Each line has the prefix, the kind of fault, the member and its value, the
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
