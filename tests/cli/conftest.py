"""The service itself, for commands that speak with it. Their tests form the xdist_group "cli": it is started once."""

from collections.abc import Iterator

import pytest

from tests.local.serving import Server, prepare, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    prepare(folder)
    with serving(folder) as running:
        yield running
