"""A thread that saves the embedded tables to the snapshot file every few seconds and at the end, if they changed."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from coolid.local import snapshot
from coolid.local.embedded_store import EmbeddedStore

SECONDS: Final = 3.0

Item = dict[str, Any]


class SnapshotFailed(Exception):
    """The file could not be written; the changes since the last save are lost."""


class SnapshotSaver:
    """Saves the rows of `tables` (names by logical name), except unchanged rows of the registry."""

    def __init__(self, path: Path, store: EmbeddedStore, tables: dict[str, str], warn: Callable[[str], None]) -> None:
        self._path = path
        self._store = store
        self._tables = tables
        self._warn = warn
        self._registry: dict[str, Item] = {}
        self._saved_writes = 0
        self._stop = Event()
        self._thread = Thread(target=self._run, name="keeper", daemon=True)

    def start(self, registry: list[Item]) -> None:
        """Start the thread. The first save is immediate, so that an unwritable file is an error before any mint."""
        self._registry = {item["name"]["S"]: item for item in registry}
        try:
            self._save()
        except OSError as error:
            raise SnapshotFailed(f"{self._file_of(error)} cannot be written: {error.strerror}") from error
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and save the latest changes."""
        self._stop.set()
        self._thread.join()
        try:
            self._save_if_changed()
        except OSError as error:
            raise SnapshotFailed(f"{self._file_of(error)} could not be written at the end: {error.strerror}") from error

    def _run(self) -> None:
        while not self._stop.wait(SECONDS):
            try:
                self._save_if_changed()
            except OSError as error:
                self._warn(f"{self._file_of(error)} could not be written, will try again: {error.strerror}")

    def _file_of(self, error: OSError) -> object:
        """Return the file that an error names, which may be the temporary one."""
        return error.filename or self._path

    def _save_if_changed(self) -> None:
        if self._store.writes != self._saved_writes:
            self._save()

    def _save(self) -> None:
        with self._store.lock:
            writes = self._store.writes
            rows = {logical: self._store.items(name) for logical, name in self._tables.items()}
        rows["PrefixTable"] = [item for item in rows["PrefixTable"] if self._registry.get(item["name"]["S"]) != item]
        snapshot.save(self._path, rows)
        self._saved_writes = writes
