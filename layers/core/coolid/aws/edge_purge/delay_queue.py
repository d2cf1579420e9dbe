"""Postponing: a queue in which purges wait until no function gives the old answer any more.

Functions remember what they read (`coolid.resolution.cache`): asked again too soon, they would give a cache the answer
that it has just forgotten. So each purge waits for as long as that memory lasts, and for an answer under way. SQS hides
a message for that time (`DelaySeconds`, at most 900).

>>> letter = PurgeMessage(frozenset({"prefix:mp"}), 1752157350)
>>> letter.text()
'{"tags":["prefix:mp"],"since":1752157350}'
>>> PurgeMessage.of(letter.text()) == letter
True
"""

from math import ceil
from typing import Any, Final

import orjson
from msgspec import Struct

from coolid.aws.edge_purge.invalidations import EVERYTHING
from coolid.http.cache_tags import is_tag

UNDERWAY: Final = 10
"""Seconds that an answer may be under way: the resolve function's timeout."""


class InvalidPurgeMessage(Exception):
    """A message of the queue that is none of ours."""


class PurgeMessage(Struct, frozen=True):
    """A message: the `tags` of answers to be forgotten, among them perhaps `EVERYTHING`.

    `since` when the oldest of them is wrong, in seconds since 1970.
    """

    tags: frozenset[str]
    since: int

    def text(self) -> str:
        """As it is sent."""
        return orjson.dumps({"tags": sorted(self.tags), "since": self.since}).decode()

    @classmethod
    def of(cls, text: str) -> "PurgeMessage":
        """The inverse of `text`; `InvalidPurgeMessage`."""
        try:
            match orjson.loads(text):
                case {"tags": [*tags], "since": int(since)} if tags and all(_is_item(tag) for tag in tags):
                    return cls(frozenset(tags), since)
        except ValueError as error:
            raise InvalidPurgeMessage("it is no JSON") from error
        raise InvalidPurgeMessage("it has not the members tags and since")


class DelayQueue:
    """A queue of SQS, over a low-level boto3 client; botocore's errors pass."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, letter: PurgeMessage, remembered: float) -> None:
        """Send a letter that arrives when what functions remember for so many seconds is forgotten."""
        delay = ceil(remembered) + UNDERWAY
        self._client.send_message(QueueUrl=self._url, MessageBody=letter.text(), DelaySeconds=delay)


def _is_item(tag: Any) -> bool:
    return isinstance(tag, str) and (tag == EVERYTHING or is_tag(tag))
