"""What every test has: no AWS but the embedded one, no deadline in Hypothesis, and systems to send requests to."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

from coolid.local.embedded_store import CREDENTIALS
from coolid.local.stack import find_template, load
from coolid.local.table_setup import create_tables
from tests.support.effort import load_profile
from tests.support.fixtures import session_caches
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.system import System, system, table_names
from tests.support.stores import embedded
from tests.support.stores.memory_store import MemoryStore


def pytest_configure(config: pytest.Config) -> None:
    """Nothing of the developer's own AWS settings takes part."""
    load_profile()
    session_caches.begin()
    session_caches.say_less(config)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= CREDENTIALS | {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "POWERTOOLS_METRICS_DISABLED": "true",
        "LOG_REQUESTS": "off",
    }


def pytest_collection_finish() -> None:
    session_caches.keep_what_there_is()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """At its end pytest looks five times for what still has to be complained of, among what is left by now."""
    session_caches.keep_what_there_is()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """A test module without any example need not be imported a second time to look for them."""
    found = yield
    with_examples = b">>>" in file_path.read_bytes()
    return [each for each in found if with_examples or not isinstance(each, DoctestModule)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Ours in the place of `--dist loadgroup`."""
    from tests.scheduling import ByModule

    return ByModule(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system without the Bioregistry; `2021/06/demo` and `demo` are there."""
    with system(tmp_path_factory.mktemp("light")) as running:
        yield running


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with the whole Bioregistry. Its users form the xdist_group "world", so that it is loaded once."""
    with system(tmp_path_factory.mktemp("world"), with_registry=True) as running:
        yield running


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system that has just begun, without the Bioregistry, to be copied and left as it is."""
    with system(tmp_path_factory.mktemp("untouched")) as running:
        yield running


@pytest.fixture
def fresh(untouched: System) -> System:
    """A system of the test's own, without the Bioregistry."""
    return untouched.copied()


@pytest.fixture(scope="session")
def embedded_tables() -> Iterator[dict[str, str]]:
    """The stack's tables in an embedded backend, nothing else; their names by logical name."""
    with embedded.running():
        names = table_names()
        create_tables(load(find_template()), names)
        yield names


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def entropy() -> SeededEntropy:
    return SeededEntropy()
