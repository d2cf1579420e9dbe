"""New files for results. An existing file is not replaced, because it may contain PIDs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from coolid.errors import UsageError

Results = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="A new file for the results, in place of standard output."),
]


@contextmanager
def result_file(path: Path | None) -> Iterator[IO[bytes]]:
    """Yield the new file, or standard output. Exits with 2 if the file exists. An error removes an empty file."""
    if path is None:
        yield typer.get_binary_stream("stdout")
        return
    try:
        opened = path.open("xb")
    except FileExistsError:
        raise UsageError(f"{path} exists, and may contain PIDs; name another file") from None
    with opened:
        try:
            yield opened
        except BaseException:
            if not opened.tell():
                path.unlink()
            raise
