"""Journals: what an import of new records has done so far, in a file beside its input.

Before rows that choose no identifier are written, the journal says which each will get, and is on the disk; afterwards
it says what was minted. So an import that was cut short at any moment knows what may be there already: it tries the
same identifiers again, and no row is minted twice, however long ago that was. At the end the journal is the list of
what was minted for which line. Of the lines that are done it keeps one bit each in memory.
"""

import os
from collections.abc import Iterable, Mapping
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

import orjson
from msgspec import Struct, field

from coolid.aws.transfer.bounded_lines import TOO_LONG, read_lines

FORMAT: Final = "coolid-import/1"
SUFFIX: Final = ".coolid-progress"


class InvalidJournal(Exception):
    """The journal is not one of this import."""


class Journal(Struct):
    """`intended` has the keys (`REPOSITORY/KEY`) of lines that may have been minted, and are not known to be."""

    file: BinaryIO
    intended: dict[int, str] = field(default_factory=dict)
    _done: bytearray = field(default_factory=bytearray)

    @classmethod
    def open(cls, path: Path, into: str) -> Self:
        """The journal of importing the file at `path` into the table `into`, new or as it was left.

        Raises `InvalidJournal`.
        """
        with path.open("rb") as read:
            about = {"format": FORMAT, "sha256": file_digest(read, "sha256").hexdigest(), "into": into}
        beside = path.with_name(path.name + SUFFIX)
        journal = cls(beside.open("a+b"))
        try:
            journal._begin(beside, about)
        except BaseException:
            journal.file.close()
            raise
        return journal

    def is_done(self, line: int) -> bool:
        """Whether the line was minted."""
        return line // 8 < len(self._done) and bool(self._done[line // 8] >> line % 8 & 1)

    def intend(self, keys: Mapping[int, str]) -> None:
        """Note which key each of these lines is to get; it is on the disk when this is over."""
        if keys:
            self.intended |= keys
            self._write({"intended": {str(line): key for line, key in keys.items()}})
            self._settle()

    def note(self, minted: Iterable[tuple[int, str]]) -> None:
        """Note which PID each of these lines has by now."""
        for line, pid in minted:
            self._mark(line)
            self._write({"line": line, "pid": pid})

    def close(self) -> None:
        """Put all of it on the disk, and end."""
        self._settle()
        self.file.close()

    def _begin(self, beside: Path, about: Mapping[str, Any]) -> None:
        try:
            flock(self.file, LOCK_EX | LOCK_NB)
        except OSError as error:
            raise InvalidJournal(f"{beside} is in use: the file is being imported already") from error
        self.file.seek(0)
        whole = self._recall(beside, about)
        self.file.truncate(whole)
        if not whole:
            self._write(about)
            self._settle()

    def _recall(self, beside: Path, about: Mapping[str, Any]) -> int:
        """Take in what is there; how many bytes of it are whole lines."""
        whole = 0
        for line in read_lines(self.file):
            is_torn = not (line.is_terminated or line.is_too_long)
            if is_torn and (line.number > 1 or orjson.dumps(about).startswith(line.content)):
                break  # it was being written when the import was cut short
            entry = _entry(line.content)
            if line.number == 1 and entry != about:
                told = "the file was changed, or imported elsewhere" if _is_ours(entry) else "it is something else"
                raise InvalidJournal(f"{beside} does not fit: {told}. Move it away to import the file as a new one")
            if line.is_too_long:
                raise InvalidJournal(f"{beside} is damaged: its line {line.number} {TOO_LONG}")
            if "line" in entry:
                self._mark(entry["line"])
            self.intended |= {int(line): key for line, key in entry.get("intended", {}).items()}
            whole += line.size
        self.intended = {line: key for line, key in self.intended.items() if not self.is_done(line)}
        return whole

    def _mark(self, line: int) -> None:
        if line // 8 >= len(self._done):
            self._done.extend(bytes(line // 8 + 1024 - len(self._done)))
        self._done[line // 8] |= 1 << line % 8
        self.intended.pop(line, None)

    def _write(self, entry: Mapping[str, Any]) -> None:
        self.file.write(orjson.dumps(entry) + b"\n")

    def _settle(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = orjson.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _is_ours(entry: Mapping[str, Any]) -> bool:
    return entry.get("format") == FORMAT
