"""`coolid serve`: the whole system on this machine."""

import socket
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

HOST = "127.0.0.1"
FOLDER = Path(".local")


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8080,
    data: Annotated[
        Path | None, typer.Option(dir_okay=False, help="File that keeps what was minted across restarts.")
    ] = None,
) -> None:
    """Serve the whole system on 127.0.0.1, over an embedded DynamoDB and KMS.

    The Bioregistry's prefixes are loaded, and a demonstration repository under 2021/06/demo and demo. Set
    AWS_ENDPOINT_URL to use LocalStack, DynamoDB Local or AWS instead of the embedded ones.
    """
    from coolid.local.server import serve as serve_http
    from coolid.local.system import Local, running

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    listening = _listen(port, console)
    base_url = f"http://{HOST}:{listening.getsockname()[1]}"
    local = Local(base_url, FOLDER, data.resolve() if data else None)
    try:
        with running(local, console.print) as system:

            def ready() -> None:
                console.print(f"{system.prefixes} prefixes are loaded. Try:")
                console.print(f"  {base_url}/uniprot:P0DP23\n  {base_url}/2021/06/demo/tw0t-ywdj-94")
                console.print(f"Admin key (kept in {FOLDER / 'admin-key'}): {system.admin_key}")
                console.print(f"Serving on {base_url}; Ctrl-C ends it.")

            serve_http(system.invoke, HOST, [listening], ready)
    except _refusals() as error:
        console.print(f"coolid: {error}")
        raise typer.Exit(2) from error
    except OSError as error:
        console.print(f"coolid: {error.filename or 'a file'} cannot be used: {error.strerror}")
        raise typer.Exit(2) from error
    except _unreachable() as error:
        console.print(f"coolid: the store could not be reached or refused: {error}")
        raise typer.Exit(3) from error


def _listen(port: int, console: Console) -> socket.socket:
    # With the protocol named, asyncio sends small answers at once; else each waits 40 ms on a connection that is kept.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        console.print(f"coolid: port {port} cannot be listened on: {error.strerror}. Choose another: --port N")
        raise typer.Exit(2) from error
    return listening


def _refusals() -> tuple[type[Exception], ...]:
    """What a user can put right; each message says how."""
    from coolid.aws.keyfile import BadSigningKey
    from coolid.local.adminkey import BadKeyFile
    from coolid.local.keeper import NotKept
    from coolid.local.snapshot import BadSnapshot
    from coolid.local.stack import NoTemplate
    from coolid.local.system import DataNeedsEmbedding

    return BadKeyFile, BadSigningKey, BadSnapshot, DataNeedsEmbedding, NoTemplate, NotKept


def _unreachable() -> tuple[type[Exception], ...]:
    """What stands for a store that AWS_ENDPOINT_URL names and that does not answer as it should."""
    from botocore.exceptions import BotoCoreError, ClientError

    from coolid.domain.errors import StoreUnavailable
    from coolid.local.embedded import TableTooSlow

    return BotoCoreError, ClientError, StoreUnavailable, TableTooSlow, ValueError
