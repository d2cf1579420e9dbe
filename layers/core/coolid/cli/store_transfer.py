"""What imports into a store and exports from it share: the file of an export, the report, and interruptions."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import typer

from coolid.cli.exit_codes import UNREACHABLE, exit_code
from coolid.cli.output import print_line
from coolid.cli.progress import progress
from coolid.errors import StoreUnavailable, UsageError

STDOUT: Final = "-"
Target = Annotated[str, typer.Argument(metavar="FILE|-", help="The file to write; - is standard output.")]


def write_export(file: str, pieces: Iterator[bytes], total: int | None = None) -> None:
    """Write the pieces of an export to a private file or standard output, and display their number.

    `total` is their estimated number. Raises `UsageError` if a database is damaged.
    """
    from coolid import private_files

    to_stdout = file == STDOUT
    with (
        nullcontext(sys.stdout.buffer) if to_stdout else private_files.replacement(Path(file)) as written,
        progress("Exporting", total, "lines", on_stdout=to_stdout) as show,
    ):
        for count, piece in enumerate(_readable(pieces), 1):
            written.write(piece)
            show(count, count)
        written.flush()


def _readable(pieces: Iterator[bytes]) -> Iterator[bytes]:
    from coolid.sqlite.database_errors import is_damage

    try:
        yield from pieces
    except StoreUnavailable as error:
        if not is_damage(error):
            raise
        advice = 'restore a backup, see "Back up and restore" in docs/how-to/operator/standalone.md'
        raise UsageError(f"{error}, so the export is incomplete; {advice}") from error


def require_other_file(output: Path | None, *files: Path | None) -> None:
    """Raise `UsageError` if the output would replace a file that the command reads, also under another name of it."""
    for file in files:
        if output and file and (output.resolve() == file.resolve() or _is_same(output, file)):
            raise UsageError(f"the output would replace {file}")


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two paths are of one existing file, such as hard links."""
    return path.exists() and other.exists() and path.samefile(other)


def open_report(report: Path | None) -> AbstractContextManager[BinaryIO | None]:
    """Open the report to write, if there is to be one. A new one has mode 600: rows may have secrets."""
    return open(report, "wb", opener=partial(os.open, mode=0o600)) if report else nullcontext()


@contextmanager
def resumable_import() -> Iterator[None]:
    """Print a line if the import in the block is interrupted."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or exit_code(error) == UNREACHABLE:
            print_line("coolid: the import was interrupted; repeat the command to continue it")
        raise
