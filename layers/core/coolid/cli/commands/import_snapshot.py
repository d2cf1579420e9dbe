"""`coolid import-snapshot`: converts the data of a release up to 0.5 to a database."""

from pathlib import Path
from typing import Annotated

import typer

from coolid.cli.output import print_line
from coolid.local.service_files import FOLDER


def import_snapshot(
    snapshot: Annotated[Path, typer.Argument(metavar="SNAPSHOT", dir_okay=False, help="File of `serve --data`.")],
    database: Annotated[Path, typer.Argument(metavar="DATABASE", dir_okay=False, help="The database to create.")],
) -> None:
    """Convert an old `serve --data` file.

    Releases up to 0.5 stored the records of `coolid serve --data FILE` in a JSON file. This command creates the
    database that later releases serve, with the same signing key. It does not change the snapshot.

        $ coolid import-snapshot coolid.json coolid.db
    """
    from coolid.local.snapshots.snapshot_import import import_snapshot as convert

    print_line(f"{convert(snapshot, database, FOLDER)} records are in {database}")
