"""Builds the packages as `sam build` does, and runs them as Lambda does: on Python 3.13 with boto3, alone.

The imports of a handler are listed without those of Lambda's own client.
"""

import atexit
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.infra.cloudformation import load
from tests.support.fixtures.system import Answer, answer_of

ROOT = Path(__file__).parents[2]
VENDOR = ROOT / "layers" / "vendor"
# What is fetched for these tests, kept between runs; each entry is named after what it was made from.
CACHE = ROOT / ".venv-runtime"
ARCHITECTURE = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
CAN_RUN = ARCHITECTURE is not None and platform.libc_ver()[0] == "glibc"
FUNCTIONS = ["Resolve", "Cite", "Mint", "Manage", "Index", "Sequence", "Purge", "Redirects", "Probe"]
# The layers that hold the package, but for the processor of citations.
CORE = ["Core", "CoreWriting"]
# The layers that hold libraries, and the pins that each is made from.
PINS = {"Vendor": "vendor.txt", "Writing": "writing.txt", "Citation": "citation.txt", "Signing": "signing.txt"}
# The Lambda runtime brings boto3 and what it depends on; the layers leave them out.
RUNTIME = ["boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3"]
# The client that asks Lambda for events and hands them to the handler, and what it depends on.
CLIENT = ["awslambdaric", "simplejson", "snapshot-restore-py"]

# A read that the store has not answered in time is tried again, as its 503 asks for: the machine may be a slow one.
RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import awslambdaric.__main__
brought = set(sys.modules)
import handler
answers = []
for event in json.loads(sys.argv[2]):
    for _ in range(5):
        answer = handler.handler(event, None)
        if answer["statusCode"] != 503 or event["httpMethod"] != "GET":
            break
    answers.append(answer)
print(json.dumps({"loaded": sorted(set(sys.modules) - brought), "answers": answers}))
"""

PRECOMPILE = ROOT / "layers" / "precompile.py"
STRIP = ROOT / "layers" / "strip.py"
precompile, strip = ModuleType("precompile"), ModuleType("strip")
SourceFileLoader("precompile", str(PRECOMPILE)).exec_module(precompile)
SourceFileLoader("strip", str(STRIP)).exec_module(strip)


@cache
def python313() -> str | None:
    """The path of a CPython 3.13, if the building machine has one."""
    path: str | None = precompile.python313()
    return path


def run(*command: str | Path) -> None:
    # Without what a surrounding `make` hands down: these are builds of their own.
    environment = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def once(name: str, sources: Iterable[str], make: Callable[[Path], None]) -> Path:
    """A folder of the cache, made when it is not there; it appears whole or not at all.

    It is made from these texts, for this machine's processor, and compiled by the Python 3.13 that there is.
    """
    made_from = "\n".join([*sources, PRECOMPILE.read_text(encoding="utf-8"), platforms(), str(python313())])
    path = CACHE / f"{name}-{ARCHITECTURE}-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=CACHE))
        try:
            make(scratch)
            scratch.rename(path)
        except OSError:
            assert path.exists(), "another run was quicker, or this folder cannot be written"
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return path


def entries(pins: Path) -> list[str]:
    """The entries of a lock, hashes included."""
    return re.findall(r"^\S.*(?:\n[ ]+.*)*", pins.read_text(encoding="utf-8"), re.MULTILINE)


def name_of(entry: str) -> str:
    return entry.partition("==")[0]


def platforms() -> str:
    """Tags of the wheels that Lambda takes on this machine's processor, one a line."""
    return (VENDOR / f"{ARCHITECTURE}/platforms").read_text(encoding="utf-8")


def runtime_requirements() -> str:
    """The locks' entries of what the Lambda runtime brings."""
    wanted = {"requirements.lock": RUNTIME, "requirements-localstack.lock": CLIENT}
    found = [entry for lock, names in wanted.items() for entry in entries(ROOT / lock) if name_of(entry) in names]
    return "\n".join(found) + "\n"


def runtime() -> Path:
    """What the Lambda runtime puts on a function's path, compiled as it is there."""
    wanted = runtime_requirements()

    def install(target: Path) -> None:
        requirements = target / "requirements.txt"
        requirements.write_text(wanted, encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
        lambdas = ["--implementation", "cp", "--python-version", "3.13"]
        lambdas += [f"--platform={tag}" for tag in platforms().split()]
        checked = ["--require-hashes", "--no-deps", "--only-binary=:all:"]
        run(*pip, *lambdas, *checked, "--requirement", requirements, "--target", target)
        run(sys.executable, PRECOMPILE, target, "/var/lang/lib/python3.13/site-packages")

    return once("runtime", [wanted], install)


def install_libraries(layer: str) -> Path:
    """A layer of libraries, built for this machine's processor."""
    sources = [VENDOR / "Makefile", VENDOR / PINS[layer], STRIP]
    options = [f"ARCH={ARCHITECTURE}", f"PYTHON={sys.executable}"]

    def build(target: Path) -> None:
        run("make", "-C", VENDOR, f"build-{layer}Layer", *options, f"ARTIFACTS_DIR={target}")

    return once(layer.lower(), [source.read_text(encoding="utf-8") for source in sources], build)


def layers_of(function: str) -> list[str]:
    """The layers that the template gives a function, in their order: those of all functions, then its own."""
    template = load()
    own = template["Resources"][f"{function}Function"]["Properties"].get("Layers", [])
    return [layer["Ref"].removesuffix("Layer") for layer in template["Globals"]["Function"]["Layers"] + own]


@dataclass(frozen=True)
class Built:
    """One folder for each function, and one for each layer with what Lambda unpacks below /opt."""

    functions: Mapping[str, Path]
    layers: Mapping[str, Path]

    @staticmethod
    def fill(base: Path) -> None:
        """Build the functions and the layers of the package in a folder."""
        for name in FUNCTIONS:
            run("make", "-C", ROOT / "functions", f"build-{name}Function", f"ARTIFACTS_DIR={base / name}")
        for layer in CORE:
            run("make", "-C", ROOT / "layers/core", f"build-{layer}Layer", f"ARTIFACTS_DIR={base / layer}")

    @classmethod
    def into(cls, base: Path) -> "Built":
        """Build everything in a folder."""
        cls.fill(base)
        return cls.within(base)

    @classmethod
    def within(cls, base: Path) -> "Built":
        """Return what was built in a folder, with the layers of libraries."""
        libraries = {layer: install_libraries(layer) for layer in PINS}
        return cls({name: base / name for name in FUNCTIONS}, {layer: base / layer for layer in CORE} | libraries)

    def path_of(self, function: str) -> list[Path]:
        """What Lambda puts on a function's path, but for what the runtime brings.

        Lambda unpacks the layers over each other. Here only those with a package in common are.
        """
        layers = [self.layers[layer] / "python" for layer in layers_of(function)]
        names = [each.name for layer in layers for each in layer.iterdir()]
        if len(set(names)) == len(names):
            return [self.functions[function], *layers]
        whole = CACHE / f"opt-{function}-{os.getpid()}"
        for layer in layers:
            shutil.copytree(layer, whole, dirs_exist_ok=True)
        atexit.register(shutil.rmtree, whole, ignore_errors=True)
        return [self.functions[function], whole]


@dataclass(frozen=True)
class Outcome:
    """What a handler answered to each event; the modules that were imported for it, beside those that Lambda's client
    has imported before it; and what `-X importtime` said, if it was asked."""

    loaded: set[str]
    answers: list[Answer]
    said: str


Ask = Callable[..., Outcome]
"""Give events to a function, named as `Built.functions` names it."""


def run_alone(
    interpreter: str,
    path: Iterable[Path],
    environment: Mapping[str, str],
    events: Iterable[dict[str, Any]],
    *,
    timing: bool = False,
) -> Outcome:
    """Import a function's handler in a Python of its own, and let it answer events; what is deployed stays as it is."""
    places = json.dumps([str(place) for place in path])
    # -I and -S: no environment, no user or site packages, not even the working directory.
    options = ["-I", "-S", "-B", *(["-X", "importtime"] if timing else [])]
    command = [interpreter, *options, "-c", RUN, places, json.dumps(list(events))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    return Outcome(set(outcome["loaded"]), [answer_of(answer) for answer in outcome["answers"]], done.stderr)
