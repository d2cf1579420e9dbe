"""`coolid records`: export and import of all records, and import of files of new records.

The commands use the tables directly, with an operator's AWS credentials or an AWS_ENDPOINT_URL.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from coolid.cli.help_pages import Command, Commands
from coolid.cli.next_steps import AFTER_AWS
from coolid.cli.output import NO, UNREACHABLE, USAGE, err, let_go, on_screen, print_json, print_line
from coolid.cli.progress import progress
from coolid.cli.service_connection import Json, refuse
from coolid.cli.tables import print_table

app: Final = typer.Typer(
    name="records",
    cls=Commands,
    help="Export and import records.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_STDOUT: Final = "-"
_MAX_PRINTED: Final = 20

Stack = Annotated[
    str | None,
    typer.Option(
        envvar="COOLID_STACK", help="Name of the deployed stack; else PREFIX_TABLE, LUI_TABLE, COUNTER_TABLE say where."
    ),
]


@app.command("export", cls=Command)
def export(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Where to; - is standard output.")] = _STDOUT,
    stack: Stack = None,
) -> None:
    """Export all records as JSON Lines.

    The export contains their versions, the prefixes, repositories and public keys, but no API keys. `coolid records
    import` restores it in another system, and `coolid verify` verifies it. The last line seals the file, so that a
    truncated one is noticed.

        $ coolid records export backup.jsonl --stack coolid
    """
    from coolid.aws import private_files
    from coolid.aws.transfer import setup

    with _report_errors():
        settings = _settings(stack, signs=False)
        lines = setup.exporter(settings).lines()
        if file == _STDOUT:
            try:
                with progress("Exporting", _size(settings), "lines", on_stdout=True) as show:
                    for count, line in enumerate(lines, 1):
                        sys.stdout.buffer.write(line)
                        show(count, count)
                sys.stdout.buffer.flush()
            except BrokenPipeError:  # for example `| head`
                let_go()
                raise typer.Exit(NO) from None
            return
        with private_files.replacement(Path(file)) as written, progress("Exporting", _size(settings), "lines") as show:
            for count, line in enumerate(lines, 1):
                written.write(line)
                show(count, count)


@app.command("import", cls=Command)
def import_(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="An export; or CSV with a header, or JSON Lines.")],
    prefix: Annotated[str | None, typer.Option(help="Where to mint rows that name no prefix.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Where each refused row is told, as JSON Lines.")
    ] = None,
    stack: Stack = None,
    json: Json = False,
) -> None:
    """Import an export, or mint the rows of a file.

    Nothing that exists is overwritten. Repeat the command to continue an import that was interrupted;
    FILE.coolid-progress contains the PIDs of the rows minted so far. Exits with 1 if a row was refused, and with 2 if
    the import stopped at a row whose quotes are wrong, because no later row can be found in the file.

        $ coolid records import backup.jsonl --stack coolid
        $ coolid records import rows.csv --prefix 2021/06/mp --report refused.jsonl
    """
    from coolid.aws.transfer import export_format, setup
    from coolid.aws.transfer.progress import RejectedRow, TransferProgress

    if report and report.resolve() == file.resolve():
        refuse("the report would take the place of the file")
    first = _first_line(file)
    is_export = export_format.is_export(first)
    with _report_errors("; what was done stays, and the same command goes on with it"), ExitStack() as ends:
        settings = _settings(stack, signs=not is_export)
        if is_export:
            _check(file)
        report_file = ends.enter_context(report.open("wb")) if report else None
        printed: list[RejectedRow] = []

        def on_rejected(refusal: RejectedRow) -> None:
            if report_file:
                row = {"line": refusal.line, "reason": refusal.reason, "pointer": refusal.pointer}
                report_file.write(orjson.dumps(row) + b"\n")
            elif len(printed) < _MAX_PRINTED:
                printed.append(refusal)

        transfer = TransferProgress(on_rejected)
        with progress("Importing", file.stat().st_size) as show:
            transfer.on_read = lambda: show(transfer.read_bytes, transfer.rows)
            try:
                if is_export:
                    setup.restore(file, settings, transfer)
                else:
                    setup.mint(file, settings, prefix, transfer)
            except KeyboardInterrupt:
                print_line("coolid: cut short; the same command goes on with it")
                raise
        if report_file and transfer.stopped:
            on_rejected(RejectedRow(transfer.stopped.line, "", f"{transfer.stopped.reason}; the import stopped here"))
        _print_rejected(printed)
        if transfer.refused > len(printed) and not report_file:
            print_line("coolid: --report FILE tells of all that were refused")
    _print_summary(transfer, as_json=json)
    if transfer.stopped:
        raise typer.Exit(USAGE)
    if transfer.refused:
        raise typer.Exit(NO)


def _print_summary(transfer: Any, *, as_json: bool) -> None:
    """Print the counts of the rows, and the line at which the import stopped, if it did."""
    stopped = transfer.stopped
    if stopped:
        print_line(f"coolid: line {stopped.line}: {stopped.reason}")
        print_line(f"coolid: the import stopped there: no row was imported from line {stopped.line} on")
        print_line(
            f"  Correct the rows from line {stopped.line} on in a new file with the same header, and import that."
        )
    if as_json:
        counts = {"written": transfer.written, "present": transfer.present, "refused": transfer.refused}
        end = {"stopped": {"line": stopped.line, "reason": stopped.reason}} if stopped else {}
        print_json(counts | end)
    else:
        print_line(f"{transfer.written} written, {transfer.present} there already, {transfer.refused} refused")


def _settings(stack: str | None, *, signs: bool) -> Any:
    from coolid.aws.transfer import setup

    environment = {**os.environ, **setup.settings_of_stack(stack, signs=signs)} if stack else dict(os.environ)
    absent = setup.missing_settings(environment, signs=signs)
    if absent:
        refuse(f"where are the tables? Give --stack, or set {', '.join(absent)}")
    return setup.settings_of(environment, signs=signs)


def _size(settings: Any) -> int | None:
    """Return an estimate of an export's lines, or None if there is no terminal for the progress display."""
    from coolid.aws.transfer import setup

    return setup.estimated_rows(settings) if on_screen(err) else None


def _print_rejected(refusals: list[Any]) -> None:
    if on_screen(err) and refusals:
        rows = [(str(each.line), each.pointer or "the whole", each.reason) for each in refusals]
        print_table(("line", "where", "why it was refused"), rows, to_error=True)
        return
    for refusal in refusals:
        print_line(f"coolid: line {refusal.line}{refusal.pointer and ', ' + refusal.pointer}: {refusal.reason}")


def _first_line(file: Path) -> bytes:
    try:
        with file.open("rb") as read:
            return read.readline(1_000)
    except OSError as error:
        refuse(f"{file} cannot be read: {error.strerror}")


def _check(file: Path) -> None:
    from coolid.aws.transfer.export_format import InvalidExport, check

    read = 0
    with progress("Checking", file.stat().st_size) as show:

        def on_bytes(octets: int) -> None:
            nonlocal read
            read += octets
            show(read, None)

        try:
            check(file, on_bytes)
        except InvalidExport as error:
            refuse(f"{file} is not a whole export, and nothing of it was used: {error}")


@contextmanager
def _report_errors(hint: str = "") -> Iterator[None]:
    """Print an error as a sentence and exit: with 2 for a usage error, with 3 for an error of AWS or the store."""
    from botocore.exceptions import BotoCoreError, ClientError

    from coolid.aws.key_file import BadSigningKey
    from coolid.aws.settings import InvalidSettings
    from coolid.aws.transfer.export_format import InvalidExport
    from coolid.aws.transfer.journal import InvalidJournal
    from coolid.aws.transfer.row_reader import InvalidTable
    from coolid.errors import CoolidError

    try:
        yield
    except (InvalidExport, InvalidJournal, InvalidSettings, BadSigningKey, InvalidTable) as error:
        refuse(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        refuse(f"{error.filename or 'a file'} cannot be used: {error.strerror}")
    except (BotoCoreError, ClientError, CoolidError) as error:
        print_line(f"coolid: {error}{hint}")
        print_line(f"  {AFTER_AWS}")
        raise typer.Exit(UNREACHABLE) from error
