"""What a deployment changes: nothing when nothing did, and never what is kept."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deployed import sam
from tests.e2e.holdings import THERE, Holding, Minted, fresh_name, hold
from tests.e2e.proofs import check_chain, published_keys
from tests.e2e.service import HISTORY, Service

FUNCTIONS = ("ResolveFunction", "MintFunction", "ManageFunction")
KEPT = ("AWS::DynamoDB::Table", "AWS::KMS::Key")

PREVIOUS = "fb28f97"
"""A commit that is deployed somewhere: the one that upgrades must start from, and that they can go back to."""


def live(stack: str, function: str) -> dict[str, Any]:
    """The configuration of the version that a function's alias stands for."""
    name = sam.resources(stack)[function][1]
    alias = sam.client("lambda").get_alias(FunctionName=name, Name="live")
    return sam.client("lambda").get_function_configuration(FunctionName=name, Qualifier=alias["FunctionVersion"])


def layers(stack: str, function: str) -> list[tuple[str, int]]:
    """The layers that it has, by name and size."""
    told = (
        sam.client("lambda").get_layer_version_by_arn(Arn=each["Arn"])
        for each in live(stack, function).get("Layers", ())
    )
    return [(each["LayerArn"].rpartition(":")[2], each["Content"]["CodeSize"]) for each in told]


class TestTheDeployedStack:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_a_function_runs_as_the_template_says_and_from_a_published_version(self, stack: str, function: str) -> None:
        told = live(stack, function)
        assert told["Version"].isdigit()
        assert (told["Runtime"], told["Architectures"]) == ("python3.13", [sam.ARCHITECTURE])

    def test_every_request_goes_to_an_alias(self, stack: str) -> None:
        there = sam.resources(stack)
        api = there["Api"][1]
        gateway = sam.client("apigateway")
        uris = {
            gateway.get_integration(restApiId=api, resourceId=resource["id"], httpMethod=method)["uri"]
            for resource in gateway.get_resources(restApiId=api, limit=500)["items"]
            for method in resource.get("resourceMethods", ())
        }
        assert {uri.partition(":function:")[2] for uri in uris} == {
            f"{there[function][1]}:live/invocations" for function in FUNCTIONS
        }


@dataclass(frozen=True)
class Kept:
    """What was written before a deployment: records at each stage of their life, as they were answered."""

    holding: Holding
    fresh: Minted
    changed: Minted
    withdrawn: Minted
    before: dict[str, list[dict[str, Any]]]


def write(service: Service) -> Kept:
    """A repository, and a record that is as it was minted, one that was changed, one that was withdrawn."""
    holding = hold(service, fresh_name())
    fresh, changed, withdrawn = (holding.mint(metadata={"what": what}) for what in ("fresh", "changed", "withdrawn"))
    holding.changed("PATCH", changed, {"records": [{"uri": THERE}]})
    holding.changed("DELETE", withdrawn, {"reason": "It was wrong"})
    before = {minted.id: versions(service, minted) for minted in (fresh, changed, withdrawn)}
    return Kept(holding, fresh, changed, withdrawn, before)


def versions(service: Service, minted: Minted) -> list[dict[str, Any]]:
    """All versions of a record, oldest first."""
    answer = service.admin("GET", f"{HISTORY}{minted.path}")
    assert answer.status == 200, answer.body
    return [each["record"] for each in reversed(answer.json()["versions"])]


def check(service: Service, kept: Kept) -> None:
    """That all of it is there, unchanged, resolvable and verifiable."""
    keys = published_keys(service)
    for minted in (kept.fresh, kept.changed, kept.withdrawn):
        assert versions(service, minted) == kept.before[minted.id]
        check_chain(kept.before[minted.id], keys)
    assert service.get(kept.fresh.path).status == 302
    assert service.get(kept.changed.path).headers["location"] == THERE
    assert service.get(kept.withdrawn.path).status == 410


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

    def test_the_same_sources_built_anew_change_nothing(self, stack: str, sources: Path) -> None:
        """Archives are named after their content, so that a machine that builds later makes no other."""
        before = sam.resources(stack)
        assert sam.deploy(sam.build(sources), stack) == []
        assert sam.resources(stack) == before

    def test_a_change_of_the_package_alone_publishes_every_function_anew_and_touches_nothing_kept(
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


def git(*arguments: str | Path) -> int:
    """The exit code of a command about this project's history."""
    return subprocess.run(["git", "-C", sam.ROOT, *arguments], check=False).returncode  # noqa: S607 - any git will do


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
        self, stack: str, service: Service, previous: Path
    ) -> None:
        kept = write(service)
        new = {function: layers(stack, function) for function in FUNCTIONS}
        stored = {name: each for name, each in sam.resources(stack).items() if each[0] in KEPT}

        sam.deploy(previous, stack)
        check(service, kept)
        minted = kept.holding.mint(metadata={"what": "minted by the previous version"})
        assert stored.items() <= sam.resources(stack).items()

        sam.deploy(sam.built(), stack)
        check(service, kept)
        assert service.get(minted.path).status == 302
        assert stored.items() <= sam.resources(stack).items()
        assert {function: layers(stack, function) for function in FUNCTIONS} == new
