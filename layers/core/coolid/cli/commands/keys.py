"""`coolid keys`: the keys that sign proofs, and the API keys of a service.

An operator creates signing keys and the first administrator's API key in the store: in the tables with AWS credentials
or an AWS_ENDPOINT_URL, or in the database of `coolid serve`. The service creates further API keys for an administrator.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.output import for_people, out, print_json, print_line, print_result, print_table
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.cli.store_options import Data, Stack, database_of, open_database
from coolid.client.documents import ApiKey
from coolid.errors import InvalidInput, UsageError
from coolid.model.clients import ADMIN

if TYPE_CHECKING:
    from coolid.store.clients import ClientStore
    from coolid.store.store import Store

app: Final = group("keys", help="Manage signing keys and API keys.")

_LUIS: Final = "LuiTable"
_CLIENTS: Final = "ClientTable"
_SIGNING: Final = "Keys that sign proofs"
_API: Final = "API keys"
_MEMBERS: Final = {"kid": "key", "alg": "algorithm", "kty": "type", "crv": "curve"}
"""The members of a public key (RFC 7517) and their headings in a table."""

_HEADINGS: Final = ("id", "last used", "scopes", "note")

_Table = Annotated[str | None, typer.Option(envvar="LUI_TABLE", help="Name of the LUI table, without a stack.")]
_Key = Annotated[str | None, typer.Option(help="ARN of an existing KMS key to publish instead of a new one.")]
_Scopes = Annotated[
    list[str] | None,
    typer.Option(metavar="SCOPE", help="What the key permits: mint:2021/06/mp, update:demo, admin; repeatable."),
]
_Note = Annotated[str, typer.Option(help="A note for administrators, such as the name of the owner.")]
_Minute = Annotated[int | None, typer.Option(min=1, help="The most mints in a minute.")]
_Day = Annotated[int | None, typer.Option(min=1, help="The most mints in a day.")]
_Admin = Annotated[bool, typer.Option("--admin", help="Create an administrator's key directly in the store.")]
_AdminStack = Annotated[
    str | None, typer.Option(envvar="COOLID_STACK", help="For --admin: name of the deployed stack.")
]
_ClientTable = Annotated[
    str | None,
    typer.Option("--table", envvar="CLIENT_TABLE", help="For --admin: name of the client table, without a stack."),
]
_ClientId = Annotated[str, typer.Argument(metavar="ID", help="The client's id, the part of its key after cool_.")]


@app.command(cls=Command, rich_help_panel=_SIGNING)
def rotate(stack: Stack = None, table: _Table = None, key: _Key = None, json: Json = False) -> None:
    """Create a signing key and publish it.

    The key is in KMS; deploy the stack with it to make it current. Proofs of older keys stay verifiable, because every
    public key stays published.

        $ coolid keys rotate --stack coolid
    """
    import boto3

    from coolid.aws.kms import create_key, publish

    with _open_store(stack, table, None, _LUIS) as store:
        kms: Any = boto3.client("kms")
        arn = key or create_key(kms)
        try:
            key_id = publish(kms, arn, store.public_keys)
        except Exception:
            print_line(f"coolid: the key {arn} is not published; try again with --key {arn}")
            raise
    if json:
        print_json({"arn": arn, "kid": key_id, "parameter": f"SigningKeyArn={arn}"})
        return
    print_line(f"published {key_id}, the key {arn}", to=out)
    print_line("Caches contain it in two minutes. Then make it current:", to=out)
    print_line(f"  make deploy ARGS=SigningKeyArn={arn}", to=out)


@app.command("list", cls=Command)
def list_keys(
    stack: Stack = None,
    table: _Table = None,
    data: Data = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """List API keys or signing keys.

    The service lists all API keys to an administrator, and to others their own; never their secrets. With --json, each
    line is an API key. With --stack, --table or --data, the signing keys are listed; the newest comes last.

        $ coolid keys list
        $ coolid keys list --stack coolid
        $ coolid keys list --data .local/coolid.db
    """
    if not (stack or table) and database_of(data) is None:
        with service(url, key_file, profile) as client:
            print_rows(_HEADINGS, map(_row, client.keys.list()), as_json=json, nothing="API keys")
        return
    with _open_store(stack, table, data, _LUIS) as store:
        keys = store.public_keys.public_keys()
    if json:
        print_json({"keys": list(keys)})
    elif not keys:
        raise typer.Exit(NO)
    elif for_people():
        print_table(tuple(_MEMBERS.values()), [[str(each.get(member, "")) for member in _MEMBERS] for each in keys])
    else:
        for each in keys:
            print_line(each["kid"], to=out)


@app.command(cls=Command, rich_help_panel=_API)
def create(
    scope: _Scopes = None,
    note: _Note = "",
    minute: _Minute = None,
    day: _Day = None,
    admin: _Admin = False,
    stack: _AdminStack = None,
    table: _ClientTable = None,
    data: Data = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Create an API key and print it.

    It is printed once, because only its digest is stored. The service creates it for an administrator's key; an
    operator creates such a key directly in the store: --admin.

        $ coolid keys create --scope mint:demo --note 'The repository' --minute 600
        $ coolid keys create --admin --stack coolid --note 'The first key'
        $ coolid keys create --admin --data .local/coolid.db
    """
    if admin and scope:
        raise UsageError("use either --admin or --scope; an administrator's key permits everything")
    if not admin and not scope:
        raise UsageError(
            "what may the key do? Use --scope, such as --scope mint:demo; or --admin for an operator's own key"
        )
    quota = {name: limit for name, limit in (("minute", minute), ("day", day)) if limit is not None}
    members = {"scopes": scope or [ADMIN], "note": note, "quota": quota}
    requested = {member: value for member, value in members.items() if value}
    if admin:
        with _open_store(stack, table, data, _CLIENTS) as store:
            created = _create_client(store.clients, requested)
    else:
        created = service(url, key_file, profile).keys.create(scope or (), note=note, quota=quota).document
    if not json:
        print_line(f"coolid: this key is shown only once; to revoke it: coolid keys revoke {created['id']}")
    print_result(created, created["key"], as_json=json)


@app.command(cls=Command, rich_help_panel=_API)
def revoke(
    client_id: _ClientId, url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False
) -> None:
    """Revoke an API key for good. It stops working within a minute; the records that it minted stay.

    $ coolid keys revoke epyx6gxg
    """
    if client_id.startswith("cool_"):
        raise UsageError("use only the id, the part of the key after cool_, because others can read a command line")
    revoked = service(url, key_file, profile).keys.revoke(client_id).document
    print_result(revoked, f"{client_id} was revoked at {revoked.get('revoked')}", as_json=json)


def _row(key: ApiKey) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the document of an API key in the list, and its cells."""
    last_used = key.last_used.isoformat() if key.last_used else "never"
    return key.document, (key.id, "revoked" if key.revoked else last_used, ", ".join(key.scopes), key.note or "")


def _create_client(clients: "ClientStore", requested: dict[str, Any]) -> dict[str, Any]:
    """Store a client, validated as by the service. Return the service's document of it."""
    from coolid.aws.clock import SystemClock
    from coolid.aws.entropy import SystemEntropy
    from coolid.http.api_documents import ClientBody, parse
    from coolid.http.management.clients import document
    from coolid.model.clients import issue_client

    try:
        body = parse(ClientBody, requested)
    except InvalidInput as error:
        raise UsageError(str(error)) from error
    quota = body.quota.to_domain() if body.quota else None
    client, key = issue_client(tuple(body.scopes), SystemClock(), SystemEntropy(), body.note, quota)
    clients.put_client(client)
    return {**document(client), "key": key}


@contextmanager
def _open_store(stack: str | None, table: str | None, data: Path | None, logical: str) -> "Iterator[Store]":
    """Open the database, or only the table, whose name in a stack is `logical`."""
    tables = stack or table
    if data is not None and tables:
        raise UsageError("use either --data or DynamoDB (--stack, COOLID_STACK or --table), not both")
    if not tables and database_of(data) is not None:
        from coolid.sqlite.store import sqlite_store

        with open_database(data) as database:
            yield sqlite_store(database)
        return
    if not tables:
        raise UsageError("which store? Use --data, a database; or --stack or COOLID_STACK; or --table, without a stack")
    from coolid.aws.settings import Settings
    from coolid.wiring.deployed_stack import DeployedStack
    from coolid.wiring.dynamodb_access import open_tables

    name = table or DeployedStack(str(stack)).resource(logical)
    yield open_tables(Settings("", lui_table=name, public_base_url="", client_table=name))
