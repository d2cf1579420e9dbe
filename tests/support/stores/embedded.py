"""The embedded store as tests use it: faster, and behind coolid's own DynamoDB client as well as boto3.

So all tests of a system go through the own client's signing and HTTP, like the deployed public functions.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from moto.core.models import botocore_stubber

from coolid.aws.settings import OWN, STORE_CLIENT
from coolid.local import embedded_store
from coolid.local.embedded_store import EmbeddedStore
from tests.support.fixtures.botocore_sessions import shared_caches
from tests.support.stores.in_process_stream import connected_to
from tests.support.stores.moto_answers import direct_answers


@contextmanager
def running() -> Iterator[EmbeddedStore]:
    """Run the embedded store. Local systems that start in the block read from it through coolid's own client."""
    with (
        shared_caches(),
        direct_answers(),
        patch.dict(embedded_store.ENVIRONMENT, {STORE_CLIENT: OWN}),
        embedded_store.running() as store,
        connected_to(botocore_stubber.process_request),
    ):
        yield store
