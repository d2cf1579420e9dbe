"""The queue of requested checks: that of the probe function on AWS, or the store's on one machine."""

from typing import TYPE_CHECKING

from coolid.aws.settings import STORE_QUEUE, Settings
from coolid.health.check_requests import StoredCheckQueue
from coolid.health.messages import MessageQueue
from coolid.store.store import Store

if TYPE_CHECKING:
    from coolid.aws.fifo_queue import FifoQueue


def fifo_queue(url: str) -> "FifoQueue":
    """Return the queue of the probe function."""
    from coolid.aws.fifo_queue import FifoQueue  # not needed on one machine
    from coolid.wiring.boto_clients import SENDING, client

    return FifoQueue(client("sqs", SENDING), url)


def check_queue(settings: Settings, store: Store) -> MessageQueue | None:
    """Return the queue of requested checks; None if this service checks no targets."""
    if not settings.check_queue:
        return None
    if settings.check_queue == STORE_QUEUE:
        return StoredCheckQueue(store.check_requests)
    return fifo_queue(settings.check_queue)
