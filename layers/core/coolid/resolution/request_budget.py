"""Budgets: the most that one anonymous request for many identifiers may cost.

A budget bounds wall time, processor time, the keys read from the store and the bytes of the response together, because
each of them can be large while the others are small: a check digit costs no read, a read costs no processor time.

Specification: one anonymous request costs at most one second of a processor and 500 read keys. Half of that second is
left for the identifier that is under way when the time is up, for the request's body and for the response.
"""

from typing import Final

from coolid.errors import LineNotTried
from coolid.ports import Clock, ProcessorClock

MOST_KEYS: Final = 500
MOST_MILLISECONDS: Final = 5_000
MOST_PROCESSOR_SECONDS: Final = 0.5
MOST_RESPONSE_BYTES: Final = 4_000_000
"""Bytes of results after which nothing more is tried: the response of a Lambda function has at most 6 MB."""
MOST_SUGGESTION_KEYS: Final = 25
"""Keys that the refusal of one identifier reads in search of near ones that exist."""
MOST_SUGGESTING: Final = 4
"""Refused identifiers of one request that have suggestions."""


class Budget:
    """What is left of the limits that all identifiers of one request share. It serves one thread, for one request."""

    def __init__(
        self,
        clock: Clock,
        processor: ProcessorClock,
        *,
        keys: int = MOST_KEYS,
        milliseconds: int = MOST_MILLISECONDS,
        processor_seconds: float = MOST_PROCESSOR_SECONDS,
        response_bytes: int = MOST_RESPONSE_BYTES,
    ) -> None:
        self.keys = keys
        self._clock = clock
        self._processor = processor
        self._until = clock.milliseconds() + milliseconds
        self._processor_until = processor.seconds() + processor_seconds
        self._response_bytes = response_bytes
        self._suggesting = MOST_SUGGESTING

    def check(self) -> None:
        """Raise `LineNotTried` if the response is full, or the wall time or the processor time is used up."""
        if self._response_bytes <= 0:
            raise LineNotTried("room")
        if self._clock.milliseconds() >= self._until or self._processor.seconds() >= self._processor_until:
            raise LineNotTried("time")

    def charge(self, keys: int) -> None:
        """Take this many keys off before they are read; `LineNotTried`, and nothing is charged, if too few are left."""
        self.check()
        if keys > self.keys:
            raise LineNotTried("read capacity")
        self.keys -= keys

    def fill(self, size: int) -> None:
        """Take the bytes of a result off the room of the response; the last one may be larger than what is left."""
        self._response_bytes -= size

    def suggestion_keys(self) -> int:
        """The most keys that the refusal of the next identifier may read for suggestions."""
        return MOST_SUGGESTION_KEYS if self._suggesting > 0 else 0

    def refuse(self) -> None:
        """Count a refused identifier: only the first few have suggestions."""
        self._suggesting -= 1
