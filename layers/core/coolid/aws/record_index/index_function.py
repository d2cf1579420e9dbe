"""The index function's events: of the stream of records, and of the schedule, which completes the index."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from coolid.aws.record_index.completion import IndexCompletion
from coolid.aws.record_index.stream_consumer import StreamConsumer

RESERVE_SECONDS: Final = 30.0
"""Time left for the batch that is being written when the time ends."""

Event = Mapping[str, Any]


class IndexFunction:
    """Handles both kinds of event."""

    def __init__(
        self, consumer: StreamConsumer, completion: IndexCompletion, seconds: Callable[[], float] = monotonic
    ) -> None:
        self._consumer = consumer
        self._completion = completion
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event in `remaining` seconds. Raises `StoreUnavailable`; then Lambda sends it again."""
        if event.get("source") == "aws.events":
            until = self._seconds() + remaining - RESERVE_SECONDS
            return {"is_complete": self._completion.complete(lambda: self._seconds() < until)}
        records = event.get("Records", ())
        if any(record.get("eventSource") != "aws:dynamodb" for record in records):
            raise ValueError("the event comes neither from the schedule nor from the stream")
        self._consumer.consume(records)
        return {}
