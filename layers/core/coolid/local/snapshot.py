"""Snapshots: a file that keeps the rows of the embedded tables across restarts.

One JSON document: the format's name, a digest, and the rows. It is written beside its place and then moved there, so
that the file is always a whole one; what is not a whole snapshot of ours is refused and left as it is.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

FORMAT: Final = "coolid-snapshot/1"

Rows = dict[str, list[dict[str, Any]]]
"""Items in DynamoDB's JSON by the table's logical name."""


class BadSnapshot(Exception):
    """The file is not a whole snapshot; it was not touched."""


def load(path: Path) -> Rows | None:
    """The rows of a snapshot; None if there is no file yet; `BadSnapshot` for anything else."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadSnapshot(f"{path} cannot be read: {error.strerror}") from error
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
def held(path: Path) -> Iterator[None]:
    """Hold the file against other servers, by a lock on a file beside it; `BadSnapshot` if another holds it."""
    try:
        lock = path.with_name(path.name + ".lock").open("w")
    except OSError as error:
        raise BadSnapshot(f"{path} cannot be written: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadSnapshot(f"{path} is in use by another server") from error
        yield


def save(path: Path, rows: Rows) -> None:
    """Replace the file by a snapshot of these rows, readable by its owner only, all at once or not at all."""
    document = {"format": FORMAT, "sha256": _digest(rows), "rows": rows}
    beside = path.with_name(path.name + ".new")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123 - for the mode
        file.write(orjson.dumps(document))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(rows: Rows) -> str:
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
