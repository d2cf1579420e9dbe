"""`coolid keys`: the keys that sign proofs. With AWS credentials, or an AWS_ENDPOINT_URL, as an operator has them."""

from typing import Annotated, Any, Final

import typer

from coolid.cli.output import NO, UNREACHABLE, err, out, print_json

app: Final = typer.Typer(name="keys", help="The keys that sign proofs.", no_args_is_help=True)

_TABLE: Final = "LuiTable"

Stack = Annotated[str | None, typer.Option(envvar="COOLID_STACK", help="Name of the deployed stack.")]
Table = Annotated[str | None, typer.Option(envvar="LUI_TABLE", help="Name of the LUI table, where there is no stack.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def rotate(
    stack: Stack = None,
    table: Table = None,
    key: Annotated[
        str | None, typer.Option(help="ARN of a KMS key that exists, to publish instead of making one.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a new signing key in KMS and publish it; deploy the stack with it to make it current.

    Proofs of older keys stay verifiable: every public key that ever signed stays published.
    """
    import boto3

    with _Refusals():
        name = _table_name(stack, table)
        from coolid.aws.rotation import create_key, publish

        kms: Any = boto3.client("kms")
        arn = key or create_key(kms)
        try:
            key_id = publish(kms, arn, _store(name))
        except Exception:
            err.print(f"coolid: the key {arn} is not published; try again with --key {arn}", markup=False)
            raise
    if json:
        print_json({"arn": arn, "kid": key_id, "parameter": f"SigningKeyArn={arn}"})
        return
    out.print(f"published {key_id}, the key {arn}", markup=False)
    out.print("Caches know it in two minutes. Then make it current:", markup=False)
    out.print(f"  make deploy ARGS=SigningKeyArn={arn}", markup=False)


@app.command("list")
def list_keys(stack: Stack = None, table: Table = None, json: Json = False) -> None:
    """List the public keys that ever signed, the newest last."""
    with _Refusals():
        keys = _store(_table_name(stack, table)).public_keys()
    if json:
        print_json({"keys": list(keys)})
        return
    for each in keys:
        out.print(each["kid"], markup=False)
    if not keys:
        raise typer.Exit(NO)


def _table_name(stack: str | None, table: str | None) -> str:
    """The LUI table's name: as given, or as the stack has it."""
    if table:
        return table
    if not stack:
        raise typer.BadParameter("give --stack, or --table where there is no stack")
    import boto3

    client: Any = boto3.client("cloudformation")
    detail = client.describe_stack_resource(StackName=stack, LogicalResourceId=_TABLE)["StackResourceDetail"]
    name: str = detail["PhysicalResourceId"]
    return name


def _store(lui_table: str) -> Any:
    """A store over the one table that public keys are in."""
    from coolid.aws.settings import Settings
    from coolid.aws.wiring.writing import store

    return store(Settings(prefix_table="", lui_table=lui_table, public_base_url=""))


class _Refusals:
    """Tells what AWS or the key service refuses in a sentence, and ends with 3."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        from coolid.domain.errors import CoolidError

        if isinstance(error, BotoCoreError | ClientError | CoolidError):
            err.print(f"coolid: {error}", markup=False)
            raise typer.Exit(UNREACHABLE) from error
