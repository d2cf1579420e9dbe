"""The queue of changed names, from the purge function to the function that updates the edge.

A stream may have two readers, and the prefix table's has two. So the purge function, one of them, passes the names on.
"""

from collections.abc import Collection
from typing import Any, Final

from msgspec import MsgspecError, Struct, json

MAX_NAMES: Final = 500
"""The most names of one message: at most 128 bytes each, where SQS takes 256 KiB."""


class InvalidUpdateMessage(Exception):
    """The message is not an `UpdateMessage`."""


class UpdateMessage(Struct, frozen=True):
    """The `names` of changed rows; `since` is the time of the oldest change, in seconds since 1970."""

    names: tuple[str, ...]
    since: int

    def text(self) -> str:
        """Return the message as JSON."""
        return json.encode(self).decode()

    @classmethod
    def parse(cls, text: str) -> "UpdateMessage":
        """Return the message that `text` wrote. Raises `InvalidUpdateMessage`."""
        try:
            return json.decode(text, type=cls)
        except MsgspecError as error:
            raise InvalidUpdateMessage(str(error)) from error


class UpdateQueue:
    """An SQS queue, over a low-level boto3 client. Raises botocore's errors."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, names: Collection[str], since: int) -> None:
        """Send the names, in as many messages as they need."""
        wanted = tuple(dict.fromkeys(names))
        for start in range(0, len(wanted), MAX_NAMES):
            message = UpdateMessage(wanted[start : start + MAX_NAMES], since)
            self._client.send_message(QueueUrl=self._url, MessageBody=message.text())
