"""Mirrors on web servers: each identifier gets the answer of its service, in all usual spellings."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.migration.test_web_servers import NAMES, TARGETS
from tests.support.fixtures.mirrored_service import MirroredService, fill, mirrored_service
from tests.support.servers.redirect_servers import apache_of_mirror, nginx_of_mirror


class Mirrored:
    """A service, the paths to request, and the folder of its mirror."""

    def __init__(self, service: MirroredService, site: Path) -> None:
        self.service = service
        self.paths = fill(service, TARGETS, NAMES)
        service.publish_log()
        self.report = service.mirror(site)
        self.site = site


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirrored]:
    with mirrored_service(tmp_path_factory.mktemp("service")) as service, TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Mirrored(service, Path(name) / "site")


def test_nginx_answers_as_the_service(mirrored: Mirrored, tmp_path: Path) -> None:
    expected = {path: mirrored.service.ask(f"/{path}") for path in mirrored.paths}
    assert {status for status, _ in expected.values()} >= {200, 301, 302, 307, 404, 410}
    with nginx_of_mirror(tmp_path, mirrored.site) as ask:
        answers = {path: ask(f"/{path}") for path in mirrored.paths}
    found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers.items()}
    assert found == expected


def test_apache_answers_as_the_service(mirrored: Mirrored) -> None:
    expected = {path: mirrored.service.ask(f"/{path}") for path in mirrored.paths}
    with apache_of_mirror(mirrored.site) as ask:
        answers = {path: ask(f"/{path}") for path in mirrored.paths}
    found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers.items()}
    assert found == expected
