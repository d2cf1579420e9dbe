"""`coolid export`: the identifiers of a store in the forms that other services and web servers read."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coolid.cli.output import print_line
from coolid.cli.store_options import Data, Stack, transfer_settings
from coolid.cli.store_transfer import STDOUT, Target, require_other_file, write_export

if TYPE_CHECKING:
    from coolid.migration.source_identifiers import Loss

_To = Annotated[
    Literal["htaccess", "nginx", "csv", "ezid", "ezid-xml"], typer.Option("--to", help="The form of the file.")
]
_Prefix = Annotated[str | None, typer.Option(help="The prefix whose identifiers to export; all by default.")]


def export(to: _To, file: Target = STDOUT, prefix: _Prefix = None, stack: Stack = None, data: Data = None) -> None:
    """Export identifiers to another service.

    `htaccess` and `nginx` redirect each identifier to its target, and answer 410 for withdrawn ones. `csv` has the
    columns that `coolid records mint` and `coolid import` read. `ezid` is a batch download of EZID in ANVL,
    `ezid-xml` in XML. The command prints what the form cannot contain. `coolid records export` exports everything, with
    all versions.

        $ coolid export --to nginx identifiers.conf --stack coolid
        $ coolid export --to csv --prefix ark:99999/fk4 fk4.csv --stack coolid
    """
    from coolid.aws.clock import SystemClock
    from coolid.migration.destinations.catalog import StoreExport
    from coolid.wiring import transfer

    losses = _Losses()
    require_other_file(Path(file), data)
    settings = transfer_settings(stack, data, signs=False)
    with transfer.open_access(settings) as access:
        export = StoreExport(access.store.prefixes, access.reader, prefix, SystemClock().now(), losses.add)
        write_export(file, export.pieces(to))
    losses.print()


class _Losses:
    """Counts what the file does not contain, by reason, with an example."""

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._examples: dict[str, str] = {}

    def add(self, loss: "Loss") -> None:
        """Count a loss."""
        self._counts[loss.reason] += 1
        self._examples.setdefault(loss.reason, loss.name)

    def print(self) -> None:
        """Print the counts to standard error."""
        for reason, count in self._counts.most_common():
            print_line(f"coolid: {count} not kept: {reason} (such as {self._examples[reason]})")
