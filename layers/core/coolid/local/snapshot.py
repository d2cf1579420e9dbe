"""The snapshot file, which keeps the rows of the embedded tables across restarts.

It is one JSON document with the format's name, a digest and the rows. Saving renames a temporary file, so that the
snapshot is always complete. A file that is not a complete snapshot is refused and not changed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import orjson

from coolid import private_files
from coolid.errors import UsageError
from coolid.local.embedded_store import EmbeddedStore

FORMAT: Final = "coolid-snapshot/1"
SAVE_SECONDS: Final = 3.0

Rows = dict[str, list[dict[str, Any]]]
"""Items in DynamoDB's JSON by the table's logical name."""


class BadSnapshot(UsageError):
    """The file is not a complete snapshot, or another server uses it. It was not changed."""


class SnapshotFailed(UsageError):
    """The file could not be written; the changes since the last save are lost."""


def load(path: Path) -> Rows | None:
    """Return the rows of a snapshot, or None if there is no file. Raises `BadSnapshot`."""
    try:
        content = private_files.read(path)
    except OSError as error:
        raise BadSnapshot(f"{path} cannot be read: {error.strerror}") from error
    if content is None:
        return None
    if not content:
        raise BadSnapshot(f"{path} is empty, not a snapshot; remove it to begin a new one")
    try:
        document = orjson.loads(content)
    except ValueError as error:
        raise BadSnapshot(f"{path} is not a snapshot of coolid, or only part of one; it was left as it is") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadSnapshot(f"{path} is not a snapshot of coolid ({FORMAT}); it was left as it is")
    rows: Rows = document.get("rows", {})
    if document.get("sha256") != _digest(rows):
        raise BadSnapshot(f"{path} was damaged or changed by hand: its digest does not fit; it was left as it is")
    return rows


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Lock the file against other servers, with a lock file beside it. Raises `BadSnapshot` if another has the lock."""
    lock = path.with_name(path.name + ".lock")
    with ExitStack() as ends:
        try:
            ends.enter_context(private_files.open_locked(lock))
        except BlockingIOError as error:
            raise BadSnapshot(f"{path} is in use by another server") from error
        except OSError as error:
            raise BadSnapshot(f"{lock} cannot be used as a lock: {error.strerror}") from error
        yield


def save(path: Path, rows: Rows) -> None:
    """Replace the file atomically by a snapshot of these rows, readable by its owner only.

    The caller has the lock (`exclusive`), because this removes the temporary file of an earlier save. Raises `OSError`.
    """
    document = {"format": FORMAT, "sha256": _digest(rows), "rows": rows}
    with private_files.replacement(path, path.with_name(path.name + ".new")) as file:
        file.write(orjson.dumps(document))


class SnapshotSaver:
    """A thread that saves the rows of `tables` (names by logical name) if they changed, and saves them at the end.

    Unchanged rows of the registry are left out, because each start loads them again.
    """

    def __init__(self, path: Path, store: EmbeddedStore, tables: dict[str, str], warn: Callable[[str], None]) -> None:
        self._path = path
        self._store = store
        self._tables = tables
        self._warn = warn
        self._registry: dict[str, Any] = {}
        self._saved_writes = -1
        self._stop = Event()
        self._thread = Thread(target=self._run, name="snapshot", daemon=True)

    def start(self, registry: list[dict[str, Any]]) -> None:
        """Start the thread. The first save is immediate, so that an unwritable file is an error before any mint."""
        self._registry = {item["name"]["S"]: item for item in registry}
        self._save_or_fail("cannot be written")
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and save the latest changes."""
        self._stop.set()
        self._thread.join()
        self._save_or_fail("could not be written at the end")

    def _run(self) -> None:
        while not self._stop.wait(SAVE_SECONDS):
            try:
                self._save_or_fail("could not be written, will try again")
            except SnapshotFailed as error:
                self._warn(str(error))

    def _save_or_fail(self, failure: str) -> None:
        try:
            self._save_changes()
        except OSError as error:  # it names its file, which may be the temporary one
            raise SnapshotFailed(f"{error.filename or self._path} {failure}: {error.strerror}") from error

    def _save_changes(self) -> None:
        with self._store.lock:
            writes = self._store.writes
            if writes == self._saved_writes:
                return
            rows = {logical: self._store.items(name) for logical, name in self._tables.items()}
        rows["PrefixTable"] = [item for item in rows["PrefixTable"] if self._registry.get(item["name"]["S"]) != item]
        save(self._path, rows)
        self._saved_writes = writes


def _digest(rows: Rows) -> str:
    return sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
