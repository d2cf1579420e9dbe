"""Building what is deployed as `sam build` does, and running it as Lambda does: on Python 3.13 with boto3, alone."""

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
from pathlib import Path
from typing import Any

from tests.infra.cloudformation import load
from tests.systems import Answer, answer_of

ROOT = Path(__file__).parents[2]
VENDOR = ROOT / "layers" / "vendor"
# What is fetched for these tests, kept between runs; each entry is named after what it was made from.
CACHE = ROOT / ".venv-runtime"
ARCHITECTURE = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
CAN_RUN = ARCHITECTURE is not None and platform.libc_ver()[0] == "glibc"
FUNCTIONS = ["Resolve", "Mint", "Manage", "Purge"]
# The layers that hold libraries, and the pins that each is made from.
PINS = {"Vendor": "vendor.txt", "Writing": "writing.txt"}
# The Lambda runtime brings boto3 and what it depends on; the layers leave them out.
RUNTIME = ["boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3"]

# A read that the store has not answered in time is tried again, as its 503 asks for: the machine may be a slow one.
RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import handler
loaded = sorted(sys.modules)
answers = []
for event in json.loads(sys.argv[2]):
    for _ in range(5):
        answer = handler.handler(event, None)
        if answer["statusCode"] != 503 or event["httpMethod"] != "GET":
            break
    answers.append(answer)
print(json.dumps({"loaded": loaded, "answers": answers}))
"""


def python313() -> str | None:
    """The path of CPython 3.13, on PATH or below pyenv's root; tried by running it, as a name may be an empty shim."""
    candidates = ["python3.13"]
    pyenv = shutil.which("pyenv")
    if pyenv:
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        candidates += [str(path) for path in sorted(Path(root, "versions").glob("3.13.*/bin/python3.13"))]
    question = "import sys; print(sys.implementation.name, *sys.version_info[:2], sys.executable)"
    for candidate in candidates:
        try:
            answer = subprocess.run([candidate, "-c", question], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if answer.stdout.startswith("cpython 3 13 "):
            return answer.stdout.removeprefix("cpython 3 13 ").strip()
    return None


def run(*command: str | Path) -> None:
    # Without what a surrounding `make` hands down: these are builds of their own.
    environment = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def once(name: str, made_from: str, make: Callable[[Path], None]) -> Path:
    """A folder of the cache, made when it is not there; it appears whole or not at all."""
    path = CACHE / f"{name}-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}"
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


def runtime_requirements() -> str:
    """The lock's entries of what the Lambda runtime brings."""
    return "\n".join(entry for entry in entries(ROOT / "requirements.lock") if name_of(entry) in RUNTIME) + "\n"


def install_runtime(target: Path) -> None:
    requirements = target / "requirements.txt"
    requirements.write_text(runtime_requirements(), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    run(*pip, "--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement", requirements, "--target", target)


def install_libraries(layer: str) -> Path:
    """A layer of libraries, built for this machine's processor."""
    sources = [VENDOR / name for name in ("Makefile", PINS[layer], f"{ARCHITECTURE}/platforms")]
    options = [f"ARCH={ARCHITECTURE}", f"PYTHON={sys.executable}"]

    def build(target: Path) -> None:
        run("make", "-C", VENDOR, f"build-{layer}Layer", *options, f"ARTIFACTS_DIR={target}")

    made_from = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    return once(f"{layer.lower()}-{ARCHITECTURE}", made_from, build)


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

    @classmethod
    def into(cls, base: Path) -> "Built":
        for name in FUNCTIONS:
            run("make", "-C", ROOT / "functions", f"build-{name}Function", f"ARTIFACTS_DIR={base / name}")
        run("make", "-C", ROOT / "layers/core", "build-CoreLayer", f"ARTIFACTS_DIR={base / 'Core'}")
        libraries = {layer: install_libraries(layer) for layer in PINS}
        return cls({name: base / name for name in FUNCTIONS}, {"Core": base / "Core"} | libraries)

    def path_of(self, function: str) -> list[Path]:
        """What Lambda puts on a function's path, but for what the runtime brings."""
        return [self.functions[function], *(self.layers[layer] / "python" for layer in layers_of(function))]


@dataclass(frozen=True)
class Outcome:
    """The modules that importing a handler loaded, and what it then answered to each event."""

    loaded: set[str]
    answers: list[Answer]


def run_alone(
    interpreter: str,
    path: Iterable[Path],
    environment: Mapping[str, str],
    events: Iterable[dict[str, Any]],
    compiled: Path,
) -> Outcome:
    """Import a function's handler in a Python of its own, and let it answer events.

    What is compiled is kept below `compiled`, for the next to start sooner; what is deployed stays as it is.
    """
    places = json.dumps([str(place) for place in path])
    # -I and -S: no environment, no user or site packages, not even the working directory.
    options = ["-I", "-S", "-X", f"pycache_prefix={compiled}"]
    command = [interpreter, *options, "-c", RUN, places, json.dumps(list(events))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    return Outcome(set(outcome["loaded"]), [answer_of(answer) for answer in outcome["answers"]])
