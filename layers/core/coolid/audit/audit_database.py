"""The working state of an audit: a SQLite file with what was judged so far, from which any later audit continues.

What one block of entries adds, and the position after it, is one transaction. So an audit that was killed continues at
the block that it had not finished. Memory does not grow with the log.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec import json

from coolid.audit.entry_statements import PUBLIC_KEY, VERSION, EntryStatement
from coolid.audit.findings import Observation
from coolid.audit.rules import LogTimes, PidState
from coolid.errors import UsageError

FORMAT: Final = 1
_SCHEMA: Final = """
CREATE TABLE pids (id INTEGER PRIMARY KEY, pid TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
    last_index INTEGER NOT NULL, issued_at INTEGER NOT NULL);
CREATE TABLE versions (pid_id INTEGER NOT NULL, version INTEGER NOT NULL, log_index INTEGER NOT NULL,
    digest TEXT NOT NULL, issued_at INTEGER NOT NULL, key_id TEXT NOT NULL,
    PRIMARY KEY (pid_id, version)) WITHOUT ROWID;
CREATE TABLE identifiers (name TEXT PRIMARY KEY, pid_id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (subject TEXT NOT NULL, name TEXT NOT NULL, statement BLOB NOT NULL,
    PRIMARY KEY (subject, name)) WITHOUT ROWID;
CREATE TABLE key_uses (key_id TEXT PRIMARY KEY, first_index INTEGER NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE unverified (log_index INTEGER PRIMARY KEY, key_id TEXT NOT NULL, name TEXT NOT NULL, entry BLOB NOT NULL);
CREATE TABLE observations (id INTEGER PRIMARY KEY, observation BLOB NOT NULL UNIQUE, scope TEXT NOT NULL);
CREATE TABLE waiting (pid TEXT NOT NULL, version TEXT NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (pid, version)) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""


class AuditDatabase:
    """The state of the audits of one log, in a file that only one process has open."""

    def __init__(self, path: Path) -> None:
        self._rows = sqlite3.connect(path, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode=WAL")
        self._rows.execute("PRAGMA synchronous=NORMAL")
        (version,) = self._rows.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self._rows.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={FORMAT}; COMMIT;")
        elif version != FORMAT:
            raise UsageError(f"{path} is the state of another release's audit; use another --state, or remove it")
        self.times = self.setting("times", LogTimes) or LogTimes()

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything that the block writes at once, or nothing if it raises."""
        times = self.times
        self._rows.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.set("times", self.times)
        except BaseException:
            self._rows.execute("ROLLBACK")
            self.times = times
            raise
        self._rows.execute("COMMIT")

    def setting(self, name: str, kind: Any) -> Any:
        """Return the value of a setting as an instance of `kind`, or None."""
        found = self._rows.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return json.decode(found[0], type=kind) if found else None

    def set(self, name: str, value: object) -> None:
        """Write a setting."""
        self._rows.execute("REPLACE INTO settings VALUES (?, ?)", (name, json.encode(value)))

    def pid_state(self, pid: str) -> PidState | None:
        """See `StatementRows`."""
        query = "SELECT first, last, last_index, issued_at FROM pids WHERE pid = ?"
        found = self._rows.execute(query, (pid,)).fetchone()
        return PidState(*found) if found else None

    def version(self, pid: str, version: int) -> EntryStatement | None:
        """See `StatementRows`."""
        query = "SELECT v.* FROM pids p JOIN versions v ON v.pid_id = p.id WHERE p.pid = ? AND v.version = ?"
        found = self._rows.execute(query, (pid, version)).fetchone()
        return _statement(pid, found) if found else None

    def versions(self, pid: str) -> list[EntryStatement]:
        """Return the statements about the versions of a PID, by version."""
        query = "SELECT v.* FROM pids p JOIN versions v ON v.pid_id = p.id WHERE p.pid = ? ORDER BY v.version"
        return [_statement(pid, row) for row in self._rows.execute(query, (pid,))]

    def add_version(self, statement: EntryStatement) -> None:
        """See `StatementRows`."""
        pid, number, index, time = statement.name, statement.number, statement.index, statement.issued_at
        self._rows.execute(
            "INSERT INTO pids (pid, first, last, last_index, issued_at) VALUES (?1, ?2, ?2, ?3, ?4) ON CONFLICT (pid) "
            "DO UPDATE SET first = min(first, ?2), last_index = iif(?2 > last, ?3, last_index), "
            "issued_at = iif(?2 > last, ?4, issued_at), last = max(last, ?2)",
            (pid, number, index, time),
        )
        self._rows.execute(
            "INSERT INTO versions SELECT id, ?, ?, ?, ?, ? FROM pids WHERE pid = ?",
            (number, index, statement.digest, time, statement.key_id, pid),
        )

    def add_identifier(self, name: str, number: int) -> str:
        """Store that the PID of this number is the identifier `name`. Return the first PID that is."""
        self._rows.execute("INSERT OR IGNORE INTO identifiers VALUES (?, ?)", (name, number))
        query = "SELECT p.pid FROM identifiers i JOIN pids p ON p.id = i.pid_id WHERE i.name = ?"
        (pid,) = self._rows.execute(query, (name,)).fetchone()
        return str(pid)

    def remove_identifiers(self) -> None:
        """Remove the identifiers of all PIDs."""
        self._rows.execute("DELETE FROM identifiers")

    def latest_change(self, subject: str, name: str) -> EntryStatement | None:
        """See `StatementRows`."""
        query = "SELECT statement FROM changes WHERE subject = ? AND name = ?"
        found = self._rows.execute(query, (subject, name)).fetchone()
        return json.decode(found[0], type=EntryStatement) if found else None

    def add_change(self, statement: EntryStatement) -> None:
        """See `StatementRows`."""
        values = (statement.subject, statement.name, json.encode(statement))
        self._rows.execute("REPLACE INTO changes VALUES (?, ?, ?)", values)

    def changes(self, subject: str) -> Iterator[EntryStatement]:
        """Yield the latest statement about each thing of a subject."""
        for (statement,) in self._rows.execute("SELECT statement FROM changes WHERE subject = ?", (subject,)):
            yield json.decode(statement, type=EntryStatement)

    def public_keys(self) -> dict[str, EntryStatement]:
        """Return the statements about keys of proofs, by the ids of the keys."""
        return {statement.name: statement for statement in self.changes(PUBLIC_KEY)}

    def add_key_use(self, statement: EntryStatement) -> None:
        """Add the use of a key. Only its first use is stored."""
        values = (statement.key_id, statement.index, statement.name)
        self._rows.execute("INSERT OR IGNORE INTO key_uses VALUES (?, ?, ?)", values)

    def key_uses(self) -> list[tuple[str, int, str]]:
        """Return the id of each key that signed entries, with the index and name of the first one."""
        return self._rows.execute("SELECT * FROM key_uses ORDER BY first_index").fetchall()

    def add_unverified(self, statement: EntryStatement, entry: bytes) -> None:
        """Store an entry whose key is not in the log yet."""
        values = (statement.index, statement.key_id, statement.name, entry)
        self._rows.execute("REPLACE INTO unverified VALUES (?, ?, ?, ?)", values)

    def unverified(self, after: int, limit: int) -> list[tuple[int, str, str, bytes]]:
        """Return unverified entries behind an index: index, key, name and entry."""
        query = "SELECT * FROM unverified WHERE log_index > ? ORDER BY log_index LIMIT ?"
        return self._rows.execute(query, (after, limit)).fetchall()

    def count(self, subject: str = VERSION) -> int:
        """Return the number of PIDs, or of things of another subject."""
        if subject == VERSION:
            query, values = "SELECT count(*) FROM pids", tuple[str, ...]()
        else:
            query, values = "SELECT count(*) FROM changes WHERE subject = ?", (subject,)
        (number,) = self._rows.execute(query, values).fetchone()
        return int(number)

    def pids(self, after: int, limit: int) -> list[tuple[int, str]]:
        """Return the numbers of PIDs, counted from 1 in the order of the log, behind `after`, and the PIDs."""
        query = "SELECT id, pid FROM pids WHERE id > ? ORDER BY id LIMIT ?"
        return self._rows.execute(query, (after, limit)).fetchall()

    def add(self, observation: Observation, scope: str) -> None:
        """Add an observation once, in the scope `LOG`, `PRESENT` or `ANSWERS`."""
        values = (json.encode(observation), scope)
        self._rows.execute("INSERT OR IGNORE INTO observations (observation, scope) VALUES (?, ?)", values)

    def remove(self, scope: str) -> None:
        """Remove the observations of a scope."""
        self._rows.execute("DELETE FROM observations WHERE scope = ?", (scope,))

    def remove_observation(self, observation: Observation) -> None:
        """Remove an observation that turned out to be none."""
        self._rows.execute("DELETE FROM observations WHERE observation = ?", (json.encode(observation),))

    def waiting_since(self, pid: str, version: str, now: int) -> int:
        """Return the time of the first audit that saw this version wait for its place in the log."""
        self._rows.execute("INSERT OR IGNORE INTO waiting VALUES (?, ?, ?)", (pid, version, now))
        query = "SELECT since FROM waiting WHERE pid = ? AND version = ?"
        (since,) = self._rows.execute(query, (pid, version)).fetchone()
        return int(since)

    def observations(self) -> Iterator[Observation]:
        """Yield all observations, oldest first."""
        for (observation,) in self._rows.execute("SELECT observation FROM observations ORDER BY id"):
            yield json.decode(observation, type=Observation)


def _statement(pid: str, row: tuple[Any, ...]) -> EntryStatement:
    _, version, index, digest, issued_at, key_id = row
    return EntryStatement(index, VERSION, pid, version, digest, issued_at, key_id)
