"""`coolid serve`: the whole system on one machine."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct

from coolid.cli.exit_codes import UNREACHABLE
from coolid.cli.output import err, on_screen, print_line
from coolid.errors import UsageError
from coolid.local.service_files import ADMIN_KEY, FOLDER

if TYPE_CHECKING:
    from coolid.local.metrics import Metrics
    from coolid.local.service import Service
    from coolid.local.shutdown import ShutdownSignals
    from coolid.local.system import LocalSettings, RunningSystem

HOST = "127.0.0.1"
KEY_FILE: Final = FOLDER / ADMIN_KEY

_RESOLVES: Final = "/uniprot:P0DP23"
_RECORD: Final = "/2021/06/demo/tw0t-ywdj-94"

_EXCLUDED: Final = "--read-only serves a store that exists and changes nothing, so it excludes --memory and --probe"


class _Run(Struct, frozen=True):
    """The system to serve, its settings, the listening sockets, and the number of processes."""

    local: "LocalSettings"
    service: "Service"
    sockets: list[socket]
    workers: int


_Host = Annotated[str, typer.Option(help="Address to listen on; others than loopback need --base-url.")]
_Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
_BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="URL that clients use, such as https://id.example.org.")
]
_Data = Annotated[
    Path | None,
    typer.Option(
        dir_okay=False, help="Database, by default .local/coolid.db; the signing key is in FILE.signing-key.pem."
    ),
]
_Memory = Annotated[
    bool, typer.Option("--memory", help="Use a temporary database and admin key, which are removed at the end.")
]
_NoDemo = Annotated[bool, typer.Option("--no-demo", help="Create no demonstration repositories at the first start.")]
_Workers = Annotated[int, typer.Option(min=1, max=64, help="Processes that answer requests.")]
_Metrics = Annotated[
    str | None,
    typer.Option(metavar="[HOST:]PORT", help="Serve /metrics for Prometheus there; without HOST to this machine only."),
]
_ProxyHeaders = Annotated[
    bool, typer.Option("--proxy-headers", help="Use the X-Request-Id of a trusted proxy in logs and errors.")
]
_Probe = Annotated[int, typer.Option(min=0, help="Seconds between checks of links and providers; 0 for none.")]
_ProbeNetworks = Annotated[
    list[str] | None,
    typer.Option(metavar="CIDR", help="Network that checks may use besides the public Internet; repeatable."),
]
_Peers = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Resolvers that are queried for LinkIDs of others, as JSON."),
]
_ReadOnly = Annotated[bool, typer.Option("--read-only", help="Refuse all changes with 503, for example during a move.")]


def serve(
    host: _Host = HOST,
    port: _Port = 8080,
    base_url: _BaseUrl = None,
    data: _Data = None,
    memory: _Memory = False,
    no_demo: _NoDemo = False,
    read_only: _ReadOnly = False,
    workers: _Workers = 1,
    metrics: _Metrics = None,
    proxy_headers: _ProxyHeaders = False,
    probe: _Probe = 0,
    probe_network: _ProbeNetworks = None,
    peers: _Peers = None,
) -> None:
    """Serve the whole system on this machine.

    Everything is in one SQLite database. The first start loads the Bioregistry's prefixes and a demonstration
    repository under 2021/06/demo and demo. Set AWS_ENDPOINT_URL to use LocalStack, DynamoDB Local or AWS instead.
    Providers and targets receive requests only with --probe, which checks them.

    Requests are logged on standard output, unless it is a terminal or LOG_REQUESTS is off. Ctrl-C or SIGTERM ends the
    service when the requests in progress are answered; a second one ends it at once.

        $ coolid serve
        $ coolid serve --port 9000 --data coolid.db
        $ coolid serve --host 0.0.0.0 --base-url https://id.example.org
        $ coolid serve --workers 4 --metrics 9100 --probe 900
    """
    from coolid.local.service import Service
    from coolid.local.system import LocalSettings

    _set_peers(peers)
    if read_only and (memory or probe):
        raise UsageError(_EXCLUDED)
    sockets, url = _listen(host, port, base_url, metrics)
    local = LocalSettings(url, FOLDER, data, memory, probe=probe, networks=tuple(probe_network or ()))
    local = replace(local, with_demonstration=not no_demo, read_only=read_only)
    _run(_Run(local, Service(url, sockets[1].getsockname()[1] if metrics else 0, proxy_headers), sockets, workers))


def _set_peers(file: Path | None) -> None:
    """Set the peers in the environment to the text of a file. Raises `UsageError`."""
    if file is None:
        return
    from coolid.aws.settings import PEERS
    from coolid.linkid.trusted_resolvers import MAX_BYTES, parse_resolvers

    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES + 1)
        parse_resolvers(text)
    except OSError as error:
        raise UsageError(f"--peers: {file} cannot be read: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"--peers: {file}: {error}") from error
    os.environ[PEERS] = text.decode()


def _listen(host: str, port: int, base_url: str | None, metrics: str | None) -> tuple[list[socket], str]:
    """Return the listening sockets, that of the service first, and the public base URL. Raises `UsageError`."""
    from coolid.local.listening_sockets import listen, public_base_url, split_address

    public_base_url(host, port, base_url)  # before a port is taken
    sockets = [listen(host, port), *([listen(*split_address(metrics))] if metrics else [])]
    ports = [each.getsockname()[1] for each in sockets]
    if len({*ports}) < len(ports):
        raise UsageError("--metrics needs a port of its own")
    return sockets, public_base_url(host, ports[0], base_url)


def _run(run: _Run) -> None:
    """Run the system until a signal ends it, or exit with 3 if the store cannot be used."""
    from coolid.local.metrics import Metrics
    from coolid.local.shutdown import ShutdownSignals
    from coolid.local.system import database_file, running

    os.environ.setdefault("LOG_REQUESTS", "off" if sys.stdout.isatty() else "on")
    shutdown = ShutdownSignals()
    metrics = Metrics.create(rows=(run.workers + 1 if run.workers > 1 else 1) + 1)  # the last is for bulk jobs
    try:
        with shutdown.installed(), running(run.local, print_line) as system:
            _serve(run, system, metrics, shutdown)
    except OSError:
        raise
    except _store_errors() as error:
        print_line(f"coolid: the store could not be reached, or refused the request: {error}")
        if database_file(run.local) is None:
            print_line("  check the service at AWS_ENDPOINT_URL, or unset it to use a database on this machine")
        raise typer.Exit(UNREACHABLE) from error


def _serve(run: _Run, system: "RunningSystem", metrics: "Metrics", shutdown: "ShutdownSignals") -> None:
    """Serve until a signal arrives, in this process or in several workers."""
    from coolid.local.job_worker.supervisor import supervised_job_worker
    from coolid.local.listeners import write_error_line
    from coolid.local.server import serve as serve_http
    from coolid.local.service_manager import notify_ready
    from coolid.local.supervisor import Supervisor

    def ready() -> None:
        _show(run, system)
        notify_ready()

    with supervised_job_worker(system.environment, run.local.base_url, metrics, write_error_line):
        if run.workers > 1:
            os.environ.update(system.environment)  # the workers inherit it
            Supervisor(run.service, run.sockets, metrics, write_error_line).run(ready, shutdown)
        else:
            application = run.service.asgi_application(system.environment, metrics)
            serve_http(application, run.sockets, ready, shutdown)


def _show(run: _Run, system: "RunningSystem") -> None:
    """Print some URLs to try, the administrator's key and the addresses."""
    from coolid.local.listening_sockets import address_of

    base_url = run.local.base_url
    if on_screen(err):
        _show_panel(run.local, system.prefixes, system.admin_key)
    else:
        print_line(f"{system.prefixes} prefixes are loaded. Try:")
        print_line(f"  {base_url}{_RESOLVES}")
        if run.local.with_demonstration:
            print_line(f"  {base_url}{_RECORD}")
        stored = "" if run.local.memory else f" (stored in {KEY_FILE})"
        print_line(f"Admin key{stored}: {_printed(system.admin_key, run.local)}")
    if run.local.read_only:
        print_line("All changes are refused (--read-only).")
    listening, *others = (address_of(each) for each in run.sockets)
    for metrics in others:
        print_line(f"Metrics are at http://{metrics}/metrics")
    public = "" if base_url.endswith(f"//{listening}") else f" as {base_url}"
    print_line(f"Serving on http://{listening}{public}; Ctrl-C ends it.")


def _printed(admin_key: str | None, local: "LocalSettings") -> str:
    """Return the key if this start created it. Under systemd omit a key that lasts: the journal would store it."""
    is_printed = admin_key and (local.memory or "JOURNAL_STREAM" not in os.environ)
    return admin_key if admin_key and is_printed else "printed at the first start only"


def _show_panel(local: "LocalSettings", prefixes: int, admin_key: str | None) -> None:
    """Print the URLs of the system and the administrator's key."""
    from rich.panel import Panel

    from coolid.cli.output import pairs

    base_url = local.base_url
    rows = (
        ("Home", f"{base_url}/"),
        ("Resolve", f"{base_url}{_RESOLVES}"),
        *((("A record", f"{base_url}{_RECORD}?format=html"),) if local.with_demonstration else ()),
        ("Prefixes", f"{base_url}/pages/prefixes"),
        ("Mint", f"{base_url}/pages/mint"),
        ("API", f"{base_url}/pages/api"),
        ("Admin key", _printed(admin_key, local)),
        *(() if local.memory else (("stored in", str(KEY_FILE)),)),
    )
    title = f"coolid, {prefixes:,} prefixes"
    err.print(Panel(pairs(rows), title=title, title_align="left", expand=False), soft_wrap=False)


def _store_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a store at AWS_ENDPOINT_URL that is unreachable or does not answer correctly."""
    from coolid.errors import StoreUnavailable

    if "botocore" not in sys.modules:  # a database, for which the AWS libraries need not be installed
        return StoreUnavailable, ValueError
    from botocore.exceptions import BotoCoreError, ClientError

    from coolid.local.table_setup import TableTooSlow

    return BotoCoreError, ClientError, StoreUnavailable, TableTooSlow, ValueError
