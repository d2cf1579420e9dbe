"""The whole system on one machine: tables and key from the template, prefixes, demonstration, key, functions.

Without `AWS_ENDPOINT_URL` everything is embedded; with it, the same functions use what stands there (LocalStack,
DynamoDB Local, AWS), where missing tables are made and filled, and present ones are left as they are.
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
from coolid.local import bioregistry_prefixes, first_fill, snapshot
from coolid.local import embedded as embedding
from coolid.local.snapshot_saver import SnapshotSaver
from coolid.local.stack import Stack, find_template, load

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

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Local:
    """`folder` is where the key and the registry's cache are kept; `data` the snapshot, if one is wanted.

    The signing key of a snapshot is in a file beside it, `DATA.signing-key.pem`, of mode 600.

    Every `probe` seconds those are looked at who are due; nobody, if it is 0. `networks` are such as may be looked at
    beside the public Internet.

    A prefix never changes its repository: who wants to give `lid` to one of their own goes `with_linkids` false.
    """

    base_url: str
    folder: Path
    data: Path | None = None
    with_registry: bool = True
    with_linkids: bool = True
    probe: int = 0
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Running:
    """A system that takes events; `admin_key` opens its management; `prefixes` of the registry were put in."""

    invoke: Callable[[dict[str, Any]], dict[str, Any]]
    admin_key: str
    prefixes: int


class DataNeedsEmbedding(Exception):
    """A snapshot was asked for, but the tables are not ours to keep."""


@contextmanager
def running(local: Local, say: Say) -> Iterator[Running]:
    """Start the system, and end it in good order. `say` hears what takes time and what goes wrong on the way."""
    stack = load(find_template())
    external = any(os.environ.get(name) for name in _ENDPOINTS)
    if external and local.data:
        raise DataNeedsEmbedding("--data keeps the embedded tables; with AWS_ENDPOINT_URL there are none")
    names = {logical: os.environ.setdefault(variable, default) for logical, (variable, default) in TABLES.items()}
    os.environ["PUBLIC_BASE_URL"] = local.base_url
    os.environ.setdefault("LOG_REQUESTS", "off")  # the terminal is for what the server itself says
    with ExitStack() as ends:
        if local.data:
            ends.enter_context(snapshot.held(local.data))
        kept = snapshot.load(local.data) if local.data else None
        embedded = None if external else ends.enter_context(_embedded())
        made = embedding.create_tables(stack, names)
        fill = first_fill.begin(names["PrefixTable"], is_new="PrefixTable" in made)
        rows = _registry_rows(local, say) if fill and local.with_registry else []
        embedding.put_items(names["PrefixTable"], rows)
        for logical, items in (kept or {}).items():
            embedding.put_items(names[logical], items)
        _provide_signing_key(local, stack, external=external)
        key = _furnish(local, demonstrate=fill)
        if fill:
            first_fill.end(names["PrefixTable"], sum("body" in row for row in rows))
        system = Running(_functions(stack), key, first_fill.prefixes(names["PrefixTable"]))
        if embedded and local.data:
            keeper = SnapshotSaver(local.data, embedded, names, say)
            keeper.start(rows)
            ends.callback(keeper.stop)
        if local.probe:
            _probes(local, say, ends)
        yield system


@contextmanager
def _embedded() -> Iterator[embedding.Embedded]:
    # The embedded services are in no region, and the embedded KMS has no keys yet.
    for name in ("AWS_PROFILE", "AWS_REGION", "HOME_REGION", "SIGNING_KEY_ID"):
        os.environ.pop(name, None)
    os.environ.update(embedding.CREDENTIALS)
    # Metrics in CloudWatch's format are for CloudWatch; here they would only fill the terminal.
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    with embedding.running() as embedded:
        yield embedded


def _provide_signing_key(local: Local, stack: Stack, *, external: bool) -> None:
    """Name the signing key in the environment: the one that is configured, or one that lasts as long as the tables.

    Every key that ever signed is published for good. A file therefore holds the key, so that each start has the same
    one, unless the tables end with this process.
    """
    if any(os.environ.get(name) for name in SIGNING_KEYS):
        return
    if not external and not local.data:
        os.environ["SIGNING_KEY_ID"] = embedding.create_keys(stack)["SigningKey"]
        return
    # The tables that another endpoint keeps need not come with KMS, and KMS bills by the key.
    file = local.data.with_name(f"{local.data.name}.{SIGNING_KEY}") if local.data else local.folder / SIGNING_KEY
    key_file.ensure(file)
    os.environ["SIGNING_KEY_FILE"] = str(file)


def _registry_rows(local: Local, say: Say) -> list[dict[str, Any]]:
    say("Loading the Bioregistry's prefixes …")
    serializer = TypeSerializer()
    return [
        {name: serializer.serialize(set(value) if isinstance(value, list) else value) for name, value in row.items()}
        for row in bioregistry_prefixes.cached_rows(local.folder)
    ]


def _furnish(local: Local, *, demonstrate: bool) -> str:
    """Put in what every local system has; the administrator's key."""
    from coolid.aws.clock import SystemClock
    from coolid.aws.entropy import SystemEntropy
    from coolid.aws.wiring.write_access import prover, store
    from coolid.local import admin_key, demonstration
    from coolid.records.minter import Minter

    settings = Settings.read(os.environ, writes=True)
    keeper = store(settings)
    signing = prover(settings, keeper)
    minter = Minter(keeper, SystemClock(), SystemEntropy(), signing, settings.public_base_url)
    if demonstrate:
        demonstration.install(minter, with_linkids=local.with_linkids)
    return admin_key.ensure(local.folder / "admin-key", minter.store, minter.clock, minter.entropy)


def _probes(local: Local, say: Say, ends: ExitStack) -> None:
    from coolid.local.background_checks import BackgroundChecks

    probes = BackgroundChecks(local.probe, local.networks, say)
    probes.start()
    ends.callback(probes.stop)


def _functions(stack: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    from coolid.local.functions import Functions

    return Functions(stack, find_template().parent / "functions").invoke
