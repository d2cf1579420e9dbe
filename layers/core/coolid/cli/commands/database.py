"""`coolid backup` and `coolid check`: a copy of the database of `coolid serve`, and its integrity."""

from pathlib import Path
from typing import Annotated

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import out, print_json, print_line
from coolid.cli.service_connection import Json
from coolid.cli.store_options import Data, database_file, environment_of, open_database
from coolid.errors import StoreUnavailable, UsageError
from coolid.local.service_files import log_key_file, signing_key_file

_File = Annotated[Path, typer.Argument(metavar="FILE", help="The new file; an existing one is not replaced.")]
_Key = Annotated[bool, typer.Option("--key/--no-key", help="Copy the keys that sign records and the log, too.")]


def backup(file: _File, data: Data = None, key: _Key = True, json: Json = False) -> None:
    """Copy the database while it is in use.

    FILE contains one state of the whole database, with all records and the digests of API keys. The signing key is
    copied to FILE.signing-key.pem, the key of the transparency log to FILE.log-key.pem, and its files to FILE.log.tar.
    Only you can read the files. If the database is damaged, there is no backup. To restore a backup, end the service
    and replace the database, its keys and the folder of its log by them.

        $ coolid backup /var/backups/coolid-2026-05-04.db
        $ coolid backup copy.db --data /srv/coolid/coolid.db --no-key
    """
    from coolid import private_files
    from coolid.local.transparency_log.archive import write_archive

    if not file.name:
        raise UsageError(f"{file}: it is a folder; FILE is the name of a new file")
    with open_database(data) as database:
        keys = _keys(database.path, file) if key else {}
        archive = file.with_name(f"{file.name}.log.tar")
        for copy in (*keys, archive):
            if private_files.exists(copy):
                raise UsageError(f"{copy}: the file exists already")
        database.backup(file)
        has_log = write_archive(file, database.path, archive)
    for copy, content in keys.items():
        private_files.create(copy, content)
    key_copy, log_key_copy = (each if each in keys else None for each in (signing_key_file(file), log_key_file(file)))
    names = {"database": file, "key": key_copy, "log_key": log_key_copy, "log": archive if has_log else None}
    copied = {name: None if path is None else str(path) for name, path in names.items()}
    if json:
        print_json(copied)
        return
    for each in filter(None, copied.values()):
        print_line(each, to=out)
    if key_copy is None:
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


def _keys(database: Path, copy: Path) -> dict[Path, bytes]:
    """Return the contents of the existing key files of a database, by the names of their copies."""
    from coolid import private_files

    environment = environment_of(database)
    files = {
        signing_key_file(copy): environment.get("SIGNING_KEY_FILE") or signing_key_file(database),
        log_key_file(copy): environment.get("LOG_KEY_FILE") or log_key_file(database),
    }
    contents = {name: private_files.read(Path(file)) for name, file in files.items()}
    return {name: content for name, content in contents.items() if content is not None}
