"""Creation, examination, migration and copies of the database file.

A new file is completed under a temporary name, and then linked to its name. So it is complete or absent, even after a
crash. An existing file is examined without a write, so a file that cannot be used stays as it is.

Only SQLite opens an existing database here. If other code of the process closed a descriptor of the file, the process
would lose its locks on it (https://sqlite.org/howtocorrupt.html, section 2.2).
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, count
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from coolid import private_files
from coolid.errors import UsageError
from coolid.sqlite.connections import IMMUTABLE, connect
from coolid.sqlite.database_errors import failure_reason, is_damage
from coolid.sqlite.integrity import all_faults, faults
from coolid.sqlite.schema import ADDITIONS, APPLICATION_ID, MIGRATIONS, SEARCH
from coolid.sqlite.search_index import has_full_text_search

LEAST_VERSION: Final = (3, 37)
"""The first SQLite with strict tables."""
_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""The ends of the names of the files that SQLite puts beside a database."""
_STEP_PAGES: Final = 4_096
"""The pages that a backup copies in one step. Python handles signals, such as that of Ctrl-C, between steps."""


def prepare(path: Path, *, may_create: bool = True) -> Path | None:
    """Examine the database and bring its schema up to date. Create it if there is none and `may_create` is true.

    Return the copy of the former state, which is made before a change of the schema, or None. Raises `UsageError`.
    """
    if sqlite3.sqlite_version_info < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise UsageError(f"the store needs SQLite {least} or later, but this Python has {sqlite3.sqlite_version}")
    with explained_errors(path):
        if not exists(path):
            if not may_create:
                raise UsageError(f"{path}: there is no such database")
            _create(path)
        if not _is_writable(path):  # SQLite would put a log beside it that could not be written later either
            raise UsageError(f"{path}: the database cannot be written")
        with closing(connect(path, "ro")) as connection:
            _require_usable(path, connection)
        with closing(connect(path)) as connection:
            return _migrate(connection, path)


def exists(path: Path) -> bool:
    """Return whether there is a database. Raises `UnsuitableFile` unless its files are regular, and other `OSError`."""
    for suffix in _SUFFIXES:
        private_files.exists(path.with_name(path.name + suffix))
    return private_files.exists(path)


def is_read_only(path: Path) -> bool:
    """Return whether a database or its folder cannot be written, and the database has no log. Raises `UsageError`."""
    with explained_errors(path):
        has_log = private_files.exists(path.with_name(f"{path.name}-wal"))
        return private_files.exists(path) and not has_log and not (_is_writable(path) and _is_writable(path.parent))


def check_read_only(path: Path) -> Sequence[str]:
    """Return the faults of a file for which `is_read_only` is true. Raises `UsageError`."""
    with explained_errors(path), closing(connect(path, IMMUTABLE)) as connection:
        _require_usable(path, connection)
        return tuple(all_faults(connection))


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database to a new file. Raises `UsageError` if it exists, cannot be written, or would be damaged."""
    with explained_errors(target):
        if private_files.exists(target):
            raise UsageError(f"{target}: the file exists already")
        with _new_file(target) as new:
            with closing(connect(new)) as copy:
                source.execute("BEGIN")  # all pages are of one state
                try:
                    source.execute("SELECT 1 FROM sqlite_schema").fetchall()
                    source.backup(copy, pages=_STEP_PAGES, progress=_handle_signals)
                finally:
                    source.execute("ROLLBACK")
            _require_sound(new)


def _require_sound(copy: Path) -> None:
    """Raise `UsageError` if a copy is damaged. SQLite copies pages as they are, so the database is damaged then."""
    try:
        with closing(connect(copy, IMMUTABLE)) as connection:
            found = next(iter(faults(connection, 1)), None)
    except sqlite3.DatabaseError as error:
        found = failure_reason(error)
        if not is_damage(error):
            raise
    if found:
        advice = "`coolid check` lists its damages, and `coolid backup` copies only a sound one"
        raise UsageError(f"the database is damaged, so no backup was made: {found}; {advice}")


def _handle_signals(_status: int, _remaining: int, _total: int) -> None:
    """Do nothing. Python handles signals whenever it calls a Python function."""


def _create(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with _new_file(path) as new, closing(connect(new)) as connection:
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            _migrate(connection)
            connection.execute("PRAGMA journal_mode=WAL")
    except FileExistsError:
        return  # another process has just created it


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """Create an empty file of mode 600 and give it the name `path` after the block. Raises `FileExistsError`."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.") as new:
        try:
            yield Path(new.name)
        finally:
            for suffix in _SUFFIXES:  # SQLite leaves its journal if it cannot undo a write, such as on a full disk
                Path(new.name + suffix).unlink(missing_ok=True)
        os.fsync(new.fileno())
        path.hardlink_to(new.name)
    private_files.sync_folder(path.parent)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _require_usable(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `UsageError` if the file belongs to another application or a later release. Writes nothing."""
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
    if application != APPLICATION_ID:
        raise UsageError(f"{path}: it is not a database of this program")
    if version > len(MIGRATIONS):
        raise UsageError(f"{path}: a later release has written it (schema {version}, here {len(MIGRATIONS)})")


def _migrate(connection: sqlite3.Connection, path: Path | None = None) -> Path | None:
    """Apply the missing migrations and additions in one transaction. Raises SQLite's error if the file is read-only.

    If there are migrations, the existing database at `path` is copied first. Return the copy.
    """
    connection.execute("BEGIN IMMEDIATE")  # no other process can migrate, or write, before the copy is complete
    ((version,),) = connection.execute("PRAGMA user_version")
    copy = _copy_before_migration(path, version) if path and version < len(MIGRATIONS) else None
    for migration in MIGRATIONS[version:]:
        for statement in migration:
            connection.execute(statement)
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    additions = {**ADDITIONS, **(SEARCH if has_full_text_search() else {})}
    missing = [name for name in additions if name not in present]
    for name in missing:
        connection.execute(additions[name])
    connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")  # always, because it fails if the file is read-only
    connection.execute("COMMIT" if missing or version < len(MIGRATIONS) else "ROLLBACK")
    return copy


def _copy_before_migration(path: Path, version: int) -> Path:
    """Copy a database to a new file beside it, such as `coolid.db.schema-1.backup`."""
    name = path.with_name(f"{path.name}.schema-{version}")
    endings = chain([""], (f".{number}" for number in count(2)))  # an earlier attempt may have failed
    names = (name.with_name(f"{name.name}{ending}.backup") for ending in endings)
    copy = next(each for each in names if not private_files.exists(each))
    with closing(connect(path, "ro")) as source:
        copy_database(source, copy)
    return copy


@contextmanager
def explained_errors(path: Path) -> Iterator[None]:
    """Convert errors of SQLite and of the operating system to `UsageError`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except sqlite3.Error as error:
        reason = failure_reason(error)
        if reason is None:
            raise
        raise UsageError(f"{path}: {reason}") from error
