"""More and more dead targets: what the planner of link checks takes for a tick, in a process like the check function's.

The function has 256 MB. The targets are of one repository, at a thousand hosts, and have failed for up to two weeks.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from logging import getLogger
from pathlib import Path
from time import process_time
from typing import Final

import msgspec

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.identifiers.rules.lui import LuiRules
from coolid.local.background_checks import LocalQueue
from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DOWN
from coolid.model.repositories import Repository
from coolid.registry.registration import create_repository, register_namespace
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from coolid.store.check_rows import check_state_row
from coolid.wiring.check_service import build_check_service
from scripts.benchmark import canned
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.identifiers import BASE_URL
from scripts.benchmark.peak import peak

SIZES: Final = (1_000, 10_000, 100_000)
HOSTS: Final = 1_000
NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)

_INSERT: Final = "INSERT INTO check_states (owner, name, ailing, expires, body) VALUES (?, ?, ?, ?, ?)"


def _fill(path: Path, size: int) -> None:
    """Create a database in which so many targets are down."""
    with Database.open(path, is_durable=False) as database:
        store, clock = sqlite_store(database), SystemClock()
        draft = Repository("", "bench", clock.now(), clock.now(), LuiRules())
        repository = create_repository(draft, store.repositories, SystemEntropy()).id
        register_namespace(
            "bench", repository, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock
        )
        owner = repository_owner(repository)
        rows = (tuple(_state_row(owner, number).values()) for number in range(size))
        database.write(lambda connection: connection.executemany(_INSERT, rows))


def _state_row(owner: str, number: int) -> Mapping[str, object]:
    url = f"https://h{number % HOSTS}.example/things/{number}"
    state = CheckState(
        url=url, state=DOWN, since=NOON - timedelta(days=number % 14), checked=NOON, streak=-9, reason="it answered 404"
    )
    return check_state_row(CheckSubject(owner, target_name(f"{number:010}", url)), state)


def _plan(workspace: Workspace, size: int) -> Callable[[], tuple[float, float]]:
    workspace.scratch.mkdir(parents=True, exist_ok=True)
    path = workspace.scratch / f"dead-targets-{size}.db"
    if not path.exists():
        _fill(path, size)

    def plan() -> tuple[float, float]:
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(path)],
            cwd=canned.ROOT,
            env=os.environ,
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds, megabytes = msgspec.json.decode(done.stdout, type=tuple[float, float])
        return seconds * 1e6 / size, megabytes

    return plan


def _time(workspace: Workspace, size: int) -> Callable[[], float]:
    plan = _plan(workspace, size)
    return lambda: plan()[0]


def _memory(workspace: Workspace, size: int) -> Callable[[], float]:
    plan = _plan(workspace, size)
    return lambda: plan()[1]


CLIFFS: Final = (
    Cliff("planning a tick, each target", SIZES, "dead targets", _time, "µs each", rounds=3),
    Cliff("memory of the planner", SIZES, "dead targets", _memory, "MB", rounds=3),
)


def main() -> None:
    """Plan a tick, and print what it took: seconds of processor time, and the most memory of the process in MB."""
    environment = {"STORE": f"sqlite:///{sys.argv[1]}", "PUBLIC_BASE_URL": BASE_URL}
    queue = LocalQueue()
    service = build_check_service(environment, queue, getLogger(), lambda *_, **__: None)
    begun = process_time()
    service.plan_tick(SystemClock().now())
    seconds = process_time() - begun
    assert len(queue), "nothing was planned"
    sys.stdout.buffer.write(msgspec.json.encode((seconds, peak())))


if __name__ == "__main__":
    main()
