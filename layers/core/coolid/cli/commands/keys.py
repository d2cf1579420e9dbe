"""`coolid keys`: the keys that sign proofs, and the API keys of a service.

An operator creates signing keys and the first administrator's API key with AWS credentials or an AWS_ENDPOINT_URL. The
service creates further API keys for an administrator.
"""

from typing import Annotated, Any, Final

import typer

from coolid.cli.help_pages import Command, Commands
from coolid.cli.next_steps import AFTER_AWS
from coolid.cli.output import NO, UNREACHABLE, out, print_json, print_line
from coolid.cli.service_connection import Json, KeyFile, Url, refuse, report_errors, service
from coolid.cli.tables import for_people, print_table
from coolid.cli.terminal_text import safe_json
from coolid.model.clients import ADMIN

app: Final = typer.Typer(
    name="keys",
    cls=Commands,
    help="Manage signing keys and API keys.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_LUIS: Final = "LuiTable"
_CLIENTS: Final = "ClientTable"
_SIGNING: Final = "Keys that sign proofs"
_API: Final = "API keys"
_MEMBERS: Final = {"kid": "key", "alg": "algorithm", "kty": "type", "crv": "curve"}
"""The members of a public key (RFC 7517) and their headings in a table."""

Stack = Annotated[str | None, typer.Option(envvar="COOLID_STACK", help="Name of the deployed stack.")]
Table = Annotated[str | None, typer.Option(envvar="LUI_TABLE", help="Name of the LUI table, where there is no stack.")]
ClientTable = Annotated[
    str | None,
    typer.Option("--table", envvar="CLIENT_TABLE", help="For --admin: name of the client table, without a stack."),
]


@app.command(cls=Command, rich_help_panel=_SIGNING)
def rotate(
    stack: Stack = None,
    table: Table = None,
    key: Annotated[
        str | None, typer.Option(help="ARN of a KMS key that exists, to publish instead of making one.")
    ] = None,
    json: Json = False,
) -> None:
    """Create a signing key and publish it.

    The key is in KMS; deploy the stack with it to make it current. Proofs of older keys stay verifiable, because every
    public key stays published.

        $ coolid keys rotate --stack coolid
    """
    import boto3

    with _AwsErrors():
        name = _table_name(stack, table, _LUIS)
        from coolid.aws.key_rotation import create_key, publish

        kms: Any = boto3.client("kms")
        arn = key or create_key(kms)
        try:
            key_id = publish(kms, arn, _store(lui_table=name))
        except Exception:
            print_line(f"coolid: the key {arn} is not published; try again with --key {arn}")
            raise
    if json:
        print_json({"arn": arn, "kid": key_id, "parameter": f"SigningKeyArn={arn}"})
        return
    out.print(f"published {key_id}, the key {arn}", markup=False)
    out.print("Caches know it in two minutes. Then make it current:", markup=False)
    out.print(f"  make deploy ARGS=SigningKeyArn={arn}", markup=False)


@app.command("list", cls=Command, rich_help_panel=_SIGNING)
def list_keys(stack: Stack = None, table: Table = None, json: Json = False) -> None:
    """List the published signing keys. The newest comes last.

    $ coolid keys list --stack coolid
    """
    with _AwsErrors():
        keys = _store(lui_table=_table_name(stack, table, _LUIS)).public_keys()
    if json:
        print_json({"keys": list(keys)})
        return
    if for_people() and keys:
        rows = [tuple(str(each.get(member, "")) for member in _MEMBERS) for each in keys]
        print_table(tuple(_MEMBERS.values()), rows)
        return
    for each in keys:
        out.print(each["kid"], markup=False)
    if not keys:
        raise typer.Exit(NO)


@app.command(cls=Command, rich_help_panel=_API)
def create(
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="What it opens, such as mint:2021/06/mp, update:demo, admin; repeatable."),
    ] = None,
    note: Annotated[str, typer.Option(help="Whose it is, for those who look after keys.")] = "",
    minute: Annotated[int | None, typer.Option(min=1, help="How many it may mint in a minute.")] = None,
    day: Annotated[int | None, typer.Option(min=1, help="How many it may mint in a day.")] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="Make an administrator's key with AWS credentials, as the first one is.")
    ] = False,
    stack: Annotated[
        str | None, typer.Option(envvar="COOLID_STACK", help="For --admin: name of the deployed stack.")
    ] = None,
    table: ClientTable = None,
    url: Url = None,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """Create an API key and print it.

    It is printed once, because only its digest is stored. The service creates it for an administrator's key; the first
    such key is created with AWS credentials: --admin.

        $ coolid keys create --scope mint:demo --note 'The repository' --minute 600
        $ coolid keys create --admin --stack coolid --note 'The first key'
    """
    if admin and scope:
        refuse("--admin is a scope of its own; an administrator opens everything")
    if not admin and not scope:
        refuse("what is it to open? Give --scope, such as --scope mint:demo; or --admin for an operator's own key")
    quota = {name: limit for name, limit in (("minute", minute), ("day", day)) if limit is not None}
    members = {"scopes": scope or [ADMIN], "note": note, "quota": quota}
    requested = {member: value for member, value in members.items() if value}
    if admin:
        with _AwsErrors():
            created = _create_client(_table_name(stack, table, _CLIENTS), requested)
    else:
        management = service(url, key_file)
        with report_errors(url, json=json):
            created = management.create_client(requested)
    if json:
        print(safe_json(created))
        return
    print_line(
        f"coolid: the key of client {created['id']}, told this once; coolid keys revoke takes it back by that id"
    )
    print_line(created["key"], to=out)


@app.command(cls=Command, rich_help_panel=_API)
def revoke(
    client_id: Annotated[str, typer.Argument(metavar="ID", help="The client's id, which stands behind cool_.")],
    url: Url = None,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """Revoke an API key for good. It stops working within a minute; what it minted stays.

    $ coolid keys revoke epyx6gxg
    """
    if client_id.startswith("cool_"):
        refuse("give the id of the key alone, which stands behind cool_; a key never stands on a command line")
    management = service(url, key_file)
    with report_errors(url, json=json):
        revoked = management.revoke_client(client_id)
    if json:
        print(safe_json(revoked))
    else:
        print_line(f"{client_id} is revoked since {revoked.get('revoked')}", to=out)


def _create_client(client_table: str, requested: dict[str, Any]) -> dict[str, Any]:
    """Store a client in the table, validated as by the service. Return the service's document of it."""
    from coolid.aws.clock import SystemClock
    from coolid.aws.entropy import SystemEntropy
    from coolid.errors import InvalidInput
    from coolid.http.api_documents import ClientBody, parse
    from coolid.http.management.clients import document
    from coolid.model.clients import issue_client

    try:
        body = parse(ClientBody, requested)
    except InvalidInput as error:
        refuse(str(error))
    quota = body.quota.to_domain() if body.quota else None
    client, key = issue_client(tuple(body.scopes), SystemClock(), SystemEntropy(), body.note, quota)
    _store(client_table=client_table).put_client(client)
    return {**document(client), "key": key}


def _table_name(stack: str | None, table: str | None, logical: str) -> str:
    """Return `table`, or the name of the table in the stack."""
    if table:
        return table
    if not stack:
        refuse("where are the tables? Give --stack, or set COOLID_STACK; or --table, where there is no stack")
    import boto3

    client: Any = boto3.client("cloudformation")
    detail = client.describe_stack_resource(StackName=stack, LogicalResourceId=logical)["StackResourceDetail"]
    name: str = detail["PhysicalResourceId"]
    return name


def _store(lui_table: str = "", client_table: str = "") -> Any:
    """Return a store with one table: that of public keys, or that of clients."""
    from coolid.aws.settings import Settings
    from coolid.aws.wiring.write_access import store

    return store(Settings(prefix_table="", lui_table=lui_table, public_base_url="", client_table=client_table))


class _AwsErrors:
    """Prints an error of AWS or the store as a sentence and exits with 3."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        from coolid.errors import CoolidError

        if isinstance(error, BotoCoreError | ClientError | CoolidError):
            print_line(f"coolid: {error}")
            print_line(f"  {AFTER_AWS}")
            raise typer.Exit(UNREACHABLE) from error
