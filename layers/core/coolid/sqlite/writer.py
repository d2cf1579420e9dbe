"""The writer of a process: concurrent changes share transactions.

A commit waits for the disk, for 0.1 to 10 milliseconds. Meanwhile other threads put their changes into a queue, and
wait. The thread of the first of them then leads: it carries out all of them in one transaction ("group commit"), and
wakes the other threads. A change returns only after the commit. A refused change undoes only itself: after the first
refusal, each change of the transaction has a savepoint of its own.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import BUSY_SECONDS
from coolid.sqlite.database_errors import translate_errors
from coolid.sqlite.expired_rows import ExpiredRows
from coolid.sqlite.file_identity import FileIdentity

T = TypeVar("T")
Change = Callable[[sqlite3.Connection], Any]
"""Carries out one change in an open transaction. It may be undone and carried out again."""
_Outcome = tuple[Any, Exception | None]
"""The result of a change, or the error that it raised."""

MAX_GROUP: Final = 64
"""The most changes in one transaction."""
_POLL_SECONDS: Final = 0.0005
"""The time between two attempts to take the lock. SQLite itself waits for up to 0.1 s, and then several busy processes
hinder each other for seconds."""


class _Task:
    """A change in the queue, and its outcome."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.is_done = False
        self.result: Any = None
        self.error: Exception | None = None
        self._wait = Lock()
        self._wait.acquire()

    def finish(self, result: Any, error: Exception | None) -> None:
        """Set the outcome, unless there is one already, and wake the caller."""
        if not self.is_done:
            self.result, self.error = result, error
            self.is_done = True
            self.wake()

    def wake(self) -> None:
        """End the wait of the caller, also a later one: the task is done, or the caller leads the next group."""
        self._wait.release()

    def wait(self, seconds: float) -> bool:
        """Wait for `wake`, without limit if `seconds` is -1. Return False after this time."""
        return self._wait.acquire(timeout=seconds)


class Writer:
    """Carries out changes over one connection, which nothing else uses."""

    def __init__(self, connection: sqlite3.Connection, identity: FileIdentity, expired_rows: ExpiredRows) -> None:
        self._connection = connection
        self._connection.execute("PRAGMA busy_timeout=0")  # `_begin` waits instead
        self._identity = identity
        self._expired_rows = expired_rows
        self._queue: deque[_Task] = deque()
        self._leader: _Task | None = None
        self._queue_lock = Lock()
        """Protects the queue and the leader, for a few microseconds."""
        self._connection_lock = Lock()
        self._is_closed = False

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Carry out a change and return its result after the commit. Raises the change's errors and `StoreUnavailable`.

        After `StoreUnavailable` the outcome is unknown only if the disk failed during the commit.
        """
        task = _Task(change)
        with self._queue_lock:
            self._queue.append(task)
            if self._leader is None:
                self._lead(task)
        try:
            self._wait_for_turn(task)
            if self._leader is task:
                with self._connection_lock:
                    self._commit_group()
        finally:
            self._leave(task)
        if task.error is not None:
            raise task.error
        result: T = task.result
        return result

    def close(self) -> None:
        """Close the connection after the current transaction."""
        with self._connection_lock:
            self._is_closed = True
            self._connection.close()

    def _wait_for_turn(self, task: _Task) -> None:
        """Wait until the task is done or leads. Raises `StoreUnavailable` if it waited too long and was not begun."""
        if task.wait(2 * BUSY_SECONDS):
            return
        with self._queue_lock:
            if self._leader is not task and task in self._queue:
                self._queue.remove(task)
                raise StoreUnavailable("the database is busy")
        task.wait(-1)  # it belongs to the current transaction, or leads since a moment ago

    def _leave(self, task: _Task) -> None:
        """Remove the task, which is queued only after `KeyboardInterrupt`, and let the next one lead."""
        with self._queue_lock:
            if task in self._queue:
                self._queue.remove(task)
            if self._leader is task:
                self._lead(self._queue[0] if self._queue else None)

    def _lead(self, task: _Task | None) -> None:
        """Let a task lead, and wake it. The caller has the lock of the queue."""
        self._leader = task
        if task:
            task.wake()

    def _commit_group(self) -> None:
        """Carry out the changes in the queue: together, or one by one if the transaction fails."""
        with self._queue_lock:
            tasks = [self._queue.popleft() for _ in range(min(len(self._queue), MAX_GROUP))]
        if self._expired_rows.is_due():
            tasks.append(_Task(self._expired_rows.remove))
        try:
            for group in (tasks, *([task] for task in tasks)):
                if not all(task.is_done for task in group):
                    self._commit(group)
        finally:  # after an exception that is not an error, such as `KeyboardInterrupt`
            for task in tasks:
                task.finish(None, StoreUnavailable("the change was interrupted"))

    def _commit(self, tasks: Sequence[_Task]) -> None:
        """Carry out changes in one transaction. If it fails, a single change gets the error, and several are undone."""
        try:
            self._begin()
        except (StoreUnavailable, sqlite3.Error) as error:
            _fail(tasks, error)
            return
        try:
            with translate_errors():
                outcomes = self._outcomes(tasks)
                self._connection.execute("COMMIT")
        except (StoreUnavailable, sqlite3.Error) as error:
            if len(tasks) == 1:
                _fail(tasks, error)
        else:
            self._acknowledge(tasks, outcomes)
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # SQLite has ended the transaction if it cannot
                    self._connection.execute("ROLLBACK")

    def _begin(self) -> None:
        if self._is_closed:
            raise StoreUnavailable("the database is closed")
        self._identity.require_unchanged()
        end = monotonic() + BUSY_SECONDS
        with translate_errors():
            while not self._try_to_begin() and monotonic() < end:
                sleep(_POLL_SECONDS)
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")  # raises the reason

    def _try_to_begin(self) -> bool:
        """Begin a transaction. Return False if another process has the lock."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def _outcomes(self, tasks: Sequence[_Task]) -> Sequence[_Outcome]:
        """Carry out changes. If one of several raises an error, undo all and carry out each in its own savepoint.

        A savepoint costs as much as a small change, and few changes are refused. SQLite's own errors are raised.
        """
        if len(tasks) > 1:
            self._connection.execute("SAVEPOINT changes")
            try:
                return [(task.change(self._connection), None) for task in tasks]
            except sqlite3.Error:
                raise
            except Exception:  # noqa: BLE001 - it is raised again below, in the savepoint of its change
                self._connection.execute("ROLLBACK TO changes")
        return [self._outcome(task.change) for task in tasks]

    def _outcome(self, change: Change) -> _Outcome:
        """Carry out a change in a savepoint, and undo it if it raises an error."""
        self._connection.execute("SAVEPOINT change")
        try:
            return change(self._connection), None
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - `write` raises it in the thread of its caller
            self._connection.execute("ROLLBACK TO change")
            return None, error
        finally:
            if self._connection.in_transaction:
                self._connection.execute("RELEASE change")

    def _acknowledge(self, tasks: Sequence[_Task], outcomes: Sequence[_Outcome]) -> None:
        """Publish the outcomes, if the committed file still has its name."""
        try:
            self._identity.require_unchanged()
        except StoreUnavailable as error:
            _fail(tasks, error)
        else:
            for task, (result, failure) in zip(tasks, outcomes, strict=True):
                task.finish(result, failure)


def _fail(tasks: Sequence[_Task], error: Exception) -> None:
    for task in tasks:
        failure = copy(error)  # each thread adds its own traceback
        failure.__cause__ = error.__cause__
        task.finish(None, failure)
