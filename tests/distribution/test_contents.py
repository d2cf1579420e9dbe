"""What the wheel and the sdist contain."""

import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from tests.support.builders.samples import ROOT

SITE = "coolid/local/site/"


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path, names: list[str]) -> Message:
    (name,) = [each for each in names if each.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


def build(source: Path, target: Path, kind: str) -> Path:
    """Build a wheel or an sdist, as `make dist` does."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    (built,) = target.iterdir()
    return built


def test_the_wheel_is_the_package_with_its_types_and_nothing_else(names: list[str]) -> None:
    assert {each.partition("/")[0].partition("-")[0] for each in names} == {"coolid"}
    package = {each.removeprefix("coolid/") for each in names if each.startswith("coolid/")}
    folder = ROOT / "layers/core/coolid"
    sources = {str(each.relative_to(folder)) for each in folder.rglob("*.py")}
    assert {each for each in package if each.endswith(".py") and not each.startswith("local/site/")} == sources
    assert {"py.typed", "cli/__init__.py", "aws/dynamodb_client/amazon-roots.pem"} <= package
    assert not {each for each in package if "test" in each.partition("/")[0] or each.endswith((".pyc", ".lock"))}


def test_the_wheel_has_the_documentation_site(names: list[str]) -> None:
    assert f"{SITE}index.html" in names


def test_a_plain_install_requires_few_libraries_and_extras_have_names(metadata: Message) -> None:
    assert {"aws", "server"} <= {*metadata.get_all("Provides-Extra", [])}
    plain = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert len(plain) == 12


def test_the_wheel_of_the_sdist_is_the_same(dist: Path, wheel: Path, tmp_path: Path) -> None:
    (sdist,) = dist.glob("coolid-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    built = build(source, tmp_path / "built", "wheel")
    with zipfile.ZipFile(built) as one, zipfile.ZipFile(wheel) as other:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in other.infolist()
        }
