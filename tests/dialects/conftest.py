"""`coolid serve` as everybody runs it, for clients of other systems that speak to it over HTTP."""

from collections.abc import Iterator

import pytest

from tests.support.servers.coolid_server import Server, prepare, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server."""
    folder = tmp_path_factory.mktemp("dialects")
    prepare(folder)
    with serving(folder) as running:
        yield running
