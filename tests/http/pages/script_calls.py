"""Functions of the pages' scripts, called under Node: `calls([("crockford.lui", 1, 8.0)])` gives `["0000-0001-95"]`.

An `int` goes as a BigInt and comes from one; a `float` goes as a number.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coolid.http.assets import assets
from tests.support.fixtures.tools import node

PROGRAM = Path(__file__).with_name("calls.js")

Calls = Callable[[Sequence[tuple[Any, ...]]], list[Any]]


class Refused(Exception):
    """What a function that throws gives back: the key of its sentence, or its kind."""


@contextmanager
def calls_in(folder: Path) -> Iterator[Calls]:
    """The scripts, copied to a folder where Node takes them for modules; others may be there already."""
    program = node("the pages' scripts")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for name, asset in assets().items():
        if name.endswith(".js"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(asset.content, encoding="utf-8")
    shutil.copy(PROGRAM, folder)
    with subprocess.Popen(
        [program, str(folder / PROGRAM.name)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        sending, coming = process.stdin, process.stdout
        assert sending is not None
        assert coming is not None

        def calls(wanted: Sequence[tuple[Any, ...]]) -> list[Any]:
            requested = [[*function.split("."), *map(_sent, given)] for function, *given in wanted]
            sending.write(json.dumps(requested) + "\n")
            sending.flush()
            answers = json.loads(coming.readline(), object_hook=_come)
            return [Refused(each["refused"]) if "refused" in each else each.get("value") for each in answers]

        yield calls
        sending.close()


def _sent(value: Any) -> Any:
    match value:
        case bool() | float():
            return value
        case int():
            return {"$int": str(value)}
        case dict():
            return {name: _sent(each) for name, each in value.items()}
        case _:
            return value


def _come(members: dict[str, Any]) -> Any:
    return int(members["$int"]) if members.keys() == {"$int"} else members
