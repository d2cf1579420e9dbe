"""`requirements-run.lock`: all that the service needs, and nothing else, with the pins of `requirements.lock`."""

import tomllib
from collections.abc import Iterator
from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.layer_builds import entries
from tests.support.builders.samples import ROOT

RUN_LOCK = ROOT / "requirements-run.lock"


def declared() -> tuple[dict[str, list[str]], list[str]]:
    """Return the requirements of coolid's extras (those without an extra under ""), and of its build."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    extras = {"": project["project"]["dependencies"], **project["project"]["optional-dependencies"]}
    return extras, project["dependency-groups"]["build"]


def dependencies(name: str, extras: frozenset[str], own: dict[str, list[str]]) -> Iterator[Requirement]:
    """Yield what a distribution requires on this platform with these extras; `own` is for coolid itself."""
    texts = [text for extra in ("", *extras) for text in own[extra]] if name == "coolid" else requires(name) or ()
    environments = [{"extra": extra} for extra in extras or {""}]
    for requirement in map(Requirement, texts):
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def test_it_names_exactly_what_the_service_and_its_build_need() -> None:
    own, build = declared()
    found: set[tuple[str, frozenset[str]]] = set()
    queue = [Requirement("coolid[aws,server]"), *map(Requirement, build)]
    while queue:
        requirement = queue.pop()
        needed = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if needed not in found:
            found.add(needed)
            queue += dependencies(*needed, own)
    pinned = [Requirement(entry.partition("\\")[0].strip()) for entry in entries(RUN_LOCK)]
    here = {pin.name for pin in pinned if pin.marker is None or pin.marker.evaluate()}
    assert here == {name for name, _ in found} - {"coolid"}


def test_its_pins_are_those_of_the_tests() -> None:
    assert set(entries(RUN_LOCK)) <= set(entries(ROOT / "requirements.lock"))
