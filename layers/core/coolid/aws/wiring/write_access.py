"""The objects that the mint and manage functions share: the store, the prover, and the deadline of a request."""

from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from typing import Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.kms import KmsSigner
from coolid.aws.settings import Settings
from coolid.aws.wiring.boto_clients import WRITES, client, dynamodb
from coolid.deadlines import Deadline, limited
from coolid.ports import Signer
from coolid.proofs.prover import Prover
from coolid.registry.home_regions import Region
from coolid.store.public_keys import PublicKeyStore
from coolid.store.store import Store

SIGNING: Final = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})

REQUEST_SECONDS: Final = 25.0
"""The time limit of a request. API Gateway waits 29 seconds, of which a cold start takes up to 3."""


def request_limit() -> AbstractContextManager[None]:
    """Return a context with the deadline of a request that begins now."""
    return limited(Deadline(REQUEST_SECONDS, monotonic))


def open_store(settings: Settings) -> Store:
    """Return the store with the configured tables, in the client's region."""
    database = dynamodb(WRITES)
    return dynamo_store(BotoTransport(database), bind(settings, database))


def region(settings: Settings) -> Region:
    """Return the region of this process, and the home region of the tables."""
    return Region(settings.region, settings.home_region)


def prover(settings: Settings, keys: PublicKeyStore) -> Prover:
    """Return the prover, which signs records with the configured key."""
    return Prover(signer(settings), keys, SystemClock())


def signer(settings: Settings) -> Signer:
    """Return a signer with the configured KMS key or key file."""
    if settings.signing_key_id:
        return KmsSigner(client("kms", SIGNING), settings.signing_key_id)
    from coolid.aws.key_file import KeyFileSigner  # imports `cryptography`, which KMS does not need

    return KeyFileSigner(Path(settings.signing_key_file))
