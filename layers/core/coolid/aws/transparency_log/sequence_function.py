"""The sequence function's event, of the schedule: it sweeps, and adds the waiting entries to the log."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from coolid.errors import SignerUnavailable
from coolid.log.sequencer import Sequencer
from coolid.log.sweep import Sweep
from coolid.metric_names import LOG_ENTRIES, LOG_WAIT, SIGNER_ERROR
from coolid.ports import Clock, Count, Log

RESERVE_SECONDS: Final = 20.0
"""Time left for the batch that is being added when the time ends, with its witnesses."""

Event = Mapping[str, Any]


class SequenceFunction:
    """Handles the events. `require_own_log` raises an error if the log of the service is not the one to grow."""

    def __init__(
        self,
        sequencer: Sequencer,
        sweep: Sweep,
        require_own_log: Callable[[], None],
        clock: Clock,
        log: Log,
        count: Count,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._sequencer = sequencer
        self._sweep = sweep
        self._require_own_log = require_own_log
        self._clock = clock
        self._log = log
        self._count = count
        self._seconds = seconds

    def __call__(self, event: Event, remaining: float) -> dict[str, Any]:
        """Handle an event in `remaining` seconds; return the size of the published log.

        Raises all errors; the next event does the same work. The log grows although the sweep fails. If it grows, the
        wait of the oldest entry is counted.
        """
        if event.get("source") != "aws.events":
            raise ValueError("the event does not come from the schedule")
        until = self._seconds() + remaining - RESERVE_SECONDS
        try:
            self._require_own_log()
            return {"size": self._publish(until)}
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            self._log.error("the run of the sequencer failed", extra={"reason": reason})
            if isinstance(error, SignerUnavailable):
                self._count(SIGNER_ERROR)
            raise

    def _publish(self, until: float) -> int:
        """Sweep and add batches while there is time. Return the log's size."""
        wait, failure, goes_on = 0, None, True
        while goes_on:
            try:
                goes_on = self._sweep.run()
            except Exception as error:  # noqa: BLE001 - it is raised at the end
                failure, goes_on = error, False
            size, later = self._grow(until)
            wait, goes_on = max(wait, later), goes_on and self._seconds() < until
        self._count(LOG_WAIT, wait)
        if failure is not None:
            raise failure
        return size

    def _grow(self, until: float) -> tuple[int, int]:
        """Add batches while entries wait and there is time. Return the log's size and the longest wait in seconds."""
        wait = 0
        while True:
            progress = self._sequencer.run()
            if progress.since is not None:
                wait = max(wait, (self._clock.milliseconds() - progress.since) // 1000)
            if progress.added:
                self._count(LOG_ENTRIES, progress.added)
            if not progress.has_more or self._seconds() >= until:
                return progress.size, wait
