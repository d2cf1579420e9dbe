"""The `Budget` that limits the cost of one anonymous request for several identifiers.

A budget limits wall time, processor time, keys read and response bytes together, because each can be large while the
others are small: a check digit costs no read, and a read costs no processor time.

Specification: one anonymous request costs at most one second of a processor and 500 read keys. Half of that second is
left for the identifier in progress when the time is up, the request's body and the response.
"""

from typing import Final

from coolid.errors import LineNotTried
from coolid.ports import Clock, ProcessorClock

MAX_KEYS: Final = 500
MAX_MILLISECONDS: Final = 5_000
MAX_PROCESSOR_SECONDS: Final = 0.5
MAX_RESPONSE_BYTES: Final = 4_000_000
"""Bytes of results after which no identifier is resolved: a Lambda response has at most 6 MB."""
MAX_SUGGESTION_KEYS: Final = 25
"""Keys that one refused identifier may read for suggestions."""
MAX_REFUSALS_WITH_SUGGESTIONS: Final = 4
"""Refused identifiers of one request that get suggestions."""


class Budget:
    """The remaining limits of one request. Not safe between threads."""

    def __init__(
        self,
        clock: Clock,
        processor: ProcessorClock,
        *,
        keys: int = MAX_KEYS,
        milliseconds: int = MAX_MILLISECONDS,
        processor_seconds: float = MAX_PROCESSOR_SECONDS,
        response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self.keys = keys
        self._clock = clock
        self._processor = processor
        self._until = clock.milliseconds() + milliseconds
        self._processor_until = processor.seconds() + processor_seconds
        self._response_bytes = response_bytes
        self._suggestions_left = MAX_REFUSALS_WITH_SUGGESTIONS

    def check(self) -> None:
        """Raise `LineNotTried` if the response is full, or the wall time or processor time is used up."""
        if self._response_bytes <= 0:
            raise LineNotTried("room")
        if self._clock.milliseconds() >= self._until or self._processor.seconds() >= self._processor_until:
            raise LineNotTried("time")

    def charge(self, keys: int) -> None:
        """Subtract the keys before they are read; raise `LineNotTried` and charge nothing if too few are left."""
        self.check()
        if keys > self.keys:
            raise LineNotTried("read capacity")
        self.keys -= keys

    def charge_response(self, size: int) -> None:
        """Subtract the bytes of a result; the last result may exceed the limit."""
        self._response_bytes -= size

    def max_suggestion_keys(self) -> int:
        """Return how many keys the next refused identifier may read for suggestions."""
        return MAX_SUGGESTION_KEYS if self._suggestions_left > 0 else 0

    def count_refusal(self) -> None:
        """Count a refused identifier: only the first few get suggestions."""
        self._suggestions_left -= 1
