"""`coolid witness`: a witness of transparency logs on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.log_checks import read_log_key
from coolid.cli.output import out, print_json, print_line, print_result
from coolid.cli.service_connection import Json
from coolid.errors import UsageError
from coolid.local.service_files import FOLDER, WITNESS

if TYPE_CHECKING:
    from socket import socket

    from coolid.witness.evidence import Evidence
    from coolid.witness.state import WitnessState
    from coolid.witness.witness import Witness

app: Final = group("witness", help="Witness transparency logs of others.")

_Data = Annotated[
    Path,
    typer.Option(metavar="FILE", dir_okay=False, help="State of the witness; its key is in FILE.key.pem."),
]
_Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="For a first start: name of the witness, such as w1.example.org.")
]
_Host = Annotated[str, typer.Option(help="Address to listen on.")]
_Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
_Logs = Annotated[
    list[str] | None, typer.Option("--log", metavar="KEY", help="Verifier key of a log to witness; repeatable.")
]
_Key = Annotated[str, typer.Argument(metavar="KEY", help="Verifier key of a log, which begins with its origin.")]
_OneKey = Annotated[str | None, typer.Argument(metavar="[KEY]", help="Verifier key of the log, if there are several.")]

_DATA: Final = FOLDER / WITNESS


@app.command(cls=Command)
def serve(
    name: _Name = None, log: _Logs = None, host: _Host = "127.0.0.1", port: _Port = 8081, data: _Data = _DATA
) -> None:
    """Serve a witness on this machine.

    It cosigns the checkpoints of the logs whose keys it has, if each continues the one before. The first start creates
    a key. Give the printed verifier key and the public URL to the operators of the logs, for their policies.

        $ coolid witness serve --name w1.example.org --log 'id.example/log+1f2e...'
        $ coolid witness serve --port 9001 --data /var/lib/witness/witness.db
    """
    from coolid.aws.clock import SystemClock
    from coolid.local.listening_sockets import listen
    from coolid.witness.identity import load_identity
    from coolid.witness.witness import Witness

    keys = [read_log_key(each, "--log") for each in log or ()]
    with _state(data, may_create=True) as state:
        identity = load_identity(state, name)
        state.change(lambda rows: [rows.add_key(each) for each in keys])
        witness = Witness(state, identity.key, identity.signer.sign, SystemClock(), _report)
        _serve(witness, listen(host, port))


def _serve(witness: "Witness", listening: "socket") -> None:
    """Serve until a signal arrives."""
    from coolid.local.listening_sockets import address_of
    from coolid.local.server import Server
    from coolid.local.server import serve as serve_http
    from coolid.local.service_manager import notify_ready
    from coolid.local.shutdown import ShutdownSignals
    from coolid.log.submissions import MAX_BODY_BYTES
    from coolid.witness.application import WitnessApplication

    def ready() -> None:
        print_line(f"Verifier key: {witness.key}")
        print_line(f"Serving on http://{address_of(listening)}; Ctrl-C ends it.")
        notify_ready()

    server = Server(WitnessApplication(witness).answer, max_body_bytes=MAX_BODY_BYTES)
    shutdown = ShutdownSignals()
    with shutdown.installed():
        serve_http(server, [listening], ready, shutdown)


@app.command(cls=Command)
def key(data: _Data = _DATA, json: Json = False) -> None:
    """Print the verifier key of the witness.

    Operators of logs add it to their policies.

        $ coolid witness key
    """
    with _state(data) as state:
        found = state.read(lambda rows: rows.identity())
    print_result({"key": found}, str(found), as_json=json)


@app.command("add-log", cls=Command)
def add_log(key: _Key, data: _Data = _DATA) -> None:
    """Trust a key of a log.

    The key takes effect at once, also while the witness serves. A log may have several keys. For a service of coolid,
    `/.well-known/linkid-resolver` contains the key.

        $ coolid witness add-log 'id.example.net/log+1f2e3d4c+...'
    """
    trusted = read_log_key(key, "KEY")
    with _state(data) as state:
        is_new = state.change(lambda rows: rows.add_key(trusted))
    print_line(f"{trusted.name}: {'the key is trusted now' if is_new else 'the key was trusted already'}", to=out)


@app.command("remove-log", cls=Command)
def remove_log(key: _Key, data: _Data = _DATA) -> None:
    """Trust a key of a log no longer.

    What was cosigned stays in the state, so that the log cannot be rolled back later.

        $ coolid witness remove-log 'id.example.net/log+1f2e3d4c+...'
    """
    removed = read_log_key(key, "KEY")
    with _state(data) as state:
        if not state.change(lambda rows: rows.remove_key(removed)):
            raise UsageError(f"{removed.name}: this key is not trusted; `coolid witness logs` lists the keys")
    print_line(f"{removed.name}: the key is not trusted any more", to=out)


@app.command(cls=Command)
def logs(data: _Data = _DATA, json: Json = False) -> None:
    """List the logs and their cosigned sizes.

    $ coolid witness logs
    """
    with _state(data) as state:
        found = state.read(lambda rows: rows.logs())
    for key, tree in found:
        size = tree.checkpoint.size if tree else None
        row = {"origin": key.name, "key": str(key), "size": size}
        print_result(row, f"{key}  {'not cosigned yet' if size is None else f'{size} entries'}", as_json=json)
    if not found:
        raise typer.Exit(NO)


@app.command(cls=Command)
def evidence(key: _OneKey = None, data: _Data = _DATA) -> None:
    """Print the evidence against a log.

    It is a JSON document. A finding with the rule `split-view` is proved by the signatures of the log: publish it, so
    that others can verify it with `coolid audit --evidence FILE`. Other findings are suspicions. Compare their
    checkpoints with the log, for example with `coolid audit`. Exits with 1 if there is no evidence.

        $ coolid witness evidence > evidence.json
        $ coolid witness evidence 'id.example.net/log+1f2e3d4c+...'
    """
    from coolid.witness.evidence import documents_of

    with _state(data) as state:
        found = documents_of(state.read(lambda rows: [*rows.evidence()]))
    names = [name for name in found if key in (None, name)]
    if not names:
        raise typer.Exit(NO)
    if len(names) > 1:
        raise UsageError(f"there is evidence against several logs; name the key of one: {', '.join(names)}")
    print_json(found[names[0]])


def _report(found: "Evidence") -> None:
    """Print a line about new evidence to the standard error."""
    from coolid.local.listeners import write_error_line

    kind = "evidence" if found.is_proof else "a suspicion"
    write_error_line(f"coolid: kept {kind} against the log {found.checkpoint.origin}: {found.document['detail']}")


@contextmanager
def _state(data: Path, *, may_create: bool = False) -> "Iterator[WitnessState]":
    from coolid.witness.state import WitnessState

    with WitnessState.open(data, may_create=may_create) as state:
        yield state
