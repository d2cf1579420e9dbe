"""Group commit: changes that wait at the same time share a transaction, and each has an outcome of its own."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest

from coolid.errors import IdentifierTaken, StoreUnavailable
from coolid.sqlite import writer as writer_module
from coolid.sqlite.database import Database
from coolid.sqlite.writer import MAX_GROUP, Writer

Change = Callable[[sqlite3.Connection], Any]


class Group:
    """Changes that wait in the queue of a writer until `run` ends the transaction before."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.statements: list[str] = []
        self.threads = ThreadPoolExecutor(100)
        self._first = self.threads.submit(lambda: None)

    def run(self, *changes: Change) -> list[Future[Any]]:
        """Carry out changes at once."""
        begun, ended = Event(), Event()

        def wait(connection: sqlite3.Connection) -> None:
            begun.set()
            ended.wait()
            connection.set_trace_callback(self.statements.append)

        first = self.threads.submit(self.writer.write, wait)
        begun.wait()
        futures = []
        for number, change in enumerate(changes, 1):
            futures.append(self.threads.submit(self.writer.write, change))
            while len(self.writer._queue) < number:
                sleep(0.001)
        ended.set()
        first.result()
        return futures

    def count(self, statement: str) -> int:
        return self.statements.count(statement)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "coolid.db", is_durable=False) as database:
        yield database


@pytest.fixture
def group(database: Database) -> Iterator[Group]:
    group = Group(database._open_connections().writer)
    yield group
    group.threads.shutdown()


def insert(name: str) -> Change:
    return lambda connection: connection.execute("INSERT INTO counters (id) VALUES (?)", (name,)).rowcount


def refuse(connection: sqlite3.Connection) -> None:
    """Raise an error after a change, which must then be undone."""
    insert("refused")(connection)
    raise IdentifierTaken("refused")


def break_a_constraint(connection: sqlite3.Connection) -> None:
    insert("broken")(connection)
    connection.execute("INSERT INTO counters (id) VALUES (NULL)")


def break_a_deferred_constraint(connection: sqlite3.Connection) -> None:
    """The commit fails, and not the change."""
    insert("broken")(connection)
    connection.execute("INSERT INTO prefixes (name, target) VALUES ('a', 'missing')")


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return [name for (name,) in connection.execute("SELECT id FROM counters ORDER BY id")]


def test_what_waits_at_the_same_time_is_one_transaction(database: Database, group: Group) -> None:
    futures = group.run(*(insert(f"{number:02}") for number in range(20)))
    assert [future.result() for future in futures] == [1] * 20
    assert len(names(database)) == 20
    assert (group.count("BEGIN IMMEDIATE"), group.count("COMMIT")) == (1, 2)  # one commit is of the change before


def test_a_transaction_has_a_limited_number_of_changes(database: Database, group: Group) -> None:
    for future in group.run(*(insert(f"{number:02}") for number in range(MAX_GROUP + 1))):
        future.result()
    assert len(names(database)) == MAX_GROUP + 1
    assert group.count("BEGIN IMMEDIATE") == 2


def test_a_refused_change_is_undone_alone(database: Database, group: Group) -> None:
    first, refused, last = group.run(insert("first"), refuse, insert("last"))
    assert (first.result(), last.result()) == (1, 1)
    with pytest.raises(IdentifierTaken):
        refused.result()
    assert names(database) == ["first", "last"]
    assert group.count("BEGIN IMMEDIATE") == 1


@pytest.mark.parametrize("failing", [break_a_constraint, break_a_deferred_constraint])
def test_a_change_that_fails_in_the_database_takes_no_other_with_it(
    database: Database, group: Group, failing: Change
) -> None:
    first, failed, last = group.run(insert("first"), failing, insert("last"))
    assert (first.result(), last.result()) == (1, 1)
    with pytest.raises(sqlite3.IntegrityError):
        failed.result()
    assert names(database) == ["first", "last"]


def test_an_interrupt_leaves_no_caller_waiting(database: Database, group: Group) -> None:
    def interrupt(connection: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    futures = group.run(insert("first"), interrupt, insert("last"))
    errors = [future.exception() for future in futures]
    assert {type(error) for error in errors} == {StoreUnavailable, KeyboardInterrupt}
    assert names(database) == []
    assert database.write(insert("later")) == 1


def test_a_change_that_leads_before_it_waits_is_acknowledged(
    group: Group, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, wait_for_turn = Event(), Writer._wait_for_turn
    first: list[Future[Any]] = []

    def wait_later(writer: Writer, task: Any) -> None:
        if first:
            started.set()
            first[0].result()
        wait_for_turn(writer, task)

    begun = Event()

    def wait(connection: sqlite3.Connection) -> None:
        begun.set()
        started.wait()

    monkeypatch.setattr(Writer, "_wait_for_turn", wait_later)
    leader = group.threads.submit(group.writer.write, wait)
    begun.wait()
    first.append(leader)
    group.writer.write(insert("second"))
    assert names(database) == ["second"]


def test_a_change_that_waits_too_long_is_not_carried_out(
    database: Database, group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "BUSY_SECONDS", 0.01)
    begun, ended = Event(), Event()

    def wait(connection: sqlite3.Connection) -> None:
        begun.set()
        ended.wait()

    first = group.threads.submit(database.write, wait)
    begun.wait()
    with pytest.raises(StoreUnavailable, match="busy"):
        database.write(insert("late"))
    ended.set()
    first.result()
    assert names(database) == []
