"""Every kind of page is valid HTML according to html-validate (https://html-validate.org/).

`validate.mjs` lists the disabled rules with reasons.
"""

import json
import subprocess
from collections.abc import Mapping
from urllib.parse import quote

from tests.browser.conftest import HERE
from tests.support.builders.naughty_strings import ALL
from tests.support.builders.page_catalog import BROWSER, Catalogue
from tests.support.servers.coolid_server import Server

FEW = [text for text in ALL if set(text) & set("<>\"'&`")][::4]
"""Some that have what means something in markup."""


def judged(pages: Mapping[str, str]) -> list[str]:
    """What is wrong with pages, and with how many."""
    lines = "".join(json.dumps({"name": name, "page": page}) + "\n" for name, page in pages.items())
    command = ["node", "validate.mjs"]
    ended = subprocess.run(command, cwd=HERE, input=lines, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, list[str]] = {}
    for each in map(json.loads, ended.stdout.splitlines()):
        found.setdefault(each["told"], []).append(each["name"])
    return [f"{returned} in {len(names)}, such as {names[0]}" for returned, names in found.items()]


def page(server: Server, path: str) -> str:
    """A page as it is sent."""
    reply = server.request("GET", path, headers={"Accept": BROWSER})
    assert reply.media_type == "text/html", (path, reply)
    return reply.text


def test_a_judge_that_finds_nothing_would_be_none() -> None:
    assert judged({"bad": "<!doctype html><title>x</title><p id=a id=a><div onclick='x()'></p>"})


def test_every_kind_of_page_is_valid(server: Server, catalogue: Catalogue) -> None:
    wrong = judged({name: page(server, kind.path) for name, kind in catalogue.kinds.items()})
    assert not wrong, "\n".join(wrong)


def test_so_are_pages_that_contain_anything(server: Server) -> None:
    pages = {}
    for number, text in enumerate(FEW):
        pid = server.mint(metadata={"what": text, "who": text, "odd": [text, {"inner": text}]}).json()["pid"]
        pages[f"record {number}: {text}"] = page(server, pid.removeprefix(server.url) + "?format=html")
        pages[f"home {number}: {text}"] = page(server, f"/?q=%3C{quote(text[:500], safe='')}")
        pages[f"refusal {number}: {text}"] = page(server, f"/nothing:{quote(text[:500], safe='')}")
    wrong = judged(pages)
    assert not wrong, "\n".join(wrong)
