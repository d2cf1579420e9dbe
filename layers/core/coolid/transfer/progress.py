"""Progress of an import: the numbers of rows, the reasons of refused rows, and where it stopped early."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeVar

from msgspec import Struct

Item = TypeVar("Item")


class Refusal(Struct, frozen=True):
    """A reason to refuse a row: the `line` that it begins on, a JSON Pointer (RFC 6901; "" is all), and a sentence."""

    line: int
    pointer: str
    reason: str


class TransferProgress(Struct):
    """The numbers of rows written, already present and refused, and of bytes read so far.

    `on_refused` is called for each reason of a refused row, `on_read` before each item that is read. `stopped` is the
    reason why the import stopped at a row; rows from its line on are not counted.
    """

    on_refused: Callable[[Refusal], None]
    on_read: Callable[[], None] = lambda: None
    written: int = 0
    present: int = 0
    refused: int = 0
    read_bytes: int = 0
    stopped: Refusal | None = None

    @property
    def handled(self) -> int:
        """The number of rows handled so far."""
        return self.written + self.present + self.refused

    def refuse(self, line: int, *reasons: tuple[str, str]) -> None:
        """Count one row as refused, for these reasons (pointer, sentence)."""
        self.refused += 1
        for pointer, reason in reasons:
            self.on_refused(Refusal(line, pointer, reason))

    def watch(self, file: BinaryIO, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items that are read from a file, and update `read_bytes`."""
        for item in items:
            self.read_bytes = file.tell()
            self.on_read()
            yield item
