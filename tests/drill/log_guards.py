"""Guards of the transparency log: the parts that keep its promises under failure. Without one its drill must fail."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

from coolid.log import sequencer, subject_entries
from coolid.log.batches import BatchReader
from coolid.log.sequencer import Sequencer
from coolid.log.sweep import Sweep
from coolid.log.tiles import CHECKPOINT
from coolid.store.log import LogHead, WaitingEntry, staging_path
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows


def _replace_head_unchecked(rows: MemoryLogRows, head: LogHead, _replaced: LogHead | None) -> None:
    rows.current = head


def _publish_unchecked(files: MemoryLogFiles, checkpoint: bytes, _replaced: bytes | None) -> None:
    files.contents[CHECKPOINT] = checkpoint


def _with_settled(_batches: BatchReader, entries: Iterable[WaitingEntry]) -> list[WaitingEntry]:
    return [*{entry.name: entry for entry in entries}.values()]


def _without_earlier(
    _batches: BatchReader, _subject: str, group: Mapping[int, WaitingEntry], _missing: int
) -> dict[int, WaitingEntry]:
    return dict(group)


def _without_repair(_sequencer: Sequencer, _head: LogHead, published: bytes | None) -> bytes | None:
    return published


def _settle_later(self: Sequencer, _head: LogHead, tree: Any) -> None:
    self._files.write(tree.files)


LOG_GUARDS: Final[dict[str, Callable[[], AbstractContextManager[Any]]]] = {
    "swap": lambda: patch.object(MemoryLogRows, "replace_head", _replace_head_unchecked),
    "publication": lambda: patch.object(MemoryLogFiles, "publish", _publish_unchecked),
    "once": lambda: patch.object(BatchReader, "_unsettled", _with_settled),
    "order": lambda: patch.object(BatchReader, "_completed", _without_earlier),
    "repair": lambda: patch.object(Sequencer, "_complete", _without_repair),
    "indexes": lambda: patch.object(Sequencer, "_apply", _settle_later),
    "staging": lambda: patch.object(sequencer, "staging_path", lambda size, _root: staging_path(size, bytes(32))),
    "reserved": lambda: patch.object(subject_entries, "RESERVED", None),
    "sweep": lambda: patch.object(Sweep, "run", lambda *_: False),
}
"""Patches that remove a guard, by name.

The guards are the conditions of a head and of a published checkpoint; the exact check of what has a place; the versions
before one; the repair of a head that was not published; the indexes of its entries; a name of its own for each staging
file; no entry of a reserved version; and the search for what a feed lost.
"""
