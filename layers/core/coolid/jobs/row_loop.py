"""The loop over the rows of a slice: some rows at once, at a bounded rate, until the time is up or the job is over."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Final, Generic, TypeVar

from coolid.jobs.outcomes import Postponed
from coolid.jobs.rows import Row
from coolid.ports import Clock, Seconds

AT_ONCE: Final = 8
"""The rows in progress at the same time."""
_BATCH: Final = 64
"""The most rows between two looks at the time; fewer at a low rate."""

T = TypeVar("T")


class RowLoop(Generic[T]):
    """Applies a function to rows until the moment `until` of the clock `seconds`, or until `is_over` returns True.

    Afterwards `is_complete` is whether all rows are done, and `postponed` when to try the next one if it has to wait.
    """

    def __init__(
        self, is_over: Callable[[], bool], until: float, clock: Clock, seconds: Seconds, rate: float | None = None
    ) -> None:
        self._is_over = is_over
        self._until = until
        self._clock = clock
        self._seconds = seconds
        self._rate = rate
        self._size = _BATCH if rate is None else max(1, min(_BATCH, int(rate)))
        self.is_complete = False
        self.postponed: Postponed | None = None

    def outcomes(self, rows: Iterator[Row], act: Callable[[Row], T | Postponed]) -> Iterator[list[tuple[Row, T]]]:
        """Yield rows with their outcomes, in their order, some at a time. No row after a postponed one is among them.

        Such a row may be carried out nevertheless, and is then carried out again without effect. The first rows are
        carried out even if the time is up, because otherwise a slice that begins slowly would repeat without end.
        """
        began, count = self._seconds(), 0
        with ThreadPoolExecutor(AT_ONCE) as threads:
            while self._has_time(count) and not self._is_over():
                batch = [*islice(rows, self._size)]
                if not batch:
                    self.is_complete = True
                    return
                done: list[tuple[Row, T]] = []
                for row, outcome in zip(batch, threads.map(lambda row: self._outcome(row, act), batch), strict=True):
                    if isinstance(outcome, Postponed):
                        break
                    done.append((row, outcome))
                yield done
                count += len(batch)
                self._keep_rate(count, began)

    def _has_time(self, count: int) -> bool:
        return self.postponed is None and (count == 0 or self._seconds() < self._until)

    def _outcome(self, row: Row, act: Callable[[Row], T | Postponed]) -> T | Postponed:
        if self.postponed is not None:
            return self.postponed
        outcome = act(row)
        if isinstance(outcome, Postponed):
            self.postponed = outcome
        return outcome

    def _keep_rate(self, count: int, began: float) -> None:
        """Wait as long as the rows were carried out faster than the rate permits."""
        if self._rate is not None:
            ahead = count / self._rate - (self._seconds() - began)
            if ahead > 0:
                self._clock.pause(round(1000 * ahead))
