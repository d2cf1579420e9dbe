"""The start of the transparency log of the standalone service."""

from collections.abc import Callable, MutableMapping
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Final

from coolid.aws import key_file
from coolid.aws.settings import LOG_KEY_FILE, Settings
from coolid.local.listeners import WarningLog, write_error_line
from coolid.local.transparency_log.sequencer_thread import SequencerThread
from coolid.wiring.log_access import open_log_access
from coolid.wiring.log_sequencer import build_sequencer, build_sweep
from coolid.wiring.write_access import open_store, prover

REPETITION_SECONDS: Final = 3600.0
MAX_SENTENCES: Final = 1_000


def provide_log_key(environment: MutableMapping[str, str], file: Path, *, may_create: bool) -> Path | None:
    """Set the log's key in the environment: the configured one, or the key in the file, created if it `may_create`.

    Return the file if it was created. Checkpoints of another key do not verify, so each start uses the same one.
    Without a key there is no log.
    """
    if environment.get(LOG_KEY_FILE):
        return None
    is_new = not file.exists()
    if may_create:
        key_file.ensure_note_key(file)
    if may_create or not is_new:
        environment[LOG_KEY_FILE] = str(file)
    return file if is_new and may_create else None


def without_repetition(warn: Callable[[str], None], clock: Callable[[], float] = monotonic) -> Callable[[str], None]:
    """Return a function that passes each sentence to `warn` once an hour, because runs repeat what they cannot do.

    >>> lines = []
    >>> warn = without_repetition(lines.append, iter([0, 1, 2, 3602]).__next__)
    >>> for sentence in ("late", "late", "full", "late"):
    ...     warn(sentence)
    >>> lines
    ['late', 'full', 'late']
    """
    written: dict[str, float] = {}

    def write(sentence: str) -> None:
        now = clock()
        if now - written.get(sentence, now - REPETITION_SECONDS) < REPETITION_SECONDS:
            return
        if len(written) >= MAX_SENTENCES:
            written.clear()
        written[sentence] = now
        warn(sentence)

    return write


def start_sequencer(settings: Settings, ends: ExitStack) -> None:
    """Start the sequencer, and let `ends` stop it. Does nothing without a log, or if the service is read-only."""
    access = None if settings.read_only else open_log_access(settings)
    if access is None:
        return
    store = open_store(settings)
    warn = without_repetition(write_error_line)
    log = WarningLog("the transparency log", warn)
    sequencer = build_sequencer(access, store, prover(settings, store), settings.public_base_url, log)
    thread = SequencerThread(sequencer, build_sweep(access, store), warn)
    thread.start()
    ends.callback(thread.stop)
