"""The store, the signer and the minter over the tables and the key that the settings name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.entropy import SystemEntropy
from coolid.aws.kms import KmsSigner
from coolid.aws.settings import Settings
from coolid.ports import Signer
from coolid.proofs.statements import Prover
from coolid.records.minter import Minter, any_home
from coolid.store.store import Store
from coolid.wiring.boto_clients import WRITES, client, dynamodb

SIGNING: Final = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})


def open_store(settings: Settings) -> Store:
    """Return the store with the configured tables, in the client's region."""
    database = dynamodb(WRITES)
    return dynamo_store(BotoTransport(database), bind(settings, database))


def signer(settings: Settings) -> Signer:
    """Return a signer with the configured KMS key or key file."""
    if settings.signing_key_id:
        return KmsSigner(client("kms", SIGNING), settings.signing_key_id)
    from coolid.aws.key_file import KeyFileSigner  # imports `cryptography`, which KMS does not need

    return KeyFileSigner(Path(settings.signing_key_file))


def prover(settings: Settings, store: Store) -> Prover:
    """Return the prover, which signs records with the configured key."""
    return Prover(signer(settings), store.public_keys, SystemClock())


def build_minter(
    settings: Settings,
    store: Store,
    prover: Prover,
    require_home: Callable[[str], None] = any_home,
    on_collisions: Callable[[int], None] = lambda _: None,
) -> Minter:
    """Return a minter into a store."""
    return Minter(
        store.records,
        store.prefixes,
        store.counters,
        clock=SystemClock(),
        entropy=SystemEntropy(),
        prover=prover,
        base_url=settings.public_base_url,
        require_home=require_home,
        on_collisions=on_collisions,
    )
