"""The stored citations of `tests/citation_styles` are those of citeproc-js; `make test-clients` installs it.

To store them anew after a change of the works or styles: `COOLID_CLIENTS=write make test-clients ARGS='-k citeproc'`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import citeproc
import pytest

from coolid.citation_styles.processor import FOLDER

HERE = Path(__file__).parent
WORKS = HERE.parent / "citation_styles" / "works.json"
STORED = HERE.parent / "citation_styles" / "citations.json"

pytestmark = pytest.mark.skipif(not os.environ.get("COOLID_CLIENTS"), reason="it needs npm: make test-clients")


def test_stored_citations_are_those_of_citeproc_js() -> None:
    node = shutil.which("node")
    assert node is not None
    command = [node, HERE / "citations.mjs", WORKS, FOLDER, citeproc.LOCALES_PATH, "en-US,en-GB,de-DE,fr-FR"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, encoding="utf-8", check=True, timeout=300)
    if os.environ["COOLID_CLIENTS"] == "write":
        STORED.write_text(done.stdout, encoding="utf-8")
    assert done.stdout == STORED.read_text(encoding="utf-8")
