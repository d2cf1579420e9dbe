"""The public Python API: its names, its functions without a service, and what importing it costs."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import coolid
from coolid.identifiers.generation import SCHEMES
from coolid.recognition import detection
from tests.support.builders.samples import ROOT
from tests.support.servers.coolid_server import Server


class TestNames:
    @pytest.mark.parametrize("name", sorted(coolid.__all__))
    def test_each_is_there(self, name: str) -> None:
        value = getattr(coolid, name)
        if name in coolid._MODULES:
            assert value is getattr(import_module(coolid._MODULES[name]), name)
        assert name in dir(coolid)

    def test_no_other_is(self) -> None:
        with pytest.raises(AttributeError, match="has no attribute 'mint'"):
            _ = coolid.mint  # type: ignore[attr-defined]

    def test_every_error_of_the_client_is_public(self) -> None:
        errors = import_module("coolid.client.errors")
        defined = {name for name, value in vars(errors).items() if isinstance(value, type) and name[0] != "_"}
        assert {name for name in defined if vars(errors)[name].__module__ == errors.__name__} - {"NotServed"} <= {
            *coolid.__all__
        }

    def test_importing_it_imports_none_of_its_modules(self) -> None:
        program = "import sys, coolid; print([name for name in sys.modules if name.startswith('coolid.')])"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"

    def test_the_functions_without_a_service_import_no_http_client(self) -> None:
        program = (
            "import sys, coolid; coolid.validate(coolid.generate('lui')); coolid.Client('http://127.0.0.1:1');"
            "print({'httpx', 'anyio', 'boto3', 'pydantic'} & {*sys.modules})"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "set()\n"


class TestBothClients:
    """The asynchronous client has the methods of the synchronous one, with the same parameters."""

    @pytest.mark.parametrize(
        "name", ["Client", "Prefixes", "Repositories", "ApiKeys", "Reports", "BulkJobs", "RecordCustody"]
    )
    def test_their_methods_have_the_same_parameters(self, name: str) -> None:
        own, other = (getattr(import_module(module), name) for module, name in self.places(name))
        methods = {each for each in vars(own) if not each.startswith("_")} - {"close"}
        assert methods == {each for each in vars(other) if not each.startswith("_")} - {"aclose"}
        for each in methods | {"__init__"}:
            if callable(getattr(own, each)):
                assert self.parameters(own, each) == self.parameters(other, each)

    def places(self, name: str) -> Iterator[tuple[str, str]]:
        for prefix, module in (("", "client"), ("async_", "async_client")):
            special = {
                "BulkJobs": f"bulk_jobs.{prefix}job_resources",
                "RecordCustody": f"custody.{prefix}custody_resources",
            }
            part = ({"Client": module} | special).get(name, f"{prefix}resources")
            yield f"coolid.client.{part}", f"{'Async' if prefix else ''}{name}"

    def parameters(self, owner: type, method: str) -> list[tuple[str, object]]:
        found = inspect.signature(getattr(owner, method)).parameters.values()
        return [(each.name, each.kind) for each in found]


class TestParsing:
    def test_a_valid_text_has_a_canonical_form(self) -> None:
        parsed = coolid.parse(" <https://orcid.org/0000-0002-1825-0097> ")
        assert (parsed.valid, parsed.scheme, parsed.canonical, parsed.reason) == (
            True, "orcid", "0000-0002-1825-0097", None,
        )  # fmt: skip

    @pytest.mark.parametrize(
        "text", ["", " ", "\x00", "x" * 5000, "http://[", "https://doi.org/%ff", "\ud800", "no scheme"]
    )
    def test_every_text_has_a_result(self, text: str) -> None:
        parsed = coolid.parse(text)
        assert (parsed.text, parsed.valid, parsed.canonical) == (text, False, None)
        assert parsed.reason
        with pytest.raises((coolid.BadReference, coolid.InvalidIdentifier)):
            coolid.validate(text)

    def test_a_named_scheme_decides(self) -> None:
        assert coolid.validate("0000000218250097", "orcid") == "0000-0002-1825-0097"
        with pytest.raises(coolid.InvalidIdentifier, match="check digits are 8"):
            coolid.validate("0000-0002-1825-0098", "orcid")
        with pytest.raises(ValueError, match="there is no scheme 'orcd'; the schemes are ark, "):
            coolid.validate("0000-0002-1825-0097", "orcd")


class TestGeneration:
    @pytest.mark.parametrize("scheme", sorted(set(SCHEMES) - {"contextual"}))
    def test_an_identifier_is_valid_in_its_scheme(self, scheme: coolid.Scheme) -> None:
        assert detection.judge(scheme, coolid.generate(scheme)).valid

    def test_the_options_are_those_of_the_scheme(self) -> None:
        assert len(coolid.generate("lui", symbols=4)) == len("abcd-12")
        assert coolid.generate("contextual", prefix="example", object_type="DOC").startswith("example.DOC.")
        with pytest.raises(ValueError, match="there is no generator of 'orcid'"):
            coolid.generate("orcid")  # type: ignore[arg-type]


class TestAProgram:
    """It uses every public name. `make types` checks it, too, with the rest of the tests."""

    PROGRAM = ROOT / "tests" / "packaging" / "public_api_program.py"

    def test_it_uses_every_name(self) -> None:
        used = set(re.findall(r"\bcoolid\.(\w+)", self.PROGRAM.read_text(encoding="utf-8")))
        assert used - {"identifiers"} == {*coolid.__all__}

    def test_it_runs(self, server: Server) -> None:
        key_file = server.folder / ".local" / "admin-key"
        command = [sys.executable, str(self.PROGRAM), server.url, str(key_file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith(f"coolid {coolid.__version__}: done\n")

    @pytest.mark.drill
    def test_its_types_are_right(self, tmp_path: Path) -> None:
        options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
        command = [sys.executable, "-m", "mypy", *options, str(self.PROGRAM)]
        path = {"MYPYPATH": str(ROOT / "layers" / "core")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | path)
        assert (done.returncode, done.stdout) == (0, "Success: no issues found in 1 source file\n")
