"""The store, the signer, the minter and the diagnostic checks that the settings name.

Modules that only one of the stores needs are imported when that store is opened.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import Settings
from coolid.http.management.diagnostics import Diagnostic
from coolid.ports import Clock, Signer
from coolid.proofs.statements import Prover
from coolid.records.minter import HomeCheck, Minter, any_home
from coolid.store.store import Store


def open_store(settings: Settings) -> Store:
    """Return the store in the configured database or tables, without writes if the settings are read-only."""
    if settings.read_only:
        from coolid.store.read_only import read_only

        return read_only(_open_store(settings))
    return _open_store(settings)


def _open_store(settings: Settings) -> Store:
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).store
    from coolid.wiring.dynamodb_access import open_tables

    return open_tables(settings)


def diagnostics(settings: Settings, signer: Signer, clock: Clock) -> Mapping[str, Diagnostic]:
    """Return the diagnostic checks of the store, the signing key and the clock, by name."""
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).diagnostics(signer)
    from coolid.wiring.dynamodb_access import table_diagnostics

    return table_diagnostics(settings, signer, clock)


def signer(settings: Settings) -> Signer:
    """Return a signer with the configured KMS key or key file."""
    if settings.signing_key_id:
        from coolid.aws.kms import KmsSigner
        from coolid.wiring.boto_clients import SIGNING, client

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
    require_home: HomeCheck = any_home,
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
