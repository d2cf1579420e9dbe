"""What Lambda would be given, built, and run with what it brings itself: its Python, boto3 and the runtime client."""

from functools import cache
from pathlib import Path
from typing import Final

from scripts.benchmark.results import Missing
from tests.packaging.layer_builds import CAN_RUN, Built, python313, runtime

LAMBDAS: Final = Path(__file__).parent / "lambdas"
_FOLDER: Final = "built"


def interpreter() -> str:
    """Lambda's Python. Raises `Missing`."""
    found = python313() if CAN_RUN else None
    if found is None:
        raise Missing("no CPython 3.13 on PATH or below pyenv's root, on Linux with glibc on x86_64 or arm64")
    return found


@cache
def built(scratch: Path) -> Built:
    """The functions and layers as they are deployed, built into the folder of a run. Raises `Missing`."""
    interpreter()
    return Built.into(scratch / _FOLDER)


def path_of(scratch: Path, function: str) -> list[Path]:
    """Return the path of a function as Lambda sets it: for one of coolid's (`Resolve`) or one of `lambdas` (`boto`)."""
    if function.istitle():
        return [*built(scratch).path_of(function), runtime()]
    layers = [built(scratch).layers["Writing"] / "python"] if function == "powertools" else []
    return [LAMBDAS / function, *layers, runtime()]
