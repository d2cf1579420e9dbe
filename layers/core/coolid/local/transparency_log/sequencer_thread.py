"""The thread that adds waiting entries to the transparency log, and sweeps for missing ones.

It looks for new entries every second. With many, it pauses for as long as it works, so that requests hardly take longer
meanwhile: a log of an earlier release's database grows by some thousand entries a second.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final

from coolid.errors import SignerUnavailable, StoreUnavailable
from coolid.local.shutdown import StoppableThread
from coolid.log.sequencer import InconsistentLog, Sequencer
from coolid.log.sweep import Sweep

IDLE_SECONDS: Final = 1.0
"""The time after which new entries are looked for."""
BUSY_SECONDS: Final = 0.1
"""The shortest pause while entries wait. Runs that end at once, because another process publishes, are then few."""
PAUSE_SECONDS: Final = 10.0
"""The time after a failure. Two minutes may pass until a version is in the log."""


class SequencerThread(StoppableThread):
    """Runs a sequencer and a sweep until it is stopped, after the current batch.

    `warn` receives a sentence about each failure.
    """

    def __init__(self, sequencer: Sequencer, sweep: Sweep, warn: Callable[[str], None]) -> None:
        super().__init__("transparency log")
        self._sequencer = sequencer
        self._sweep = sweep
        self._warn = warn

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            begun = monotonic()
            try:
                has_more = self._sequencer.run().has_more or self._sweep.run()
                pause = max(BUSY_SECONDS, monotonic() - begun) if has_more else IDLE_SECONDS
            except (StoreUnavailable, SignerUnavailable) as error:
                self._warn(f"the transparency log was not extended, will try again: {error}")
                pause = PAUSE_SECONDS
            except InconsistentLog as error:
                self._warn(f"the transparency log cannot be extended until its files are restored: {error}")
                pause = PAUSE_SECONDS
            except Exception as error:  # noqa: BLE001 - nothing else would start this thread again
                self._warn(f"the transparency log was not extended, will try again: {error!r}")
                pause = PAUSE_SECONDS
