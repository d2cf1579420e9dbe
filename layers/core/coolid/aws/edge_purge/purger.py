"""The function that turns row changes into CloudFront invalidations, by way of a delay queue.

Lambda calls it for both halves. Stream records become messages that arrive when no function caches the old row any more
(`coolid.aws.edge_purge.delay_queue`). Messages of the queue become one invalidation. Either half may run twice: a
duplicate message costs half a cent at most.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.aws.edge_purge.delay_queue import DelayQueue, InvalidPurgeMessage, PurgeMessage
from coolid.aws.edge_purge.invalidations import EVERYTHING, Distribution, RetryLater, collapse, invalidation_items
from coolid.aws.edge_purge.table_streams import InvalidStreamRecord, RowChange, change_of
from coolid.metric_names import AGE, CHANGES, POSTPONED, PURGED, UNREADABLE
from coolid.ports import Clock, Count, Log
from coolid.resolution.cache import PREFIX_TTL

Event = Mapping[str, Any]

_STREAM: Final = "aws:dynamodb"
_QUEUE: Final = "aws:sqs"
_ANY_CHANGE: Final = RowChange(frozenset([EVERYTHING]), PREFIX_TTL)
"""The effect of an unreadable stream record: any answer may be outdated."""


class Purger:
    """Handles both kinds of event. Neither logs nor metrics name an identifier."""

    def __init__(self, queue: DelayQueue, distribution: Distribution, clock: Clock, log: Log, count: Count) -> None:
        self._queue = queue
        self._distribution = distribution
        self._clock = clock
        self._log = log
        self._count = count

    def __call__(self, event: Event) -> dict[str, Any]:
        """Handle an event of a stream or of the queue. Return the messages to retry.

        A batch of stream records is handled as a whole or, if an exception is raised, not at all.
        """
        records = event["Records"]
        sources = {record.get("eventSource") for record in records}
        if sources <= {_STREAM}:
            self.enqueue(records)
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
            self._queue.send(PurgeMessage(collapse(outdated), since), cache_seconds)
        if changes:
            self._count(CHANGES, changes)

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
