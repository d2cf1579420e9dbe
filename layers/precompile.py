#!/usr/bin/env python3
"""Compile a package for Lambda's Python, beside its sources: layers/precompile.py FOLDER PLACE [LEFT_OUT...]

Lambda unpacks functions and layers where nothing can be written, so that Python would compile what it imports again on
each cold start. PLACE is where Lambda unpacks FOLDER: tracebacks name it, and nothing of the machine that builds.
LEFT_OUT are the folders and modules below FOLDER, as paths from there, that are not compiled.

Any Python 3 may run this; the work is done by a CPython 3.13, of any processor. Where there is none the package stays
as it is: it works, but starts later.
"""

import importlib.util
import marshal
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

# PEP 552: the module belongs to a source with this hash, and nobody need compare, as the two never part.
UNCHECKED_HASH = (0b01).to_bytes(4, "little")
WITHOUT = (
    "coolid: no CPython 3.13 on PATH or below pyenv's root, so the package carries no compiled modules;"
    " the first answer of each cold start takes some 50 ms longer"
)


def candidates() -> Iterator[str]:
    """What may be CPython 3.13: this one, the one of that name on PATH, and pyenv's."""
    yield from (sys.executable, "python3.13")
    root = Path(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"))  # noqa: PTH111 - there may be no home
    yield from (str(path) for path in sorted(root.glob("versions/3.13.*/bin/python3.13")))


def python313() -> str | None:
    """The path of a CPython 3.13; candidates are tried by running them, as a name may be an empty shim."""
    question = "import sys; print(sys.implementation.name, *sys.version_info[:2], sys.executable)"
    expected = "cpython 3 13 "
    for candidate in candidates():
        try:
            answer = subprocess.run([candidate, "-c", question], capture_output=True, text=True, check=False).stdout
        except OSError:
            continue
        if answer.startswith(expected):
            return answer.removeprefix(expected).strip()
    return None


def compiled(source: bytes, name: str) -> bytes:
    """The content of the .pyc file of a module (PEP 552)."""
    header = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source)
    return header + marshal.dumps(compile(source, name, "exec", dont_inherit=True))


def compile_below(folder: Path, place: str, left_out: Collection[str]) -> None:
    """Compile each module below `folder`, under the name that it has below `place`.

    The same source gives the same bytes, whatever else is there, wherever and whenever: marshal marks what is referred
    to more than once just then, by whatever the process holds, so that each module has a process of its own.
    """
    for path in sorted(folder.rglob("*.py")):
        if any(path.is_relative_to(folder / each) for each in left_out):
            continue
        child = os.fork()
        if not child:
            target = Path(importlib.util.cache_from_source(str(path)))
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(compiled(path.read_bytes(), f"{place}/{path.relative_to(folder).as_posix()}"))
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(f"coolid: {path} was not compiled")


def main(folder: str, place: str, *left_out: str) -> None:
    """Do it in a bare Python 3.13, which is this one if it was started so."""
    if sys.flags.isolated and sys.flags.no_site:
        compile_below(Path(folder), place, left_out)
    elif found := python313():
        # Without the columns of each instruction, which only the ^^^^ of tracebacks tell: a tenth less to load.
        subprocess.run([found, "-I", "-S", "-X", "no_debug_ranges", __file__, folder, place, *left_out], check=True)
    else:
        print(WITHOUT)


if __name__ == "__main__":
    main(*sys.argv[1:])
