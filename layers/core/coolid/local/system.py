"""The whole system on one machine: tables and keys of the template, prefixes, demonstration, administrator's key.

Without `AWS_ENDPOINT_URL` everything is embedded. With it, the functions use that endpoint (LocalStack, DynamoDB Local
or AWS); missing tables are created and filled, existing ones are not changed.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from boto3.dynamodb.types import TypeSerializer

from coolid.aws import key_file
from coolid.aws.settings import SIGNING_KEYS, Settings
from coolid.aws.telemetry.metrics import discard_count
from coolid.errors import UsageError
from coolid.http.message import Request, Response
from coolid.local import bioregistry_prefixes, embedded_store, snapshot, table_setup
from coolid.local.listeners import service_listeners
from coolid.local.stack import Stack, find_template, load
from coolid.ports import Count
from coolid.wiring.dispatcher import build_dispatcher

TABLES: Final = {
    "PrefixTable": ("PREFIX_TABLE", "coolid-prefixes"),
    "LuiTable": ("LUI_TABLE", "coolid-luis"),
    "ClientTable": ("CLIENT_TABLE", "coolid-clients"),
    "CounterTable": ("COUNTER_TABLE", "coolid-counters"),
    "RequestTable": ("REQUEST_TABLE", "coolid-requests"),
    "PulseTable": ("PULSE_TABLE", "coolid-pulses"),
}
SIGNING_KEY: Final = "signing-key.pem"
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB")

PrintLine = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Settings of a local system.

    `folder` contains the administrator's key and the registry's cache; `data` is the snapshot file, if any. The signing
    key of a snapshot is in a file beside it, `DATA.signing-key.pem`, of mode 600.

    Due addresses are checked every `probe` seconds, never if it is 0. `networks` are allowed in addition to the public
    Internet. `with_linkids` false leaves `lid` to another repository, because a prefix never changes its repository.
    """

    base_url: str
    folder: Path
    data: Path | None = None
    with_registry: bool = True
    with_linkids: bool = True
    probe: int = 0
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningSystem:
    """A running system: what answers its requests, the administrator's key, and the number of imported prefixes.

    `invoke` answers the requests as events of API Gateway.
    """

    answer: Callable[[Request], Response]
    invoke: Callable[[dict[str, Any]], dict[str, Any]]
    admin_key: str
    prefixes: int


class DataNeedsEmbedding(UsageError):
    """A snapshot was requested, but the tables are not embedded."""


@contextmanager
def running(local: LocalSettings, print_line: PrintLine, count: Count = discard_count) -> Iterator[RunningSystem]:
    """Start the system and shut it down at the end. `print_line` gets messages, `count` the events to be counted."""
    stack = load(find_template())
    external = any(os.environ.get(name) for name in _ENDPOINTS)
    if external and local.data:
        raise DataNeedsEmbedding("--data saves the embedded tables; with AWS_ENDPOINT_URL there are none")
    names = {logical: os.environ.setdefault(variable, default) for logical, (variable, default) in TABLES.items()}
    os.environ["PUBLIC_BASE_URL"] = local.base_url
    os.environ.setdefault("LOG_REQUESTS", "off")  # `coolid serve` chooses by its standard output
    with ExitStack() as ends:
        if local.data:
            ends.enter_context(snapshot.exclusive(local.data))
        restored = snapshot.load(local.data) if local.data else None
        embedded = None if external else ends.enter_context(_embedded())
        created = table_setup.create_tables(stack, names)
        fill = table_setup.begin_import(names["PrefixTable"], is_new="PrefixTable" in created)
        rows = _registry_rows(local, print_line) if fill and local.with_registry else []
        table_setup.put_items(names["PrefixTable"], rows)
        for logical, items in (restored or {}).items():
            table_setup.put_items(names[logical], items)
        _provide_signing_key(local, stack, external=external)
        key = _install_defaults(local, demonstrate=fill)
        if fill:
            table_setup.end_import(names["PrefixTable"], sum("body" in row for row in rows))
        answer = build_dispatcher(os.environ, service_listeners(os.environ, local.base_url, count))
        prefixes = table_setup.imported_prefixes(names["PrefixTable"])
        system = RunningSystem(answer, _functions(stack), key, prefixes)
        if embedded and local.data:
            saver = snapshot.SnapshotSaver(local.data, embedded, names, print_line)
            saver.start(rows)
            ends.callback(saver.stop)
        if local.probe:
            from coolid.local.background_checks import BackgroundChecks

            checks = BackgroundChecks(local.probe, local.networks, print_line)
            checks.start()
            ends.callback(checks.stop)
        yield system


@contextmanager
def _embedded() -> Iterator[embedded_store.EmbeddedStore]:
    # The embedded services are in no region, and the embedded KMS has no keys yet.
    for name in ("AWS_PROFILE", "AWS_REGION", "HOME_REGION", "SIGNING_KEY_ID"):
        os.environ.pop(name, None)
    os.environ.update(embedded_store.ENVIRONMENT)
    # Metrics in CloudWatch's format would only fill the terminal.
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    with embedded_store.running() as embedded:
        yield embedded


def _provide_signing_key(local: LocalSettings, stack: Stack, *, external: bool) -> None:
    """Set the signing key in the environment: the configured one, or one that lasts as long as the tables.

    Every key that has signed stays published. The key is therefore in a file, so that each start uses the same one,
    unless the tables end with this process.
    """
    if any(os.environ.get(name) for name in SIGNING_KEYS):
        return
    if not external and not local.data:
        os.environ["SIGNING_KEY_ID"] = table_setup.create_keys(stack)["SigningKey"]
        return
    # Another endpoint may have no KMS, and KMS bills by the key.
    file = local.data.with_name(f"{local.data.name}.{SIGNING_KEY}") if local.data else local.folder / SIGNING_KEY
    key_file.ensure(file)
    os.environ["SIGNING_KEY_FILE"] = str(file)


def _registry_rows(local: LocalSettings, print_line: PrintLine) -> list[dict[str, Any]]:
    print_line("Loading the Bioregistry's prefixes …")
    serializer = TypeSerializer()
    return [
        {name: serializer.serialize(set(value) if isinstance(value, list) else value) for name, value in row.items()}
        for row in bioregistry_prefixes.cached_rows(local.folder)
    ]


def _install_defaults(local: LocalSettings, *, demonstrate: bool) -> str:
    """Store the administrator's client and, if requested, the demonstration. Return the administrator's key."""
    from coolid.aws.clock import SystemClock
    from coolid.aws.entropy import SystemEntropy
    from coolid.local import admin_key, demonstration
    from coolid.wiring.write_access import build_minter, open_store, prover

    settings = Settings.read(os.environ, writes=True)
    store = open_store(settings)
    if demonstrate:
        minter = build_minter(settings, store, prover(settings, store))
        demonstration.install(minter, store.prefixes, store.repositories, with_linkids=local.with_linkids)
    return admin_key.ensure(local.folder / "admin-key", store.clients, SystemClock(), SystemEntropy())


def _functions(stack: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    from coolid.local.functions import Functions

    return Functions(stack, find_template().parent / "functions").invoke
