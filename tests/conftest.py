"""For all tests: no AWS but the embedded one, no deadline in Hypothesis, and systems that serve requests."""

import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

from coolid.local import bioregistry_prefixes
from coolid.local.stack import find_template, load_tables
from coolid.local.table_setup import create_tables
from tests.support.effort import load_profile, mark_combinations
from tests.support.fixtures import session_caches
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.shared_folders import shared_folder
from tests.support.fixtures.system import (
    Dynamo,
    System,
    TablesSystem,
    new_tables,
    store_over,
    system,
    system_over_tables,
    table_names,
)
from tests.support.servers.coolid_server import Server, prepare, serving
from tests.support.stores import moto_store
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.moto_store import CREDENTIALS


def pytest_configure() -> None:
    """Set up the process without any of the developer's own settings of AWS and `coolid login`."""
    load_profile()
    session_caches.begin()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= CREDENTIALS | {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "POWERTOOLS_METRICS_DISABLED": "true",
        "LOG_REQUESTS": "off",
        "DOI_METADATA": "off",
        "XDG_CONFIG_HOME": os.devnull,
        "XDG_STATE_HOME": os.devnull,
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what only `make drill` runs, before pytest selects by marks."""
    mark_combinations(items)


def pytest_collection_finish() -> None:
    session_caches.freeze_objects()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Spare pytest's last five garbage collections the objects that are left."""
    session_caches.freeze_objects()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Import no module a second time for doctests if it has none."""
    found = yield
    has_doctests = b">>>" in file_path.read_bytes()
    return [each for each in found if has_doctests or not isinstance(each, DoctestModule)]


@pytest.fixture(scope="session")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system over a database, without the Bioregistry; `2021/06/demo` and `demo` are there."""
    with system(tmp_path_factory.mktemp("light")) as running:
        yield running


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system over a database, with the whole Bioregistry."""
    folder = tmp_path_factory.mktemp("world")
    for file in shared_folder(tmp_path_factory, "registry", bioregistry_prefixes.cached_rows).iterdir():
        shutil.copy(file, folder)
    with system(folder, with_registry=True) as running:
        yield running


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system over a database that has just begun, without the Bioregistry, to be copied and left as it is."""
    with system(tmp_path_factory.mktemp("untouched")) as running:
        yield running


@pytest.fixture
def fresh(untouched: System) -> System:
    """A system of the test's own over a database, without the Bioregistry."""
    return untouched.copied()


@pytest.fixture(scope="session")
def light_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TablesSystem]:
    """A system as `light` over DynamoDB's tables, for tests of what only DynamoDB does."""
    with system_over_tables(tmp_path_factory.mktemp("light-tables")) as running:
        yield running


@pytest.fixture(scope="session")
def untouched_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TablesSystem]:
    """A system as `untouched` over DynamoDB's tables."""
    with system_over_tables(tmp_path_factory.mktemp("untouched-tables")) as running:
        yield running


@pytest.fixture
def fresh_tables(untouched_tables: TablesSystem) -> TablesSystem:
    """A system as `fresh` over DynamoDB's tables."""
    return untouched_tables.copied()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`coolid serve` in a process of its own, with a registry of three prefixes."""
    folder = tmp_path_factory.mktemp("server")
    prepare(folder)
    with serving(folder) as running:
        yield running


@pytest.fixture(scope="session")
def moto_tables() -> Iterator[dict[str, str]]:
    """The stack's tables in an embedded backend, nothing else; their names by logical name."""
    with moto_store.running():
        names = table_names()
        create_tables(load_tables(find_template()), names)
        yield names


@pytest.fixture(scope="session")
def dynamo(moto_tables: dict[str, str]) -> Dynamo:
    """The store over DynamoDB, and its tables."""
    tables = new_tables()
    return store_over(tables), tables


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def entropy() -> SeededEntropy:
    return SeededEntropy()
