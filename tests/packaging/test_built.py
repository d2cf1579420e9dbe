"""What is deployed works alone: functions and layers, built as `sam build` builds them, on Python 3.13 and boto3."""

import hashlib
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# What is fetched for these tests, kept between runs; each entry is named after what it was made from.
CACHE = ROOT / ".venv-runtime"
ARCHITECTURE = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
FUNCTIONS = ["Resolve", "Mint", "Manage"]
# The Lambda runtime brings boto3 and what it depends on; the vendor layer leaves them out.
RUNTIME = ["boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3"]

pytestmark = [
    pytest.mark.xdist_group("packaging"),  # built once, by one worker
    pytest.mark.skipif(
        ARCHITECTURE is None or platform.libc_ver()[0] != "glibc",
        reason="the vendor layer holds binaries for Linux with glibc on x86_64 and arm64",
    ),
]

RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import handler
loaded = sorted(sys.modules)
events = json.loads(sys.argv[2])
print(json.dumps({"loaded": loaded, "answers": [handler.handler(event, None) for event in events]}))
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


def runtime_requirements() -> str:
    """The lock's entries, hashes included, of what the Lambda runtime brings."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^\S.*(?:\n[ ]+.*)*", lock, re.MULTILINE)
    return "\n".join(entry for entry in entries if entry.partition("==")[0] in RUNTIME) + "\n"


def install_runtime(target: Path) -> None:
    requirements = target / "requirements.txt"
    requirements.write_text(runtime_requirements(), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    run(*pip, "--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement", requirements, "--target", target)


def build_vendor(target: Path) -> None:
    options = [f"ARCH={ARCHITECTURE}", f"PYTHON={sys.executable}", f"ARTIFACTS_DIR={target}"]
    run("make", "-C", ROOT / "layers/vendor", "build-VendorLayer", *options)


@dataclass(frozen=True)
class Built:
    """`functions` holds one folder for each function; a layer has what Lambda unpacks below /opt."""

    functions: Path
    core: Path
    vendor: Path


@dataclass(frozen=True)
class Outcome:
    loaded: set[str]
    answers: list[dict[str, Any]]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    base = tmp_path_factory.mktemp("built")
    for name in FUNCTIONS:
        run("make", "-C", ROOT / "functions", f"build-{name}Function", f"ARTIFACTS_DIR={base / name}")
    run("make", "-C", ROOT / "layers/core", "build-CoreLayer", f"ARTIFACTS_DIR={base / 'core'}")
    sources = [ROOT / "layers/vendor" / name for name in ("Makefile", "requirements.txt", f"{ARCHITECTURE}/platforms")]
    made_from = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    return Built(base, base / "core", once(f"vendor-{ARCHITECTURE}", made_from, build_vendor))


@pytest.fixture(scope="session")
def closed_port() -> Iterator[int]:
    """A loopback port where nothing listens, and nothing will while the tests run."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture(scope="session")
def invoke(built: Built, closed_port: int) -> Callable[..., Outcome]:
    """Import a function's handler in a Python of its own, and let it answer events."""
    interpreter = python313()
    if interpreter is None:
        pytest.skip("no python3.13 on PATH or below pyenv's root, and Lambda's Python is that one")
    runtime = once("runtime", runtime_requirements(), install_runtime)
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{closed_port}",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "PREFIX_TABLE": "prefixes",
        "LUI_TABLE": "luis",
        "CLIENT_TABLE": "clients",
        "COUNTER_TABLE": "counters",
        "SIGNING_KEY_ID": "key",
        "PUBLIC_BASE_URL": "https://id.example.org",
    }

    def call(name: str, *events: dict[str, Any]) -> Outcome:
        places = [built.functions / name, built.core / "python", built.vendor / "python", runtime]
        path = json.dumps([str(place) for place in places])
        # -I and -S: no environment, no user or site packages, not even the working directory.
        command = [interpreter, "-I", "-S", "-B", "-c", RUN, path, json.dumps(events)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout.splitlines()[-1])
        return Outcome(set(outcome["loaded"]), outcome["answers"])

    return call


def event(method: str, path: str) -> dict[str, Any]:
    """A request as API Gateway's REST API hands it to a function."""
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": {"Accept": "application/json", "Host": "id.example.org", "User-Agent": "curl/8.7.1"},
        "multiValueHeaders": {
            "Accept": ["application/json"],
            "Host": ["id.example.org"],
            "User-Agent": ["curl/8.7.1"],
        },
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": {"proxy": path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "resourceId": "abc123",
            "resourcePath": "/{proxy+}",
            "httpMethod": method,
            "extendedRequestId": "c0ffee=",
            "requestTime": "10/Jul/2025:14:22:30 +0000",
            "requestTimeEpoch": 1752157350000,
            "path": f"/v1{path}",
            "accountId": "123456789012",
            "protocol": "HTTP/1.1",
            "stage": "v1",
            "domainPrefix": "id",
            "domainName": "id.example.org",
            "requestId": "5f1a4b3c-0d6e-4a57-9a53-0b6f2f5b7c11",
            "identity": {"sourceIp": "192.0.2.1", "userAgent": "curl/8.7.1"},
            "apiId": "a1b2c3d4e5",
        },
        "body": None,
        "isBase64Encoded": False,
    }


def is_problem(answer: dict[str, Any], status: int) -> bool:
    headers = {name.lower(): values for name, values in (answer.get("multiValueHeaders") or {}).items()}
    headers |= {name.lower(): [value] for name, value in (answer.get("headers") or {}).items()}
    return (
        answer["statusCode"] == status
        and headers["content-type"][0].startswith("application/problem+json")
        and json.loads(answer["body"])["status"] == status
    )


def test_resolving_imports_without_a_network_and_refuses_a_bad_escape(invoke: Callable[..., Outcome]) -> None:
    (answer,) = invoke("Resolve", event("GET", "/%zz")).answers
    assert is_problem(answer, 400), answer


@pytest.mark.parametrize(("name", "path"), [("Mint", "/api/v1/records"), ("Manage", "/api/v1/repositories")])
def test_writing_imports_without_a_network_and_refuses_a_stranger(
    invoke: Callable[..., Outcome], name: str, path: str
) -> None:
    (answer,) = invoke(name, event("POST", path)).answers
    assert is_problem(answer, 401), answer


def test_resolving_starts_without_what_a_redirect_does_not_need(invoke: Callable[..., Outcome]) -> None:
    spared = {"aws_lambda_powertools.event_handler", "cryptography", "jinja2", "pydantic", "pynamodb", "re2", "yaml"}
    assert not invoke("Resolve").loaded & spared


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_its_handler_and_nothing_else(built: Built, name: str) -> None:
    assert [path.name for path in (built.functions / name).iterdir()] == ["handler.py"]


def test_the_core_layer_has_the_package_without_server_commands_and_leavings(built: Built) -> None:
    assert [path.name for path in (built.core / "python").iterdir()] == ["coolid"]
    contents = {path.name for path in (built.core / "python" / "coolid").rglob("*")}
    assert {"domain", "web", "aws"} <= contents
    assert not contents & {"local", "cli", "tests", "__pycache__"}


def test_the_vendor_layer_leaves_to_lambda_what_lambda_brings(built: Built) -> None:
    contents = {path.name for path in (built.vendor / "python").iterdir()}
    assert {"pydantic", "pynamodb"} <= contents
    assert not contents & {"boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six.py", "urllib3"}


def test_the_vendor_layer_is_small_enough_to_start_quickly(built: Built, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "vendor"), "zip", built.vendor)
    assert Path(archive).stat().st_size < 10_000_000
