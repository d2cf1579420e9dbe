"""The recorder: runs the sections in order over one service."""

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.answers.determinism import Clock, Entropy, install
from scripts.answers.service import run_service
from scripts.answers.session import Recording, Session
from scripts.answers.stack import ROOT

Section = Callable[[Session], None]


def record(path: Path, sections: Sequence[Section], *, root: Path = ROOT, brief: bool = False) -> Recording:
    """Run the sections over the code of a checkout and write the recording.

    The sources of time and random numbers stay replaced: the process is of no other use afterwards. Raises
    `RuntimeError` if an answer contains the real date, which a replaced clock cannot give.
    """
    today = time.strftime("%Y-%m-%d", time.gmtime())
    clock, entropy = Clock(), Entropy()
    logging.disable(logging.CRITICAL)
    install(clock, entropy)
    recording = Recording(path, today)
    with tempfile.TemporaryDirectory() as folder, run_service(root, Path(folder)) as service:
        session = Session(service, recording, clock, entropy, brief=brief)
        for section in sections:
            section(session)
    recording.close()
    return recording
