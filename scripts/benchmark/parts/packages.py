"""Packages: how large what is deployed is, zipped as Lambda takes it and unpacked as it unpacks it; and the peers'.

A peer's size is that of its own distribution and of all that it depends on, as this environment has them, zipped.
"""

import shutil
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from packaging.requirements import Requirement

from scripts.benchmark.artifacts import built
from scripts.benchmark.harness import Effort
from scripts.benchmark.results import Figure, figure
from tests.packaging.layer_builds import layers_of

OURS = "package: resolving, zipped"
PEERS = ("bioregistry", "curies")


def figures(scratch: Path, _effort: Effort) -> list[Figure]:
    """Weigh."""
    artifacts = built(scratch)
    resolving = [artifacts.functions["Resolve"], *(artifacts.layers[layer] for layer in layers_of("Resolve"))]
    everything = [*artifacts.functions.values(), *artifacts.layers.values()]
    told = [
        figure(OURS, "MB", [_zipped(resolving, scratch)]),
        figure("package: resolving, unpacked", "MB", [sum(_size(folder) for folder in resolving) / 1e6]),
        figure("package: everything, zipped", "MB", [_zipped(everything, scratch)]),
    ]
    peers = [
        figure(f"package: {name} and its dependencies, zipped", "MB", [_distributions(name, scratch)]) for name in PEERS
    ]
    return [*told, *(each.beside(OURS) for each in peers)]


def _zipped(folders: Iterable[Path], scratch: Path) -> float:
    """MB of archives of these folders, together."""
    package = str(scratch / "package")
    return sum(Path(shutil.make_archive(package, "zip", folder)).stat().st_size for folder in folders) / 1e6


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _distributions(name: str, scratch: Path) -> float:
    """MB of an archive of a distribution with all that it needs."""
    archive = scratch / "peer.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as packed:
        for each in sorted(_needed(name, set())):
            for file in metadata.files(each) or ():
                path = Path(str(file.locate()))
                if path.suffix not in (".pyc", "") and path.is_file() and ".." not in file.parts:
                    packed.write(path, str(file))
    return archive.stat().st_size / 1e6


def _needed(name: str, known: set[str]) -> set[str]:
    """A distribution and what it needs without any extras, as far as it is installed."""
    if name.lower() not in known:
        try:
            wanted = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:
            return known
        known.add(name.lower())
        for requirement in map(Requirement, wanted):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                _needed(requirement.name, known)
    return known
