"""`coolid records`: lists of records, export and import of all records, and import of files of new records.

Export and import use the store directly: the tables with an operator's AWS credentials or an AWS_ENDPOINT_URL, or the
database of `coolid serve`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

import orjson
import typer
from msgspec.structs import replace

from coolid.cli.commands.bulk_mint import mint_rows
from coolid.cli.commands.record_lists import list_records, search_records
from coolid.cli.exit_codes import NO, USAGE
from coolid.cli.help_pages import Command, group
from coolid.cli.output import err, on_screen, print_json, print_line, print_table
from coolid.cli.progress import progress
from coolid.cli.service_connection import Json
from coolid.cli.store_options import Data, Stack, transfer_settings
from coolid.cli.store_transfer import (
    STDOUT,
    Target,
    open_report,
    require_other_file,
    resumable_import,
    write_export,
)
from coolid.errors import StoreUnavailable, UsageError

if TYPE_CHECKING:
    from coolid.transfer.progress import Refusal, TransferProgress
    from coolid.transfer.version_proofs import VersionProofs
    from coolid.wiring.transfer import BulkAccess

_SERVICE: Final = "Through the service"
_STORE: Final = "Directly in the store"
app: Final = group("records", help="List, mint, export and import records.")
app.command("list", cls=Command, rich_help_panel=_SERVICE)(list_records)
app.command("search", cls=Command, rich_help_panel=_SERVICE)(search_records)
app.command("mint", cls=Command, rich_help_panel=_SERVICE)(mint_rows)

_MAX_PRINTED: Final = 20

_File = Annotated[Path, typer.Argument(dir_okay=False, help="An export; or CSV with a header, or JSON Lines.")]
_Prefix = Annotated[str | None, typer.Option(help="The prefix to mint rows under that have none.")]
_Proofs = Annotated[bool, typer.Option(help="Add the proofs of the transparency log.")]
_Report = Annotated[
    Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Where to write each refused row, as JSON Lines.")
]


@app.command("export", cls=Command, rich_help_panel=_STORE)
def export(file: Target = STDOUT, proofs: _Proofs = True, stack: Stack = None, data: Data = None) -> None:
    """Export all records as JSON Lines.

    The export contains their versions, the prefixes, repositories and public keys, but no API keys. Each version that
    is in the transparency log has a proof of that, which `coolid verify` verifies without the service. `coolid records
    import` restores the export in another system. The last line seals the file, so that a truncated file is detected.

        $ coolid records export records.jsonl --stack coolid
        $ coolid records export records.jsonl --data .local/coolid.db
    """
    from coolid.wiring import transfer

    require_other_file(Path(file), data)
    settings = transfer_settings(stack, data, signs=False)
    with transfer.open_access(settings) as access:
        total = access.reader.estimated_rows() if on_screen(err) else None
        of_versions = _version_proofs(access) if proofs else None
        write_export(file, transfer.export_lines(access, of_versions), total)
    if of_versions and of_versions.missing:
        print_line(f"coolid: {of_versions.missing} versions have no proof, because they are not in the published log")
    if of_versions and of_versions.damaged:
        print_line(f"coolid: {of_versions.damaged} versions have no proof, because the files of the log are damaged")


def _version_proofs(access: "BulkAccess") -> "VersionProofs | None":
    """Return the proofs of a log. A log that cannot be read prevents no export."""
    from coolid.log.malformed_data import MalformedData
    from coolid.wiring import transfer

    try:
        return transfer.version_proofs(access)
    except (StoreUnavailable, MalformedData) as error:
        print_line(f"coolid: the export has no proofs, because the transparency log cannot be read: {error}")
        return None


@app.command("import", cls=Command, rich_help_panel=_STORE)
def import_(
    file: _File,
    prefix: _Prefix = None,
    report: _Report = None,
    stack: Stack = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Import an export, or mint the rows of a file.

    For rows, `coolid records mint` does the same through the service with an API key. `coolid import` imports the
    identifiers of other services, with their histories and withdrawals.

    Nothing that exists is overwritten. Repeat the command to continue an import that was interrupted;
    FILE.coolid-progress contains the PIDs of the rows minted so far. Exits with 1 if a row was refused, and with 2 if
    the import stopped at a row whose quotes are wrong, because no later row can be found in the file.

        $ coolid records import records.jsonl --stack coolid
        $ coolid records import rows.csv --prefix 2021/06/mp --report refused.jsonl
    """
    from coolid.transfer.export_format import is_export

    require_other_file(report, file, data)
    with file.open("rb") as opened:
        restores = is_export(opened.readline(1_000))
    settings = transfer_settings(stack, data, signs=not restores)
    proofs = _check_export(file) if restores else 0
    with open_report(report) as opened_report:
        refusals = _Refusals(opened_report)
        transfer = _transfer(file, settings, prefix, refusals, restores=restores)
    refusals.print(transfer.refused)
    _print_summary(transfer, as_json=json)
    if proofs:
        print_line(
            f"coolid: {proofs} proofs of the log were not imported: they are of the exporting system; keep the file"
        )
    if transfer.stopped or transfer.refused:
        raise typer.Exit(USAGE if transfer.stopped else NO)


class _Refusals:
    """Writes refusals to the report, or holds the first of them to print."""

    def __init__(self, report: BinaryIO | None) -> None:
        self._report = report
        self._first: list[Refusal] = []

    def add(self, row: "Refusal") -> None:
        """Write or hold a refusal."""
        if self._report is not None:
            document = {"line": row.line, "reason": row.reason, "pointer": row.pointer}
            self._report.write(orjson.dumps(document) + b"\n")
        elif len(self._first) < _MAX_PRINTED:
            self._first.append(row)

    def stop(self, row: "Refusal") -> None:
        """Write the row at which the import stopped, which `refused` does not count."""
        if self._report is not None:
            self.add(replace(row, reason=f"{row.reason}; the import stopped here"))

    def print(self, refused: int) -> None:
        """Print the rows, and how to see all of the `refused` ones."""
        if on_screen(err) and self._first:
            rows = [(str(each.line), each.pointer or "the whole row", each.reason) for each in self._first]
            print_table(("line", "where", "why it was refused"), rows, to=err)
        else:
            for each in self._first:
                print_line(f"coolid: line {each.line}{each.pointer and ', ' + each.pointer}: {each.reason}")
        if self._report is None and refused > len(self._first):
            print_line("coolid: --report FILE writes all refused rows to a file")


def _transfer(
    file: Path, settings: Any, prefix: str | None, refusals: _Refusals, *, restores: bool
) -> "TransferProgress":
    """Restore an export, or mint the rows of a file, and display the progress."""
    from coolid.transfer.progress import TransferProgress
    from coolid.wiring import transfer

    counts = TransferProgress(refusals.add)
    size = file.stat().st_size
    with (
        transfer.open_access(settings, may_create=restores) as access,
        resumable_import(),
        progress("Importing", size) as show,
    ):
        counts.on_read = lambda: show(counts.read_bytes, counts.handled)
        if restores:
            transfer.restore(file, access, counts)
        else:
            transfer.mint(file, access, prefix, counts)
    if counts.stopped:
        refusals.stop(counts.stopped)
    return counts


def _print_summary(transfer: "TransferProgress", *, as_json: bool) -> None:
    """Print the counts of the rows, and the line at which the import stopped, if it did."""
    counts = {"written": transfer.written, "present": transfer.present, "refused": transfer.refused}
    if stopped := transfer.stopped:
        print_line(f"coolid: line {stopped.line}: {stopped.reason}")
        print_line(f"coolid: the import stopped there: no row was imported from line {stopped.line} on")
        print_line("  Correct these rows in a new file with the same header, and import that.")
    if as_json:
        print_json(counts | ({"stopped": {"line": stopped.line, "reason": stopped.reason}} if stopped else {}))
    else:
        print_line("{written} written, {present} already present, {refused} refused".format(**counts))


def _check_export(file: Path) -> int:
    """Return the number of proofs of the log in an export. Exit with 2 if the file is not a whole export."""
    from coolid.transfer.export_format import TLOG_PROOF, InvalidExport, documents

    proofs = 0
    with progress("Checking", file.stat().st_size) as show, file.open("rb") as opened:
        try:
            for _, document in documents(opened):
                proofs += TLOG_PROOF in document
                show(opened.tell(), None)
        except InvalidExport as error:
            raise UsageError(f"{file} is not a whole export, and nothing was imported: {error}") from error
    return proofs
