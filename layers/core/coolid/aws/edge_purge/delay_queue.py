"""A queue that delays purges until no function returns the old answer any more.

Functions cache the rows that they read (`coolid.resolution.cache`). An earlier purge could refill the edge with the old
answer. So each purge waits until those cache entries have expired and requests under way have ended. SQS hides a
message for that time (`DelaySeconds`, at most 900).
"""

from math import ceil
from typing import Any, Final

from msgspec import MsgspecError, Struct, json

from coolid.aws.edge_purge.invalidations import EVERYTHING
from coolid.http.caching import is_tag

RESPONSE_TIMEOUT_SECONDS: Final = 10
"""The longest time that a request may take: the resolve function's timeout."""


class InvalidPurgeMessage(Exception):
    """The message is not a `PurgeMessage`."""


class PurgeMessage(Struct, frozen=True):
    """The cache `tags` to purge, or `EVERYTHING`; `since` is the time of the oldest change, in seconds since 1970."""

    tags: frozenset[str]
    since: int

    def text(self) -> str:
        """Return the message as JSON."""
        return json.encode({"tags": sorted(self.tags), "since": self.since}).decode()

    @classmethod
    def parse(cls, text: str) -> "PurgeMessage":
        """Return the message that `text` wrote. Raises `InvalidPurgeMessage`."""
        try:
            message = json.decode(text, type=cls)
        except MsgspecError as error:
            raise InvalidPurgeMessage(str(error)) from error
        if not message.tags or not all(tag == EVERYTHING or is_tag(tag) for tag in message.tags):
            raise InvalidPurgeMessage("its tags are not cache tags")
        return message


class DelayQueue:
    """An SQS queue, over a low-level boto3 client. Raises botocore's errors."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, message: PurgeMessage, cache_seconds: float) -> None:
        """Send a message that arrives after rows cached for `cache_seconds` have expired."""
        delay = ceil(cache_seconds) + RESPONSE_TIMEOUT_SECONDS
        self._client.send_message(QueueUrl=self._url, MessageBody=message.text(), DelaySeconds=delay)
