"""The tutorial, executed as it is written: its commands run in one shell, and print what it shows.

A page's blocks `sh` are commands, and a block `text` after one is what it prints at a terminal. Identifiers, keys,
times and line breaks may differ, and `…` stands for any text.
"""

import os
import pty
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from coolid.local import bioregistry_prefixes
from tests.support.builders.samples import ROOT, provider_prefix
from tests.support.servers.coolid_server import COMMAND, Server, serving

FOLDER = ROOT / "docs" / "tutorial"
PUBLISHED = "http://127.0.0.1:8080"
END = "end of the block"

_BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARYING = (
    (r"[0-9a-z]{4}-[0-9a-z]{4}-\d\d", "ID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"(?<=TIME)[0-9a-z]{8}(?=active)", "KEY"),
    (r"─+", "─"),
)


def steps(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page's blocks, each with what is shown below it or nothing."""
    found: list[tuple[str, str]] = []
    for kind, content in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "sh":
            found.append((content, ""))
        else:
            assert not found[-1][1], f"two outputs follow each other: {content}"
            found[-1] = (found[-1][0], content)
    return found


def shape(text: str, url: str = PUBLISHED) -> str:
    """Return a text without white space, identifiers and times, with `url` as it is in the tutorial."""
    text = re.sub(r"\s", "", text).replace(url, PUBLISHED)
    for pattern, name in _VARYING:
        text = re.sub(pattern, name, text)
    return text


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tutorial")
    term = provider_prefix("go", "http://purl.obolibrary.org/obo/GO_{$id}")
    bioregistry_prefixes.write_cache(folder / ".local", [term])
    with serving(folder) as running:
        yield running


def outputs(commands: list[str], server: Server) -> list[str]:
    """Run the blocks in one shell with a terminal, and return what each prints.

    Fails if a block's last command exits with more than 1, by which `coolid` says that the answer is no.
    """
    lines = "".join(f"{each}\n[ $? -le 1 ] && echo {END}\n" for each in commands)
    (server.folder / "steps.sh").write_text(lines.replace(PUBLISHED, server.url), encoding="utf-8")
    environment = {
        "HOME": str(server.folder), "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb",
        "LANG": "C.UTF-8", "PYTHONUTF8": "1", "COLUMNS": "80",
    }  # fmt: skip
    ours, terminal = pty.openpty()
    command = ["sh", "steps.sh"]
    with subprocess.Popen(
        command, cwd=server.folder, env=environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal
    ):
        os.close(terminal)
        text = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    printed = text.split(f"{END}\r\n")
    assert len(printed) == len(commands) + 1, f"a command failed: {text}"
    return printed[:-1]


def _read(terminal: int) -> bytes:
    """Return what was printed, or nothing at the end, which Linux reports as an error."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


def test_every_command_of_the_tutorial_works_and_prints_what_it_shows(server: Server) -> None:
    start, *rest = steps(FOLDER / "index.md")
    assert start[0] == "make run\n"
    assert start[1].startswith("Serving on ")
    more = steps(FOLDER / "tour.md")
    printed = outputs([command for command, _ in (*rest, *more)], server)
    for (command, shown), actual in zip((*rest, *more), printed, strict=True):
        assert "/problems/" not in actual, f"{command} printed\n{actual}"
        if shown:
            pattern = ".*".join(re.escape(each) for each in shape(shown).split("…"))
            assert re.fullmatch(pattern, shape(actual, server.url)), f"{command} printed\n{actual}"
