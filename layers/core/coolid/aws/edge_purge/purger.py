"""Purging: changes of rows in, invalidations out, with a queue between them in which both wait.

One function is called for both halves. What DynamoDB Streams tells becomes letters that arrive when no function
remembers the old answer (`coolid.aws.edge_purge.delay_queue`); what the queue brings becomes one invalidation. Either may
happen twice: a letter too many costs half a cent at the most.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.aws.edge_purge.delay_queue import DelayQueue, InvalidPurgeMessage, PurgeMessage
from coolid.aws.edge_purge.invalidations import EVERYTHING, Distribution, RetryLater, collapsed, items_of
from coolid.aws.edge_purge.table_streams import InvalidStreamRecord, RowChange, change_of
from coolid.metric_names import AGE, CHANGES, POSTPONED, PURGED, UNREADABLE
from coolid.ports import Clock, Count, Log
from coolid.resolution.cache import PREFIX_TTL

Event = Mapping[str, Any]

_STREAM: Final = "aws:dynamodb"
_QUEUE: Final = "aws:sqs"
_UNKNOWN: Final = RowChange(frozenset([EVERYTHING]), PREFIX_TTL)
"""What a record means that cannot be read: anything may be out of date."""


class Purger:
    """Does both halves; neither logs nor metrics name an identifier."""

    def __init__(self, queue: DelayQueue, distribution: Distribution, clock: Clock, log: Log, count: Count) -> None:
        self._queue = queue
        self._distribution = distribution
        self._clock = clock
        self._log = log
        self._count = count

    def __call__(self, event: Event) -> dict[str, Any]:
        """Do what an event of a stream or of the queue asks for; says which messages are to come again.

        What a stream tells is dealt with as a whole or, by an exception, not at all.
        """
        records = event["Records"]
        sources = {record.get("eventSource") for record in records}
        if sources <= {_STREAM}:
            self.postpone(records)
            return {"batchItemFailures": []}
        if sources <= {_QUEUE}:
            return {"batchItemFailures": [{"itemIdentifier": each} for each in self.purge(records)]}
        raise ValueError("the event comes neither from a stream of a table nor from a queue")

    def postpone(self, records: Sequence[Event]) -> None:
        """Send what the records of a stream mean, each when its time has come."""
        tags: dict[float, set[str]] = defaultdict(set)
        changes = 0
        for record in records:
            change = self._change_of(record)
            if change is not None:
                tags[change.remembered] |= change.tags
                changes += 1
        since = min((self._told_at(record) for record in records), default=0)
        for remembered, wrong in tags.items():
            self._queue.send(PurgeMessage(collapsed(wrong), since), remembered)
        if changes:
            self._count(CHANGES, changes)

    def purge(self, messages: Sequence[Event]) -> list[str]:
        """Make the distribution forget what the messages name; the ids of those that are to come again."""
        letters: dict[str, PurgeMessage] = {}
        failed: list[str] = []
        for message in messages:
            try:
                letters[message["messageId"]] = PurgeMessage.of(message["body"])
            except InvalidPurgeMessage as error:
                self._log.error("a message is no letter", extra={"sent": message["messageId"], "reason": str(error)})
                failed.append(message["messageId"])
        if failed:
            self._count(UNREADABLE, len(failed))
        if not letters:
            return failed
        items = items_of(frozenset().union(*(letter.tags for letter in letters.values())))
        try:
            self._distribution.invalidate(items, " ".join(sorted(letters)))
        except RetryLater as error:
            facts = {"items": len(items), "letters": len(letters), "reason": str(error)}
            self._log.warning("not purged yet", extra=facts)
            self._count(POSTPONED, len(letters))
            return [*failed, *letters]
        age = self._now() - min(letter.since for letter in letters.values())
        self._log.info("purged", extra={"items": len(items), "letters": len(letters), "age": age})
        self._count(PURGED, len(items))
        self._count(AGE, age)
        return failed

    def _change_of(self, record: Event) -> RowChange | None:
        """What a record means; for one that cannot be read, everything: its shard goes on, no answer stays wrong."""
        try:
            return change_of(record)
        except InvalidStreamRecord as error:
            self._log.error("a record cannot be read", extra={"event": record.get("eventID"), "reason": str(error)})
            self._count(UNREADABLE, 1)
            return _UNKNOWN

    def _told_at(self, record: Event) -> int:
        told = (record.get("dynamodb") or {}).get("ApproximateCreationDateTime")
        return int(told) if isinstance(told, int | float) else self._now()

    def _now(self) -> int:
        return self._clock.milliseconds() // 1000
