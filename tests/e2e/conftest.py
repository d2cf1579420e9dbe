"""The service of the end-to-end tests: any at a base URL, or one that they start.

`COOLID_E2E_URL` is the base URL of a REST API's stage, of `make run` or of a domain. `COOLID_E2E_KEY` is an
administrator's API key, or `COOLID_E2E_KEY_FILE` the file that contains it. Without them `coolid serve` is started for
the session. `COOLID_E2E_LAG` are the seconds that are allowed beyond the times in `docs/explanation/caching.md` (5); a
CDN needs more.

The tests create everything under names of their own, so they can run against a service in use, and again.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.created_records import Holding, Minted, dated, fresh_name, hold
from tests.e2e.service import Service, connected
from tests.support.servers.coolid_server import prepare, serving


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service."""
    url = os.environ.get("COOLID_E2E_URL")
    lag = float(os.environ.get("COOLID_E2E_LAG", "5"))
    if url:
        with connected(url, key_of_the_environment(), lag) as there:
            yield there
        return
    folder = tmp_path_factory.mktemp("e2e")
    prepare(folder)
    with serving(folder) as server, connected(server.url, server.key, lag) as started:
        yield started


def key_of_the_environment() -> str:
    file = os.environ.get("COOLID_E2E_KEY_FILE")
    key = os.environ.get("COOLID_E2E_KEY") or (Path(file).read_text(encoding="utf-8") if file else "")
    assert key.strip(), "COOLID_E2E_URL needs an administrator's API key: COOLID_E2E_KEY or COOLID_E2E_KEY_FILE"
    return key.strip()


@pytest.fixture(scope="session")
def holding(service: Service) -> Holding:
    """A repository without special rules: a date-qualified prefix, which is canonical, and a short one."""
    name = fresh_name()
    return hold(service, dated(name), name)


@pytest.fixture(scope="session")
def thing(holding: Holding) -> Minted:
    """A record that no test changes."""
    return holding.mint(metadata={"who": "Lee, Ann", "what": "A thing", "when": "2025"})


@pytest.fixture(scope="session")
def tombstone(holding: Holding) -> Minted:
    """A record that was withdrawn before anybody asked for it."""
    minted = holding.mint(metadata={"what": "A thing that was"})
    holding.changed("DELETE", minted, {"reason": "It was wrong", "successor": "https://new.example/"})
    return minted
