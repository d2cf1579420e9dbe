"""`coolid serve`: the whole system on the local machine."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from coolid.cli.exit_codes import UNREACHABLE
from coolid.cli.output import err, on_screen, print_line
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.local.system import LocalSettings

HOST = "127.0.0.1"
FOLDER = Path(".local")

_RESOLVES: Final = "/uniprot:P0DP23"
_RECORD: Final = "/2021/06/demo/tw0t-ywdj-94"


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8080,
    data: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="File for all records; FILE.signing-key.pem is for the signing key."),
    ] = None,
    probe: Annotated[int, typer.Option(min=0, help="Seconds between checks of links and providers; 0 for none.")] = 0,
    probe_network: Annotated[
        list[str] | None,
        typer.Option(metavar="CIDR", help="Network that checks may use besides the public Internet; repeatable."),
    ] = None,
) -> None:
    """Serve the whole system on 127.0.0.1.

    It uses an embedded DynamoDB and KMS, and loads the Bioregistry's prefixes and a demonstration repository under
    2021/06/demo and demo. Set AWS_ENDPOINT_URL to use LocalStack, DynamoDB Local or AWS instead.

    No other host receives a request, except with --probe: then providers and targets are checked.

        $ coolid serve
        $ coolid serve --port 9000 --data coolid.json
        $ coolid serve --probe 900
    """
    from coolid.local.system import LocalSettings

    listening = _listen(port)
    base_url = f"http://{HOST}:{listening.getsockname()[1]}"
    networks = tuple(probe_network or ())
    local = LocalSettings(base_url, FOLDER, data.resolve() if data else None, probe=probe, networks=networks)
    _run(local, listening)


def _run(local: "LocalSettings", listening: socket.socket) -> None:
    """Run the system until a signal ends it, or exit with 3 if the store cannot be used."""
    from coolid.local.server import Server
    from coolid.local.server import serve as serve_http
    from coolid.local.shutdown import ShutdownSignals
    from coolid.local.system import running

    base_url = local.base_url
    shutdown = ShutdownSignals()
    try:
        with shutdown.installed(), running(local, print_line) as system:

            def ready() -> None:
                if on_screen(err):
                    _show(base_url, system.prefixes, system.admin_key)
                else:
                    print_line(f"{system.prefixes} prefixes are loaded. Try:")
                    print_line(f"  {base_url}{_RESOLVES}")
                    print_line(f"  {base_url}{_RECORD}")
                    print_line(f"Admin key (stored in {FOLDER / 'admin-key'}): {system.admin_key}")
                print_line(f"Serving on {base_url}; Ctrl-C ends it.")

            serve_http(Server(system.answer), [listening], ready, shutdown)
    except OSError:
        raise
    except _store_errors() as error:
        print_line(f"coolid: the store could not be reached, or refused the request: {error}")
        print_line("  check the service at AWS_ENDPOINT_URL, or unset it to use the embedded store")
        raise typer.Exit(UNREACHABLE) from error


def _show(base_url: str, prefixes: int, admin_key: str) -> None:
    """Print the URLs of the system and the administrator's key."""
    from rich.panel import Panel

    from coolid.cli.output import pairs

    rows = (
        ("Home", f"{base_url}/"),
        ("Resolve", f"{base_url}{_RESOLVES}"),
        ("A record", f"{base_url}{_RECORD}?format=html"),
        ("Prefixes", f"{base_url}/pages/prefixes"),
        ("Mint", f"{base_url}/pages/mint"),
        ("API", f"{base_url}/pages/api"),
        ("Admin key", admin_key),
        ("stored in", str(FOLDER / "admin-key")),
    )
    title = f"coolid, {prefixes:,} prefixes"
    err.print(Panel(pairs(rows), title=title, title_align="left", expand=False), soft_wrap=False)


def _listen(port: int) -> socket.socket:
    # With the explicit protocol, asyncio sets TCP_NODELAY; otherwise each small answer is delayed by 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        raise UsageError(f"cannot listen on port {port}: {error.strerror}. Choose another: --port N") from error
    return listening


def _store_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a store at AWS_ENDPOINT_URL that is unreachable or does not answer correctly."""
    from botocore.exceptions import BotoCoreError, ClientError

    from coolid.errors import StoreUnavailable
    from coolid.local.table_setup import TableTooSlow

    return BotoCoreError, ClientError, StoreUnavailable, TableTooSlow, ValueError
