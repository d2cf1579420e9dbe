"""Options of the commands that use a store directly: tables of DynamoDB, or a SQLite database."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coolid.errors import UsageError
from coolid.local.service_files import DATABASE, FOLDER, signing_key_file

if TYPE_CHECKING:
    from coolid.aws.settings import Settings
    from coolid.sqlite.database import Database

Stack = Annotated[str | None, typer.Option(envvar="COOLID_STACK", help="Name of the deployed stack.")]
Data = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="The database of `coolid serve`, in place of DynamoDB."),
]


def environment_of(data: Path | None) -> dict[str, str]:
    """Return the environment, with `data` as the store if it is not None.

    The key file beside a database signs, unless the environment names another key.
    """
    from coolid.aws.settings import SIGNING_KEYS, SQLITE_SCHEME, STORE, database_path

    environment = dict(os.environ)
    if data is not None:
        environment[STORE] = f"{SQLITE_SCHEME}{data.absolute()}"
    database = database_path(environment)
    if database and not any(environment.get(name) for name in SIGNING_KEYS):
        environment["SIGNING_KEY_FILE"] = str(signing_key_file(Path(database)))
    return environment


def database_of(data: Path | None) -> Path | None:
    """Return the path `data`, or that of the database in STORE, or None if STORE names none."""
    from coolid.aws.settings import database_path

    path = database_path(os.environ)
    return data or (Path(path) if path else None)


def open_database(data: Path | None) -> "Database":
    """Open the database at `database_file(data)`, and print a line if that changes it. Raises `UsageError`."""
    from coolid.cli.output import print_line
    from coolid.local.start_warnings import upgrade_message
    from coolid.sqlite.database import Database

    database = Database.open(database_file(data), may_create=False)
    if database.former_state:
        print_line(f"coolid: {upgrade_message(database.former_state)}")
    return database


def database_file(data: Path | None) -> Path:
    """Return the path `database_of(data)`, by default that of the database of `coolid serve`."""
    return database_of(data) or FOLDER / DATABASE


def transfer_settings(stack: str | None, data: Path | None, *, signs: bool) -> "Settings":
    """Return the settings of an export or import. Raises `UsageError` if some are missing."""
    from coolid.aws.settings import InvalidSettings
    from coolid.wiring import transfer

    if stack and data:
        raise UsageError("use either --stack or --data, not both")
    try:
        environment = environment_of(data)
        if stack:
            environment |= {"STORE": "", **transfer.settings_of_stack(stack, signs=signs)}
        return transfer.settings_of(environment, signs=signs)
    except InvalidSettings as error:
        if data and not os.environ.get("PUBLIC_BASE_URL"):
            raise UsageError(f"{error}. Set it to the base URL of the service, https://…") from error
        if data:
            raise
        advice = "--stack reads them from a deployed stack, and --data uses a database"
        raise UsageError(f"{error}. The option {advice}") from error
