"""The files of the transparency log in a folder, under their paths.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     files = LogFolder(Path(folder) / "coolid.db.log")
...     files.write({"tile/0/000.p/1": bytes(32)})
...     sorted(files.read(["tile/0/000.p/1", "checkpoint"]))
['tile/0/000.p/1']
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import Final

from coolid import private_files
from coolid.errors import Outdated, StoreUnavailable
from coolid.log.tiles import CHECKPOINT, WIDTH, Tile, tile_of_path
from coolid.store.log import STAGING, staged_size

_PATH: Final = re.compile(r"[a-z0-9][a-z0-9.-]*(/[a-z0-9][a-z0-9.-]*)*", re.ASCII)
_LOCK: Final = "lock"
STAGING_SECONDS: Final = 600
"""How long staging files stay that no head names any more."""


class LogFolder:
    """Implements `LogFiles`. Each file is written to the disk under another name, and then gets its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def beside(cls, database: Path) -> "LogFolder":
        """Return the folder of the log of a database, such as `coolid.db.log`. It may not exist yet."""
        return cls(database.with_name(f"{database.name}.log"))

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """See `LogFiles`."""
        with _translated_errors():
            contents = ((path, private_files.read(self._file(path))) for path in paths)
            return {path: content for path, content in contents if content is not None}

    def write(self, files: Mapping[str, bytes]) -> None:
        """See `LogFiles`."""
        for path, content in files.items():
            self._write(path, content)
        for path in files:
            self._discard_partial(path)

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        """See `LogFiles`. A lock excludes other processes between the comparison and the write."""
        with _translated_errors():
            _make_folder(self._folder)
            try:
                lock = private_files.open_locked(self._folder / _LOCK)
            except BlockingIOError as error:
                raise Outdated("the checkpoint of the transparency log") from error
            with lock:
                if self.read([CHECKPOINT]).get(CHECKPOINT) != replaced:
                    raise Outdated("the checkpoint of the transparency log")
                self._write(CHECKPOINT, checkpoint)

    def discard_staging(self, size: int) -> None:
        """See `LogFiles`. Those of the last minutes stay, because a backup that is being made may need one."""
        with _translated_errors(), suppress(FileNotFoundError):
            latest = time() - STAGING_SECONDS
            for file in (self._folder / STAGING).iterdir():
                if staged_size(STAGING + file.name) < size and file.lstat().st_mtime < latest:
                    file.unlink(missing_ok=True)

    def _write(self, path: str, content: bytes) -> None:
        file = self._file(path)
        with _translated_errors():
            _make_folder(file.parent)
            with private_files.replacement(file) as new:
                new.write(content)

    def _discard_partial(self, path: str) -> None:
        """Delete the partial tiles in the place before a full tile, where there is a full one, too.

        Each small tree has its own, so that they would take a hundred times the space of the entries. Readers of an
        earlier tree read the full tile (C2SP tlog-tiles, "Partial Tiles").
        """
        tile = tile_of_path(path)
        if tile is None or tile.width < WIDTH or not tile.index:
            return
        full = self._file(Tile(tile.level, tile.index - 1).path)
        folder = full.with_name(f"{full.name}.p")
        with suppress(OSError):  # some may be open or locked on other systems, which delays nothing
            if private_files.exists(full) and not folder.is_symlink():
                for file in folder.iterdir():
                    file.unlink(missing_ok=True)
                folder.rmdir()

    def _file(self, path: str) -> Path:
        if not _PATH.fullmatch(path):
            raise ValueError(f"the log has no file with the path {path!r}")
        return self._folder / path


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents, so that they survive a power failure."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        private_files.sync_folder(folder.parent)


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Convert errors of the operating system to `StoreUnavailable`."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"the files of the transparency log: {error.strerror or error}") from error
