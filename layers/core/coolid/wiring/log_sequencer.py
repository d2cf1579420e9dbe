"""The sequencer of the transparency log and its sweep, over a store."""

from functools import partial

from msgspec import json

from coolid.aws.clock import SystemClock
from coolid.log.batches import BatchReader
from coolid.log.sequencer import Cosigner, Sequencer
from coolid.log.sweep import Sweep
from coolid.ports import Log
from coolid.proofs.statements import Prover
from coolid.store.log import LogAccess
from coolid.store.store import Store


def build_sequencer(
    access: LogAccess, store: Store, prover: Prover, base_url: str, log: Log, cosigner: Cosigner | None = None
) -> Sequencer:
    """Return a sequencer. The key of `prover` signs statements, with the base URL as their issuer."""
    batches = BatchReader(access.rows, store.records, partial(_sign, prover, base_url), log)
    return Sequencer(access, batches, cosigner)


def build_sweep(access: LogAccess, store: Store) -> Sweep:
    """Return the sweep of the same log."""
    return Sweep(access.rows, store, SystemClock())


def _sign(prover: Prover, base_url: str, statement: str) -> str:
    return prover.prove_statement(json.decode(statement), base_url)
