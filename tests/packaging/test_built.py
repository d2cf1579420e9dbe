"""The built functions and layers are complete, and contain nothing else."""

import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.layer_builds import (
    CAN_RUN,
    CORE,
    FUNCTIONS,
    PINS,
    ROOT,
    RUNTIME,
    VENDOR,
    Ask,
    Built,
    entries,
    layers_of,
    name_of,
    strip,
)

WRITING = {"aws_lambda_powertools", "cryptography", "joserfc", "publicsuffixlist", "pydantic", "pynamodb"}
THINNED = {"httptools", "jinja2", "markdown_it", "segno", "stdnum"}
"""Libraries of which the vendor layer has but a part."""

pytestmark = [
    pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64"),
]


def files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def sources(folder: Path) -> set[Path]:
    """The files but for those that were compiled from others."""
    return {path for path in files(folder) if path.suffix != ".pyc"}


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


def test_resolving_imports_without_a_network_and_refuses_a_bad_escape(invoke: Ask) -> None:
    (answer,) = invoke("Resolve", event("GET", "/%zz")).answers
    assert answer.is_problem(400), answer


@pytest.mark.parametrize(("name", "path"), [("Mint", "/api/v1/records"), ("Manage", "/api/v1/repositories")])
def test_writing_imports_without_a_network_and_refuses_a_stranger(invoke: Ask, name: str, path: str) -> None:
    (answer,) = invoke(name, event("POST", path)).answers
    assert answer.is_problem(401), answer


def test_probing_imports_without_a_network_and_without_what_makes_pages(invoke: Ask) -> None:
    loaded = set(invoke("Probe").loaded)
    assert {"coolid.health.address_check", "pynamodb"} <= loaded
    assert not loaded & {"jinja2", "joserfc", "cryptography", "coolid.http.pages"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_its_handler_and_nothing_else(built: Built, name: str) -> None:
    assert sources(built.functions[name]) == {Path("handler.py")}


def test_the_layers_of_the_package_have_it_without_server_commands_and_leavings(built: Built) -> None:
    for layer in CORE:
        assert [path.name for path in (built.layers[layer] / "python").iterdir()] == ["coolid"]
    package = built.layers["Core"] / "python" / "coolid"
    contents = {path.name for layer in CORE for path in (built.layers[layer] / "python" / "coolid").rglob("*")}
    assert {"identifiers", "resolution", "http", "aws"} <= contents
    assert (package / "aws" / "dynamodb_client" / "amazon-roots.pem").is_file()
    left_out = {"local", "client", "cli", "sqlite", "tests"}
    left_out |= {
        f"{name}.py"
        for name in (
            "bulk_reader",
            "database_access",
            "dispatcher",
            "exporter",
            "transfer",
            "write_check",
        )
    }
    assert not contents & left_out


@pytest.mark.parametrize(("layer", "has"), [("Vendor", {"orjson", "re2"}), ("Writing", WRITING)])
def test_a_layer_of_libraries_leaves_to_lambda_what_lambda_brings(built: Built, layer: str, has: set[str]) -> None:
    contents = {path.name for path in (built.layers[layer] / "python").iterdir()}
    assert has <= contents
    assert not contents & {"boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six.py", "urllib3"}


def test_resolving_takes_nothing_along_that_writes_or_signs(built: Built) -> None:
    contents = {path.name for place in built.path_of("Resolve") for path in place.iterdir()}
    assert {"handler.py", "coolid", "jinja2"} <= contents
    assert not contents & {*WRITING, "cffi", "pycparser", "pydantic_core"}


def test_no_two_layers_hold_the_same_file(built: Built) -> None:
    for one, other in combinations(built.layers.values(), 2):
        assert not files(one) & files(other)


@pytest.mark.parametrize("layer", PINS)
def test_no_layer_holds_programs_of_the_machine_that_built_it(built: Built, layer: str) -> None:
    assert not (built.layers[layer] / "python" / "bin").exists()


@pytest.mark.parametrize("layer", PINS)
def test_a_layer_of_libraries_holds_nothing_for_compilers_and_type_checkers_but_every_licence(
    built: Built, layer: str
) -> None:
    contents = files(built.layers[layer])
    assert not {path.suffix for path in contents} & {".pyi", ".pyx", ".pxd", ".c", ".h"}
    licensed = {path.parts[1] for path in contents if re.match("LICEN[CS]E|COPYING", path.name)}
    assert licensed >= {path.parts[1] for path in contents if path.name == "METADATA"}


def test_every_module_that_is_left_of_a_thinned_library_can_be_imported(built: Built, interpreter: str) -> None:
    library = built.layers["Vendor"] / "python"
    modules = [path for path in sources(library) if path.parts[0] in THINNED and path.suffix == ".py"]
    names = sorted(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in modules)
    expected = {"httptools.parser", "jinja2.loaders", "markdown_it.main", "segno.writers", "stdnum.iso7064.mod_97_10"}
    assert expected <= {*names}
    assert not {"jinja2.sandbox", "markdown_it.cli.parse", "segno.cli", "segno.helpers", "stdnum.at"} & {*names}
    program = f"import sys; sys.path.insert(0, sys.argv[1]); import {', '.join(names)}"
    subprocess.run([interpreter, "-I", "-S", "-B", "-c", program, library], check=True)


@pytest.mark.parametrize("layer", PINS)
def test_a_layer_of_libraries_holds_binaries_of_nothing_but_what_is_loaded(built: Built, layer: str) -> None:
    binaries = [path.read_bytes() for path in (built.layers[layer] / "python").rglob("*.so")]
    assert binaries
    assert all(content.startswith(strip.MAGIC) and content == strip.loaded(content) for content in binaries)


def test_what_is_no_shared_object_is_left_as_it_is() -> None:
    for content in (b"", b"\x7fELF\x01\x01 of 32 bits", b"#!/bin/sh"):
        assert strip.loaded(content) == content


@pytest.mark.parametrize("layer", PINS)
def test_a_layers_pins_are_the_locks_own(layer: str) -> None:
    assert set(entries(VENDOR / PINS[layer])) <= set(entries(ROOT / "requirements.lock"))


def test_no_library_is_in_two_layers_or_in_a_layer_and_the_runtime() -> None:
    names = [name_of(entry) for pins in PINS.values() for entry in entries(VENDOR / pins)]
    assert len({*names, *RUNTIME}) == len(names) + len(RUNTIME)


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], int]:
    """Bytes of what Lambda is given for a folder."""
    scratch = tmp_path_factory.mktemp("zipped")
    return cache(lambda folder: Path(shutil.make_archive(str(scratch / "package"), "zip", folder)).stat().st_size)


def test_resolving_is_small_enough_to_start_quickly(built: Built, zipped: Callable[[Path], int]) -> None:
    parts = [built.functions["Resolve"], *(built.layers[layer] for layer in layers_of("Resolve"))]
    assert sum(zipped(part) for part in parts) < 3_000_000


def test_all_layers_together_are_small(built: Built, zipped: Callable[[Path], int]) -> None:
    assert sum(zipped(layer) for layer in built.layers.values()) < 22_000_000  # 2.6 MB of them sign for the edge store


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_unpacked_with_its_layers_is_far_below_the_250_mb_that_lambda_takes(built: Built, name: str) -> None:
    assert sum((place / file).stat().st_size for place in built.path_of(name) for file in files(place)) < 100_000_000
