"""Tallies: what became of the rows of a file, the reasons of refused rows, and where an import stopped early."""

from collections.abc import Callable

from msgspec import Struct


class RejectedRow(Struct, frozen=True):
    """Why a row was refused: the `line` that it begins on, where in it (RFC 6901; "" is the whole), and a sentence."""

    line: int
    pointer: str
    reason: str


class TransferProgress(Struct):
    """How many rows were written, were there already, and were refused; `read` are the bytes read so far.

    `tell` hears each refusal, `watch` is called after each line that is read. `stopped` says why no row was tried from
    its line on; that row is not counted.
    """

    tell: Callable[[RejectedRow], None]
    watch: Callable[[], None] = lambda: None
    written: int = 0
    present: int = 0
    refused: int = 0
    read: int = 0
    stopped: RejectedRow | None = None

    @property
    def rows(self) -> int:
        """How many are dealt with."""
        return self.written + self.present + self.refused

    def refuse(self, line: int, *reasons: tuple[str, str]) -> None:
        """Count one row as refused, for these reasons (pointer, sentence)."""
        self.refused += 1
        for pointer, reason in reasons:
            self.tell(RejectedRow(line, pointer, reason))

    def stop(self, line: int, reason: str) -> None:
        """Note that no row was tried from this line on, for this reason (a clause)."""
        self.stopped = RejectedRow(line, "", reason)

    def hear(self, octets: int) -> None:
        """Note that so many bytes more were read."""
        self.read += octets
        self.watch()
