"""What the mint and manage functions have in common: the store that writes, proofs, and the deadline of a request."""

from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from typing import Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.kms import KmsSigner
from coolid.aws.settings import Settings
from coolid.aws.wiring.boto_clients import WRITES, client, dynamodb
from coolid.deadlines import Deadline, limited
from coolid.ports import Signer
from coolid.proofs.prover import Prover
from coolid.registry.home_regions import Region
from coolid.store.store import Store

SIGNING: Final = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})

REQUEST_SECONDS: Final = 25.0
"""The time for a request. API Gateway waits for 29 seconds, of which a function's start takes up to 3."""


def request_limit() -> AbstractContextManager[None]:
    """Return a context with the deadline of a request that begins now."""
    return limited(Deadline(REQUEST_SECONDS, monotonic))


def store(settings: Settings) -> DynamoStore:
    """The store over the tables that the settings name, in the client's own region."""
    database = dynamodb(WRITES)
    return DynamoStore(BotoTransport(database), bind(settings, database))


def region(settings: Settings) -> Region:
    """Where this process runs, among the regions that share the tables."""
    return Region(settings.region, settings.home_region)


def prover(settings: Settings, store: Store) -> Prover:
    """What signs records, with the key that the settings name."""
    return Prover(signer(settings), store, SystemClock())


def signer(settings: Settings) -> Signer:
    """The KMS key that the settings name, or the key in a file."""
    if settings.signing_key_id:
        return KmsSigner(client("kms", SIGNING), settings.signing_key_id)
    from coolid.aws.key_file import KeyFileSigner  # and with it the cryptography that the key service has for us

    return KeyFileSigner(Path(settings.signing_key_file))
