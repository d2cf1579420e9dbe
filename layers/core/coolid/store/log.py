"""The ports of the transparency log: its rows, and its files.

The rows say which entries wait, which have a place in the log, and what its head is. The files are the log itself, as
it is served below `/log/`, and the staging files of the sequencer (`coolid.log.sequencer`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from coolid.ports import NoteSigner

STAGING: Final = "staging/"
"""Files below this are not served."""


def staging_path(size: int, root: bytes) -> str:
    """Return the path of the staging file of a tree with this root that grew from a tree of `size` leaves.

    >>> staging_path(70_000, bytes(32))[:29]
    'staging/00000000000000070000-'
    """
    return f"{STAGING}{size:020d}-{root.hex()}"


def staged_size(path: str) -> int:
    """Return the size in the path of a staging file.

    >>> staged_size(staging_path(70_000, bytes(32)))
    70000
    """
    return int(path.removeprefix(STAGING).partition("-")[0])


class WaitingEntry(Struct, frozen=True):
    """An entry that has no place in the log yet.

    `name` is unique in the log (`coolid.log.entries`). `leaf` is the entry itself, the compact JWS of a version; or it
    is empty, and `statement` is the JSON text of a statement that the sequencer signs. `since` is the time from which
    the entry waits, in milliseconds since 1970.
    """

    name: str
    since: int
    leaf: str = ""
    statement: str = ""


class LogHead(Struct, frozen=True):
    """The latest signed tree. Its `revision` grows by one with each head.

    `size` and the text of the `checkpoint`, with the log's signature, are final: no other tree of this size is ever
    signed. `staging` names the file with which the head's files and rows are written again after a crash.
    """

    revision: int
    size: int
    checkpoint: str
    staging: str


class LogRows(Protocol):
    """The rows of the log. All methods raise `StoreUnavailable`."""

    def waiting_entries(self, limit: int) -> Sequence[WaitingEntry]:
        """Return at most `limit` waiting entries, about the oldest first.

        The newest may be missing, and some may have a place in the log already (`indexes` is exact).
        """

    def add_entries(self, entries: Sequence[WaitingEntry]) -> None:
        """Let entries wait. Nothing changes for those that wait or have a place already.

        Some may be written if it fails.
        """

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        """Return the index in the log of each named entry, None while it waits (consistent).

        Unknown entries are absent.
        """

    def settle(self, indexes: Mapping[str, int]) -> None:
        """Set the indexes of entries, which then no longer wait. It can be repeated.

        Some may be written if it fails.
        """

    def head(self) -> LogHead | None:
        """Return the head (consistent), or None in a new log."""

    def replace_head(self, head: LogHead, replaced: LogHead | None) -> None:
        """Write the next head. Raises `Outdated` unless `replaced` still is the current one."""

    def sweep_position(self) -> str | None:
        """Return the position at which the sweep continues, or None if it never ran."""

    def set_sweep_position(self, position: str) -> None:
        """Write the position at which the sweep continues."""


class LogFiles(Protocol):
    """The files of the log by their paths, such as `checkpoint` or `tile/0/000`.

    All methods raise `StoreUnavailable`.
    """

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents of those of the files that exist (consistent)."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write each file whole, or not at all. Some may be written if it fails. A file that exists is replaced."""

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        """Write the file `checkpoint`. Raises `Outdated` unless its content still is `replaced`, None if it is absent.

        So a run that was delayed cannot replace a later checkpoint.
        """

    def discard_staging(self, size: int) -> None:
        """Delete the staging files of trees that grew from fewer than `size` leaves, now or later.

        No head names them any more. See `staging_path`.
        """


class LogAccess(Struct, frozen=True):
    """The log of a service: its `origin`, rows, files and signer. `policy` is the text of its tlog-policy, or empty.

    The sequencer runs every `period` seconds.
    """

    origin: str
    rows: LogRows
    files: LogFiles
    signer: NoteSigner
    policy: str = ""
    period: int = 60
