"""Node, where scripts that browsers and the edge run are run by tests."""

import os
import shutil

import pytest


def node(purpose: str) -> str:
    """The program. Without it the test is skipped, but where `COOLID_CI` is set it fails."""
    found = shutil.which("node")
    if found is None:
        reason = f"node is needed to run {purpose}, and is not on PATH (version 18 or later)"
        if os.environ.get("COOLID_CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found
