"""The index function's events: of the tables' streams, and of the schedule, which completes the index.

A stream can have few consumers, so the function that reads the stream of records for the index also feeds the
transparency log.
"""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from coolid.aws.record_index.completion import IndexCompletion
from coolid.aws.record_index.stream_consumer import StreamConsumer
from coolid.aws.transparency_log.stream_feed import StreamFeed

RESERVE_SECONDS: Final = 30.0
"""Time left for the batch that is being written when the time ends."""

Event = Mapping[str, Any]


class IndexFunction:
    """Handles both kinds of event."""

    def __init__(
        self,
        consumer: StreamConsumer,
        completion: IndexCompletion,
        feed: StreamFeed | None = None,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._consumer = consumer
        self._completion = completion
        self._feed = feed
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event in `remaining` seconds. Raises `StoreUnavailable`; then Lambda sends it again."""
        if event.get("source") == "aws.events":
            until = self._seconds() + remaining - RESERVE_SECONDS
            return {"is_complete": self._completion.complete(lambda: self._seconds() < until)}
        records = event.get("Records", ())
        if any(record.get("eventSource") != "aws:dynamodb" for record in records):
            raise ValueError("the event comes neither from the schedule nor from a stream")
        self._consumer.consume([record for record in records if not _is_of_another_table(record)])
        if self._feed is not None:
            self._feed.consume(records)
        return {}


def _is_of_another_table(record: Event) -> bool:
    """Return whether a stream record is of the table of prefixes or of clients, by the name of its key."""
    change = record.get("dynamodb") or {}
    return not {"name", "id"}.isdisjoint(change.get("Keys") or ())
