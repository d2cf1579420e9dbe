"""Moving: rows of CSV that become signed records, and records that become the lines of an export; each a second.

Importing is in a process of its own, for the tables of the embedded backend are in its memory: the importer's own share
of memory is measured where the rows end up nowhere, after a tenth of them and after all.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec
from msgspec import Struct

from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import Settings
from coolid.identifiers.rules.lui import LuiRules
from coolid.local.stack import find_template, load_tables
from coolid.local.table_setup import TABLES, create_tables
from coolid.model.repositories import Repository
from coolid.registry.registration import create_repository, register_namespace
from coolid.transfer.progress import TransferProgress
from coolid.wiring import transfer
from coolid.wiring.write_access import open_store
from scripts.benchmark.canned import ROOT
from scripts.benchmark.harness import Effort
from scripts.benchmark.identifiers import BASE_URL
from scripts.benchmark.peak import peak
from scripts.benchmark.results import Figure, figure
from tests.support.stores import moto_store
from tests.support.stores.moto_store import CREDENTIALS

EMBEDDED, NOWHERE = "embedded", "nowhere"
ROWS: Final = {EMBEDDED: 5_000, NOWHERE: 30_000}
RUNS: Final = 3


class Moved(Struct, frozen=True):
    """Rows and lines a second, and the most memory (MB) after a tenth of the rows and after all."""

    imported: float
    exported: float
    early: float
    late: float


def figures(_scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    moved: dict[str, list[Moved]] = {mode: [] for mode in ROWS}
    for _ in range(effort.number(RUNS)):
        for mode, rows in ROWS.items():
            command = [sys.executable, "-m", "scripts.benchmark.parts.moving", mode, str(effort.number(rows))]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
            moved[mode].append(msgspec.json.decode(done.stdout, type=Moved))
    rows = effort.number(ROWS[NOWHERE])
    early = figure(f"moving: memory after {rows // 10:,} rows", "MB", (each.early for each in moved[NOWHERE]))
    late = figure(f"moving: memory after {rows:,} rows", "MB", (each.late for each in moved[NOWHERE]))
    return [
        figure("moving: rows imported, writing nowhere", "a second", (each.imported for each in moved[NOWHERE])),
        figure("moving: rows imported, embedded backend", "a second", (each.imported for each in moved[EMBEDDED])),
        figure("moving: lines exported, embedded backend", "a second", (each.exported for each in moved[EMBEDDED])),
        early,
        late.beside(early.name),
    ]


class Nowhere:
    """A writer for which every identifier is free, and which stores nothing."""

    def put(self, groups: Any) -> None:
        """See `BulkWriter`."""
        for group in groups:
            group.written = group.row_count


def move(mode: str, rows: int) -> Moved:
    """Import so many rows, and export what there is then."""
    names = {logical: name for logical, (_, name) in TABLES.items()}
    os.environ |= CREDENTIALS
    with tempfile.TemporaryDirectory() as name, moto_store.running():
        folder = Path(name)
        key_file.ensure(folder / "key.pem")
        told = {setting: names[logical] for logical, (setting, _) in TABLES.items()}
        told |= {"PUBLIC_BASE_URL": BASE_URL, "SIGNING_KEY_FILE": str(folder / "key.pem")}
        settings = transfer.settings_of(told, signs=True)
        create_tables(load_tables(find_template()), names)
        _furnish(settings)
        with (folder / "rows.csv").open("w") as file:
            file.writelines(_rows(rows))
        early = 0.0

        def watch() -> None:
            nonlocal early
            if tally.handled <= rows // 10:
                early = peak()

        tally = TransferProgress(_refused, watch)
        begun = time.perf_counter()
        with transfer.open_access(settings) as access:
            used = msgspec.structs.replace(access, writer=Nowhere()) if mode == NOWHERE else access
            transfer.mint(folder / "rows.csv", used, None, tally)
        imported, late = time.perf_counter() - begun, peak()
        assert tally.written == rows, "a row was lost"
        begun = time.perf_counter()
        with transfer.open_access(settings) as access:
            lines = sum(1 for _ in transfer.export_lines(access))
        exported = time.perf_counter() - begun
        assert lines > rows or mode == NOWHERE, "a record was left out"
        return Moved(rows / imported, lines / exported, early, late)


def _refused(refusal: object) -> NoReturn:
    """Fail, because all generated rows are valid."""
    raise AssertionError(refusal)


def _furnish(settings: Settings) -> None:
    """A repository to mint into."""
    clock, store = SystemClock(), open_store(settings)
    draft = Repository("", "bench", clock.now(), clock.now(), LuiRules())
    register_namespace(
        "bench",
        create_repository(draft, store.repositories, SystemEntropy()).id,
        "",
        prefixes=store.prefixes,
        repositories=store.repositories,
        clock=clock,
    )


def _rows(number: int) -> Iterator[str]:
    yield "prefix,uri,what\n"
    for row in range(number):
        yield f"bench,https://content.example.org/things/{row},Thing number {row}\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(move(sys.argv[1], int(sys.argv[2]))))
