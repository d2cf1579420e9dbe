"""A resolver that lies, and an honest one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.servers.http_server import json
from tests.support.servers.linkid_resolver import Resolver, resolvers


@pytest.fixture
def start_resolver(tmp_path: Path) -> Iterator[Callable[[int], Resolver]]:
    with resolvers(tmp_path / "state") as start:
        yield start


@pytest.fixture
def liar(start_resolver: Callable[[int], Resolver]) -> Resolver:
    return start_resolver(1)


@pytest.fixture
def honest(start_resolver: Callable[[int], Resolver]) -> Resolver:
    resolver = start_resolver(2)
    resolver.serves(json(resolver.operator.result(resolver.operator.record())))
    return resolver
