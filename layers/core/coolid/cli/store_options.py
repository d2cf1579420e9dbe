"""Options of the commands that use a store directly: tables of DynamoDB, or a SQLite database."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.aws.settings import Settings

Stack = Annotated[str | None, typer.Option(envvar="COOLID_STACK", help="Name of the deployed stack.")]
Data = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="The database of `coolid serve`, in place of DynamoDB."),
]

SIGNING_KEY_SUFFIX = ".signing-key.pem"


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
        environment["SIGNING_KEY_FILE"] = database + SIGNING_KEY_SUFFIX
    return environment


def transfer_settings(stack: str | None, data: Path | None, *, signs: bool) -> "Settings":
    """Return the settings of an export or import. Exits with 2 if some are missing."""
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
        advice = "--stack reads them from a deployed stack, and --data uses a database"
        raise UsageError(f"{error}. The option {advice}") from error
