"""A power failure may cut the log off anywhere behind the last acknowledged write, and leave anything there."""

import shutil
from pathlib import Path
from random import Random

from msgspec.structs import replace

from coolid.model.idempotency_record import IdempotencyRecord
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from tests.support.builders.samples import LATER, record
from tests.support.effort import size

OWNER = "r4k2-9m3x-62"
CREATIONS = 20


def test_every_acknowledged_write_is_there_and_no_other_in_part(tmp_path: Path) -> None:
    path, log = tmp_path / "coolid.db", tmp_path / "coolid.db-wal"
    sizes: list[int] = []
    with Database.open(path) as database:
        store = sqlite_store(database)
        for number in range(CREATIONS):
            created = replace(record(), key=f"{number:02}", metadata={"what": "x" * (number * 700)})
            store.records.create_record(created, IdempotencyRecord(f"{number:02}", "d", "o", LATER))
            sizes.append(log.stat().st_size)
        for name in (path, log):
            shutil.copyfile(name, tmp_path / f"copy-{name.name}")
    dice = Random(1)
    for attempt in range(size(400, 40)):
        end = dice.randrange(sizes[-1] + 1)
        found = keys_after(tmp_path, end, garbage=dice.randbytes(dice.choice([0, 10, 5_000])))
        acknowledged = sum(each <= end for each in sizes)
        assert found == [f"{number:02}" for number in range(acknowledged)], (attempt, end)


def keys_after(folder: Path, end: int, garbage: bytes) -> list[str]:
    """Return the keys of the records in a copy whose log is cut off at `end` and then has something else."""
    path, log = folder / "after.db", folder / "after.db-wal"
    shutil.copyfile(folder / "copy-coolid.db", path)
    log.write_bytes((folder / "copy-coolid.db-wal").read_bytes()[:end] + garbage)
    with Database.open(path, is_durable=False) as database:
        assert database.check() == ()
        records, _ = sqlite_store(database).records.list_records(OWNER, 100, None)
        with database.read() as connection:
            requests = connection.execute("SELECT id FROM idempotency_records ORDER BY id").fetchall()
    keys = [each.key for each in records]
    assert [key for (key,) in requests] == keys
    path.unlink()
    return keys
