"""Files of jobs in SQLite, in parts of `PART_BYTES`.

Each part is written in a transaction of its own, so that a slow upload holds no lock. The last transaction gives the
parts their name. Parts without a name, of an upload that was cut short, are removed when they expire.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial
from secrets import randbits
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.model.jobs import LIFETIME
from coolid.ports import Clock
from coolid.sqlite.database import Database
from coolid.store.file_parts import parts_of

PART_BYTES: Final = 1 << 16
_GRACE: Final = timedelta(days=1)
"""A file may be a little older than its job, or be read for a while."""

_SELECT: Final = "SELECT content, size FROM job_files WHERE name = ?"
_SELECT_PART: Final = "SELECT data FROM job_file_parts WHERE content = ? AND part = ?"
_INSERT_PART: Final = "INSERT INTO job_file_parts (content, part, expires, data) VALUES (?, ?, ?, ?)"
_DELETE_PARTS: Final = "DELETE FROM job_file_parts WHERE content = (SELECT content FROM job_files WHERE name = ?)"
_DELETE: Final = "DELETE FROM job_files WHERE name = ?"
_INSERT: Final = "INSERT INTO job_files (name, content, size, expires) VALUES (?, ?, ?, ?)"


class SqliteFiles:
    """Implements `FileStore`. It has no URLs, because the service itself receives and serves the files."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def write(self, name: str, pieces: Iterable[bytes], media_type: str = "application/octet-stream") -> int:  # noqa: ARG002 - the service knows the type
        """See `FileStore`."""
        content, size = randbits(62), 0
        expires = round((self._clock.now() + LIFETIME + _GRACE).timestamp())
        for number, part in enumerate(parts_of(pieces, PART_BYTES)):
            size += len(part)
            row = (content, number, expires, part)
            self._database.write(partial(_insert_part, row))

        def change(connection: sqlite3.Connection) -> None:
            connection.execute(_DELETE_PARTS, (name,))
            connection.execute(_DELETE, (name,))
            connection.execute(_INSERT, (name, content, size, expires))

        self._database.write(change)
        return size

    def read(self, name: str, start: int = 0) -> Iterator[bytes] | None:
        """See `FileStore`."""
        found = self._found(name)
        return None if found is None else self._read(*found, start)

    def size(self, name: str) -> int | None:
        """See `FileStore`."""
        found = self._found(name)
        return None if found is None else found[1]

    def delete(self, name: str) -> None:
        """See `FileStore`."""

        def change(connection: sqlite3.Connection) -> None:
            connection.execute(_DELETE_PARTS, (name,))
            connection.execute(_DELETE, (name,))

        self._database.write(change)

    def upload_url(self, name: str, max_bytes: int, seconds: int) -> str | None:  # noqa: ARG002 - see the class
        """See `FileStore`."""
        return None

    def download_url(self, name: str, file_name: str, seconds: int) -> str | None:  # noqa: ARG002 - see the class
        """See `FileStore`."""
        return None

    def _found(self, name: str) -> tuple[int, int] | None:
        """Return the content's number and the size of a file, or None."""
        with self._database.read() as connection:
            found: tuple[int, int] | None = connection.execute(_SELECT, (name,)).fetchone()
            return found

    def _read(self, content: int, size: int, start: int) -> Iterator[bytes]:
        """Yield the content from a byte on. No connection is in use between two parts."""
        for number in range(start // PART_BYTES, -(-size // PART_BYTES)):
            with self._database.read() as connection:
                found = connection.execute(_SELECT_PART, (content, number)).fetchone()
            if found is None:
                raise StoreUnavailable("the file was replaced or deleted while it was read")
            skipped = max(start - number * PART_BYTES, 0)
            if skipped < len(found[0]):
                yield found[0][skipped:]


def _insert_part(row: tuple[int, int, int, bytes], connection: sqlite3.Connection) -> None:
    connection.execute(_INSERT_PART, row)
