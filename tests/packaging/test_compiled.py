"""The deployed modules are compiled beforehand, because Lambda can write no bytecode: completely and reproducibly."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.packaging.layer_builds import CAN_RUN, CORE, PRECOMPILE, ROOT, Built, precompile, run

pytestmark = [
    pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64"),
]

UNCOMPILED = {
    *("jinja2", "markdown_it", "mdurl", "segno"),
    "coolid/http/pages",
    *("coolid/http/linkid", "coolid/linkid", "coolid/log", "coolid/proofs", "coolid/wiring/linkid"),
    *(f"coolid/http/formats/{name}" for name in ("citations", "description", "linked_data", "xml_elements.py")),
    *(f"coolid/http/formats/{name}.py" for name in ("erc", "linkset", "metadata_text", "prefixes", "qr", "yaml")),
    *("coolid/http/assets.py", "coolid/http/json_bodies.py", "coolid/net/json_client.py"),
    *(f"coolid/aws/{name}.py" for name in ("boto_time_limits", "key_service_errors", "kms_note_signer")),
    *(
        f"coolid/aws/{name}.py"
        for name in ("parallel_calls", "response_checks", "s3_errors", "s3_log_files", "dynamodb/log_rows")
    ),
    "coolid/wiring/log_access.py",
    *("coolid/wiring/boto_clients.py", "coolid/wiring/notices.py"),
    "coolid/wiring/operator_settings.py",
    "coolid/http/dialects",
    *(f"coolid/net/{name}.py" for name in ("address_policy", "connector", "failures", "guarded_client")),
    *(f"coolid/net/{name}.py" for name in ("http_exchange", "rate_limit", "request_target")),
    *(
        f"coolid/http/public/{name}.py"
        for name in (
            "transparency_log",
            "browser_files",
            "latest_records",
            "policy_pages",
            "sitemap_windows",
            "sitemaps",
        )
    ),
    *(f"coolid/http/public/{name}.py" for name in ("management_pages", "memento", "search", "timemaps")),
    *(f"coolid/http/public/{name}.py" for name in ("api_manual", "bulk_resolution", "discovery", "explanations")),
    *(f"coolid/http/public/{name}.py" for name in ("health", "home", "linkid_results", "prefix_browser")),
    "coolid/http/public/sitemap_documents.py",
    *(f"coolid/recognition/{name}.py" for name in ("correction", "detection", "extraction", "resolver_urls")),
    *("coolid/http/operator/accent_colors.py", "coolid/identifiers/validation_schemas.py"),
    *("coolid/model/check_state.py", "coolid/model/differences.py"),
    "coolid/identifiers/generation.py",
    "coolid/identifiers/rules/linkid.py",
    "coolid/identifiers/rules/perl_order.py",
    "coolid/identifiers/rules/perl_state.py",
    *(f"coolid/resolution/{name}.py" for name in ("linkid_integrity", "reverse_lookup", "url_patterns")),
    *(f"coolid/recognition/{name}.py" for name in ("doi_urls", "page_urls", "parsed_text")),
    *(f"coolid/recognition/{name}.py" for name in ("url_recognition", "url_wrappers")),
    *(
        f"coolid/recognition/{name}.py"
        for name in ("accessions", "explanation", "explanation_steps", "guesses", "labels")
    ),
    *(f"coolid/recognition/{name}.py" for name in ("mentions", "plain_text", "registered_identifiers")),
    *("coolid/http/content_codings.py", "coolid/http/inclusion_proofs.py"),
    *("coolid/http/citation_response.py", "coolid/http/public/citations.py", "coolid/net/doi_metadata.py"),
    *("coolid/http/foreign_responses.py", "coolid/http/foreign_works.py"),
    *(f"coolid/store/{name}.py" for name in ("change_positions", "limits", "log", "pages", "versions")),
}
"""What no redirect imports, and would make the layers too large."""

# Run by Lambda's Python, for what it compiles no other can read: of each module how it begins, how it should (PEP 552:
# the form, that its source is never looked at, and the source's hash), and the sources that it and its functions name.
READ = """
import importlib.util, json, marshal, sys
def names(code):
    return {code.co_filename}.union(*(names(each) for each in code.co_consts if isinstance(each, type(code))))
def read(path):
    with open(path, "rb") as file:
        return file.read()
def told(source, target):
    head = importlib.util.MAGIC_NUMBER + bytes([1, 0, 0, 0]) + importlib.util.source_hash(read(source))
    return read(target)[:16].hex(), head.hex(), sorted(names(marshal.loads(read(target)[16:])))
print(json.dumps([told(*pair) for pair in json.load(sys.stdin)]))
"""


def compiled(folder: Path) -> dict[Path, Path]:
    """The compiled modules below a folder by their sources, both relative to it."""
    found = (path.relative_to(folder) for path in folder.rglob("*.pyc"))
    return {path.parents[1] / path.name.replace(".cpython-313.pyc", ".py"): path for path in found}


def modules(folder: Path) -> set[Path]:
    """The sources below a folder that should be compiled, which are all in the layer of functions that write."""
    found = {path.relative_to(folder) for path in folder.rglob("*.py")}
    left_out = UNCOMPILED if folder.parent.name != "CoreWriting" else set()
    return {path for path in found if not any(path.is_relative_to(each) for each in left_out)}


class Told(NamedTuple):
    """What a compiled module says of itself; `head` and `expected` in hexadecimal digits."""

    head: str
    expected: str
    sources: list[str]


def unpacked(built: Built) -> Mapping[Path, str]:
    """Each folder of one function with all layers, and where Lambda unpacks it."""
    functions = {built.functions["Resolve"]: "/var/task"}
    return functions | {layer / "python": "/opt/python" for layer in built.layers.values()}


@pytest.fixture(scope="module")
def returned(built: Built, interpreter: str) -> dict[str, Told]:
    """What each compiled module says, by where Lambda unpacks its source."""
    places = {
        f"{place}/{source}": (str(folder / source), str(folder / target))
        for folder, place in unpacked(built).items()
        for source, target in compiled(folder).items()
    }
    program = [interpreter, "-I", "-S", "-c", READ]
    done = subprocess.run(program, input=json.dumps([*places.values()]), capture_output=True, text=True, check=True)
    return dict(zip(places, (Told(*each) for each in json.loads(done.stdout)), strict=True))


def test_each_module_of_a_redirect_is_compiled(built: Built, interpreter: str) -> None:
    for folder in unpacked(built):
        assert compiled(folder).keys() ^ modules(folder) == set()


def test_a_compiled_module_is_for_lambdas_python_and_never_compared_with_its_source(returned: dict[str, Told]) -> None:
    assert {name: each.head for name, each in returned.items()} == {
        name: each.expected for name, each in returned.items()
    }


def test_tracebacks_name_where_lambda_unpacked_a_module_and_nothing_of_the_machine_that_built_it(
    returned: dict[str, Told],
) -> None:
    assert {name: each.sources for name, each in returned.items()} == {name: [name] for name in returned}


@pytest.mark.drill
def test_the_same_sources_built_elsewhere_are_the_same_to_the_byte(
    built: Built, interpreter: str, tmp_path: Path
) -> None:
    for layer in CORE:
        elsewhere = tmp_path / "another" / layer
        run("make", "-C", ROOT / "layers/core", f"build-{layer}Layer", f"ARTIFACTS_DIR={elsewhere}")
        assert contents(elsewhere) == contents(built.layers[layer])


def test_a_modules_bytes_do_not_depend_on_what_is_compiled_beside_it(
    built: Built, interpreter: str, tmp_path: Path
) -> None:
    here = built.layers["Core"] / "python"
    chosen = next(iter(sorted(modules(here))))
    (tmp_path / chosen).parent.mkdir(parents=True)
    (tmp_path / chosen).write_bytes((here / chosen).read_bytes())
    run(sys.executable, PRECOMPILE, tmp_path, "/opt/python")
    target = compiled(here)[chosen]
    assert (tmp_path / target).read_bytes() == (here / target).read_bytes()


def test_a_source_that_cannot_be_compiled_ends_the_build(interpreter: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def", encoding="utf-8")
    done = subprocess.run([sys.executable, PRECOMPILE, tmp_path, "/opt/python"], capture_output=True, check=False)
    assert done.returncode != 0
    assert b"broken.py was not compiled" in done.stderr


def test_without_lambdas_python_the_build_continues_and_says_what_that_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "module.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(precompile, "candidates", lambda: iter(["no-such-python3.13"]))
    precompile.main(str(tmp_path), "/opt/python")
    returned = capsys.readouterr().out
    assert "longer" in returned
    assert returned.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["module.py"]


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
