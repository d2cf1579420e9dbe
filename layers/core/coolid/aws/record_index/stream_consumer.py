"""The consumer of the stream of records, which replaces the postings of each changed record.

Source: "DynamoDB Streams Low-Level API", data types `Record` and `StreamRecord` with the view NEW_AND_OLD_IMAGES, as
Lambda passes them on: those of one row arrive in the order of its changes, and arrive again if the function fails.

An unreadable stream record is logged and skipped, because its shard would wait for it. Errors of the store are raised.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.aws.dynamodb.postings import Item, PostingKey, postings_of
from coolid.aws.dynamodb.reader import record_of_item
from coolid.aws.record_index.index_writer import IndexWriter, Postings
from coolid.errors import StoreUnavailable
from coolid.metric_names import INDEX_UNREADABLE, INDEXED
from coolid.ports import Count, Log
from coolid.store.rows import CURRENT, KEYS

Event = Mapping[str, Any]

_CURRENT: Final = str(CURRENT)


class _Changes(Struct):
    """The changes of one record in a batch: all former states, and the last one."""

    former: list[Postings]
    current: Postings


class StreamConsumer:
    """Replaces postings with `writer`. Neither logs nor metrics name an identifier."""

    def __init__(self, writer: IndexWriter, log: Log, count: Count) -> None:
        self._writer = writer
        self._log = log
        self._count = count

    def consume(self, records: Sequence[Event]) -> None:
        """Replace the postings of the records that changed. Raises `StoreUnavailable`; then call it again."""
        changes: defaultdict[str, _Changes] = defaultdict(lambda: _Changes([], {}))
        for record in records:
            try:
                self._add(changes, record["dynamodb"])
            except (StoreUnavailable, KeyError, TypeError, ValueError, AttributeError) as error:
                facts = {"event": record.get("eventID"), "reason": type(error).__name__}
                self._log.error("a record cannot be read", extra=facts)
                self._count(INDEX_UNREADABLE)
        postings: dict[PostingKey, Item] = {}
        former: set[PostingKey] = set()
        changed = [each for each in changes.values() if any(state != each.current for state in each.former)]
        for each in changed:
            postings.update(each.current)
            former.update(*each.former)
        self._writer.replace(postings, former)
        if changed:
            self._count(INDEXED, len(changed))

    @staticmethod
    def _add(changes: Mapping[str, _Changes], record: Mapping[str, Any]) -> None:
        pid = record["Keys"]["pid"]["S"]
        if record["Keys"]["version"]["N"] != _CURRENT or pid == KEYS:
            return
        old, new = (_postings(record.get(image)) for image in ("OldImage", "NewImage"))
        found = changes[pid]
        found.former.append(old)
        found.current = new


def _postings(image: Mapping[str, Any] | None) -> Postings:
    return postings_of(record_of_item(image)) if image else {}
