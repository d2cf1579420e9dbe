"""The journal of an import of new records, a file beside its input.

Before a row without a chosen identifier is minted, the identifier intended for it is in the journal on the disk.
Afterwards the journal records its PID. An interrupted import tries the same identifiers again, so no row is minted
twice. The finished journal lists the PID of each line. In memory, each finished line takes one bit.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

import orjson
from msgspec import Struct, field

from coolid import private_files
from coolid.errors import UsageError
from coolid.transfer.bounded_lines import TOO_LONG, read_lines

FORMAT: Final = "coolid-import/1"
SUFFIX: Final = ".coolid-progress"


class InvalidJournal(UsageError):
    """The journal does not belong to this import, or is damaged."""


class Journal(Struct):
    """The state of an import. `intended` contains the names (`REPOSITORY/KEY`) of lines that may have been minted."""

    file: BinaryIO
    intended: dict[int, str] = field(default_factory=dict)
    _done: bytearray = field(default_factory=bytearray)

    @classmethod
    def open(cls, path: Path, table: str) -> Self:
        """Open or create the journal of the import of the file at `path` into a table.

        Raises `InvalidJournal`, and `OSError` if it cannot be used, for example because it is a symbolic link.
        """
        with path.open("rb") as read:
            header = {"format": FORMAT, "sha256": file_digest(read, "sha256").hexdigest(), "into": table}
        journal_path = path.with_name(path.name + SUFFIX)
        try:
            journal = cls(private_files.open_locked(journal_path))
        except BlockingIOError as error:
            raise InvalidJournal(f"{journal_path} is in use: the file is being imported already") from error
        try:
            journal._load(journal_path, header)
        except BaseException:
            journal.file.close()
            raise
        return journal

    def is_done(self, line: int) -> bool:
        """Return whether the line was minted."""
        return line // 8 < len(self._done) and bool(self._done[line // 8] >> line % 8 & 1)

    def intend(self, keys: Mapping[int, str]) -> None:
        """Record the keys intended for these lines, and write them to disk before returning."""
        if keys:
            self.intended |= keys
            self._write({"intended": {str(line): key for line, key in keys.items()}})
            self._sync()

    def add_minted(self, minted: Iterable[tuple[int, str]]) -> None:
        """Record the PIDs minted for these lines."""
        for line, pid in minted:
            self._mark(line)
            self._write({"line": line, "pid": pid})

    def close(self) -> None:
        """Write everything to disk and close the file."""
        self._sync()
        self.file.close()

    def _load(self, path: Path, header: Mapping[str, Any]) -> None:
        """Load the complete lines of an existing journal and discard the rest, or begin a new one."""
        end = 0
        for line in read_lines(self.file):
            is_torn = not (line.is_terminated or line.is_too_long)
            if is_torn and (line.number > 1 or orjson.dumps(header).startswith(line.content)):
                break  # the import was interrupted while writing it
            entry = _entry(line.content)
            if line.number == 1 and entry != header:
                is_other_import = entry.get("format") == FORMAT
                why = "the file was changed, or imported elsewhere" if is_other_import else "it is something else"
                raise InvalidJournal(f"{path} does not fit: {why}. Move it away to import the file as a new one")
            if line.is_too_long:
                raise InvalidJournal(f"{path} is damaged: its line {line.number} {TOO_LONG}")
            if "line" in entry:
                self._mark(entry["line"])
            self.intended |= {int(line): key for line, key in entry.get("intended", {}).items()}
            end = self.file.tell()
        self.intended = {line: key for line, key in self.intended.items() if not self.is_done(line)}
        self.file.seek(end)
        self.file.truncate()
        if not end:
            self._write(header)
            self._sync()

    def _mark(self, line: int) -> None:
        if line // 8 >= len(self._done):
            self._done.extend(bytes(line // 8 + 1024 - len(self._done)))
        self._done[line // 8] |= 1 << line % 8
        self.intended.pop(line, None)

    def _write(self, entry: Mapping[str, Any]) -> None:
        self.file.write(orjson.dumps(entry) + b"\n")

    def _sync(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())


def _entry(line: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        if isinstance(entry := orjson.loads(line), dict):
            return entry
    return {}
