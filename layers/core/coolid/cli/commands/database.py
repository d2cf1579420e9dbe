"""`coolid backup` and `coolid check`: a copy of the database of `coolid serve`, and its integrity."""

from pathlib import Path
from typing import Annotated

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import out, print_json, print_line
from coolid.cli.service_connection import Json
from coolid.cli.store_options import Data, database_file, environment_of, open_database
from coolid.errors import StoreUnavailable, UsageError
from coolid.local.service_files import signing_key_file

_File = Annotated[Path, typer.Argument(metavar="FILE", help="The new file; an existing one is not replaced.")]
_Key = Annotated[bool, typer.Option("--key/--no-key", help="Copy the signing key, too.")]


def backup(file: _File, data: Data = None, key: _Key = True, json: Json = False) -> None:
    """Copy the database while it is in use.

    FILE contains one state of the whole database, with all records and the digests of API keys. The signing key is
    copied to FILE.signing-key.pem. Only you can read the two files. If the database is damaged, there is no backup. To
    restore a backup, end the service and replace the database and its key by them.

        $ coolid backup /var/backups/coolid-2026-05-04.db
        $ coolid backup copy.db --data /srv/coolid/coolid.db --no-key
    """
    from coolid import private_files

    if not file.name:
        raise UsageError(f"{file}: it is a folder; FILE is the name of a new file")
    key_copy = signing_key_file(file)
    with open_database(data) as database:
        content = private_files.read(_key_file(database.path)) if key else None
        if content is not None and private_files.exists(key_copy):
            raise UsageError(f"{key_copy}: the file exists already")
        database.backup(file)
    if content is not None:
        private_files.create(key_copy, content)
    copied = {"database": str(file), "key": None if content is None else str(key_copy)}
    if json:
        print_json(copied)
        return
    for each in filter(None, copied.values()):
        print_line(each, to=out)
    if content is None:
        print_line("coolid: the signing key is not in the backup; without it, a restored service signs with a new one")


def check(data: Data = None, json: Json = False) -> None:
    """Check the integrity of the database. Exits with 1 if it is damaged.

    The command reads the whole file, which may be in use or read-only. `coolid verify` checks the signatures of an
    export.

        $ coolid check
        $ coolid check --data /srv/coolid/coolid.db
    """
    from coolid.sqlite.database import Database
    from coolid.sqlite.database_errors import is_damage

    try:
        damages = list(Database.check_file(database_file(data)))
    except (StoreUnavailable, UsageError) as error:
        if not is_damage(error):
            raise
        damages = [str(error)]
    if json:
        print_json({"ok": not damages, "damages": damages})
    else:
        for damage in damages or ["the database is sound"]:
            print_line(damage, to=out)
    if damages:
        raise typer.Exit(NO)


def _key_file(database: Path) -> Path:
    """Return the file of the key that signs the records of a database."""
    return Path(environment_of(database).get("SIGNING_KEY_FILE") or signing_key_file(database))
