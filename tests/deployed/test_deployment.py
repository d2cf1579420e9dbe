"""A deployment without changes changes nothing, and none changes retained resources."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coolid.log.checkpoints import Checkpoint
from tests.deployed import localstack_session, sam, transparency_log
from tests.deployed.test_record_index import LAG, complete, found
from tests.e2e.created_records import dated, fresh_name, hold
from tests.e2e.service import connected

FUNCTIONS = ("ResolveFunction", "CiteFunction", "MintFunction", "ManageFunction")
KEPT = ("AWS::DynamoDB::Table", "AWS::KMS::Key")
NEW = ("IndexTable", "JobTable", "LogTable", "LogKey")
"""What the previous release does not have. The first is deleted by a rollback, the others leave the stack."""

PREVIOUS = "4cd1530"
"""A commit of the previous release (0.5.0), from which users upgrade and to which they can roll back."""


def live(stack: str, function: str) -> dict[str, Any]:
    """The configuration of the version that a function's alias stands for."""
    name = sam.resources(stack)[function][1]
    alias = localstack_session.client("lambda").get_alias(FunctionName=name, Name="live")
    configuration: dict[str, Any] = localstack_session.client("lambda").get_function_configuration(
        FunctionName=name, Qualifier=alias["FunctionVersion"]
    )
    return configuration


def layers(stack: str, function: str) -> list[tuple[str, int]]:
    """The layers that it has, by name and size."""
    returned = (
        localstack_session.client("lambda").get_layer_version_by_arn(Arn=each["Arn"])
        for each in live(stack, function).get("Layers", ())
    )
    return [(each["LayerArn"].rpartition(":")[2], each["Content"]["CodeSize"]) for each in returned]


class TestTheDeployedStack:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_a_function_runs_as_the_template_says_and_from_a_published_version(self, stack: str, function: str) -> None:
        returned = live(stack, function)
        assert returned["Version"].isdigit()
        assert (returned["Runtime"], returned["Architectures"]) == ("python3.13", [sam.ARCHITECTURE])

    def test_every_request_goes_to_an_alias(self, stack: str) -> None:
        there = sam.resources(stack)
        api = there["Api"][1]
        gateway = localstack_session.client("apigateway")
        uris = {
            gateway.get_integration(restApiId=api, resourceId=resource["id"], httpMethod=method)["uri"]
            for resource in gateway.get_resources(restApiId=api, limit=500)["items"]
            for method in resource.get("resourceMethods", ())
        }
        assert {uri.partition(":function:")[2] for uri in uris} == {
            f"{there[function][1]}:live/invocations" for function in FUNCTIONS
        }


stock = pytest.mark.skipif(
    "COOLID_E2E_FOLDED" in os.environ,
    reason="stock LocalStack does not update APIs, stages and aliases (infra/localstack/updates.py)",
)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what is built."""
    for name in ("template.yaml", "samconfig.toml"):
        shutil.copy(sam.ROOT / name, tmp_path)
    for name in ("functions", "layers", "infra"):
        shutil.copytree(sam.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


class TestDeployingAgain:
    def test_the_same_build_changes_nothing(self, stack: str) -> None:
        before = sam.resources(stack)
        assert sam.deploy(sam.built(), stack) == []
        assert sam.resources(stack) == before

    def test_the_same_sources_built_again_change_nothing(self, stack: str, sources: Path) -> None:
        """Archives are named after their content, so that a machine that builds later makes no other."""
        before = sam.resources(stack)
        assert sam.deploy(sam.build(sources), stack) == []
        assert sam.resources(stack) == before

    @stock
    def test_a_change_of_the_package_publishes_every_function_and_no_retained_resource(
        self, stack: str, sources: Path
    ) -> None:
        before = {function: live(stack, function)["Version"] for function in FUNCTIONS}
        (sources / "layers" / "core" / "coolid" / "changed.py").write_text("", encoding="utf-8")
        changes = sam.deploy(sam.build(sources), stack)
        assert not [change for change in changes if change.kind.startswith(("AWS::DynamoDB", "AWS::KMS"))]
        assert {change.resource for change in changes if change.action == "Modify"} >= {*FUNCTIONS}
        for function in FUNCTIONS:
            assert int(live(stack, function)["Version"]) > int(before[function])
        assert sam.deploy(sam.built(), stack)

    @stock
    def test_a_changed_parameter_reaches_the_functions(self, stack: str) -> None:
        assert {live(stack, function)["Environment"]["Variables"]["LOG_REQUESTS"] for function in FUNCTIONS} == {"on"}
        for returned in ("off", "on"):
            sam.deploy(sam.built(), stack, LogRequests=returned)
            for function in FUNCTIONS:
                assert live(stack, function)["Environment"]["Variables"]["LOG_REQUESTS"] == returned


def git(*arguments: str | Path) -> int:
    """The exit code of a command about this project's history."""
    return subprocess.run(["git", "-C", sam.ROOT, *arguments], check=False).returncode  # noqa: S607 - any git will do


def everything_lasts(remembered: Path) -> bool:
    """Whether what the file remembers is there, unchanged, and goes on; at first, write it and remember."""
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/e2e/test_permanence.py"]
    environment = os.environ | {"COOLID_E2E_KEEP": str(remembered)}
    return subprocess.run(tests, cwd=sam.ROOT, env=environment, check=False).returncode == 0


def log_of(stack: str) -> Checkpoint:
    """The checkpoint of the transparency log, which has everything that the sweep finds."""
    transparency_log.sequence(stack)
    with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as service:
        return transparency_log.checkpoint(service)


@stock
class TestAnotherVersion:
    @pytest.fixture
    def previous(self, tmp_path: Path) -> Path:
        """The version before, built."""
        if git("cat-file", "-e", f"{PREVIOUS}^{{commit}}") != 0:
            pytest.skip(f"this clone does not reach back to {PREVIOUS}")
        archive = tmp_path / "previous.tar"
        assert git("archive", "--output", archive, PREVIOUS) == 0
        tree = tmp_path / "previous"
        shutil.unpack_archive(archive, tree, filter="data")
        return sam.build(tree)

    def test_the_previous_version_and_back_keep_all_data_and_answer_all_the_while(
        self, stack: str, previous: Path, tmp_path: Path
    ) -> None:
        remembered = tmp_path / "kept.json"
        new = {function: layers(stack, function) for function in FUNCTIONS}
        stored = {name: each for name, each in sam.resources(stack).items() if each[0] in KEPT and name not in NEW}
        assert everything_lasts(remembered)
        complete(stack)
        location, begun = transparency_log.location(stack), log_of(stack)

        sam.deploy(previous, stack)
        assert everything_lasts(remembered)
        assert stored.items() <= sam.resources(stack).items()
        with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as service:
            name = fresh_name()
            holding = hold(service, dated(name), name)
            minted = holding.mint(metadata={"what": "written without an index"})

        sam.deploy(sam.built(), stack, **location)
        assert everything_lasts(remembered)
        assert stored.items() <= sam.resources(stack).items()
        assert {function: layers(stack, function) for function in FUNCTIONS} == new
        with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as service:
            complete(stack)
            assert found(service, replace(holding, service=service), "index") == {minted.pid}
            transparency_log.make_sweep_due(location)
            grown = log_of(stack)
            assert transparency_log.verify(service, minted, tmp_path)["ok"]
        assert transparency_log.location(stack) == location
        transparency_log.require_continuation(location, begun, grown)
