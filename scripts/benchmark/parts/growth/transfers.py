"""More and more records in an export and an import of a database: processor time for each record, and memory."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, NoReturn

import msgspec

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.records import Location, Record
from coolid.model.repositories import Repository
from coolid.registry.registration import create_repository, register_namespace
from coolid.sqlite.database import Database
from coolid.sqlite.records import INSERT_RECORD
from coolid.sqlite.store import sqlite_store
from coolid.store.rows import CURRENT, pid_of, record_body
from coolid.transfer.progress import TransferProgress
from coolid.wiring import transfer
from scripts.benchmark import canned
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.identifiers import BASE_URL
from scripts.benchmark.peak import peak

SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
EXPORT, IMPORT = "export", "import"

Measured = tuple[float, float]
"""Microseconds of processor time for each record, and the most memory in MB."""


def fill(path: Path, size: int) -> None:
    """Create a database with so many records, whose proofs are as long as real ones, but none."""
    with Database.open(path, is_durable=False) as database:
        store, clock = sqlite_store(database), SystemClock()
        draft = Repository("", "bench", clock.now(), clock.now(), LuiRules())
        repository = create_repository(draft, store.repositories, SystemEntropy())
        register_namespace(
            "bench", repository.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock
        )
        database.write(lambda connection: connection.executemany(INSERT_RECORD, _rows(repository, size)))


def _rows(repository: Repository, size: int) -> Iterator[dict[str, Any]]:
    moment = repository.created
    sample = Record(
        "SAMPLE",
        f"{BASE_URL}/bench:SAMPLE",
        repository.id,
        1,
        moment,
        moment,
        BASE_URL,
        "active",
        metadata={"what": "Thing SAMPLE"},
        records=(Location("https://content.example.org/SAMPLE"),),
        proof="x" * 400,
    )
    body = record_body(sample)
    members = {"version": CURRENT, "status": "active", "revision": 1, "repository": repository.id, "author": "bench"}
    for number in range(size):
        name = lui.encode(number)
        key = name.replace("-", "")
        yield {"pid": pid_of(repository.id, key), **members, "body": body.replace("SAMPLE", name)}


def _measured(operation: str, workspace: Workspace, size: int) -> Callable[[], Measured]:
    workspace.scratch.mkdir(parents=True, exist_ok=True)
    path = workspace.scratch / f"transfers-{size}.db"
    if not path.exists():
        fill(path, size)

    def measure() -> Measured:
        command = [sys.executable, "-m", __name__, operation, str(path)]
        done = subprocess.run(command, cwd=canned.ROOT, env=os.environ, stdout=subprocess.PIPE, check=True)
        seconds, megabytes = msgspec.json.decode(done.stdout, type=tuple[float, float])
        return seconds * 1e6 / size, megabytes

    return measure


def _cliffs(operation: str, sizes: tuple[int, ...]) -> Iterator[Cliff]:
    for at, (name, unit) in enumerate((("time", "µs each"), ("memory", "MB"))):

        def prepare(workspace: Workspace, size: int, at: int = at) -> Callable[[], float]:
            measure = _measured(operation, workspace, size)
            return lambda: measure()[at]

        yield Cliff(f"{operation}, {name}", sizes, "records", prepare, unit, quick=sizes[:2], rounds=3)


CLIFFS: Final = (*_cliffs(EXPORT, SIZES), *_cliffs(IMPORT, SIZES[:3]))


def _settings(path: Path) -> dict[str, str]:
    return {"STORE": f"sqlite:///{path}"}


def _export(path: Path, target: Path) -> None:
    with transfer.open_access(transfer.settings_of(_settings(path), signs=False)) as access, target.open("wb") as file:
        file.writelines(transfer.export_lines(access))


def _refused(refusal: object) -> NoReturn:
    raise AssertionError(refusal)


def _import(file: Path, path: Path) -> None:
    progress = TransferProgress(_refused)
    Database.open(path, is_durable=False).close()
    with transfer.open_access(transfer.settings_of(_settings(path), signs=False)) as access:
        transfer.restore(file, access, progress)
    assert progress.written > 0, "nothing was written"


def main() -> None:
    """Export or import a database, and print seconds of processor time, and the most memory of the process in MB."""
    operation, path = sys.argv[1], Path(sys.argv[2])
    with TemporaryDirectory(dir=path.parent) as name:
        folder = Path(name)
        exported = path.with_suffix(".jsonl")
        if operation == IMPORT and not exported.exists():
            subprocess.run([sys.executable, "-m", __spec__.name, EXPORT, path], check=True, stdout=subprocess.DEVNULL)
        begun = process_time()
        if operation == EXPORT:
            _export(path, folder / "export.jsonl")
        else:
            _import(exported, folder / "imported.db")
        seconds, megabytes = process_time() - begun, peak()
        if operation == EXPORT:
            (folder / "export.jsonl").replace(exported)
    sys.stdout.buffer.write(msgspec.json.encode((seconds, megabytes)))


if __name__ == "__main__":
    main()
