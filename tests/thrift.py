"""Thrift: what libraries work out anew for every client or command, and get alike each time, is kept.

A run of the tests makes thousands of AWS clients and of HTTP clients in one process; what costs most about them are
questions to which there is one answer. Nothing here changes an answer. Nor is more said than anybody listens to: of
each of thousands of tests its worker would tell six times.
"""

import gc
import ssl
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from typer.main import get_command

from coolid.local import botocore_sessions

_make_context = ssl.create_default_context
_kept = ExitStack()


def begin() -> None:
    """Keep, from now on to the end of the process."""
    _kept.enter_context(botocore_sessions.shared_caches())
    _kept.enter_context(patch("typer.testing._get_command", cache(get_command)))
    _kept.enter_context(patch("ssl.create_default_context", _context))
    gc.set_threshold(100_000, 20, 20)  # most of what is made goes by itself


def keep_what_there_is() -> None:
    """What there is now stays, and is not looked through again and again in search of what can go."""
    gc.collect()
    gc.freeze()


def say_less(config: pytest.Config) -> None:
    """A worker of pytest-xdist tells how a test ended; that it has begun, and that its preparation and its end went
    well, only to who asked for reports that have it. Of what does not pass everything is told.
    """
    asked = any(config.getoption(option) for option in ("durations", "verbose", "xmlpath"))
    worker = next((each for each in config.pluginmanager.get_plugins() if hasattr(each, "sendevent")), None)
    if worker is None or asked:
        return
    send = worker.sendevent

    def send_what_counts(name: str, **told: Any) -> None:
        report = told.get("data", {})
        all_is_well = name == "testreport" and report["outcome"] == "passed" and report["when"] != "call"
        if name != "logstart" and not all_is_well:
            send(name, **told)

    worker.sendevent = send_what_counts


def _context(purpose: Any = ssl.Purpose.SERVER_AUTH, **trusted: Any) -> ssl.SSLContext:
    """The context that trusts these certificates; reading a whole bundle takes longer than most tests."""
    file = Path(trusted.get("cafile") or "")
    if purpose is not ssl.Purpose.SERVER_AUTH or trusted.keys() != {"cafile"} or not file.is_file():
        return _make_context(purpose, **trusted)
    found = file.stat()
    return _context_of(str(file), found.st_ino, found.st_size, found.st_mtime_ns)


@cache
def _context_of(file: str, *_what_it_is: int) -> ssl.SSLContext:
    return _make_context(cafile=file)
