"""The page on the Python API: its programs run, and it has every public name."""

import re
from typing import Any

import pytest

import coolid
from tests.support.builders.samples import ROOT
from tests.support.servers.coolid_server import Server

PAGE = (ROOT / "docs" / "reference" / "python-api.md").read_text(encoding="utf-8")
PUBLISHED = "http://127.0.0.1:8080"


def test_its_programs_run_one_after_the_other(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(server.folder)
    names: dict[str, Any] = {}
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) > 5
    for program in programs:
        exec(program.replace(PUBLISHED, server.url), names)  # noqa: S102 - the page is ours


def test_it_has_every_public_name_and_no_other() -> None:
    words = set(re.findall(r"`(?:coolid\.)?([A-Za-z_]+)\b[^`]*`", PAGE))
    assert set(coolid.__all__) - {"__version__"} <= words
    named = {word for word in words if word[0].isupper()} | set(re.findall(r"\bcoolid\.([A-Za-z]\w+)", PAGE))
    assert named - set(coolid.__all__) <= {"None", "Retry", "client", "identifiers"}
