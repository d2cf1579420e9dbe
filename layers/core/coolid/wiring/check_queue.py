"""The queue of requested checks: that of the probe function on AWS, or the store's on one machine."""

from typing import Any, Final

from botocore.config import Config

from coolid.aws.fifo_queue import FifoQueue
from coolid.aws.settings import STORE_QUEUE, Settings
from coolid.health.check_requests import StoredCheckQueue
from coolid.health.messages import MessageQueue
from coolid.store.store import Store

_CONFIG: Final = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def fifo_queue(url: str) -> FifoQueue:
    """Return the queue of the probe function."""
    from coolid.wiring.boto_clients import client  # not needed on one machine

    sqs: Any = client("sqs", _CONFIG)
    return FifoQueue(sqs, url)


def check_queue(settings: Settings, store: Store) -> MessageQueue | None:
    """Return the queue of requested checks; None if this service checks no targets."""
    if not settings.check_queue:
        return None
    if settings.check_queue == STORE_QUEUE:
        return StoredCheckQueue(store.check_requests)
    return fifo_queue(settings.check_queue)
