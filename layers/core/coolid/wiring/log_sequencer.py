"""The sequencer of the transparency log and its sweep, over a store."""

from functools import partial
from time import monotonic
from typing import Any

from msgspec import json

from coolid.aws.clock import SystemClock
from coolid.aws.settings import InvalidSettings
from coolid.log.batches import BatchReader
from coolid.log.malformed_data import MalformedData
from coolid.log.policies import Policy
from coolid.log.sequencer import Sequencer
from coolid.log.sweep import Sweep
from coolid.log.witnesses import Witnesses
from coolid.metric_names import WITNESS_FAILED
from coolid.net.witness_client import HttpWitnessClient
from coolid.ports import Count, Log
from coolid.proofs.statements import Prover
from coolid.store.log import LogAccess
from coolid.store.store import Store
from coolid.wiring.operator_settings import LOG_POLICY


def build_sequencer(
    access: LogAccess, store: Store, prover: Prover, base_url: str, log: Log, count: Count | None = None
) -> Sequencer:
    """Return a sequencer. The key of `prover` signs statements, with the base URL as their issuer.

    The witnesses of the log's policy that have a URL cosign its checkpoints. Raises `InvalidSettings`.
    """
    batches = BatchReader(access.rows, store.records, partial(_sign, prover, base_url), log)
    return Sequencer(access, batches, _witnesses(access.policy, log, count) if access.policy else None)


def build_sweep(access: LogAccess, store: Store) -> Sweep:
    """Return the sweep of the same log."""
    return Sweep(access.rows, store, SystemClock())


def _witnesses(policy: str, log: Log, count: Count | None) -> Witnesses:
    def report(name: str, reason: str) -> None:
        if count:
            count(WITNESS_FAILED)
        log.warning("a witness has not cosigned the checkpoint", extra={"reason": f"{name}: {reason}"})

    try:
        witnesses = Policy.parse(policy).witnesses
    except MalformedData as error:
        raise InvalidSettings(f"{LOG_POLICY}: {error}") from error
    return Witnesses(witnesses, HttpWitnessClient(), report, monotonic)


def _sign(prover: Prover, base_url: str, statement: str) -> str:
    return prover.prove_statement(json.decode(statement, type=dict[str, Any]), base_url)
