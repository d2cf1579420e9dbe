"""Expired rows are removed some time after they have expired, a few at a time; a clock that changes loses nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.errors import IdempotencyRecordTaken
from coolid.model.check_state import CheckCursor, CheckState, CheckSubject
from coolid.model.conditions import UP
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import Job, JobRequest
from coolid.model.webhooks import Webhook
from coolid.sqlite import database as database_module
from coolid.sqlite.database import Database
from coolid.sqlite.expired_rows import GRACE_SECONDS, INTERVAL_SECONDS, PORTION, ExpiredRows
from coolid.sqlite.job_files import SqliteFiles
from coolid.sqlite.jobs import SqliteJobs
from coolid.sqlite.store import sqlite_store
from coolid.store.check_rows import RETENTION_SECONDS
from tests.support.builders.samples import MOMENT, record
from tests.support.fixtures.ports import FixedClock

START = MOMENT.timestamp()
LIFETIME = 86_400
_CURSOR = CheckCursor(MOMENT)
_WEBHOOK = Webhook("https://a.example/", "whsec_x", MOMENT)


class Clocks:
    """The present moment, and the elapsed time, which no change of the clock affects."""

    def __init__(self) -> None:
        self.now = START
        self.elapsed = 0.0

    def advance(self, seconds: float) -> None:
        self.now += seconds
        self.elapsed += seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def database(tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    expired_rows = ExpiredRows(lambda: clocks.now, lambda: clocks.elapsed)
    monkeypatch.setattr(database_module, "ExpiredRows", lambda: expired_rows)
    with Database.open(tmp_path / "coolid.db", is_durable=False) as database:
        yield database


def add(database: Database, *numbers: int) -> None:
    """Store idempotency records and check states that expire a lifetime after `START`."""
    store = sqlite_store(database)
    checked = MOMENT + timedelta(seconds=LIFETIME - RETENTION_SECONDS)
    for number in numbers:
        idempotency_record = IdempotencyRecord(f"{number}", "d", "o", MOMENT + timedelta(seconds=LIFETIME))
        store.records.create_record(record(f"{number:010}", metadata={}), idempotency_record)
        state = CheckState(url="https://a.example/", state=UP, since=checked, checked=checked)
        store.check_states.put_check_state(CheckSubject("o", f"{number}"), state)


def counts(database: Database) -> tuple[int, int]:
    with database.read() as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM idempotency_records")
        ((states,),) = connection.execute("SELECT count(*) FROM check_states")
    return count, states


def write(database: Database, times: int = 1) -> None:
    for _ in range(times):
        sqlite_store(database).counters.reserve("a", 0, 1)


def test_rows_remain_until_some_time_after_their_end(database: Database, clocks: Clocks) -> None:
    add(database, 1, 2)
    clocks.advance(LIFETIME + GRACE_SECONDS)
    write(database)
    assert counts(database) == (2, 2)
    clocks.advance(INTERVAL_SECONDS)
    assert counts(database) == (2, 2)
    write(database)
    assert counts(database) == (0, 0)


def test_many_are_removed_in_portions(database: Database, clocks: Clocks) -> None:
    add(database, *range(PORTION + 1))
    clocks.advance(2 * LIFETIME)
    write(database)
    assert counts(database) == (1, 1)
    write(database)
    assert counts(database) == (0, 0)


def test_jobs_and_then_their_files_expire(database: Database, clocks: Clocks) -> None:
    jobs, files = SqliteJobs(database), SqliteFiles(database, FixedClock())
    jobs.create_job(Job("j", "c", JobRequest("mint"), MOMENT, MOMENT))
    files.write("jobs/j/rows", [b"x" * 100_000])
    for days, left in ((29, (1, 1, 2)), (31, (0, 1, 2)), (32, (0, 0, 0))):
        clocks.now = MOMENT.timestamp() + 86_400 * days
        clocks.elapsed += INTERVAL_SECONDS
        write(database)
        with database.read() as connection:
            tables = ("jobs", "job_files", "job_file_parts")
            found = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]  # noqa: S608
        assert tuple(found) == left


def test_nothing_else_expires(database: Database, clocks: Clocks) -> None:
    store = sqlite_store(database)
    add(database, 1)
    store.check_cursors.put_cursor("r", _CURSOR)
    store.webhooks.put_webhook("r", _WEBHOOK)
    clocks.advance(10 * RETENTION_SECONDS)
    write(database)
    assert (store.check_cursors.cursor("r"), store.webhooks.webhook("r")) == (_CURSOR, _WEBHOOK)
    assert store.records.record(record().repository, f"{1:010}") is not None


def test_a_clock_that_is_put_back_keeps_what_is_valid_and_stops_no_write(database: Database, clocks: Clocks) -> None:
    add(database, 1)
    clocks.now -= 10 * LIFETIME
    clocks.elapsed += INTERVAL_SECONDS
    write(database)
    assert counts(database) == (1, 1)
    earlier = replace(record("0000000009"), created=datetime.fromtimestamp(clocks.now, UTC))
    with pytest.raises(IdempotencyRecordTaken):
        sqlite_store(database).records.create_record(earlier, IdempotencyRecord("1", "d", "o", MOMENT))
    add(database, 2)
    assert counts(database) == (2, 2)


def test_a_clock_that_is_put_forward_by_less_than_an_hour_removes_nothing(database: Database, clocks: Clocks) -> None:
    add(database, 1)
    clocks.advance(LIFETIME - 1)
    clocks.now += GRACE_SECONDS
    write(database)
    assert counts(database) == (1, 1)
