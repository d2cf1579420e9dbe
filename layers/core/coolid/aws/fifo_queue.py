"""The queue between planning and looking: SQS, first in, first out, so that a group's letters are worked off in turn.

Source: Amazon SQS API Reference, `SendMessageBatch`; Developer Guide, "FIFO queue delivery logic", "Amazon SQS message
quotas". A letter that is sent again within five minutes is taken for the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from coolid.health.messages import Letter, name_of

MOST_MESSAGES: Final = 10
MOST_BYTES: Final = 256 * 1024
"""Of one request; newer quotas allow four times that."""


class MessageNotSent(Exception):
    """The queue did not take a letter."""


class FifoQueue:
    """Implements `coolid.health.messages.Queue` over a low-level boto3 client; botocore's errors pass."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, letters: Sequence[Letter]) -> None:
        """As of `Queue`; `MessageNotSent`."""
        for batch in _batches(letters):
            entries = [
                {
                    "Id": str(number),
                    "MessageBody": letter.text(),
                    "MessageGroupId": letter.group,
                    "MessageDeduplicationId": name_of(letter),
                }
                for number, letter in enumerate(batch)
            ]
            failed = self._client.send_message_batch(QueueUrl=self._url, Entries=entries).get("Failed", ())
            if failed:
                raise MessageNotSent(f"{len(failed)} letters, the first for {failed[0].get('Code')}")


def _batches(letters: Sequence[Letter]) -> Iterator[list[Letter]]:
    batch: list[Letter] = []
    size = 0
    for letter in letters:
        own = len(letter.text().encode())
        if batch and (len(batch) == MOST_MESSAGES or size + own > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(letter)
        size += own
    if batch:
        yield batch
