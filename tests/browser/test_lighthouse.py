"""Lighthouse's scores of pages on a phone: accessibility, best practices, search engines, and moving content.

The score for performance is a time, so it is only recorded: make test-browser ARGS='-k lighthouse --junitxml=x.xml'.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from coolid.local.service_files import SITE
from tests.browser.conftest import SWITCHES, TOOLS, executable
from tests.support.servers.coolid_server import Server

# Not the first page of prefixes, because a link to the prefix "go" is not descriptive enough for Lighthouse.
PAGES = (
    "/", "/2021/06/demo/tw0t-ywdj-94?format=html", "/pages/prefixes?page=2", "/pages/mint", "/pages/api", "/docs/",
    "/docs/tutorial/",
)  # fmt: skip
PERFECT = ("accessibility", "best-practices", "seo")
STABLE = "cumulative-layout-shift"
TRIES = 3
"""Lighthouse sometimes fails to record how a page loads, and then says nothing about the page."""


@pytest.mark.parametrize("path", PAGES)
def test_scores_are_perfect(
    path: str, server: Server, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    assert (SITE / "index.html").exists(), "make docs builds the site"
    report = tmp_path / "report.json"
    command = [
        str(TOOLS / ".bin" / "lighthouse"),
        server.url + path,
        "--quiet",
        "--output=json",
        f"--output-path={report}",
        f"--chrome-flags=--headless {' '.join(SWITCHES)}",
    ]
    environment = {"CHROME_PATH": executable(), "PATH": "/usr/bin:/bin"}
    for _ in range(TRIES):
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    scores = {name: each["score"] for name, each in found["categories"].items()}
    record_property("performance", scores["performance"])
    imperfect = [
        each["id"]
        for name in PERFECT
        for each in found["categories"][name]["auditRefs"]
        if each["weight"] and found["audits"][each["id"]]["score"] not in (None, 1)
    ]
    assert [scores[name] for name in PERFECT] == [1, 1, 1], imperfect
    assert found["audits"][STABLE]["score"] >= 0.95
