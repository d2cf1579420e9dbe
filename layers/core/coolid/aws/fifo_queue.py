"""The SQS FIFO queue between planner and checker, which delivers the messages of a group in order.

Source: Amazon SQS API Reference, `SendMessageBatch`; Developer Guide, "FIFO queue delivery logic", "Amazon SQS message
quotas". SQS drops a message that is sent again within five minutes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from coolid.health.messages import Message, message_id

MAX_MESSAGES: Final = 10
MAX_REQUEST_BYTES: Final = 256 * 1024
"""The largest request. The quota has since been raised to four times that."""


class MessageNotSent(Exception):
    """The queue rejected a message."""


class FifoQueue:
    """Implements `MessageQueue` with a low-level boto3 client. Raises botocore's errors unchanged."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, messages: Sequence[Message]) -> None:
        """See `MessageQueue`. Raises `MessageNotSent`."""
        for batch in _batches(messages):
            entries = [
                {
                    "Id": str(number),
                    "MessageBody": message.text(),
                    "MessageGroupId": message.group,
                    "MessageDeduplicationId": message_id(message),
                }
                for number, message in enumerate(batch)
            ]
            failed = self._client.send_message_batch(QueueUrl=self._url, Entries=entries).get("Failed", ())
            if failed:
                raise MessageNotSent(f"{len(failed)} messages were rejected, the first for {failed[0].get('Code')}")


def _batches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    batch: list[Message] = []
    size = 0
    for message in messages:
        message_bytes = len(message.text().encode())
        if batch and (len(batch) == MAX_MESSAGES or size + message_bytes > MAX_REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += message_bytes
    if batch:
        yield batch
