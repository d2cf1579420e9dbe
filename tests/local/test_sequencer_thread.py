"""The thread of the sequencer: it goes on after each failure, and says what failed."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from coolid.errors import SignerUnavailable, StoreUnavailable
from coolid.local.transparency_log import sequencer_thread
from coolid.local.transparency_log.sequencer_thread import SequencerThread
from coolid.log.sequencer import InconsistentLog, Progress


class Script:
    """Acts as a sequencer and as a sweep: each run has the next outcome, and then nothing remains."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = [*outcomes]
        self.over = Event()

    def run(self) -> Any:
        if not self.outcomes:
            self.over.set()
            return Progress(1)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def run_to_end(script: Script, warn: Callable[[str], None]) -> None:
    sweep: Any = Script()
    sweep.run = lambda: False
    sequencer: Any = script
    thread = SequencerThread(sequencer, sweep, warn)
    thread.start()
    assert script.over.wait(60)
    thread.stop()


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (StoreUnavailable("the disk is full"), "will try again: the disk is full"),
        (SignerUnavailable("no key"), "will try again: no key"),
        (InconsistentLog("the file is missing"), "until its files are restored: the file is missing"),
        (KeyError("created"), "will try again: KeyError('created')"),
    ],
    ids=str,
)
def test_a_failure_is_reported_and_the_next_run_follows(
    failure: Exception, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequencer_thread, "PAUSE_SECONDS", 0.0)
    warnings: list[str] = []
    run_to_end(Script(Progress(1, has_more=True), failure, Progress(2, 1)), warnings.append)
    assert [warning.endswith(text) for warning in warnings] == [True]
