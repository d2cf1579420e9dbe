"""The function that turns row changes into CloudFront invalidations, by way of a delay queue.

Lambda calls it for both halves. Stream records become messages in the queue, which become one invalidation. Either half
may run twice: a duplicate message costs half a cent at most.

Functions cache the rows that they read (`coolid.resolution.cache`). An earlier purge could refill the edge with the old
answer. So each purge waits until those cache entries have expired and requests under way have ended. SQS hides a
message for that time (`DelaySeconds`, at most 900).

Many changes within seconds, as by a bulk job, usually continue for minutes. Their messages wait until the end of the
current minute. So the messages of a whole minute arrive together, and become one invalidation of the repository.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import MsgspecError, Struct, json

from coolid.aws.edge_purge.invalidations import EVERYTHING, Distribution, RetryLater, collapse, invalidation_items
from coolid.aws.edge_purge.table_streams import InvalidStreamRecord, RowChange, change_of
from coolid.aws.edge_redirects.changed_names import changed_names
from coolid.aws.edge_redirects.update_queue import UpdateQueue
from coolid.http.caching import is_tag
from coolid.metric_names import AGE, CHANGES, EDGE_NOT_NOTIFIED, POSTPONED, PURGED, UNREADABLE
from coolid.ports import Clock, Count, Log
from coolid.resolution.cache import PREFIX_TTL

Event = Mapping[str, Any]

RESPONSE_TIMEOUT_SECONDS: Final = 10
"""The longest time that a request may take: the resolve function's timeout."""

MANY_CHANGES: Final = 3
"""Up to so many changes of one batch are purged as soon as possible."""
WINDOW_SECONDS: Final = 60
"""More changes wait for the end of a window, and are purged together with all others of that window."""

_STREAM: Final = "aws:dynamodb"
_QUEUE: Final = "aws:sqs"
_ANY_CHANGE: Final = RowChange(frozenset([EVERYTHING]), PREFIX_TTL)
"""The effect of an unreadable stream record: any answer may be outdated."""


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

    def send(self, message: PurgeMessage, cache_seconds: float, window_from: int | None = None) -> None:
        """Send a message that arrives after rows cached for `cache_seconds` have expired.

        With `window_from`, now in seconds since 1970, it arrives at the end of the window in which it would arrive.
        """
        delay = ceil(cache_seconds) + RESPONSE_TIMEOUT_SECONDS
        if window_from is not None:
            delay += -(window_from + delay) % WINDOW_SECONDS
        self._client.send_message(QueueUrl=self._url, MessageBody=message.text(), DelaySeconds=delay)


class Purger:
    """Handles both kinds of event. Neither logs nor metrics name an identifier.

    `edge_queue` receives the names of changed prefixes. If it fails, purging continues, and a sweep finds the changes.
    """

    def __init__(
        self,
        queue: DelayQueue,
        distribution: Distribution,
        clock: Clock,
        log: Log,
        count: Count,
        edge_queue: UpdateQueue | None = None,
    ) -> None:
        self._queue = queue
        self._distribution = distribution
        self._clock = clock
        self._log = log
        self._count = count
        self._edge_queue = edge_queue

    def __call__(self, event: Event) -> dict[str, Any]:
        """Handle an event of a stream or of the queue. Return the messages to retry.

        A batch of stream records is handled as a whole or, if an exception is raised, not at all.
        """
        records = event["Records"]
        sources = {record.get("eventSource") for record in records}
        if sources <= {_STREAM}:
            try:
                self.enqueue(records)
            finally:
                self._notify_edge(records)
            return {"batchItemFailures": []}
        if sources <= {_QUEUE}:
            return {"batchItemFailures": [{"itemIdentifier": each} for each in self.purge(records)]}
        raise ValueError("the event comes neither from a stream of a table nor from a queue")

    def enqueue(self, records: Sequence[Event]) -> None:
        """Send the purges that stream records require, one message for each cache lifetime."""
        tags: dict[float, set[str]] = defaultdict(set)
        changes = 0
        for record in records:
            change = self._change_of(record)
            if change is not None:
                tags[change.cache_seconds] |= change.tags
                changes += 1
        since = min((self._changed_at(record) for record in records), default=0)
        for cache_seconds, outdated in tags.items():
            window_from = self._now() if len(outdated) > MANY_CHANGES else None
            self._queue.send(PurgeMessage(collapse(outdated), since), cache_seconds, window_from)
        if changes:
            self._count(CHANGES, changes)

    def _notify_edge(self, records: Sequence[Event]) -> None:
        """Pass the names of changed prefixes on; never raises botocore's errors."""
        names = [name for record in records for name in changed_names(record)]
        if not names or self._edge_queue is None:
            return
        try:
            self._edge_queue.send(names, min(map(self._changed_at, records)))
        except (BotoCoreError, ClientError) as error:
            self._log.warning("the edge is not notified", extra={"names": len(names), "reason": type(error).__name__})
            self._count(EDGE_NOT_NOTIFIED, len(names))

    def purge(self, messages: Sequence[Event]) -> list[str]:
        """Invalidate the tags of the messages. Return the ids of the messages to retry."""
        parsed: dict[str, PurgeMessage] = {}
        failed: list[str] = []
        for message in messages:
            try:
                parsed[message["messageId"]] = PurgeMessage.parse(message["body"])
            except InvalidPurgeMessage as error:
                self._log.error("a message cannot be read", extra={"sent": message["messageId"], "reason": str(error)})
                failed.append(message["messageId"])
        if failed:
            self._count(UNREADABLE, len(failed))
        if not parsed:
            return failed
        items = invalidation_items(frozenset().union(*(each.tags for each in parsed.values())))
        try:
            self._distribution.invalidate(items, " ".join(sorted(parsed)))
        except RetryLater as error:
            facts = {"items": len(items), "letters": len(parsed), "reason": str(error)}
            self._log.warning("not purged yet", extra=facts)
            self._count(POSTPONED, len(parsed))
            return [*failed, *parsed]
        age = self._now() - min(each.since for each in parsed.values())
        self._log.info("purged", extra={"items": len(items), "letters": len(parsed), "age": age})
        self._count(PURGED, len(items))
        self._count(AGE, age)
        return failed

    def _change_of(self, record: Event) -> RowChange | None:
        """Return the effect of a stream record. An unreadable one purges everything, so that its shard continues."""
        try:
            return change_of(record)
        except InvalidStreamRecord as error:
            self._log.error("a record cannot be read", extra={"event": record.get("eventID"), "reason": str(error)})
            self._count(UNREADABLE, 1)
            return _ANY_CHANGE

    def _changed_at(self, record: Event) -> int:
        seconds = (record.get("dynamodb") or {}).get("ApproximateCreationDateTime")
        return int(seconds) if isinstance(seconds, int | float) else self._now()

    def _now(self) -> int:
        return self._clock.milliseconds() // 1000
