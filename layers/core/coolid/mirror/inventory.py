"""The inventory of a mirror while it is written: its records, files and log entries, in a temporary database.

So memory is bounded, and all that is written from it comes in one order, whatever the order of the source.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Self

from coolid.mirror.layout import shard_of
from coolid.mirror.records import MirroredRecord, line_of, record_of_line

_PAGE: Final = 1_000
_SCHEMA: Final = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -65536;
    CREATE TABLE records (path TEXT PRIMARY KEY, shard TEXT NOT NULL, line BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX by_shard ON records (shard, path);
    CREATE TABLE spellings (
        spelling TEXT NOT NULL, folded TEXT NOT NULL, rank INTEGER NOT NULL, path TEXT NOT NULL, folds INTEGER NOT NULL,
        PRIMARY KEY (spelling, path)
    ) WITHOUT ROWID;
    CREATE INDEX by_folded ON spellings (folded);
    CREATE TABLE entries (pid TEXT NOT NULL, version INTEGER NOT NULL, entry INTEGER NOT NULL,
        PRIMARY KEY (pid, version)) WITHOUT ROWID;
    CREATE TABLE files (path TEXT PRIMARY KEY, shard TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX files_by_shard ON files (shard, path);
    CREATE TABLE places (folded TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE folders (folder TEXT PRIMARY KEY, places INTEGER NOT NULL) WITHOUT ROWID;
"""


class Spelling(NamedTuple):
    """A spelling of a path and the name of its identifier's files. `is_shared` if another differs in case only."""

    text: str
    path: str
    folds_case: bool
    is_shared: bool


class Inventory:
    """The records, files and entries. `close` removes the database."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="coolid-mirror-")
        self._rows = sqlite3.connect(f"{self._folder.name}/inventory.db", isolation_level=None)
        self._rows.executescript(_SCHEMA)
        self._rows.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()
        self._folder.cleanup()

    def add_record(self, record: MirroredRecord) -> None:
        """Add a record, or replace it."""
        row = (record.path, shard_of(record.name), line_of(record))
        self._rows.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", row)

    def record(self, path: str) -> MirroredRecord | None:
        """Return the record of a canonical path, or None."""
        found = self._rows.execute("SELECT line FROM records WHERE path = ?", (path,)).fetchone()
        return record_of_line(found[0]) if found else None

    def records(self) -> Iterator[MirroredRecord]:
        """Yield all records in the order of their paths. Records may be added meanwhile."""
        return (
            record_of_line(line) for _, line in self._pages("SELECT path, line FROM records WHERE path > ?", "path")
        )

    def record_count(self) -> int:
        """Return the number of records."""
        return int(self._rows.execute("SELECT count(*) FROM records").fetchone()[0])

    def shards(self) -> list[str]:
        """Return the folders that have records."""
        return [shard for (shard,) in self._rows.execute("SELECT DISTINCT shard FROM records ORDER BY shard")]

    def lines_of(self, shard: str) -> bytes:
        """Return the index of a folder."""
        lines = self._rows.execute("SELECT line FROM records WHERE shard = ? ORDER BY path", (shard,))
        return b"".join(line for (line,) in lines)

    def collect_spellings(self, normalise: Callable[[str], str] = lambda text: text) -> None:
        """Collect the spellings of all records, each in its normal form.

        Of two identifiers with one spelling, the one with the longer prefix keeps it, or else the first.
        """
        self._rows.execute("DELETE FROM spellings")
        for record in self.records():
            folds = record.folds_case
            texts = {normalise(text): rank for text, rank in record.spellings}
            rows = ((text, _folded(text), rank, record.path, folds) for text, rank in texts.items())
            self._rows.executemany("INSERT OR IGNORE INTO spellings VALUES (?, ?, ?, ?, ?)", rows)
        self._rows.execute(
            "DELETE FROM spellings WHERE EXISTS (SELECT 1 FROM spellings AS other WHERE"
            " other.spelling = spellings.spelling AND (other.rank > spellings.rank"
            " OR (other.rank = spellings.rank AND other.path < spellings.path)))"
        )

    def spellings(self) -> Iterator[Spelling]:
        """Yield all spellings in their order."""
        query = (
            "SELECT spelling, path, folds, (SELECT count(*) FROM spellings AS other"
            " WHERE other.folded = spellings.folded) > 1 FROM spellings ORDER BY spelling"
        )
        for text, path, folds, is_shared in self._rows.execute(query):
            yield Spelling(text, path, bool(folds), bool(is_shared))

    def add_entry(self, pid: str, version: int, entry: int) -> None:
        """Add the first entry of a version in the log."""
        self._rows.execute("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)", (pid, version, entry))

    def entry(self, pid: str, version: int) -> int | None:
        """Return the index of the entry of a version, or None."""
        query = "SELECT entry FROM entries WHERE pid = ? AND version = ?"
        found = self._rows.execute(query, (pid, version)).fetchone()
        return int(found[0]) if found else None

    def entries_of(self, pid: str) -> list[tuple[int, int]]:
        """Return the versions of an identifier that have entries, each with the index of its entry."""
        return self._rows.execute(
            "SELECT version, entry FROM entries WHERE pid = ? ORDER BY version", (pid,)
        ).fetchall()

    def pids(self) -> Iterator[str]:
        """Yield the identifiers that have entries, in their order."""
        return (pid for (pid,) in self._pages("SELECT DISTINCT pid FROM entries WHERE pid > ?", "pid"))

    def add_file(self, path: str, shard: str, digest: str) -> None:
        """Add a file with its SHA-256 in hexadecimal, or replace it. `shard` is the folder whose list has it."""
        self._rows.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (path, shard, digest))

    def has_file(self, path: str) -> bool:
        """Return whether the mirror has this file."""
        return self._rows.execute("SELECT 1 FROM files WHERE path = ?", (path,)).fetchone() is not None

    def claim_place(self, path: str, most: int) -> bool:
        """Return whether a file can be at this path: no other differs in case only, and its folder has fewer files."""
        folder = path.rpartition("/")[0]
        found = self._rows.execute("SELECT places FROM folders WHERE folder = ?", (folder,)).fetchone()
        if found and found[0] >= most:
            return False
        if not self._rows.execute("INSERT OR IGNORE INTO places VALUES (?)", (_folded(path),)).rowcount:
            return False
        query = "INSERT INTO folders VALUES (?, 1) ON CONFLICT DO UPDATE SET places = places + 1"
        self._rows.execute(query, (folder,))
        return True

    def file_shards(self) -> list[str]:
        """Return the folders that have lists of files, the empty one excepted."""
        query = "SELECT DISTINCT shard FROM files WHERE shard != '' ORDER BY shard"
        return [shard for (shard,) in self._rows.execute(query)]

    def sums(self, shard: str) -> Iterator[bytes]:
        """Yield the lines of a list of files, in the format of `sha256sum`."""
        query = "SELECT digest, path FROM files WHERE shard = ? ORDER BY path"
        return (f"{digest}  {path}\n".encode() for digest, path in self._rows.execute(query, (shard,)))

    def _pages(self, query: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query in the order of their first column, which is `order`, page by page."""
        last = ""
        while page := self._rows.execute(f"{query} ORDER BY {order} LIMIT {_PAGE}", (last,)).fetchall():
            yield from page
            last = page[-1][0]

    def file_count(self) -> int:
        """Return the number of files."""
        return int(self._rows.execute("SELECT count(*) FROM files").fetchone()[0])


def _folded(text: str) -> str:
    """Return a text in the lower case of ASCII, as nginx compares the keys of a map."""
    return text.encode().lower().decode()


def paths_of(pids: Iterable[str], base_url: str) -> Iterator[str]:
    """Yield the paths, percent-encoded and with a slash, of those identifiers that begin with the base URL."""
    return (pid.removeprefix(base_url) for pid in pids if pid.startswith(f"{base_url}/"))
